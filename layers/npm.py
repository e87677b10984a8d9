"""Fetch of pinned npm packages, each checked against its SHA-512 before it is opened."""

import base64
import hashlib
import json
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from layers.running import LayerError, run

MAX_DOWNLOADS: Final = 4
STAMP_FILE: Final = ".pins"
_ONLY_CHECKS: Final[ContextVar[bool]] = ContextVar("only_checks", default=False)


class OutdatedError(Exception):
    """A folder is missing, or was made of other packages."""


@dataclass(frozen=True, slots=True)
class Package:
    """One package and the SHA-512 that its tarball must have."""

    name: str
    version: str
    integrity: str


def build_from_packages(
    target: Path,
    packages: Sequence[Package],
    *,
    recipe: str,
    unpack: Callable[[Package, Path, Path], None],
    finish: Callable[[Path], None] = lambda _folder: None,
) -> None:
    """Fill `target` from `packages` unless its stamp matches already.

    `unpack(package, tarball, folder)` writes the files of one package, `finish(folder)` the rest;
    `recipe` names everything else that the result depends on. The folder is replaced as a whole.
    """
    stamp = _stamp(packages, recipe)
    if _read_stamp(target) == stamp:
        return
    if _ONLY_CHECKS.get():
        raise OutdatedError
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as scratch:
        folder = Path(scratch) / "new"
        folder.mkdir(mode=0o755)
        _fetch_all(packages, Path(scratch), folder, unpack)
        finish(folder)
        (folder / STAMP_FILE).write_text(stamp, encoding="utf-8")
        if target.exists():
            target.rename(Path(scratch) / "old")
        folder.rename(target)


def is_current(build: Callable[[Path], None], target: Path) -> bool:
    """Tell whether `target` is what `build`, which uses `build_from_packages`, would make of it."""
    token = _ONLY_CHECKS.set(True)
    try:
        build(target)
    except OutdatedError:
        return False
    finally:
        _ONLY_CHECKS.reset(token)
    return True


def _fetch_all(
    packages: Sequence[Package],
    scratch: Path,
    folder: Path,
    unpack: Callable[[Package, Path, Path], None],
) -> None:
    def fetch(number: int) -> str:
        package = packages[number]
        downloads = scratch / f"npm-{number}"
        downloads.mkdir()
        tarball = _download(package, downloads)
        unpack(package, tarball, folder)
        size = tarball.stat().st_size
        tarball.unlink()
        return f"{package.name}@{package.version} ({size / 1e6:.1f} MB)"

    with ThreadPoolExecutor(MAX_DOWNLOADS) as pool:
        running = [pool.submit(fetch, number) for number in range(len(packages))]
        for done, future in enumerate(as_completed(running), start=1):
            sys.stdout.write(f"  {done}/{len(packages)} {future.result()}\n")
            sys.stdout.flush()


def _download(package: Package, folder: Path) -> Path:
    pin = f"{package.name}@{package.version}"
    run(["npm", "pack", "--silent", "--ignore-scripts", "--json", pin], folder)
    (tarball,) = folder.glob("*.tgz")
    digest = hashlib.sha512(tarball.read_bytes()).digest()
    integrity = "sha512-" + base64.b64encode(digest).decode()
    if integrity != package.integrity:
        message = f"{pin} is not the pinned package: {integrity} instead of {package.integrity}"
        raise LayerError(message)
    return tarball


def tarball_files(tarball: Path) -> Sequence[tuple[str, bytes]]:
    """Return the regular files of a package as (path below `package/`, content)."""
    files = []
    with tarfile.open(tarball, "r:gz") as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None:
                files.append((member.name.partition("/")[2], content.read()))
    return files


def main(build: Callable[[Path], None], arguments: Sequence[str]) -> int:
    """Run a build script from the command line; return the exit status."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m layers.<layer>.build TARGET_DIR\n")
        return 2
    try:
        build(Path(arguments[0]).absolute())
    except LayerError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _stamp(packages: Sequence[Package], recipe: str) -> str:
    pins = [[package.name, package.version, package.integrity] for package in packages]
    return hashlib.sha256(json.dumps([pins, recipe]).encode()).hexdigest()


def _read_stamp(target: Path) -> str | None:
    try:
        return (target / STAMP_FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
