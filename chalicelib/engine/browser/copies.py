"""What is made of a folder or file once for all processes of this machine, in its /tmp."""

import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class BrowserMissing(Exception):  # noqa: N818 -- reads as the fact it tells
    """Chromium or the fonts are not where they should be."""


def copy_of(source: Path, fill: Callable[[Path, Path], None]) -> Path:
    """Return the folder that `fill(source, folder)` has made; it is complete or not there.

    Who comes while another process makes it waits. What a killed process left is thrown away.
    Raises BrowserMissing.
    """
    place = _our_place()
    target = place / f"{source.name}-{_key(source)}"
    if target.exists():
        return target
    with _alone(place):
        if not target.exists():
            _make(target, lambda fresh: fill(source, fresh))
    return target


def _make(target: Path, fill: Callable[[Path], None]) -> None:
    fresh = target.with_name(f"{target.name}.part")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        fresh.mkdir()
        fill(fresh)
        fresh.chmod(0o755)
        fresh.rename(target)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        raise _unusable(target, error) from error


def _our_place() -> Path:
    """Return a folder of ours that nobody else can put something into."""
    place = Path(tempfile.gettempdir()) / f"platen-{os.geteuid()}"
    try:
        place.mkdir(mode=0o755, exist_ok=True)
        found = place.lstat()
    except OSError as error:
        raise _unusable(place, error) from error
    if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        message = f"{place} is not ours alone; remove it"
        raise BrowserMissing(message)
    return place


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    try:
        lock = (place / "lock").open("wb")
    except OSError as error:
        raise _unusable(place, error) from error
    # The kernel takes the lock away from a process that ends, however it ends.
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _unusable(target: Path, error: OSError) -> BrowserMissing:
    return BrowserMissing(
        f"{target} cannot be written ({error.strerror}); the temporary folder needs 300 MB of room"
    )


def _key(folder: Path) -> str:
    """Return a key of what is in it; a folder's are its pins, or else names, sizes and times."""
    digest = hashlib.sha256()
    pins = folder / ".pins"
    if folder.is_file():
        digest.update(folder.read_bytes())
    elif pins.is_file():
        digest.update(pins.read_bytes())
    else:
        for path in sorted(folder.rglob("*")):
            found = path.lstat()
            digest.update(
                f"{path.relative_to(folder)} {found.st_size} {found.st_mtime_ns}\n".encode()
            )
    return digest.hexdigest()[:16]
