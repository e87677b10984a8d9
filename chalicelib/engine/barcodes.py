"""QR codes and bar codes as SVG, for the layers of a canvas and the filters of templates."""

import re
from collections.abc import Callable, Iterable
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    import segno

# The form of a value and its description for error messages. python-barcode computes check
# digits.
SYMBOLOGIES: Final = {
    "code128": (r"[\x00-\x7f]{1,80}", "1 to 80 ASCII characters"),
    "code39": (r"[0-9A-Z \-.$/+%]{1,80}", "1 to 80 capital letters, digits, blanks and -.$/+%"),
    "codabar": (r"[A-D][0-9\-$:/.+]{1,60}[A-D]", "digits and -$:/.+ between two of A, B, C, D"),
    "ean13": (r"[0-9]{12,13}", "12 digits, or 13 with the check digit"),
    "ean8": (r"[0-9]{7,8}", "7 digits, or 8 with the check digit"),
    "gs1_128": (r"(?:\([0-9]{2,4}\)[!-'*-~]{1,90}){1,10}", "elements such as (01)09501101530003"),
    "itf": (r"[0-9]{2,80}", "2 to 80 digits"),
    "upca": (r"[0-9]{11,12}", "11 digits, or 12 with the check digit"),
}
ERROR_CORRECTIONS: Final = ("L", "M", "Q", "H")
QUIET_MODULES: Final = 10
_QR_QUIET_MODULES: Final = 4
_QR_MAX_CHARACTERS: Final = 7089
_GS1_MAX_CHARACTERS: Final = 48
_WITH_CHECK_DIGIT: Final = frozenset({"ean13", "ean8", "upca"})
_GS1_ELEMENT: Final = re.compile(r"\(([0-9]{2,4})\)([^()]+)")
# GS1 General Specifications, 7.8.5: these application identifiers have data of a fixed length,
# so that no separator follows them.
_FIXED_LENGTH: Final = re.compile(r"0[0-4]|1[1-9]|20|3[1-6]|41")
_FNC1: Final = "\xf1"
# In Code 128 this code is the pair of digits 99, or the switch to code set C (pairs of digits).
_CODE_99: Final = 99


class BarcodeError(ValueError):
    """Value that a code cannot hold; the message names the values that it can hold."""


class _Barcode(Protocol):
    """Code of python-barcode, which has no types."""

    def build(self) -> list[str]: ...
    def get_fullcode(self) -> str: ...


class _Code128(_Barcode, Protocol):
    _try_to_optimize: Callable[[list[int]], list[int]]


def qr_svg(
    value: str,
    *,
    error_correction: str = "M",
    color: str = "#000",
    background: str | None = None,
) -> str:
    """Return a QR code as an SVG that fills its box.

    With a `background` the SVG includes the quiet zone of four modules. Raises BarcodeError.
    """
    rows = [list(row) for row in _qr_code(value, error_correction).matrix]
    quiet = 0 if background is None else _QR_QUIET_MODULES
    side = len(rows) + 2 * quiet
    path = "".join(_dark_runs(row, quiet, number + quiet) for number, row in enumerate(rows))
    ground = (
        ""
        if background is None
        else f'<path fill="{escape(background)}" d="M0 0H{side}V{side}H0z"/>'
    )
    return _svg(side, side, ground + _svg_path(color, path))


def barcode_svg(
    value: str, symbology: str = "code128", *, color: str = "#000", height: int = 40
) -> str:
    """Return the bars between their quiet zones, without text, as an SVG that stretches to its box.

    `height` is in modules. Raises BarcodeError.
    """
    bars = barcode_modules(value, symbology)
    path = _dark_runs((bar == "1" for bar in bars), QUIET_MODULES, 0, height)
    return _svg(len(bars) + 2 * QUIET_MODULES, height, _svg_path(color, path), stretched=True)


