"""Text layers of a canvas; the page fits text that is too long where it can measure it."""

from collections.abc import Callable, Mapping
from html import escape
from typing import Final

from chalicelib.engine.canvas import css
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

# The fonts and aliases of layers/fonts/families.py.
_GENERIC_FAMILIES: Final = (
    "sans-serif",
    "serif",
    "monospace",
    "system-ui",
    "cursive",
    "fantasy",
    "emoji",
    "math",
)
BUNDLED_FONTS: Final = (
    "Arimo",
    "Tinos",
    "Cousine",
    "Noto Serif",
    "Carlito",
    "Caladea",
    "Gelasio",
    "DejaVu Sans",
    "DejaVu Sans Condensed",
    "DejaVu Sans Mono",
    "Open Sans",
    "Roboto",
    "Inter",
    "Fira Sans",
    "EB Garamond",
    "Comic Neue",
    "Inconsolata",
    "Anton",
    "Pinyon Script",
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Thai",
    "Noto Sans Devanagari",
    "Noto Sans Bengali",
    "Noto Sans Gurmukhi",
    "Noto Sans Gujarati",
    "Noto Sans Oriya",
    "Noto Sans Tamil",
    "Noto Sans Telugu",
    "Noto Sans Kannada",
    "Noto Sans Malayalam",
    "Noto Sans Sinhala",
    "Noto Sans Khmer",
    "Noto Sans Lao",
    "Noto Sans Myanmar",
    "Noto Serif Tibetan",
    "Noto Sans Armenian",
    "Noto Sans Georgian",
    "Noto Sans Ethiopic",
    "Noto Sans Thaana",
    "Noto Sans NKo",
    "Noto Sans Tifinagh",
    "Noto Sans Syriac",
    "Noto Sans Mongolian",
    "Noto Sans Ol Chiki",
    "Noto Sans Meetei Mayek",
    "Noto Sans Adlam",
    "Noto Sans Javanese",
    "Noto Sans Balinese",
    "Noto Sans Hanifi Rohingya",
    "Noto Sans Yi",
    "Noto Sans Symbols 2",
    "Noto Sans Math",
    "Noto Sans JP",
    "Noto Sans SC",
    "Noto Sans TC",
    "Noto Sans KR",
    "Noto Color Emoji",
)
FONT_ALIASES: Final = (
    "Arial",
    "Helvetica",
    "Helvetica Neue",
    "Liberation Sans",
    "Nimbus Sans",
    "Times",
    "Times New Roman",
    "Liberation Serif",
    "Nimbus Roman",
    "Courier",
    "Courier New",
    "Liberation Mono",
    "Nimbus Mono PS",
    "Calibri",
    "Cambria",
    "Palatino",
    "Palatino Linotype",
    "Book Antiqua",
    "Georgia",
    "Verdana",
    "Bitstream Vera Sans",
    "Geneva",
    "Tahoma",
    "Menlo",
    "Monaco",
    "Lucida Console",
    "Bitstream Vera Sans Mono",
    "Segoe UI",
    "Lucida Grande",
    "Lucida Sans Unicode",
    "-apple-system",
    "San Francisco",
    "SF Pro Text",
    "SF Pro Display",
    "Trebuchet MS",
    "Trebuchet",
    "Garamond",
    "Comic Sans MS",
    "Comic Sans",
    "Consolas",
    "Impact",
    "Yu Gothic",
    "Meiryo",
    "MS Gothic",
    "MS PGothic",
    "Hiragino Sans",
    "Microsoft YaHei",
    "SimSun",
    "SimHei",
    "PingFang SC",
    "Microsoft JhengHei",
    "PMingLiU",
    "MingLiU",
    "PingFang TC",
    "Noto Sans HK",
    "Malgun Gothic",
    "Apple SD Gothic Neo",
    "Apple Color Emoji",
    "Segoe UI Emoji",
    "Latin Modern Math",
    "Cambria Math",
    "STIX Two Math",
)
_KNOWN_FAMILIES: Final = {
    name.lower(): name for name in (*_GENERIC_FAMILIES, *BUNDLED_FONTS, *FONT_ALIASES)
}
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
    known = [_KNOWN_FAMILIES[name.lower()] for name in names if name.lower() in _KNOWN_FAMILIES]
    families = ",".join(
        name if name in _GENERIC_FAMILIES else f'"{name}"' for name in (*known, _DEFAULT_FAMILY)
    )
    return families, None if names[0].lower() in _KNOWN_FAMILIES else names[0]
