"""Programs of servers for tests: nginx, systemd's checks, builders of images.

`python -m infra.setup.server_tools COMMANDS_DIR`

Each is the machine's, or else its distribution's package, unpacked.
"""

import shutil
import sys
from pathlib import Path
from typing import Final

from infra.setup.commands import link_command, machine_command
from infra.setup.debian import library_folders, unpack_packages, write_script
from layers.npm import main

# Commands, their packages, and where they stand in these.
_TOOLS: Final = {
    "nginx": ("nginx", "usr/sbin/nginx"),
    "systemd-analyze": ("systemd", "usr/bin/systemd-analyze"),
    "mmdebstrap": ("mmdebstrap", "usr/bin/mmdebstrap"),
    "buildah": ("buildah", "usr/bin/buildah"),
    "crun": ("crun", "usr/bin/crun"),
}
# Of programs that start themselves again without the variables that name these.
LIBRARIES_FILE: Final = "libraries.conf"
_PRIVATE_LIBRARIES: Final = ("usr/lib/x86_64-linux-gnu/systemd",)
TOOLS: Final = tuple(_TOOLS)


def build(commands: Path) -> None:
    """Create the commands in a folder; needs no rights of root. Raises LayerError."""
    folder = commands.parent / "server_tools"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    missing = {name: tool for name, tool in _TOOLS.items() if not _link(name, commands)}
    if missing:
        message = (
            f"missing: {', '.join(missing)}, which tests need -- install them with the package"
            " manager of this machine"
        )
        # The keys of Debian, where the machine is of another distribution.
        packages = [*(package for package, _ in missing.values()), "debian-archive-keyring"]
        unpack_packages(folder, packages, commands=commands, missing=message)
        for name, (_, path) in missing.items():
            script = folder / f"{name}.sh"
            program = [str(folder / path)]
            write_script(script, folder, program, more_libraries=_PRIVATE_LIBRARIES)
            link_command(commands / name, script)
    lines = [f"{each}\n" for each in library_folders(folder) if each.exists()]
    (folder / LIBRARIES_FILE).write_text("".join(lines), encoding="utf-8")


def _link(name: str, commands: Path) -> bool:
    own = machine_command(name, commands)
    if own is not None:
        link_command(commands / name, own)
    return own is not None


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
