"""CSS values of a scene, checked against a closed grammar (decision 22)."""

import math
from collections.abc import Mapping
from html import escape
from typing import Final

from chalicelib.contract.css_values import is_color
from chalicelib.core.json import Json
from chalicelib.engine.canvas.scene import LayerFields

_TEXT_ALIGNMENTS: Final = frozenset({"left", "center", "right", "justify"})


def number(value: float) -> str:
    """Return a number as CSS writes it; raises ValueError where it is not finite.

    Written from a float, so that the text contains nothing but digits, a sign and a point.
    """
    finite = float(value)
    if not math.isfinite(finite):
        message = f"{value} is no finite number"
        raise ValueError(message)
    return f"{finite:.4f}".rstrip("0").rstrip(".")


def px(value: float) -> str:
    """Return a length in pixels."""
    return f"{number(value)}px"


def color(value: Json) -> str:
    """Return a CSS color; raises ValueError for any other value."""
    if not isinstance(value, str) or not is_color(value):
        message = f"{str(value)[:80]!r} is no CSS color"
        raise ValueError(message)
    return value


def text_alignment(value: str) -> str:
    """Return a value of `text-align`; raises ValueError for an unknown word."""
    if value not in _TEXT_ALIGNMENTS:
        message = f"{value[:80]!r} is no alignment"
        raise ValueError(message)
    return value


def style_attribute(properties: Mapping[str, str | None]) -> str:
    """Return a `style` attribute with the properties that have a value."""
    declarations = ";".join(
        f"{name}:{value}" for name, value in properties.items() if value is not None
    )
    return f'style="{escape(declarations)}"'


def box_properties(fields: LayerFields) -> dict[str, str | None]:
    """Return position, size, rotation and opacity of a layer's box."""
    rotation, opacity = fields["rotation"], fields["opacity"]
    return {
        "left": px(fields["x"]),
        "top": px(fields["y"]),
        "width": px(fields["width"]),
        "height": px(fields["height"]),
        "transform": f"rotate({number(rotation)}deg)" if rotation else None,
        "opacity": number(opacity) if opacity != 1 else None,
    }
