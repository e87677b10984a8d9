"""Location of Chromium and the fonts, readable by the account that runs the browser."""

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


class BrowserMissingError(Exception):
    """Chromium or the fonts are missing, or cannot be copied where they are needed."""


class UnixAccount(NamedTuple):
    """The user and group that the browser runs as."""

    uid: int
    gid: int


class BrowserInstallation(NamedTuple):
    """Paths of a usable browser; `account` is None where it runs as the current user."""

    executable: Path
    libraries: Path
    fonts_conf: Path
    font_families: Path
    account: UnixAccount | None


def locate_browser(chromium: Path, fonts: Path) -> BrowserInstallation:
    """Return the installation, unpacked and readable by the account that runs it.

    A packed layer is unpacked once per execution environment. As root the browser runs as
    `nobody`; folders which that user cannot reach are copied once. Raises BrowserMissingError.
    """
    chromium, fonts = _ensure_unpacked(chromium, fonts)
    for path in (fonts / name for name in ("fonts.conf", "families.json", "characters.json")):
        if not path.is_file():
            raise _missing_error(path, "fonts")
    account = None
    if os.geteuid() == 0:
        check_temporary_folder()
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


def check_temporary_folder() -> None:
    """Raise BrowserMissingError where the user that runs the browser cannot write its home."""
    if os.geteuid() != 0:
        return
    folder = Path(tempfile.gettempdir()).resolve()
    status = folder.stat()
    is_own = status.st_uid == pwd.getpwnam(UNPRIVILEGED_USER).pw_uid
    if not is_own and not status.st_mode & stat.S_IWOTH:
        message = (
            f"the temporary folder {folder} has the mode {stat.S_IMODE(status.st_mode):o}, so the "
            f"user {UNPRIVILEGED_USER}, who runs the browser, cannot write to it: give TMPDIR the "
            f"mode of /tmp (chmod 1777 {folder}), or unset it"
        )
        raise BrowserMissingError(message)
    closed = [each for each in (folder, *folder.parents) if not _is_open_to_all(each)]
    if closed and not is_own:
        message = (
            f"the user {UNPRIVILEGED_USER}, who runs the browser, cannot reach the temporary "
            f"folder {folder}: {closed[-1]} is closed to others; use another TMPDIR"
        )
        raise BrowserMissingError(message)


def shared_copy(source: Path, fill: Callable[[Path, Path], None]) -> Path:
    """Return a cached folder that `fill(source, folder)` writes on first use.

    The folder is complete or absent, never partial. Concurrent processes wait for the writer; the
    remains of a killed writer are discarded. Raises BrowserMissingError.
    """
    cache = _cache_folder()
    target = cache / f"{source.name}-{_content_key(source)}"
    if target.exists():
        return target
    with _exclusive_lock(cache / f"{target.name}.lock"):
        if not target.exists():
            _make_copy(target, lambda partial: fill(source, partial))
    return target


def _ensure_unpacked(chromium: Path, fonts: Path) -> tuple[Path, Path]:
    if (chromium / "chromium").is_file():
        return chromium, fonts
    # Only a layer is packed; elsewhere none of these is imported (decision 7).
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    from chalicelib.engine.browser.chromium import unpack  # noqa: PLC0415

    if not all((chromium / name).is_file() for name in unpack.ARCHIVES):
        raise _missing_error(chromium / "chromium", "chromium")
    if not (fonts / unpack.FONTS).is_file():
        return shared_copy(chromium, unpack.unpack), fonts
    # Side by side: a start is given a second processor, and Chromium takes twice as long.
    with ThreadPoolExecutor(1) as thread:
        unpacked_fonts = thread.submit(shared_copy, fonts, unpack.unpack_fonts)
        return shared_copy(chromium, unpack.unpack), unpacked_fonts.result()


def _make_copy(target: Path, fill: Callable[[Path], None]) -> None:
    partial = target.with_name(f"{target.name}.part")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir()
        fill(partial)
        partial.chmod(0o755)
        # Atomic: other processes see the whole folder or none.
        partial.rename(target)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise _unusable_error(target, error) from error


def _cache_folder() -> Path:
    """Return a folder that only the current user can write to.

    The temporary folder is shared: another user could have created this name first, or linked it.
    """
    folder = Path(tempfile.gettempdir()) / f"platen-{os.geteuid()}"
    try:
        folder.mkdir(mode=0o755, exist_ok=True)
        status = folder.lstat()
    except OSError as error:
        raise _unusable_error(folder, error) from error
    if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        message = f"{folder} is not ours alone; remove it"
        raise BrowserMissingError(message)
    return folder


@contextmanager
def _exclusive_lock(path: Path) -> Iterator[None]:
    try:
        lock = path.open("wb")
    except OSError as error:
        raise _unusable_error(path, error) from error
    # The kernel releases the lock when the process ends, even if it is killed.
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _unusable_error(target: Path, error: OSError) -> BrowserMissingError:
    return BrowserMissingError(
        f"{target} cannot be written ({error.strerror}); the temporary folder needs 400 MB of room"
    )


def _content_key(folder: Path) -> str:
    """Return a key of the content: of a file its bytes, of a folder its pins or its file list."""
    digest = hashlib.sha256()
    pins = folder / ".pins"
    if folder.is_file():
        digest.update(folder.read_bytes())
    elif pins.is_file():
        digest.update(pins.read_bytes())
    else:
        for path in sorted(folder.rglob("*")):
            status = path.lstat()
            digest.update(
                f"{path.relative_to(folder)} {status.st_size} {status.st_mtime_ns}\n".encode()
            )
    return digest.hexdigest()[:16]


def _missing_error(path: Path, layer: str) -> BrowserMissingError:
    return BrowserMissingError(
        f"{path} is missing: it comes with the layer `{layer}`; on one machine run: make setup"
    )


def _ensure_readable(folder: Path) -> Path:
    folder = folder.resolve()
    if all(map(_is_open_to_all, (folder, *folder.parents))):
        return folder
    return shared_copy(folder, _copy)


def _is_open_to_all(folder: Path) -> bool:
    return bool(folder.stat().st_mode & stat.S_IXOTH)


def _copy(source: Path, target: Path) -> None:
    archives = shutil.ignore_patterns("*.br")
    shutil.copytree(source, target, dirs_exist_ok=True, ignore=archives)
