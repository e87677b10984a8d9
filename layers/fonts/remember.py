"""Has the browser look through the fonts once, so that no start of it has to.

What it found lies in `cache` beside the fonts. It holds for wherever the folder is put, as long as
the time of `ttf` stays; where it does not hold, the browser looks for itself again.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from chalicelib.engine.browser.lifecycle import Browser
from layers.npm import LayerError


def remember(chromium: Path, fonts: Path) -> None:
    """Fill `fonts/cache`; raises LayerError when the browser remembers nothing."""
    shutil.rmtree(fonts / "cache", ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        # The browser runs as another user where we are root.
        Path(folder).chmod(0o1777)
        tempfile.tempdir = folder
        browser = Browser(chromium, fonts)
        browser.start()
        found = list(Path(folder).glob("platen-browser-*/cache/fontconfig/*.cache-*"))
        if len(found) != 1:
            message = f"the browser should remember one folder of {fonts}, not {len(found)}"
            raise LayerError(message)
        (fonts / "cache").mkdir()
        (fonts / "cache" / found[0].name).write_bytes(found[0].read_bytes())
        browser.close()


if __name__ == "__main__":
    remember(Path(sys.argv[1]), Path(sys.argv[2]))