def barcode_modules(value: str, symbology: str) -> str:
    """Return the bars as `1` and the gaps as `0`; raises BarcodeError."""
    code = _barcode(value, symbology)
    (bars,) = code.build()
    return bars


def human_readable_text(value: str, symbology: str) -> str:
    """Return the text below the bars, with its check digit; raises BarcodeError."""
    return _barcode(value, symbology).get_fullcode() if symbology in _WITH_CHECK_DIGIT else value


def _qr_code(value: str, error_correction: str) -> "segno.QRCode":
    import segno  # noqa: PLC0415 -- only a process that draws codes pays for it

    if not value or len(value) > _QR_MAX_CHARACTERS:
        message = f"a QR code holds 1 to {_QR_MAX_CHARACTERS} characters"
        raise BarcodeError(message)
    try:
        return segno.make_qr(
            value,
            error=error_correction,
            boost_error=False,
            encoding=None if value.isascii() else "utf-8",
        )
    except segno.DataOverflowError as error:
        message = f"is too long for a QR code with error correction {error_correction}"
        raise BarcodeError(message) from error
    except UnicodeError as error:
        message = "has characters that no text has"
        raise BarcodeError(message) from error


def _barcode(value: str, symbology: str) -> _Barcode:
    import barcode  # type: ignore[import-untyped]  # noqa: PLC0415 -- as above

    form, description = SYMBOLOGIES[symbology]
    if re.fullmatch(form, value) is None:
        message = f"{symbology} takes {description}"
        raise BarcodeError(message)
    code_class: Callable[..., _Barcode] = barcode.get_barcode_class(symbology)
    if symbology == "code128":
        return _keep_leading_99(barcode.Code128(value))
    if symbology == "gs1_128":
        return code_class(_gs1_data(value))
    code = code_class(value, add_checksum=False) if symbology == "code39" else code_class(value)
    if symbology in _WITH_CHECK_DIGIT and not code.get_fullcode().startswith(value):
        message = f"{symbology}: the check digit of {value} is not {value[-1]}"
        raise BarcodeError(message)
    return code


def _keep_leading_99(code: _Code128) -> _Code128:
    optimize = code._try_to_optimize  # noqa: SLF001 -- wrapped below

    def optimize_other(encoded: list[int]) -> list[int]:
        """Return `encoded` as it is when it begins with the digits 99.

        python-barcode takes a leading 99 for a second switch to code set C, in which the code
        already begins, and drops it (decision 22).
        """
        return encoded if encoded[1] == _CODE_99 else optimize(encoded)

    code._try_to_optimize = optimize_other  # noqa: SLF001 -- python-barcode offers no hook
    return code


def _gs1_data(value: str) -> str:
    """Return the GS1 elements in one text.

    FNC1 separates an element of variable length from the next one.
    """
    elements = _GS1_ELEMENT.findall(value)
    text = "".join(
        f"{identifier}{data}" if _FIXED_LENGTH.match(identifier) else f"{identifier}{data}{_FNC1}"
        for identifier, data in elements
    ).removesuffix(_FNC1)
    if len(text) > _GS1_MAX_CHARACTERS:
        message = f"gs1_128 takes at most {_GS1_MAX_CHARACTERS} characters"
        raise BarcodeError(message)
    return text


def _dark_runs(row: Iterable[object], x: int, y: int, height: int = 1) -> str:
    """Return the dark runs of a row as pieces of an SVG path."""
    pieces = []
    for dark, run in groupby(map(bool, row)):
        length = sum(1 for _ in run)
        if dark:
            pieces.append(f"M{x} {y}h{length}v{height}h-{length}z")
        x += length
    return "".join(pieces)


def _svg_path(color: str, path: str) -> str:
    return f'<path fill="{escape(color)}" d="{path}"/>'


def _svg(width: int, height: int, content: str, *, stretched: bool = False) -> str:
    ratio = ' preserveAspectRatio="none"' if stretched else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"{ratio} '
        f'shape-rendering="crispEdges">{content}</svg>'
    )
