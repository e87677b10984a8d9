"""QR codes and bar codes as inline SVG, each with its value as its alternative text."""

import re
from typing import Any, Final

from jinja2.exceptions import FilterArgumentError
from markupsafe import Markup

from chalicelib.engine import codes
from chalicelib.engine.templating.filters.faults import shown
from chalicelib.engine.templating.fuel import Meter

_CODE128: Final = "code128"
_LENGTH: Final = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,3})?(?:px|pt|mm|cm|in)?")
_WHITE: Final = "#fff"
# Wide enough for any reader at arm's length; for bars it is the nominal width of EAN.
_QR_MODULE_MM: Final = 0.75
_BAR_MODULE_MM: Final = 0.33
_BAR_HEIGHT_MM: Final = 15
# About a microsecond each, as all fuel is.
_FUEL: Final = 1_000
_FUEL_PER_CHARACTER: Final = 50
_BOX: Final = re.compile(r'viewBox="0 0 (\d+) ')
_LONGEST_LABEL: Final = 200
_MOST_BITS: Final = 1_000
_MOST_PIXELS: Final = 10_000


class Drawn:
    """The filters `qrcode` and `barcode`."""

    def __init__(self, meter: Meter) -> None:
        """Charge `meter`."""
        self._meter = meter

    def qrcode(self, value: Any, size: Any = None, error_correction: Any = None) -> Markup:
        """Draw a QR code with its quiet zone; `size` is its side in pixels or as a CSS length."""
        text = self._text(value, "qrcode")
        level = "M" if error_correction is None else error_correction
        if level not in codes.ERROR_CORRECTIONS:
            raise FilterArgumentError(
                f"error_correction must be one of {', '.join(codes.ERROR_CORRECTIONS)}."
            )
        try:
            svg = codes.qr_svg(text, error_correction=level, background=_WHITE)
        except codes.CodeError as error:
            raise FilterArgumentError(f"qrcode: {shown(text)}: {error}.") from error
        side = f"{_modules(svg) * _QR_MODULE_MM:g}mm" if size is None else _length(size)
        return _labelled(svg, text, side, side)

    def barcode(self, value: Any, symbology: Any = None) -> Markup:
        """Draw the bars of a code with their quiet zones."""
        text = self._text(value, "barcode")
        kind = _CODE128 if symbology is None else symbology
        if not isinstance(kind, str) or kind not in codes.SYMBOLOGIES:
            raise FilterArgumentError(f"symbology must be one of {', '.join(codes.SYMBOLOGIES)}.")
        try:
            svg = codes.barcode_svg(text, kind)
        except codes.CodeError as error:
            raise FilterArgumentError(f"barcode: {shown(text)}: {error}.") from error
        width = f"{_modules(svg) * _BAR_MODULE_MM:g}mm"
        return _labelled(svg, text, width, f"{_BAR_HEIGHT_MM}mm")

    def _text(self, value: Any, name: str) -> str:
        short = type(value) is int and value.bit_length() <= _MOST_BITS
        if not short and not isinstance(value, str):
            raise FilterArgumentError(
                f"{name} takes a text or a whole number; this is {shown(value)}."
            )
        text = str(value)
        self._meter.spend(_FUEL + _FUEL_PER_CHARACTER * len(text))
        return text


def _modules(svg: str) -> int:
    found = _BOX.search(svg)
    assert found is not None
    return int(found[1])


def _length(size: Any) -> str:
    text = f"{size:g}" if type(size) in {int, float} and 0 < size < _MOST_PIXELS else size
    if not isinstance(text, str) or _LENGTH.fullmatch(text) is None:
        raise FilterArgumentError(
            f"size must be a number of pixels below {_MOST_PIXELS:,} or a length such as '30mm'."
        )
    return text


def _labelled(svg: str, text: str, width: str, height: str) -> Markup:
    label = text if len(text) <= _LONGEST_LABEL else text[:_LONGEST_LABEL] + "…"
    start = Markup('<svg role="img" aria-label="{}" width="{}" height="{}" ').format(
        label, width, height
    )
    title = Markup("><title>{}</title>").format(label)
    head, _, rest = svg.removeprefix("<svg ").partition(">")
    return start + Markup(head) + title + Markup(rest)  # noqa: S704 -- `codes` quotes what it is given
