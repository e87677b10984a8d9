"""The caller's watermark: one drawing, placed on every page."""

import io
import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.finishing.finisher import Finisher
from chalicelib.engine.finishing.layers import Layers
from chalicelib.engine.finishing.sheet import FONT_PX, UNREADABLE, draw_sheet
from chalicelib.engine.options.pdf import Watermark

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.formats.format import Finishing

# Of a page's sides, what a watermark takes that is as large as fits: in the middle, elsewhere.
_IN_THE_MIDDLE: Final = 0.8
_ELSEWHERE: Final = 0.35
# From the page's edges, in points.
_INSET: Final = 28.0
_POINTS_OF_FONT: Final = FONT_PX * 0.75


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in points."""

    left: float
    bottom: float
    width: float
    height: float


def placed(watermark: Watermark, mark: Box, page: Box) -> tuple[float, ...]:
    """Return the matrix that puts the mark's box on a page."""
    angle = math.radians(watermark.angle)
    cosine, sine = math.cos(angle), math.sin(angle)
    scale = _scale(watermark, _turned(mark, angle), page)
    turned = _turned(Box(0, 0, mark.width * scale, mark.height * scale), angle)
    x, y = _middle(watermark.position, turned, page)
    a, b = scale * cosine, scale * sine
    across, up = mark.left + mark.width / 2, mark.bottom + mark.height / 2
    return (a, b, -b, a, x - a * across + b * up, y - b * across - a * up)


def _turned(mark: Box, angle: float) -> Box:
    """Return the room that a box takes when it is turned."""
    cosine, sine = abs(math.cos(angle)), abs(math.sin(angle))
    return Box(
        0, 0, mark.width * cosine + mark.height * sine, mark.width * sine + mark.height * cosine
    )


def _scale(watermark: Watermark, turned: Box, page: Box) -> float:
    if watermark.text is not None and watermark.font_size is not None:
        return watermark.font_size * 72 / _POINTS_OF_FONT
    share = _IN_THE_MIDDLE if watermark.position == "center" else _ELSEWHERE
    fitting = min(page.width * share / turned.width, page.height * share / turned.height)
    # A picture is never made coarser than it is.
    return fitting if watermark.image is None else min(fitting, 1)


def _middle(position: str, turned: Box, page: Box) -> tuple[float, float]:
    """Return where the mark's middle lies."""
    free = page.width - turned.width - 2 * _INSET, page.height - turned.height - 2 * _INSET
    across = -1 if "left" in position else int("right" in position)
    up = -1 if "bottom" in position else int("top" in position)
    return (
        page.left + page.width / 2 + across * free[0] / 2,
        page.bottom + page.height / 2 + up * free[1] / 2,
    )


def _stamp(document: "pikepdf.Pdf", finishing: "Finishing") -> None:
    watermark = finishing.output.pdf.watermark
    assert watermark is not None
    if watermark.image is not None and watermark.font_size is not None:
        message = "output.pdf.watermark.font_size is of no use to a picture and was ignored"
        finishing.course.warn("feature_unavailable", message, "output.pdf.watermark.font_size")
    language = finishing.output.locale or finishing.output.pdf.metadata.language or ""
    image = {watermark.image: finishing.resources[watermark.image]} if watermark.image else {}
    # By name: it may be called for by another process (apart.py).
    sheet = finishing.fresh_page(
        partial(draw_sheet, watermark=watermark, resources=image, language=language)
    )
    form, mark = _form(document, sheet)
    layers, drawings = Layers(document), {}
    lay = layers.under if watermark.layer == "under" else layers.over
    state = document.make_indirect(_state(watermark.opacity))
    for page in document.pages:
        box = _box(page.cropbox)
        if box not in drawings:
            matrix = " ".join(f"{number:.5f}" for number in placed(watermark, mark, box))
            operators = f"/PlatenMarkState gs {matrix} cm /PlatenMark Do"
            drawings[box] = layers.drawing(operators.encode())
        _name(page, form, state)
        lay(page, drawings[box])


def _form(document: "pikepdf.Pdf", sheet: bytes) -> "tuple[pikepdf.Object, Box]":
    """Return the sheet's page as something that pages can draw, and its box."""
    import pikepdf  # noqa: PLC0415 -- only a document that is opened needs it

    with pikepdf.open(io.BytesIO(sheet)) as drawn:
        if str(drawn.docinfo.get("/Title", "")) == UNREADABLE:
            message = "/output/pdf/watermark/image: it is no picture that the browser can show."
            raise RenderFailure("asset_fetch_failed", message)
        page = drawn.pages[0]
        form = document.copy_foreign(drawn.make_indirect(page.as_form_xobject()))
        box = _box(page.cropbox)
    # As one group: where parts of it lie over each other, opacity is not counted twice.
    form.Group = pikepdf.Dictionary(S=pikepdf.Name.Transparency, Type=pikepdf.Name.Group)
    return form, box


def _state(opacity: float) -> "pikepdf.Dictionary":
    import pikepdf  # noqa: PLC0415 -- as its caller

    return pikepdf.Dictionary(Type=pikepdf.Name.ExtGState, ca=opacity, CA=opacity)


def _name(page: "pikepdf.Page", form: "pikepdf.Object", state: "pikepdf.Object") -> None:
    import pikepdf  # noqa: PLC0415 -- as its caller

    name = pikepdf.Name
    page.add_resource(form, name.XObject, name=name.PlatenMark)
    page.add_resource(state, name.ExtGState, name=name.PlatenMarkState)


def _box(edges: "pikepdf.Object") -> Box:
    left, bottom, right, top = (float(edge) for edge in edges)
    return Box(left, bottom, right - left, top - bottom)


WATERMARK: Final = Finisher(lambda finishing: finishing.output.pdf.watermark is not None, _stamp)
