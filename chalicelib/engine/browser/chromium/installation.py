"""Where the browser and the fonts are, readable by the user who will run them."""

import fcntl
import hashlib
import os
import pwd
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

UNPRIVILEGED_USER: Final = "nobody"


class UnixAccount(NamedTuple):
    """The user and group that the browser runs as."""

    uid: int
    gid: int


class BrowserInstallation(NamedTuple):
    """One usable browser; `account` is None where it runs as ourselves."""

    executable: Path
    libraries: Path
    fonts_conf: Path
    font_families: Path
    account: UnixAccount | None


def locate_browser(chromium: Path, fonts: Path) -> BrowserInstallation:
    """Find both; as root they must be open to `nobody`, and are copied once where they are not.

    The browser of a layer is unpacked first, once for all processes of an environment. Raises
    BrowserMissing.
    """
    chromium = _ensure_unpacked(chromium)
    for needed in (fonts / "fonts.conf", fonts / "families.json"):
        if not needed.is_file():
            raise _missing_error(needed, "fonts")
    account = None
    if os.geteuid() == 0:
        entry = pwd.getpwnam(UNPRIVILEGED_USER)
        account = UnixAccount(entry.pw_uid, entry.pw_gid)
        chromium, fonts = _ensure_readable(chromium), _ensure_readable(fonts)
    return BrowserInstallation(
        executable=chromium / "chromium",
        libraries=chromium / "lib",
        fonts_conf=fonts / "fonts.conf",
        font_families=fonts / "families.json",
        account=account,
    )


def _ensure_unpacked(folder: Path) -> Path:
    if (folder / "chromium").is_file():
        return folder
    # Only a layer is packed: elsewhere nobody pays for what unpacks it.
    from chalicelib.engine.browser.chromium import unpack  # noqa: PLC0415

    if not all((folder / name).is_file() for name in unpack.ARCHIVES):
        raise _missing_error(folder / "chromium", "chromium")
    return shared_copy(folder, unpack.unpack)


class BrowserMissing(Exception):  # noqa: N818 -- reads as the fact it tells
    """Chromium or the fonts are not where they should be."""


def shared_copy(source: Path, fill: Callable[[Path, Path], None]) -> Path:
    """Return the folder that `fill(source, folder)` has made; it is complete or not there.

    Who comes while another process makes it waits. What a killed process left is thrown away.
    Raises BrowserMissing.
    """
    place = _cache_folder()
    target = place / f"{source.name}-{_content_key(source)}"
    if target.exists():
        return target
    with _exclusive_lock(place):
        if not target.exists():
            _make_copy(target, lambda fresh: fill(source, fresh))
    return target


def _make_copy(target: Path, fill: Callable[[Path], None]) -> None:
    fresh = target.with_name(f"{target.name}.part")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        fresh.mkdir()
        fill(fresh)
        fresh.chmod(0o755)
        fresh.rename(target)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        raise _unusable_error(target, error) from error


def _cache_folder() -> Path:
    """Return a folder of ours that nobody else can put something into."""
    place = Path(tempfile.gettempdir()) / f"platen-{os.geteuid()}"
    try:
        place.mkdir(mode=0o755, exist_ok=True)
        found = place.lstat()
    except OSError as error:
        raise _unusable_error(place, error) from error
    if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        message = f"{place} is not ours alone; remove it"
        raise BrowserMissing(message)
    return place


@contextmanager
def _exclusive_lock(folder: Path) -> Iterator[None]:
    try:
        lock = (folder / "lock").open("wb")
    except OSError as error:
        raise _unusable_error(folder, error) from error
    # The kernel takes the lock away from a process that ends, however it ends.
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _unusable_error(target: Path, error: OSError) -> BrowserMissing:
    return BrowserMissing(
        f"{target} cannot be written ({error.strerror}); the temporary folder needs 300 MB of room"
    )


def _content_key(folder: Path) -> str:
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


def _missing_error(path: Path, layer: str) -> BrowserMissing:
    return BrowserMissing(
        f"{path} is missing: it comes with the layer `{layer}`; on one machine run: make setup"
    )


def _ensure_readable(folder: Path) -> Path:
    folder = folder.resolve()
    if all(parent.stat().st_mode & stat.S_IXOTH for parent in (folder, *folder.parents)):
        return folder
    return shared_copy(folder, _copy)


def _copy(source: Path, target: Path) -> None:
    packed = shutil.ignore_patterns("*.br")
    shutil.copytree(source, target, dirs_exist_ok=True, ignore=packed)
