"""Where the browser and the fonts are, readable by the user who will run them."""

import hashlib
import os
import pwd
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

UNPRIVILEGED: Final = "nobody"


class BrowserMissing(Exception):  # noqa: N818 -- reads as the fact it tells
    """Chromium or the fonts are not where they should be."""


@dataclass(frozen=True, slots=True)
class Account:
    """The user and group that the browser runs as."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Installation:
    """One usable browser; `account` is None where it runs as ourselves."""

    executable: Path
    libraries: Path
    fonts_conf: Path
    account: Account | None


def locate(chromium: Path, fonts: Path) -> Installation:
    """Find both; as root they must be open to `nobody`, and are copied once where they are not."""
    for needed in (chromium / "chromium", fonts / "fonts.conf"):
        if not needed.is_file():
            message = f"{needed} is missing; run: make setup"
            raise BrowserMissing(message)
    account = None
    if os.geteuid() == 0:
        entry = pwd.getpwnam(UNPRIVILEGED)
        account = Account(entry.pw_uid, entry.pw_gid)
        chromium, fonts = _readable(chromium), _readable(fonts)
    return Installation(
        executable=chromium / "chromium",
        libraries=chromium / "lib",
        fonts_conf=fonts / "fonts.conf",
        account=account,
    )


def _readable(folder: Path) -> Path:
    folder = folder.resolve()
    if all(parent.stat().st_mode & stat.S_IXOTH for parent in (folder, *folder.parents)):
        return folder
    copy = Path(tempfile.gettempdir()) / f"platen-{folder.name}-{_key(folder)}"
    if not _is_ours(copy):
        with tempfile.TemporaryDirectory(prefix="platen-copy-") as scratch:
            fresh = Path(scratch) / "copy"
            shutil.copytree(folder, fresh)
            fresh.chmod(0o755)
            try:
                fresh.rename(copy)
            except OSError:
                # Another process was first.
                if not _is_ours(copy):
                    raise
    return copy


def _is_ours(copy: Path) -> bool:
    """Tell whether the copy exists and nobody else can have put something into it."""
    try:
        found = copy.lstat()
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid():
        return not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    message = f"{copy} is not ours; remove it"
    raise BrowserMissing(message)


def _key(folder: Path) -> str:
    """Return a key of the folder's content: its pins, or else names, sizes and times."""
    digest = hashlib.sha256()
    pins = folder / ".pins"
    if pins.is_file():
        digest.update(pins.read_bytes())
    else:
        for path in sorted(folder.rglob("*")):
            found = path.lstat()
            digest.update(
                f"{path.relative_to(folder)} {found.st_size} {found.st_mtime_ns}\n".encode()
            )
    return digest.hexdigest()[:16]
