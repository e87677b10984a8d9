"""Text layers of a canvas; the page fits text that is too long where it can measure it."""

from collections.abc import Callable, Mapping
from html import escape
from typing import Final

from chalicelib.engine.canvas import css
from chalicelib.engine.canvas.font_names import GENERIC_FAMILIES, KNOWN_FAMILIES
from chalicelib.engine.canvas.scene import SceneLayer

# Looked up, never copied: no text of a tenant stands in a style (decision 22).
_VERTICAL_ALIGNMENTS: Final = {
    "top": "flex-start",
    "middle": "safe center",
    "bottom": "safe flex-end",
}
_WEIGHTS: Final[Mapping[str | float, float]] = {"normal": 400, "bold": 700}
_OVERFLOW_CLASSES: Final = {"clip": "clip", "ellipsis": "ellipsis", "shrink": "shrink"}
# Advance of Cousine, the font of the text below bars, as a share of its size.
_COUSINE_ADVANCE: Final = 0.6
_BARCODE_TEXT_RATIO: Final = 0.2
# Includes the gap between bars and text in the style of canvas/page.py.
_BARCODE_TEXT_LINE_HEIGHT: Final = 1.35

_DEFAULT_FAMILY: Final = "sans-serif"


def text_layer_html(
    layer: SceneLayer, content: object, warn_missing_font: Callable[[str, SceneLayer], None]
) -> str:
    """Return the HTML of a text layer; `warn_missing_font` is called for an unknown font."""
    families, missing = font_family(layer.fields["font_family"])
    if missing is not None:
        warn_missing_font(missing, layer)
    size, weight = layer.fields["font_size"], layer.fields["font_weight"]
    box = css.style_attribute(
        {
            **css.box_properties(layer.fields),
            "justify-content": _VERTICAL_ALIGNMENTS[layer.fields["vertical_align"]],
            "font-family": families,
            "font-size": css.px(size),
            "font-weight": css.number(float(_WEIGHTS.get(weight, weight))),
            "font-style": "italic" if layer.fields["font_style"] == "italic" else None,
            "color": css.color(layer.fields["color"]),
            "text-align": css.text_alignment(layer.fields["align"]),
            "line-height": css.number(layer.fields["line_height"]),
            # In em, so that it shrinks with the text.
            "letter-spacing": f"{css.number(layer.fields['letter_spacing'] / size)}em",
        }
    )
    fit = _OVERFLOW_CLASSES[layer.fields["overflow"]]
    hidden = ' aria-hidden="true"' if layer.fields["decorative"] else ""
    return (
        f'<div class="t {fit}" data-fit="{fit}" data-layer="{escape(layer.path)}"{hidden} {box}>'
        f"<p>{escape(str(content))}</p></div>"
    )


def barcode_text_html(content: str, width: float, height: float) -> tuple[str, float]:
    """Return the text below bars of this size, and its height."""
    size = max(1.0, min(height * _BARCODE_TEXT_RATIO, width / (len(content) * _COUSINE_ADVANCE)))
    style = css.style_attribute({"font-size": css.px(size)})
    return f'<p class="code" {style}>{escape(content)}</p>', size * _BARCODE_TEXT_LINE_HEIGHT


def font_family(requested: str) -> tuple[str, str | None]:
    """Return `font-family`, and the first requested font if it is not bundled."""
    names = [name.strip() for name in requested.split(",")]
    known = [KNOWN_FAMILIES[name.lower()] for name in names if name.lower() in KNOWN_FAMILIES]
    families = ",".join(
        name if name in GENERIC_FAMILIES else f'"{name}"' for name in (*known, _DEFAULT_FAMILY)
    )
    return families, None if names[0].lower() in KNOWN_FAMILIES else names[0]
