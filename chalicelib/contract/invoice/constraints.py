"""Bounds and parsers of invoice values, shared by the models and the reader of invoices in data."""

import re
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from chalicelib.core.text import NOT_IN_XML, pattern_with_form

MAX_LINES: Final = 10_000
MAX_ENTRIES: Final = 100
# With more digits before the point the official rule sheets lose precision themselves.
MAX_INTEGER_PLACES: Final = 10
AMOUNT_DECIMAL_PLACES: Final = 2
PRECISE_DECIMAL_PLACES: Final = 6
INVOICE_TYPE_CODE_PATTERN: Final = pattern_with_form(
    "^[0-9]{2,3}$", "a code of two or three digits, such as 380"
)
SUBJECT_CODE_PATTERN: Final = pattern_with_form(
    "^[A-Z0-9]{3}$", "a code of three capital letters or digits, such as AAI"
)
CURRENCY_PATTERN: Final = pattern_with_form(
    "^[A-Z]{3}$", "a code of three capital letters, such as EUR"
)
# 1A is Kosovo in the official code lists.
COUNTRY_PATTERN: Final = pattern_with_form(
    "^(?:[A-Z]{2}|1A)$", "a code of two capital letters, such as DE"
)
_SHORT_CODE: Final = pattern_with_form(
    "^[A-Z0-9]{1,3}$", "a code of one to three capital letters or digits"
)
PAYMENT_MEANS_PATTERN: Final = _SHORT_CODE
UNIT_PATTERN: Final = _SHORT_CODE
VAT_CATEGORIES: Final = ("S", "Z", "E", "AE", "K", "G", "O", "L", "M", "B")
TAX_POINT_CODES: Final = ("3", "35", "432")
MAX_PERCENT: Final = 100
_DECIMAL_LIMIT: Final = Decimal(10) ** MAX_INTEGER_PLACES


def parse_decimal(value: str | float, places: int) -> Decimal:
    """Parse a decimal with at most ten digits before the point and `places` after it.

    Raise ValueError with the expected form.
    """
    if isinstance(value, str):
        is_valid = re.fullmatch(decimal_pattern(places), value) is not None
        number = Decimal(value if is_valid else 0)
    else:
        # repr gives the shortest text of the double, which is what the caller wrote: 0.1 is 0.1.
        number = Decimal(repr(value))
        is_valid = (
            number.is_finite() and abs(number) < _DECIMAL_LIMIT and number == round(number, places)
        )
    if not is_valid:
        message = (
            f"must be a decimal with at most {MAX_INTEGER_PLACES} digits before the point and "
            f"{places} after it, such as 12.50"
        )
        raise ValueError(message)
    return number + 0  # turns -0 into 0


def parse_percentage(value: str | float) -> Decimal:
    """Parse a rate in percent from 0 to 100; raise ValueError with the expected form."""
    number = parse_decimal(value, PRECISE_DECIMAL_PLACES)
    if not 0 <= number <= MAX_PERCENT:
        message = f"must be a rate in percent from 0 to {MAX_PERCENT}"
        raise ValueError(message)
    return number


def decimal_pattern(places: int) -> str:
    """Return the pattern of a decimal in a string."""
    return rf"^-?[0-9]{{1,{MAX_INTEGER_PLACES}}}(?:\.[0-9]{{1,{places}}})?$"


def check_printable(text: str) -> str:
    """Return the text; raise ValueError if XML cannot carry one of its characters."""
    if NOT_IN_XML.search(text) is not None:
        message = "must not have control characters, which XML cannot carry"
        raise ValueError(message)
    return text


def check_not_blank(text: str) -> str:
    """Return the text; raise ValueError if it is blank."""
    if not text.strip():
        message = "must not be blank"
        raise ValueError(message)
    return text


PLT_RULES: Final = MappingProxyType(
    {
        "PLT-REQUIRED": "a required value is absent or blank",
        "PLT-TYPE": "a value has the wrong JSON type",
        "PLT-FORMAT": "a value does not have the form that its field requires",
        "PLT-LENGTH": "a text or an array is too long or too short",
        "PLT-UNKNOWN-FIELD": "a property is not known",
        "PLT-LINE-ID": "a line has no id, and its position is another line's id",
        "PLT-PRICE-GROSS": "a price has a discount, but no gross price that it is taken from",
        "PLT-BASE-QUANTITY": "a price is for 0 units",
        "PLT-TAX-CURRENCY": "there is a VAT total in the tax currency, but no tax currency",
        "PLT-VAT-BREAKDOWN": "there are more than 1000 pairs of a VAT category and a rate",
        "PLT-AMOUNT-RANGE": "a computed amount has more than ten digits before the point",
        "PLT-NO-INVOICE": "a document is no invoice, or carries none that is safe to read",
        "PLT-PROFILE": "there are no rules for the profile of a document",
        "PLT-ENCRYPTED": "a PDF is protected by a password, which PDF/A forbids",
        "PLT-NOT-IN-MODEL": "a document has content that the model of an invoice cannot hold",
        "PLT-UNTAGGED-CONTENT": "a page shows content that is not read out: a warning",
        "PLT-IBAN": "an IBAN has a checksum that does not fit: a warning",
        "PLT-VAT-ID": "a VAT id has no form of its country: a warning",
        "PLT-LEITWEG-ID": "a Leitweg-ID has a wrong form or check digits: a warning",
        "PLT-HYBRID-NAMESPACE": "the metadata of a PDF do not describe its invoice: a warning",
        "PLT-HYBRID-FILE-NAME": "the metadata name another file than the invoice: a warning",
        "PLT-HYBRID-LEVEL": "the metadata give another level than the invoice has: a warning",
        "PLT-HYBRID-VERSION": "the metadata give another version than the invoice has: a warning",
        "PLT-NOT-VALIDATED": "the validators gave no verdict in time",
    }
)


def plt_rules_markdown() -> str:
    """Return the service's own rules as a Markdown list."""
    return "\n".join(f"- `{rule}`: {meaning}" for rule, meaning in PLT_RULES.items())
