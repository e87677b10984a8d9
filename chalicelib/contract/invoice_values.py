"""What the values of an invoice must look like, also of one that is found in data."""

import re
from decimal import Decimal
from typing import Final

from chalicelib.core.text import NOT_IN_XML

MAX_LINES: Final = 10_000
MAX_ENTRIES: Final = 100
# Beyond ten digits before the point the official rule sheets lose precision themselves.
INTEGER_DIGITS: Final = 10
AMOUNT_PLACES: Final = 2
FINE_PLACES: Final = 6
THREE_DIGITS: Final = "^[0-9]{3}$"
SUBJECT: Final = "^[A-Z0-9]{3}$"
CURRENCY: Final = "^[A-Z]{3}$"
COUNTRY: Final = "^[A-Z]{2}$"
MEANS: Final = "^[A-Z0-9]{1,3}$"
UNIT: Final = "^[A-Z0-9]{1,3}$"
VAT_CATEGORIES: Final = ("S", "Z", "E", "AE", "K", "G", "O", "L", "M")
TAX_POINT_CODES: Final = ("3", "35", "432")
MOST_PERCENT: Final = 100
_LIMIT: Final = Decimal(10) ** INTEGER_DIGITS


def decimal(value: str | float, places: int) -> Decimal:
    """Read a decimal with at most ten digits before the point and `places` after it.

    Raises ValueError, which says what is expected.
    """
    if isinstance(value, str):
        fits = re.fullmatch(pattern(places), value) is not None
        number = Decimal(value if fits else 0)
    else:
        # The shortest text that reads as the same double is what the caller wrote.
        number = Decimal(repr(value))
        fits = number.is_finite() and abs(number) < _LIMIT and number == round(number, places)
    if not fits:
        message = (
            f"must be a decimal with at most {INTEGER_DIGITS} digits before the point and "
            f"{places} after it, such as 12.50"
        )
        raise ValueError(message)
    return number + 0  # No zero has a sign.


def percentage(value: str | float) -> Decimal:
    """Read a rate in percent; raises ValueError, which says what is expected."""
    number = decimal(value, FINE_PLACES)
    if not 0 <= number <= MOST_PERCENT:
        message = f"must be a rate in percent from 0 to {MOST_PERCENT}"
        raise ValueError(message)
    return number


def pattern(places: int) -> str:
    """Return what a decimal looks like as a string."""
    return rf"^-?[0-9]{{1,{INTEGER_DIGITS}}}(?:\.[0-9]{{1,{places}}})?$"


def printable(text: str) -> str:
    """Return a text that XML can carry; raises ValueError, which says what is expected."""
    if NOT_IN_XML.search(text) is not None:
        message = "must not have control characters, which XML cannot carry"
        raise ValueError(message)
    return text


def filled(text: str) -> str:
    """Return a text that says something; raises ValueError, which says what is expected."""
    if not text.strip():
        message = "must not be blank"
        raise ValueError(message)
    return text
