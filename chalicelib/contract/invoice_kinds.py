"""The kinds of values in an invoice, as pydantic checks them."""

from functools import partial
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, StringConstraints, WithJsonSchema

from chalicelib.contract.invoice_values import (
    AMOUNT_PLACES,
    COUNTRY,
    CURRENCY,
    FINE_PLACES,
    MEANS,
    MOST_PERCENT,
    SUBJECT,
    THREE_DIGITS,
    UNIT,
    decimal,
    filled,
    pattern,
    percentage,
    printable,
)

EInvoiceProfile = Literal["MINIMUM", "BASIC_WL", "BASIC", "EN16931", "EXTENDED", "XRECHNUNG"]
VatCategory = Literal["S", "Z", "E", "AE", "K", "G", "O", "L", "M"]
TaxPointDateCode = Literal["3", "35", "432"]

_PRINTABLE: Final = AfterValidator(printable)
_FILLED: Final = AfterValidator(filled)

Text = Annotated[str, StringConstraints(max_length=200), _PRINTABLE]
Short = Annotated[str, StringConstraints(max_length=50), _PRINTABLE]
Wide = Annotated[str, StringConstraints(max_length=1000), _PRINTABLE]
Url = Annotated[str, StringConstraints(max_length=2000), _PRINTABLE]
Terms = Annotated[str, StringConstraints(max_length=2000), _PRINTABLE]
Prose = Annotated[str, StringConstraints(max_length=5000), _PRINTABLE]
NeededText = Annotated[Text, StringConstraints(min_length=1), _FILLED]
NeededShort = Annotated[Short, StringConstraints(min_length=1), _FILLED]
NeededWide = Annotated[Wide, StringConstraints(min_length=1), _FILLED]
NeededProse = Annotated[Prose, StringConstraints(min_length=1), _FILLED]
VatId = Annotated[str, StringConstraints(min_length=3, max_length=50), _PRINTABLE]
TypeCode = Annotated[str, StringConstraints(pattern=THREE_DIGITS)]
Subject = Annotated[str, StringConstraints(pattern=SUBJECT)]
Currency = Annotated[str, StringConstraints(pattern=CURRENCY)]
Country = Annotated[str, StringConstraints(pattern=COUNTRY)]
Means = Annotated[str, StringConstraints(pattern=MEANS)]
Unit = Annotated[str, StringConstraints(pattern=UNIT)]


def _check_decimal(value: str | float, *, places: int) -> str | float:
    decimal(value, places)
    return value


def _check_percentage(value: str | float) -> str | float:
    percentage(value)
    return value


def _number(places: int, **bounds: Any) -> WithJsonSchema:
    written = {"type": "string", "pattern": pattern(places)}
    return WithJsonSchema({"anyOf": [written, {"type": "number", **bounds}]})


Amount = Annotated[
    str | int | float,
    AfterValidator(partial(_check_decimal, places=AMOUNT_PLACES)),
    _number(AMOUNT_PLACES),
]
Fine = Annotated[
    str | int | float,
    AfterValidator(partial(_check_decimal, places=FINE_PLACES)),
    _number(FINE_PLACES),
]
Rate = Annotated[
    str | int | float,
    AfterValidator(_check_percentage),
    _number(FINE_PLACES, minimum=0, maximum=MOST_PERCENT),
]
