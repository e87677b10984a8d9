"""Has the browser look through the fonts once, so that no start of it has to.

What it found lies in `cache` beside the fonts. It holds for wherever the folder is put, as long as
the time of `ttf` stays; where it does not hold, the browser looks for itself again.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from chalicelib.engine.browser.pool.lifecycle import Browser
from layers.npm import LayerError

# The browser writes down where it looked, and nobody reads it. It looks where a name is as long as
# this one on every machine, which then takes its place: the bytes are the same wherever it looked.
_RECORDED_PATH: Final = "/platen/fonts".ljust(120, "-")
# The time of `ttf`, which is written down too: the earliest that an archive can tell.
_FOLDER_MTIME: Final = 315_532_800


def build_font_cache(chromium: Path, fonts: Path) -> None:
    """Fill `fonts/cache`; raises LayerError when the browser remembers nothing."""
    shutil.rmtree(fonts / "cache", ignore_errors=True)
    os.utime(fonts / "ttf", (_FOLDER_MTIME, _FOLDER_MTIME))
    with tempfile.TemporaryDirectory() as folder:
        # The browser runs as another user where we are root.
        Path(folder).chmod(0o1777)
        tempfile.tempdir = folder
        place = _scan_path(folder)
        shutil.copytree(fonts, place)
        browser = Browser(chromium, place)
        browser.start()
        found = list(Path(folder).glob("platen-browser-*/cache/fontconfig/*.cache-*"))
        if len(found) != 1:
            message = f"the browser should remember one folder of {fonts}, not {len(found)}"
            raise LayerError(message)
        (fonts / "cache").mkdir()
        content = found[0].read_bytes().replace(bytes(place), _RECORDED_PATH.encode())
        (fonts / "cache" / found[0].name).write_bytes(content)
        browser.close()


def _scan_path(folder: str) -> Path:
    length = len(_RECORDED_PATH) - len(f"{folder}/")
    if length < 1:
        raise LayerError(f"{folder} is too long a name; name a shorter folder by TMPDIR")
    return Path(folder, "f" * length)


if __name__ == "__main__":
    build_font_cache(Path(sys.argv[1]), Path(sys.argv[2]))
