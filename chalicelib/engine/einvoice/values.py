"""The kinds of values in an invoice, each with its bounds."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Annotated, Final

from chalicelib.contract.invoice_values import (
    AMOUNT_PLACES,
    COUNTRY,
    CURRENCY,
    FINE_PLACES,
    MAX_ENTRIES,
    MAX_LINES,
    MEANS,
    SUBJECT,
    TAX_POINT_CODES,
    THREE_DIGITS,
    UNIT,
    VAT_CATEGORIES,
    decimal,
    percentage,
)


@dataclass(frozen=True, slots=True)
class Chars:
    """How long a text is, or else the pattern that it matches."""

    most: int = 0
    least: int = 0
    form: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """The texts of which one is meant."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """How a decimal is read."""

    read: Callable[[str | float], Decimal]


@dataclass(frozen=True, slots=True)
class Entries:
    """How many an array or an object has."""

    most: int = MAX_ENTRIES
    least: int = 0


Text = Annotated[str, Chars(200)]
Short = Annotated[str, Chars(50)]
Wide = Annotated[str, Chars(1000)]
Url = Annotated[str, Chars(2000)]
Terms = Annotated[str, Chars(2000)]
Prose = Annotated[str, Chars(5000)]
VatId = Annotated[str, Chars(50, 3)]
TypeCode = Annotated[str, Chars(form=THREE_DIGITS)]
Subject = Annotated[str, Chars(form=SUBJECT)]
Currency = Annotated[str, Chars(form=CURRENCY)]
Country = Annotated[str, Chars(form=COUNTRY)]
Means = Annotated[str, Chars(form=MEANS)]
Unit = Annotated[str, Chars(form=UNIT)]
Category = Annotated[str, Choice(VAT_CATEGORIES)]
TaxPointCode = Annotated[str, Choice(TAX_POINT_CODES)]
Amount = Annotated[Decimal, Number(partial(decimal, places=AMOUNT_PLACES))]
Fine = Annotated[Decimal, Number(partial(decimal, places=FINE_PLACES))]
Rate = Annotated[Decimal, Number(percentage)]
LINES: Final = Entries(MAX_LINES, 1)
