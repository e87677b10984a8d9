"""PNG: a picture of the viewport or of the whole document."""

import struct
from typing import Final

from chalicelib.engine.browser.page import Page
from chalicelib.engine.finishing.watermark import mark_png
from chalicelib.engine.formats.format import Finishing, Format
from chalicelib.engine.job import Produced
from chalicelib.engine.options.output import Output

# Width and height are the first members of IHDR, which is always the first chunk.
_SIZE_AT: Final = 16


def _draw(page: Page, output: Output) -> bytes:
    return page.picture("png", output)


def _finish(content: bytes, finishing: Finishing) -> Produced:
    if finishing.test:
        content = mark_png(content)
    width, height = struct.unpack_from(">II", content, _SIZE_AT)
    return Produced("png", content, "image/png", width=width, height=height)


PNG: Final = Format("png", "screen", _draw, _finish)
