"""Where the browser and the fonts are, readable by the user who will run them."""

import os
import pwd
import shutil
import stat
from pathlib import Path
from typing import Final, NamedTuple

from chalicelib.engine.browser.copies import BrowserMissing, copy_of

UNPRIVILEGED: Final = "nobody"


class Account(NamedTuple):
    """The user and group that the browser runs as."""

    uid: int
    gid: int


class Installation(NamedTuple):
    """One usable browser; `account` is None where it runs as ourselves."""

    executable: Path
    libraries: Path
    fonts_conf: Path
    font_families: Path
    account: Account | None


def locate(chromium: Path, fonts: Path) -> Installation:
    """Find both; as root they must be open to `nobody`, and are copied once where they are not.

    The browser of a layer is unpacked first, once for all processes of an environment. Raises
    BrowserMissing.
    """
    chromium = _unpacked(chromium)
    for needed in (fonts / "fonts.conf", fonts / "families.json"):
        if not needed.is_file():
            raise _missing(needed, "fonts")
    account = None
    if os.geteuid() == 0:
        entry = pwd.getpwnam(UNPRIVILEGED)
        account = Account(entry.pw_uid, entry.pw_gid)
        chromium, fonts = _readable(chromium), _readable(fonts)
    return Installation(
        executable=chromium / "chromium",
        libraries=chromium / "lib",
        fonts_conf=fonts / "fonts.conf",
        font_families=fonts / "families.json",
        account=account,
    )


def _unpacked(folder: Path) -> Path:
    if (folder / "chromium").is_file():
        return folder
    # Only a layer is packed: elsewhere nobody pays for what unpacks it.
    from chalicelib.engine.browser import unpacking  # noqa: PLC0415

    if not all((folder / name).is_file() for name in unpacking.PACKED):
        raise _missing(folder / "chromium", "chromium")
    return copy_of(folder, unpacking.unpack)


def _missing(needed: Path, layer: str) -> BrowserMissing:
    return BrowserMissing(
        f"{needed} is missing: it comes with the layer `{layer}`; on one machine run: make setup"
    )


def _readable(folder: Path) -> Path:
    folder = folder.resolve()
    if all(parent.stat().st_mode & stat.S_IXOTH for parent in (folder, *folder.parents)):
        return folder
    return copy_of(folder, _copy)


def _copy(source: Path, target: Path) -> None:
    packed = shutil.ignore_patterns("*.br")
    shutil.copytree(source, target, dirs_exist_ok=True, ignore=packed)
