"""Value types of the invoice model, with the constraints that `read_json` enforces.

Plain dataclasses in place of pydantic, with the same bounds as `contract/invoice/field_types`: the
render function loads no pydantic.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Annotated, Final

from chalicelib.contract.invoice.constraints import (
    AMOUNT_DECIMAL_PLACES,
    COUNTRY_PATTERN,
    CURRENCY_PATTERN,
    INVOICE_TYPE_CODE_PATTERN,
    MAX_ENTRIES,
    MAX_LINES,
    PAYMENT_MEANS_PATTERN,
    PRECISE_DECIMAL_PLACES,
    SUBJECT_CODE_PATTERN,
    TAX_POINT_CODES,
    UNIT_PATTERN,
    VAT_CATEGORIES,
    parse_decimal,
    parse_percentage,
)


@dataclass(frozen=True, slots=True)
class TextConstraint:
    """Bounds of a text's length in characters, or the pattern that it must match."""

    max_length: int = 0
    min_length: int = 0
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class ChoiceConstraint:
    """The allowed texts."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DecimalConstraint:
    """The function that reads a decimal, which raises ValueError, and its decimal places."""

    parse: Callable[[str | float], Decimal]
    places: int = PRECISE_DECIMAL_PLACES


@dataclass(frozen=True, slots=True)
class ArrayConstraint:
    """Bounds of an array's number of entries."""

    max_items: int = MAX_ENTRIES
    min_items: int = 0


Text = Annotated[str, TextConstraint(200)]
ShortText = Annotated[str, TextConstraint(50)]
LongText = Annotated[str, TextConstraint(1000)]
UploadId = Annotated[str, TextConstraint(64, 1)]
Url = Annotated[str, TextConstraint(2000)]
PaymentTermsText = Annotated[str, TextConstraint(2000)]
FreeText = Annotated[str, TextConstraint(5000)]
VatId = Annotated[str, TextConstraint(50, 3)]
InvoiceTypeCode = Annotated[str, TextConstraint(pattern=INVOICE_TYPE_CODE_PATTERN)]
SubjectCode = Annotated[str, TextConstraint(pattern=SUBJECT_CODE_PATTERN)]
CurrencyCode = Annotated[str, TextConstraint(pattern=CURRENCY_PATTERN)]
CountryCode = Annotated[str, TextConstraint(pattern=COUNTRY_PATTERN)]
PaymentMeansCode = Annotated[str, TextConstraint(pattern=PAYMENT_MEANS_PATTERN)]
UnitCode = Annotated[str, TextConstraint(pattern=UNIT_PATTERN)]
VatCategoryCode = Annotated[str, ChoiceConstraint(VAT_CATEGORIES)]
TaxPointDateCode = Annotated[str, ChoiceConstraint(TAX_POINT_CODES)]
Amount = Annotated[
    Decimal,
    DecimalConstraint(partial(parse_decimal, places=AMOUNT_DECIMAL_PLACES), AMOUNT_DECIMAL_PLACES),
]
PreciseDecimal = Annotated[
    Decimal, DecimalConstraint(partial(parse_decimal, places=PRECISE_DECIMAL_PLACES))
]
VatRate = Annotated[Decimal, DecimalConstraint(parse_percentage)]
LINES_CONSTRAINT: Final = ArrayConstraint(MAX_LINES, 1)
