"""Places of margin boxes on a page (CSS Paged Media 3, 5.3), as style of the boxes."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from chalicelib.engine.browser.output.paged.page_boxes import PageBoxes

# The three boxes of a side share its length.
_TRIPLES: Final[dict[str, Sequence[str]]] = {
    "top": ("top-left", "top-center", "top-right"),
    "bottom": ("bottom-left", "bottom-center", "bottom-right"),
    "left": ("left-top", "left-middle", "left-bottom"),
    "right": ("right-top", "right-middle", "right-bottom"),
}
_SIDE_OF_AREA: Final = {area: side for side, areas in _TRIPLES.items() for area in areas}
_CORNERS: Final = {
    "top-left-corner": "right",
    "bottom-left-corner": "right",
    "top-right-corner": "left",
    "bottom-right-corner": "left",
}
AREAS: Final = frozenset({*_SIDE_OF_AREA, *_CORNERS})
_ALIGNMENTS: Final = {"top": "flex-start", "middle": "center", "bottom": "flex-end"}
# Declarations of a margin box that place what is in it.
_PLACING: Final = (
    *("width", "height", "min-width", "max-width", "min-height", "max-height"),
    *("margin", "margin-top", "margin-right", "margin-bottom", "margin-left"),
    *("padding", "padding-top", "padding-right", "padding-bottom", "padding-left"),
)


class BoxStyle(NamedTuple):
    """Style of the side of a page, or its corner, and of a margin box in it."""

    side: str
    cell: str


def box_style(area: str, size: tuple[float, float], boxes: PageBoxes, scale: float) -> BoxStyle:
    """Return the style that places a margin box on a page of a size in points."""
    declarations = boxes.areas.get(area, {})
    left, top, width, height = _rectangle(area, size, boxes.margin)
    side = (
        f"display: flex; position: absolute; left: {left:.2f}pt; top: {top:.2f}pt;"
        f" width: {width:.2f}pt; height: {height:.2f}pt;"
        f" flex-direction: {'column' if area.startswith(('left-', 'right-')) else 'row'};"
        f" justify-content: {_end(area)}"
    )
    vertical = declarations.get("vertical-align", _vertical(area))
    cell = (
        "display: flex; flex-direction: column; box-sizing: border-box; min-width: 0;"
        f" min-height: 0; flex: {_flex(area, boxes)}; text-align: {_horizontal(area)};"
        f" justify-content: {_ALIGNMENTS.get(vertical, 'center')};"
    )
    placing = {name: declarations[name] for name in _PLACING if name in declarations}
    if "text-align" in declarations:
        placing["text-align"] = declarations["text-align"]
    own = ";".join(f"{name}: {value}" for name, value in placing.items())
    return BoxStyle(side, f"{cell} zoom: {scale:g}; {own}")


def _rectangle(
    area: str, size: tuple[float, float], margin: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    """Return left, top, width and height of the side or corner that an area is in."""
    (page_width, page_height), (top, right, bottom, left) = size, margin
    across = (left, page_width - left - right)
    down = (top, page_height - top - bottom)
    if area.startswith("top"):
        down = (0, top)
    elif area.startswith("bottom"):
        down = (page_height - bottom, bottom)
    if area.startswith("left") or area.endswith("left-corner"):
        across = (0, left)
    elif area.startswith("right") or area.endswith("right-corner"):
        across = (page_width - right, right)
    return across[0], down[0], max(0, across[1]), max(0, down[1])


def _flex(area: str, boxes: PageBoxes) -> str:
    """Return how a box takes its part of a side.

    The browser draws the other boxes, so their widths are not known: each has its share, and a
    longer one more.
    """
    siblings = _TRIPLES.get(_SIDE_OF_AREA.get(area, ""), ())
    present = [sibling for sibling in siblings if _is_drawn(boxes.areas.get(sibling, {}))]
    if len(present) <= 1:
        return "1 1 0"
    is_narrow = siblings[1] in present and siblings[1] != area
    return f"0 1 auto; min-{_length(area)}: {25 if is_narrow else 50}%"


def _length(area: str) -> str:
    return "height" if area.startswith(("left-", "right-")) else "width"


def _end(area: str) -> str:
    siblings = _TRIPLES.get(_SIDE_OF_AREA.get(area, ""), (area,) * 3)
    return ("flex-start", "center", "flex-end")[siblings.index(area)]


def _is_drawn(declarations: Mapping[str, str]) -> bool:
    return declarations.get("content", "none").lower() not in {"none", "normal"}


def _horizontal(area: str) -> str:
    if area in _CORNERS:
        return _CORNERS[area]
    if area.startswith(("left", "right")):
        return "center"
    return area.partition("-")[2]


def _vertical(area: str) -> str:
    return (
        area.partition("-")[2]
        if area in {"left-top", "right-top", "left-bottom", "right-bottom"}
        else "middle"
    )
