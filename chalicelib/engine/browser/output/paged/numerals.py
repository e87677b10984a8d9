"""Numbers as counter styles write them; an unknown style writes decimal digits."""

from string import ascii_lowercase
from typing import Final

_ROMAN: Final = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc")),
    *((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MAX_ROMAN: Final = 3999
_LETTERS: Final = {
    "alpha": ascii_lowercase,
    "latin": ascii_lowercase,
    "greek": "αβγδεζηθικλμνξοπρστυφχψω",
}


def numeral(number: int, style: str) -> str:
    """Return a number in a predefined counter style."""
    case, _, system = style.partition("-")
    if style == "decimal-leading-zero":
        return f"{number:02}"
    if case not in {"lower", "upper"} or number < 1:
        return str(number)
    text = str(number)
    if system == "roman" and number <= _MAX_ROMAN:
        text = _roman(number)
    elif system in _LETTERS:
        text = _in_letters(number, _LETTERS[system])
    return text.upper() if case == "upper" else text


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        text += letters * count
    return text


def _in_letters(number: int, letters: str) -> str:
    text = ""
    while number:
        number, place = divmod(number - 1, len(letters))
        text = letters[place] + text
    return text
