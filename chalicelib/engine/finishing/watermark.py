"""The caller's watermark: one drawing on every page, printed by the browser (decision 16)."""

import html
import io
import math
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from chalicelib.contract.css_values import length_in_inches
from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import ContentSource, Watermark
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.finishing.finisher import PdfFinisher
from chalicelib.engine.finishing.page_drawings import PageDrawings

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.browser.page.page import BrowserPage
    from chalicelib.engine.finishing.finisher import FinishingContext


# Largest share of a page's sides that a fitted watermark takes: in the middle and elsewhere.
_CENTER_SHARE: Final = 0.8
_EDGE_SHARE: Final = 0.35
# Distance from the page's edges, in points.
_INSET_PT: Final = 28.0
# Font size on the watermark page; the placement matrix scales it to the size on the pages.
FONT_PX: Final = 48
_FONT_PT: Final = FONT_PX * 0.75
# The title is the only text that the page's script can pass into the PDF.
UNREADABLE_TITLE: Final = "unreadable"
_MAX_PX: Final = 18_000
_PRINT_OPTIONS: Final = OutputOptions.from_json(
    {"pdf": {"tagged": False, "margin": dict.fromkeys(("top", "right", "bottom", "left"), "0")}}
)
_PAGE_HTML: Final = """<!doctype html><html lang="%(language)s"><meta charset=utf-8><style>
html, body { margin: 0 }
#mark { position: absolute; display: block; max-width: %(most)spx; max-height: %(most)spx }
div#mark { padding: .15em; font: bold %(font)spx/1.4 sans-serif; white-space: pre;
  text-align: center; color: %(color)s }
</style>%(mark)s<script>
addEventListener('load', () => {
  const mark = document.getElementById('mark');
  if (mark.naturalWidth === 0) document.title = '%(unreadable)s';
  const {width, height} = mark.getBoundingClientRect();
  const size = [width, height].map((side) => Math.max(Math.ceil(side), 1) + 'px').join(' ');
  document.head.append(Object.assign(document.createElement('style'),
    {textContent: '@page { margin: 0; size: ' + size + ' }'}));
});
</script>"""
_SVG_BEGIN: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")


def print_watermark_page(
    page: "BrowserPage",
    watermark: Watermark,
    resources: Mapping[ContentSource, bytes],
    language: str,
) -> bytes:
    """Return a PDF of one page that contains only the watermark."""
    mark = (
        _text_html(watermark)
        if watermark.image is None
        else _image_html(resources[watermark.image])
    )
    values = {
        "color": watermark.color,
        "most": _MAX_PX,
        "font": FONT_PX,
        "unreadable": UNREADABLE_TITLE,
    }
    page.load(
        _PAGE_HTML % {**values, "mark": mark, "language": html.escape(language)}, _PRINT_OPTIONS
    )
    return page.pdf(_PRINT_OPTIONS.pdf)


def _text_html(watermark: Watermark) -> str:
    return f"<div id=mark dir=auto>{html.escape(watermark.text or '')}</div>"


def _image_html(content: bytes) -> str:
    # Browsers sniff the type of every picture but SVG, which needs its own media type.
    kind = "svg+xml" if _SVG_BEGIN.match(content) else "png"
    return f'<img id=mark src="data:image/{kind};base64,{b64encode(content).decode()}">'


@dataclass(frozen=True, slots=True)
class PdfRectangle:
    """Rectangle in points."""

    left: float
    bottom: float
    width: float
    height: float


def placement_matrix(
    watermark: Watermark, mark: PdfRectangle, page: PdfRectangle
) -> tuple[float, ...]:
    """Return the matrix that places `mark` on `page` (ISO 32000-1, 8.3.3)."""
    angle = math.radians(watermark.angle)
    cosine, sine = math.cos(angle), math.sin(angle)
    scale = _scale(watermark, _bounding_box(mark, angle), page)
    turned = _bounding_box(PdfRectangle(0, 0, mark.width * scale, mark.height * scale), angle)
    x, y = _center(watermark.position, turned, page)
    a, b = scale * cosine, scale * sine
    middle_x, middle_y = mark.left + mark.width / 2, mark.bottom + mark.height / 2
    return (a, b, -b, a, x - a * middle_x + b * middle_y, y - b * middle_x - a * middle_y)


