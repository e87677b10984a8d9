"""OpenSSH's server for tests: the machine's, or else its distribution's package, unpacked.

`python -m infra.setup.sshd COMMANDS_DIR`
"""

import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

from infra.setup.commands import link_command, machine_command
from layers.npm import main
from layers.running import LayerError, run

_PACKAGE: Final = "openssh-server"
_LIBRARY_FOLDERS: Final = ("lib", "lib/x86_64-linux-gnu", "usr/lib", "usr/lib/x86_64-linux-gnu")
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
    _unpack_package(folder)
    script = folder / "sshd.sh"
    script.write_text(_script(folder), encoding="utf-8")
    script.chmod(0o755)
    link_command(commands / "sshd", script)


def _unpack_package(folder: Path) -> None:
    """Unpack the package and its missing dependencies, as apt finds and checks them.

    No version is pinned: a distribution keeps only its newest, whose hash its signed lists have.
    """
    lists, cache = folder / "apt" / "lists", folder / "apt" / "archives"
    for part in (lists, cache):
        (part / "partial").mkdir(parents=True)
    settings = {
        "Dir::State::lists": lists,
        "Dir::Cache::archives": cache,
        "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
        "Debug::NoLocking": "true",
    }
    options = [text for key, value in settings.items() for text in ("-o", f"{key}={value}")]
    run(["apt-get", *options, "--quiet", "update"])
    download = ["--quiet", "--yes", "--no-install-recommends", "--download-only"]
    run(["apt-get", *options, *download, "install", _PACKAGE])
    for package in sorted(cache.glob("*.deb")):
        run(["dpkg-deb", "--extract", str(package), str(folder)])
    shutil.rmtree(folder / "apt")


def _script(folder: Path) -> str:
    """Return the script that starts the server with the paths of its parts."""
    libraries = ":".join(str(folder / name) for name in _LIBRARY_FOLDERS)
    command = [str(folder / "usr" / "sbin" / "sshd")]
    for name, option in _HELPERS.items():
        helper = folder / "usr" / "lib" / "openssh" / name
        command += ["-o", f"{option}={helper}"] if helper.exists() else []
    export = f"export LD_LIBRARY_PATH={shlex.quote(libraries)}"
    return f'#!/bin/sh\n{export}\nexec {shlex.join(command)} "$@"\n'


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
