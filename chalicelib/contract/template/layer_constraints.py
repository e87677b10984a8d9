"""Bounds and patterns of canvas layers, shared by the models and by values bound from data."""

import re
from typing import Final

from chalicelib.contract.css_values import is_color

MAX_SIDE: Final = 16_384
MAX_LAYERS: Final = 1_000
MAX_DEPTH: Final = 20
MAX_TEXT_CHARACTERS: Final = 100_000
MAX_SOURCE_CHARACTERS: Final = 10_000_000
MAX_SVG_CHARACTERS: Final = 1_000_000
# Layers that show text: their `bind` may be a template instead of a path.
TEMPLATED_TYPES: Final = frozenset({"text", "qrcode", "barcode"})
# Property that `bind` sets, by type of layer.
BIND_TARGETS: Final = {
    "text": "text",
    "image": "src",
    "rect": "fill",
    "ellipse": "fill",
    "line": "stroke",
    "qrcode": "value",
    "barcode": "value",
    "svg": "svg",
    "group": "visible",
}
BIND_PATH: Final = re.compile(r"[^\s.{}%#]{1,100}(?:\.[^\s.{}%#]{1,100}){0,19}")
FONT_FAMILIES: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9 -]{0,63}(?:, ?[A-Za-z][A-Za-z0-9 -]{0,63}){0,9}"
)
UPLOAD_SOURCE: Final = re.compile(r"upload:([A-Za-z0-9_]{1,64})")
# Without user name and password, which the browser does not send for images.
_HTTPS_URL: Final = re.compile(
    r"https://[^\s\x00-\x1f\x7f\"'<>\\/?#@]{1,300}(?:[/?#][^\s\x00-\x1f\x7f\"'<>\\]{0,8000})?",
    re.IGNORECASE,
)
_IMAGE_DATA_URI: Final = re.compile(
    r"data:image/(?:png|jpeg|gif|webp|avif|svg\+xml)(?:;[A-Za-z0-9=+.-]{1,40}){0,4},"
    r"[A-Za-z0-9+/=%._~!*'();:@&$,?-]*"
)


def is_image_source(text: str) -> bool:
    """Tell whether a text is the source of a picture: an https URL, `upload:<id>` or a data URI."""
    if len(text) > MAX_SOURCE_CHARACTERS:
        return False
    return any(form.fullmatch(text) for form in (_HTTPS_URL, UPLOAD_SOURCE, _IMAGE_DATA_URI))


def is_bindable(type_: str, value: object) -> bool:
    """Tell whether a layer of this type can show a value without conversion."""
    match type_:
        case "group":
            return isinstance(value, bool)
        case "rect" | "ellipse" | "line":
            return isinstance(value, str) and is_color(value)
        case "image":
            return isinstance(value, str) and is_image_source(value)
        case "svg":
            return isinstance(value, str) and len(value) <= MAX_SVG_CHARACTERS
        case _:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return number or (isinstance(value, str) and len(value) <= MAX_TEXT_CHARACTERS)
