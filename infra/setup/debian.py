"""Programs of Debian's packages, unpacked into a folder without rights of root.

No version is pinned: a distribution keeps only its newest, whose hash its signed lists have.
"""

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from infra.setup.commands import link_command
from layers.running import run

_LIBRARIES: Final = ("lib", "lib/x86_64-linux-gnu", "usr/lib", "usr/lib/x86_64-linux-gnu")


def unpack(packages: Sequence[str], folder: Path) -> None:
    """Unpack packages and their missing dependencies, as apt finds and checks them."""
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
    run(["apt-get", *options, *download, "install", *packages])
    for package in sorted(cache.glob("*.deb")):
        run(["dpkg-deb", "--extract", str(package), str(folder)])
    shutil.rmtree(folder / "apt")


def library_folders(folder: Path, more: Sequence[str] = ()) -> list[Path]:
    """Return the folders of the libraries of an unpacked package, with `more` of them."""
    return [folder / name for name in (*_LIBRARIES, *more)]


def link_script(link: Path, folder: Path, command: Sequence[str], more: Sequence[str] = ()) -> None:
    """Make `link` a command that starts an unpacked program with its own libraries."""
    libraries = ":".join(str(each) for each in library_folders(folder, more))
    export = f"export LD_LIBRARY_PATH={shlex.quote(libraries)}"
    script = folder / f"{link.name}.sh"
    script.write_text(f'#!/bin/sh\n{export}\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    link_command(link, script)
