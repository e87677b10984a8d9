"""Text layers: how they look; what has no room is fitted where it is measured."""

from collections.abc import Callable
from html import escape
from typing import Any, Final

from chalicelib.engine.canvas import css
from chalicelib.engine.canvas.fonts import family
from chalicelib.engine.canvas.scene import Layer

_VERTICAL: Final = {"top": "flex-start", "middle": "safe center", "bottom": "safe flex-end"}
_WEIGHTS: Final = {"normal": 400, "bold": 700}
_FIT: Final = {"clip": "clip", "ellipsis": "ellipsis", "shrink": "shrink"}
# Of a size of Cousine, in which what stands below bars is written.
_ADVANCE: Final = 0.6
_SMALL_PRINT: Final = 0.2
# With the gap between bars and text, as the page's style has it.
_SMALL_PRINT_LINE: Final = 1.35


def text(layer: Layer, words: Any, missing_font: Callable[[str, Layer], None]) -> str:
    """Return a text layer; `missing_font` is told of a font that is not there."""
    families, missing = family(layer["font_family"])
    if missing is not None:
        missing_font(missing, layer)
    size = layer["font_size"]
    box = css.style(
        {
            **css.placed(layer),
            "justify-content": _VERTICAL[layer["vertical_align"]],
            "font-family": families,
            "font-size": css.px(size),
            "font-weight": css.number(_WEIGHTS.get(layer["font_weight"], layer["font_weight"])),
            "font-style": "italic" if layer["font_style"] == "italic" else None,
            "color": css.color(layer["color"]),
            "text-align": css.alignment(layer["align"]),
            "line-height": css.number(layer["line_height"]),
            # It shrinks with the text.
            "letter-spacing": f"{css.number(layer['letter_spacing'] / size)}em",
        }
    )
    fit = _FIT[layer["overflow"]]
    hidden = ' aria-hidden="true"' if layer["decorative"] else ""
    return (
        f'<div class="t {fit}" data-fit="{fit}" data-layer="{escape(layer.path)}"{hidden} {box}>'
        f"<p>{escape(str(words))}</p></div>"
    )


def small_print(words: str, width: float, height: float) -> tuple[str, float]:
    """Return what stands below bars of these sizes, and how high it is."""
    size = max(1.0, min(height * _SMALL_PRINT, width / (len(words) * _ADVANCE)))
    look = css.style({"font-size": css.px(size)})
    return f'<p class="code" {look}>{escape(words)}</p>', size * _SMALL_PRINT_LINE
