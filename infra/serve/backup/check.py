"""Check of a backup: all of it is read, and is what the manifest says."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import batched
from typing import IO, Final

from infra.serve.backup.manifest import (
    LIST,
    MANIFEST,
    BackupFile,
    Manifest,
    UnusableBackupError,
    read_list,
)
from infra.serve.backup.places import Place
from infra.serve.data_folder import FORMAT

_PIECE_BYTES: Final = 1 << 20
_THREADS: Final = 8
_AT_ONCE: Final = 256


def in_threads[S, T](function: Callable[[S], T], each: Iterable[S]) -> Iterator[T]:
    """Yield what a function returns for each, in order; some are under way at a time."""
    with ThreadPoolExecutor(_THREADS) as threads:
        for some in batched(each, _AT_ONCE, strict=False):
            yield from threads.map(function, some)


def read_through(source: IO[bytes], target: IO[bytes] | None = None) -> tuple[int, str]:
    """Read to the end, to a target if there is one; return size and SHA-256."""
    size, sha256 = 0, hashlib.sha256()
    while piece := source.read(_PIECE_BYTES):
        size += len(piece)
        sha256.update(piece)
        if target is not None:
            target.write(piece)
    return size, sha256.hexdigest()


def check_file(place: Place, each: BackupFile) -> None:
    """Read one file of a backup; raises UnusableBackupError."""
    with closing(open_file(place, each)) as source:
        each.check(*read_through(source))


def check_backup(place: Place) -> Manifest:
    """Read a whole backup; raises UnusableBackupError."""
    manifest = read_manifest(place)
    for _ in in_threads(partial(check_file, place), listed_files(place, manifest)):
        pass
    return manifest


def read_manifest(place: Place) -> Manifest:
    """Return the manifest of a backup; raises UnusableBackupError."""
    try:
        with closing(place.read(MANIFEST)) as file:
            return Manifest.read(file.read(), FORMAT)
    except FileNotFoundError:
        message = f"there is no backup, or it did not end: {MANIFEST} is missing"
        raise UnusableBackupError(message) from None


def listed_files(place: Place, manifest: Manifest) -> Iterator[BackupFile]:
    """Yield the files of a backup; raises UnusableBackupError."""
    try:
        source = place.read(LIST)
    except FileNotFoundError:
        message = f"{LIST} is missing"
        raise UnusableBackupError(message) from None
    with closing(source):
        yield from read_list(_lines(source), manifest)


def _lines(source: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a source; that of a bucket yields pieces by itself."""
    rest = b""
    while piece := source.read(_PIECE_BYTES):
        *whole, rest = (rest + piece).split(b"\n")
        yield from (line + b"\n" for line in whole)
    if rest:
        yield rest


def open_file(place: Place, each: BackupFile) -> IO[bytes]:
    """Open a file of a backup; raises UnusableBackupError."""
    try:
        return place.read(each.path)
    except FileNotFoundError:
        message = f"{each.path} is missing"
        raise UnusableBackupError(message) from None
