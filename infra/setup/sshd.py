"""OpenSSH's server for tests: the machine's, or else its distribution's package, unpacked.

`python -m infra.setup.sshd COMMANDS_DIR`
"""

import sys
from pathlib import Path
from typing import Final

from infra.setup.commands import link_command, machine_command
from infra.setup.debian import unpack_packages, write_script
from layers.npm import main

# Programs that the server starts since OpenSSH 9.8, and the options with their paths.
_HELPERS: Final = {"sshd-session": "SshdSessionPath", "sshd-auth": "SshdAuthPath"}
_MISSING: Final = (
    "missing: sshd, which tests with stores need -- install OpenSSH's server with the package"
    " manager of this machine"
)


def build(commands: Path) -> None:
    """Create the command `sshd` in a folder; needs no rights of root. Raises LayerError."""
    if own := machine_command("sshd", commands):
        link_command(commands / "sshd", own)
        return
    folder = commands.parent / "sshd"
    unpack_packages(folder, ["openssh-server"], commands=commands, missing=_MISSING)
    script = folder / "sshd.sh"
    write_script(script, folder, _command(folder))
    link_command(commands / "sshd", script)


def _command(folder: Path) -> list[str]:
    """Return the command that starts the server with the paths of its parts."""
    command = [str(folder / "usr" / "sbin" / "sshd")]
    for name, option in _HELPERS.items():
        helper = folder / "usr" / "lib" / "openssh" / name
        command += ["-o", f"{option}={helper}"] if helper.exists() else []
    return command


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
