"""What the values of an invoice must look like, also of one that is found in data."""

import re
from decimal import Decimal
from typing import Final

from chalicelib.core.text import NOT_IN_XML

MAX_LINES: Final = 10_000
MAX_ENTRIES: Final = 100
# Beyond ten digits before the point the official rule sheets lose precision themselves.
MAX_INTEGER_PLACES: Final = 10
AMOUNT_DECIMAL_PLACES: Final = 2
PRECISE_DECIMAL_PLACES: Final = 6
INVOICE_TYPE_CODE_PATTERN: Final = "^[0-9]{3}$"
SUBJECT_CODE_PATTERN: Final = "^[A-Z0-9]{3}$"
CURRENCY_PATTERN: Final = "^[A-Z]{3}$"
COUNTRY_PATTERN: Final = "^[A-Z]{2}$"
PAYMENT_MEANS_PATTERN: Final = "^[A-Z0-9]{1,3}$"
UNIT_PATTERN: Final = "^[A-Z0-9]{1,3}$"
VAT_CATEGORIES: Final = ("S", "Z", "E", "AE", "K", "G", "O", "L", "M")
TAX_POINT_CODES: Final = ("3", "35", "432")
MAX_PERCENT: Final = 100
_DECIMAL_LIMIT: Final = Decimal(10) ** MAX_INTEGER_PLACES


def parse_decimal(value: str | float, places: int) -> Decimal:
    """Read a decimal with at most ten digits before the point and `places` after it.

    Raises ValueError, which says what is expected.
    """
    if isinstance(value, str):
        fits = re.fullmatch(decimal_pattern(places), value) is not None
        number = Decimal(value if fits else 0)
    else:
        # The shortest text that reads as the same double is what the caller wrote.
        number = Decimal(repr(value))
        fits = (
            number.is_finite() and abs(number) < _DECIMAL_LIMIT and number == round(number, places)
        )
    if not fits:
        message = (
            f"must be a decimal with at most {MAX_INTEGER_PLACES} digits before the point and "
            f"{places} after it, such as 12.50"
        )
        raise ValueError(message)
    return number + 0  # No zero has a sign.


def parse_percentage(value: str | float) -> Decimal:
    """Read a rate in percent; raises ValueError, which says what is expected."""
    number = parse_decimal(value, PRECISE_DECIMAL_PLACES)
    if not 0 <= number <= MAX_PERCENT:
        message = f"must be a rate in percent from 0 to {MAX_PERCENT}"
        raise ValueError(message)
    return number


def decimal_pattern(places: int) -> str:
    """Return what a decimal looks like as a string."""
    return rf"^-?[0-9]{{1,{MAX_INTEGER_PLACES}}}(?:\.[0-9]{{1,{places}}})?$"


def check_printable(text: str) -> str:
    """Return a text that XML can carry; raises ValueError, which says what is expected."""
    if NOT_IN_XML.search(text) is not None:
        message = "must not have control characters, which XML cannot carry"
        raise ValueError(message)
    return text


def check_not_blank(text: str) -> str:
    """Return a text that says something; raises ValueError, which says what is expected."""
    if not text.strip():
        message = "must not be blank"
        raise ValueError(message)
    return text
