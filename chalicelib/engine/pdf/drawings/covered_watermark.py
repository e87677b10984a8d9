"""Watermarks below pages whose own backgrounds hide them."""

import zlib
from functools import partial
from typing import TYPE_CHECKING, Final

from chalicelib.contract.options.pdf import Watermark
from chalicelib.engine.pdf.drawings.mark_drawings import placement_matrix
from chalicelib.engine.pdf.page_boxes import PdfRectangle, bounding_box, visible_box
from chalicelib.engine.pdf.text.painted_boxes import Painted, covered_share, painted_boxes

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.pdf.warn import Warn

_MAX_PAGES: Final = 10
_MAX_CONTENT_BYTES: Final = 2_000_000
# The reader misses a mark of which less than half is left.
_COVERED_SHARE: Final = 0.5


def warn_of_covered_watermark(
    document: "pikepdf.Pdf", watermark: Watermark, box: PdfRectangle, warn: "Warn"
) -> None:
    """Warn of the first page that hides most of a watermark below it, among the first ten.

    `box` is that of the watermark before it is placed.
    """
    for number, page in enumerate(document.pages[:_MAX_PAGES], 1):
        area = bounding_box(box, placement_matrix(watermark, box, visible_box(page)))
        painted = painted_boxes(_beginning_of_contents(page))
        if covered_share(area, painted, partial(_is_opaque, page)) > _COVERED_SHARE:
            message = (
                f"The watermark is hidden on page {number}: it lies below the page, whose own "
                "backgrounds cover it. Take them out, or put the watermark over the page."
            )
            warn("content_clipped", message, "output.pdf.watermark.layer")
            return


def _beginning_of_contents(page: "pikepdf.Page") -> bytes:
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    contents = page.obj.get("/Contents", pikepdf.Array())
    streams = contents if isinstance(contents, pikepdf.Array) else [contents]
    result = b""
    for stream in streams:
        left = _MAX_CONTENT_BYTES - len(result)
        if left > 0 and isinstance(stream, pikepdf.Stream):
            result += _beginning_of_stream(stream, left) + b"\n"
    return result


def _beginning_of_stream(stream: "pikepdf.Stream", size: int) -> bytes:
    content = stream.read_raw_bytes()
    if "/Filter" not in stream:
        return content[:size]
    try:
        return zlib.decompressobj().decompress(content, size)
    except zlib.error:
        return b""


def _is_opaque(page: "pikepdf.Page", painted: Painted) -> bool:
    if painted.kind == "box":
        state = _resource(page, "/ExtGState", painted.name)
        return state is None or float(state.get("/ca", 1)) == 1
    picture = _resource(page, "/XObject", painted.name)
    return picture is not None and picture.get("/Subtype") == "/Image" and "/SMask" not in picture


def _resource(page: "pikepdf.Page", category: str, name: str) -> "pikepdf.Object | None":
    entries = page.resources.get(category)
    return None if entries is None or not name else entries.get(name)
