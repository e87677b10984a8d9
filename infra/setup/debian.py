"""Packages of the machine's distribution, unpacked into a folder without rights of root."""

import shlex
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from infra.setup.commands import machine_command
from layers.running import LayerError, run

_LIBRARY_FOLDERS: Final = ("lib", "lib/x86_64-linux-gnu", "usr/lib", "usr/lib/x86_64-linux-gnu")


def unpack_packages(folder: Path, packages: Iterable[str], *, commands: Path, missing: str) -> None:
    """Fill the folder with packages and their missing dependencies, as apt finds and checks them.

    No version is pinned: a distribution keeps only its newest, whose hash its signed lists have.
    Raises LayerError, with `missing` as the message on a machine without apt.
    """
    if machine_command("apt-get", commands) is None:
        raise LayerError(missing)
    shutil.rmtree(folder, ignore_errors=True)
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


def library_folders(folder: Path, more: Iterable[str] = ()) -> list[Path]:
    """Return the folders of the libraries of unpacked packages, with `more` of them."""
    return [folder / name for name in (*_LIBRARY_FOLDERS, *more)]


def write_script(
    script: Path,
    folder: Path,
    command: Iterable[str],
    variables: Mapping[str, str] | None = None,
    more_libraries: Iterable[str] = (),
) -> None:
    """Write the script that starts a program of the folder with the libraries beside it."""
    libraries = ":".join(map(str, library_folders(folder, more_libraries)))
    exported = {"LD_LIBRARY_PATH": libraries, **(variables or {})}
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in exported.items())
    script.write_text(f'#!/bin/sh\n{exports}exec {shlex.join(command)} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
