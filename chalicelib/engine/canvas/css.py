"""Values of scenes as CSS: whatever stands here has been held to a closed grammar."""

import math
from collections.abc import Mapping
from html import escape
from typing import Any, Final

from chalicelib.contract.css_values import is_color

_TEXT_ALIGNMENTS: Final = frozenset({"left", "center", "right", "justify"})


def number(value: float) -> str:
    """Return a number as CSS writes it; raises ValueError for one that is none."""
    finite = float(value)
    if not math.isfinite(finite):
        message = f"{value} is no finite number"
        raise ValueError(message)
    return f"{finite:.4f}".rstrip("0").rstrip(".")


def px(value: float) -> str:
    """Return a length."""
    return f"{number(value)}px"


def color(value: str) -> str:
    """Return a colour; raises ValueError for anything else."""
    if not is_color(value):
        message = f"{value[:80]!r} is no CSS color"
        raise ValueError(message)
    return value


def text_alignment(value: str) -> str:
    """Return how lines stand; raises ValueError for a word that is not known."""
    if value not in _TEXT_ALIGNMENTS:
        message = f"{value[:80]!r} is no alignment"
        raise ValueError(message)
    return value


def style_attribute(properties: Mapping[str, str | None]) -> str:
    """Return a `style` attribute of the properties that have a value."""
    said = ";".join(f"{name}:{value}" for name, value in properties.items() if value is not None)
    return f'style="{escape(said)}"'


def box_properties(fields: Mapping[str, Any] | Any) -> dict[str, str | None]:
    """Return where a layer's box stands, how it is turned and how much of it shows."""
    turned, opacity = fields["rotation"], fields["opacity"]
    return {
        "left": px(fields["x"]),
        "top": px(fields["y"]),
        "width": px(fields["width"]),
        "height": px(fields["height"]),
        "transform": f"rotate({number(turned)}deg)" if turned else None,
        "opacity": number(opacity) if opacity != 1 else None,
    }