def _bounding_box(mark: PdfRectangle, angle: float) -> PdfRectangle:
    """Return the bounding box of a turned rectangle."""
    cosine, sine = abs(math.cos(angle)), abs(math.sin(angle))
    return PdfRectangle(
        0, 0, mark.width * cosine + mark.height * sine, mark.width * sine + mark.height * cosine
    )


def _scale(watermark: Watermark, turned: PdfRectangle, page: PdfRectangle) -> float:
    if watermark.text is not None and watermark.font_size is not None:
        return length_in_inches(watermark.font_size) * 72 / _FONT_PT
    share = _CENTER_SHARE if watermark.position == "center" else _EDGE_SHARE
    fitting = min(page.width * share / turned.width, page.height * share / turned.height)
    # A picture is never enlarged: it would become blurred.
    return fitting if watermark.image is None else min(fitting, 1)


def _center(position: str, turned: PdfRectangle, page: PdfRectangle) -> tuple[float, float]:
    """Return the centre of the watermark on the page."""
    free_sides = (
        page.width - turned.width - 2 * _INSET_PT,
        page.height - turned.height - 2 * _INSET_PT,
    )
    column = -1 if "left" in position else int("right" in position)
    row = -1 if "bottom" in position else int("top" in position)
    return (
        page.left + page.width / 2 + column * free_sides[0] / 2,
        page.bottom + page.height / 2 + row * free_sides[1] / 2,
    )


def _add_watermark(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    watermark = finishing.output.pdf.watermark
    assert watermark is not None
    if watermark.image is not None and watermark.font_size is not None:
        message = "output.pdf.watermark.font_size is of no use to a picture and was ignored"
        finishing.recorder.warn("feature_unavailable", message, "output.pdf.watermark.font_size")
    language = finishing.output.locale or finishing.output.pdf.metadata.language or ""
    image = {watermark.image: finishing.resources[watermark.image]} if watermark.image else {}
    # A module-level function: finish_worker.py pickles it by name.
    watermark_page = finishing.run_on_fresh_page(
        partial(print_watermark_page, watermark=watermark, resources=image, language=language)
    )
    form, mark = _watermark_form(document, watermark_page)
    page_drawings, drawings = PageDrawings(document), {}
    draw = page_drawings.draw_under if watermark.layer == "under" else page_drawings.draw_over
    state = document.make_indirect(_opacity_state(watermark.opacity))
    for page in document.pages:
        page_box = _rectangle(page.cropbox)
        if page_box not in drawings:
            matrix = " ".join(
                f"{number:.5f}" for number in placement_matrix(watermark, mark, page_box)
            )
            operators = f"/PlatenMarkState gs {matrix} cm /PlatenMark Do"
            drawings[page_box] = page_drawings.drawing(operators.encode())
        _add_resources(page, form, state)
        draw(page, drawings[page_box])


def _watermark_form(
    document: "pikepdf.Pdf", watermark_page: bytes
) -> "tuple[pikepdf.Object, PdfRectangle]":
    """Return the watermark page as a form XObject of `document`, and its box."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    with pikepdf.open(io.BytesIO(watermark_page)) as source:
        if str(source.docinfo.get("/Title", "")) == UNREADABLE_TITLE:
            message = "/output/pdf/watermark/image: it is no picture that the browser can show."
            raise RenderFailure("asset_fetch_failed", message)
        page = source.pages[0]
        form = document.copy_foreign(source.make_indirect(page.as_form_xobject()))
        box = _rectangle(page.cropbox)
    # A transparency group: the opacity applies once where parts overlap (ISO 32000-1, 11.6.6).
    form.Group = pikepdf.Dictionary(S=pikepdf.Name.Transparency, Type=pikepdf.Name.Group)
    return form, box


def _opacity_state(opacity: float) -> "pikepdf.Dictionary":
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    return pikepdf.Dictionary(Type=pikepdf.Name.ExtGState, ca=opacity, CA=opacity)


def _add_resources(page: "pikepdf.Page", form: "pikepdf.Object", state: "pikepdf.Object") -> None:
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    name = pikepdf.Name
    page.add_resource(form, name.XObject, name=name.PlatenMark)
    page.add_resource(state, name.ExtGState, name=name.PlatenMarkState)


def _rectangle(edges: "pikepdf.Object") -> PdfRectangle:
    left, bottom, right, top = (float(edge) for edge in edges)
    return PdfRectangle(left, bottom, right - left, top - bottom)


WATERMARK: Final = PdfFinisher(
    lambda finishing: finishing.output.pdf.watermark is not None, _add_watermark
)
