"""OpenSSH's server for tests: the machine's, or else its distribution's package, unpacked.

`python -m infra.setup.sshd COMMANDS_DIR`
"""

import shutil
import sys
from pathlib import Path
from typing import Final

from infra.setup import debian
from infra.setup.commands import link_command, machine_command
from layers.npm import main
from layers.running import LayerError

_PACKAGE: Final = "openssh-server"
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
    if machine_command("apt-get", commands) is None:
        raise LayerError(_MISSING)
    folder = commands.parent / "sshd"
    shutil.rmtree(folder, ignore_errors=True)
    debian.unpack([_PACKAGE], folder)
    debian.link_script(commands / "sshd", folder, _command(folder))


def _command(folder: Path) -> list[str]:
    """Return the command that starts the server with the paths of its parts."""
    command = [str(folder / "usr" / "sbin" / "sshd")]
    for name, option in _HELPERS.items():
        helper = folder / "usr" / "lib" / "openssh" / name
        command += ["-o", f"{option}={helper}"] if helper.exists() else []
    return command


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
