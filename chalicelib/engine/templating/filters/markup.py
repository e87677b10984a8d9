"""Filters that return markup: codes as inline SVG with alternative text, Markdown, line breaks."""

import re
from typing import Final

from jinja2.exceptions import FilterArgumentError
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from chalicelib.engine import barcodes
from chalicelib.engine.templating.fuel import FuelMeter
from chalicelib.engine.templating.number import Number
from chalicelib.engine.templating.value_description import value_description

_CODE128: Final = "code128"
_CSS_LENGTH: Final = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,3})?(?:px|pt|mm|cm|in)?")
_WHITE: Final = "#fff"
# Wide enough for any reader at arm's length; for bars the nominal module width of EAN.
_QR_MODULE_MM: Final = 0.75
_BAR_MODULE_MM: Final = 0.33
_BAR_HEIGHT_MM: Final = 15
# About a microsecond of processor time each, as all units of fuel.
_FUEL_PER_CODE: Final = 1_000
_FUEL_PER_CHARACTER: Final = 50
_VIEW_BOX: Final = re.compile(r'viewBox="0 0 (\d+) ')
_MAX_LABEL_CHARACTERS: Final = 200
_MAX_INTEGER_BITS: Final = 1_000
_MAX_PIXELS: Final = 10_000


_SAFE_SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})
_IMAGE_DATA_URI: Final = re.compile(r"data:image/(?:gif|jpeg|png|webp)[;,]", re.IGNORECASE)
_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")


class Drawn:
    """Filters `qrcode` and `barcode`."""

    def __init__(self, meter: FuelMeter) -> None:
        """Charge `meter` for each code."""
        self._meter = meter

    def qrcode(self, value: object, size: object = None, error_correction: object = None) -> Markup:
        """Draw a QR code with its quiet zone; `size` is its side in pixels or as a CSS length."""
        text = self._charged_text(value, "qrcode")
        level = "M" if error_correction is None else error_correction
        if level not in barcodes.ERROR_CORRECTIONS:
            raise FilterArgumentError(
                f"error_correction must be one of {', '.join(barcodes.ERROR_CORRECTIONS)}."
            )
        try:
            svg = barcodes.qr_svg(text, error_correction=level, background=_WHITE)
        except barcodes.BarcodeError as error:
            raise FilterArgumentError(f"qrcode: {value_description(text)}: {error}.") from error
        side = f"{_module_count(svg) * _QR_MODULE_MM:g}mm" if size is None else _css_length(size)
        return _with_label(svg, text, side, side)

    def barcode(self, value: object, symbology: object = None) -> Markup:
        """Draw the bars of a code with their quiet zones."""
        text = self._charged_text(value, "barcode")
        code_type = _CODE128 if symbology is None else symbology
        if not isinstance(code_type, str) or code_type not in barcodes.SYMBOLOGIES:
            raise FilterArgumentError(
                f"symbology must be one of {', '.join(barcodes.SYMBOLOGIES)}."
            )
        try:
            svg = barcodes.barcode_svg(text, code_type)
        except barcodes.BarcodeError as error:
            raise FilterArgumentError(f"barcode: {value_description(text)}: {error}.") from error
        width = f"{_module_count(svg) * _BAR_MODULE_MM:g}mm"
        return _with_label(svg, text, width, f"{_BAR_HEIGHT_MM}mm")

    def _charged_text(self, value: object, name: str) -> str:
        is_short_integer = type(value) is int and value.bit_length() <= _MAX_INTEGER_BITS
        if isinstance(value, Number) and value == value.to_integral_value():
            is_short_integer = True
        if not is_short_integer and not isinstance(value, str):
            raise FilterArgumentError(
                f"{name} takes a text or a whole number; this is {value_description(value)}."
            )
        text = str(value)
        self._meter.spend(_FUEL_PER_CODE + _FUEL_PER_CHARACTER * len(text))
        return text


def _module_count(svg: str) -> int:
    match = _VIEW_BOX.search(svg)
    assert match is not None
    return int(match[1])


def _css_length(size: object) -> str:
    text = size
    if isinstance(size, int | Number) and type(size) is not bool and 0 < size < _MAX_PIXELS:
        text = str(size)
    if not isinstance(text, str) or _CSS_LENGTH.fullmatch(text) is None:
        raise FilterArgumentError(
            f"size must be a number of pixels below {_MAX_PIXELS:,} or a length such as '30mm'."
        )
    return text


def _with_label(svg: str, text: str, width: str, height: str) -> Markup:
    label = text if len(text) <= _MAX_LABEL_CHARACTERS else text[:_MAX_LABEL_CHARACTERS] + "…"
    start = Markup('<svg role="img" aria-label="{}" width="{}" height="{}" ').format(
        label, width, height
    )
    title = Markup("><title>{}</title>").format(label)
    head, _, rest = svg.removeprefix("<svg ").partition(">")
    return start + Markup(head) + title + Markup(rest)  # noqa: S704 -- `barcodes` escapes its arguments


class Prose:
    """Filters `markdown` and `nl2br`."""

    def __init__(self, meter: FuelMeter) -> None:
        """Charge `meter` for each text."""
        self._meter = meter
        self._parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
        self._parser.validateLink = _is_safe_link  # type: ignore[method-assign]

    def markdown(self, value: object) -> Markup:
        """Return CommonMark with tables as markup; HTML in it is shown as text."""
        text = _plain_text(value, "markdown")
        self._meter.spend(len(text))
        return Markup(self._parser.render(text))  # noqa: S704 -- it escapes all HTML

    def nl2br(self, value: object) -> Markup:
        """Return text as markup, with `<br>` at its line ends."""
        text = escape(_plain_text(value, "nl2br"))
        return Markup(_LINE_BREAK.sub("<br>\n", text))  # noqa: S704 -- it is escaped


def _plain_text(value: object, name: str) -> str:
    if isinstance(value, str):
        return value
    if type(value) in {int, Number}:
        return str(value)
    raise FilterArgumentError(f"{name} takes a text; this is {value_description(value)}.")


def _is_safe_link(url: str) -> bool:
    """Tell whether a link is http, https, mailto, tel, a data URI of an image, or relative."""
    scheme, colon, _ = re.split(r"[/?#]", url, maxsplit=1)[0].partition(":")
    return not colon or scheme.lower() in _SAFE_SCHEMES or _IMAGE_DATA_URI.match(url) is not None
