"""Font cache: a scan of the fonts by Chromium, made at build time (decision 8).

The scan takes a third of the browser's start. Its result in `cache` is valid wherever the folder
is, as long as the modification time of `ttf` is the same; otherwise the browser scans again.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.sandbox.walls import Walls
from layers.running import LayerError

# The cache file contains the scanned path, which is never read. The fonts are scanned at a path of
# this length, which is then replaced by this one, so the bytes are the same on every machine.
_RECORDED_PATH: Final = "/platen/fonts".ljust(120, "-")
# The cache file also contains the modification time of `ttf`: 1980, the earliest in a ZIP.
_FOLDER_MTIME: Final = 315_532_800


def build_font_cache(chromium: Path, fonts: Path) -> None:
    """Fill `fonts/cache`; raises LayerError when the browser wrote no cache."""
    shutil.rmtree(fonts / "cache", ignore_errors=True)
    os.utime(fonts / "ttf", (_FOLDER_MTIME, _FOLDER_MTIME))
    with tempfile.TemporaryDirectory() as folder:
        # If this process is root, the browser runs as another user.
        Path(folder).chmod(0o1777)
        tempfile.tempdir = folder
        scan_path = _scan_path(folder)
        shutil.copytree(fonts, scan_path)
        # It shows nothing, and an image may be built where no sandbox can be made.
        browser = Browser(chromium, scan_path, sandbox=False, walls=Walls(may_miss=True))
        browser.start()
        caches = list(Path(folder).glob("platen-browser-*/cache/fontconfig/*.cache-*"))
        if len(caches) != 1:
            message = f"the browser should cache one folder of {fonts}, not {len(caches)}"
            raise LayerError(message)
        (fonts / "cache").mkdir()
        content = caches[0].read_bytes().replace(bytes(scan_path), _RECORDED_PATH.encode())
        (fonts / "cache" / caches[0].name).write_bytes(content)
        browser.close()


def _scan_path(folder: str) -> Path:
    length = len(_RECORDED_PATH) - len(f"{folder}/")
    if length < 1:
        raise LayerError(f"{folder} is too long a name; name a shorter folder by TMPDIR")
    return Path(folder, "f" * length)


if __name__ == "__main__":
    build_font_cache(Path(sys.argv[1]), Path(sys.argv[2]))
