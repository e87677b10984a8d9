"""Field types of invoices, validated by pydantic.

`engine/einvoice/data_types` has the same bounds for invoices that are found in data.
"""

from functools import partial
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, StringConstraints, WithJsonSchema

from chalicelib.contract.invoice.constraints import (
    AMOUNT_DECIMAL_PLACES,
    COUNTRY_PATTERN,
    CURRENCY_PATTERN,
    INVOICE_TYPE_CODE_PATTERN,
    MAX_PERCENT,
    PAYMENT_MEANS_PATTERN,
    PRECISE_DECIMAL_PLACES,
    SUBJECT_CODE_PATTERN,
    UNIT_PATTERN,
    check_not_blank,
    check_printable,
    decimal_pattern,
    parse_decimal,
    parse_percentage,
)

EInvoiceProfile = Literal["MINIMUM", "BASIC_WL", "BASIC", "EN16931", "EXTENDED", "XRECHNUNG"]
# Peppol has no PDF that carries its XML.
XmlProfile = Literal[EInvoiceProfile, "PEPPOL"]
ValidatedProfile = Literal[
    XmlProfile,
    "PEPPOL_SELF_BILLING",
    "PINT_EU",
    "NLCIUS",
    "XRECHNUNG_EXTENSION",
    "XRECHNUNG_CVD",
    "EXTENDED_CTC_FR",
]
VatCategory = Literal["S", "Z", "E", "AE", "K", "G", "O", "L", "M", "B"]
TaxPointDateCode = Literal["3", "35", "432"]

_PRINTABLE: Final = AfterValidator(check_printable)
_NOT_BLANK: Final = AfterValidator(check_not_blank)

Text = Annotated[str, StringConstraints(max_length=200), _PRINTABLE]
ShortText = Annotated[str, StringConstraints(max_length=50), _PRINTABLE]
LongText = Annotated[str, StringConstraints(max_length=1000), _PRINTABLE]
Url = Annotated[str, StringConstraints(max_length=2000), _PRINTABLE]
PaymentTermsText = Annotated[str, StringConstraints(max_length=2000), _PRINTABLE]
FreeText = Annotated[str, StringConstraints(max_length=5000), _PRINTABLE]
RequiredText = Annotated[Text, StringConstraints(min_length=1), _NOT_BLANK]
RequiredShortText = Annotated[ShortText, StringConstraints(min_length=1), _NOT_BLANK]
RequiredLongText = Annotated[LongText, StringConstraints(min_length=1), _NOT_BLANK]
RequiredFreeText = Annotated[FreeText, StringConstraints(min_length=1), _NOT_BLANK]
UploadId = Annotated[str, StringConstraints(min_length=1, max_length=64), _PRINTABLE]
VatId = Annotated[str, StringConstraints(min_length=3, max_length=50), _PRINTABLE]
InvoiceTypeCode = Annotated[str, StringConstraints(pattern=INVOICE_TYPE_CODE_PATTERN)]
SubjectCode = Annotated[str, StringConstraints(pattern=SUBJECT_CODE_PATTERN)]
CurrencyCode = Annotated[str, StringConstraints(pattern=CURRENCY_PATTERN)]
CountryCode = Annotated[str, StringConstraints(pattern=COUNTRY_PATTERN)]
PaymentMeansCode = Annotated[str, StringConstraints(pattern=PAYMENT_MEANS_PATTERN)]
UnitCode = Annotated[str, StringConstraints(pattern=UNIT_PATTERN)]


# The caller's spelling of a number is kept: templates show it, and it is parsed again later.
def _check_decimal(value: str | float, *, places: int) -> str | float:
    parse_decimal(value, places)
    return value


def _check_percentage(value: str | float) -> str | float:
    parse_percentage(value)
    return value


def _decimal_json_schema(places: int, **bounds: int) -> WithJsonSchema:
    text_schema = {"type": "string", "pattern": decimal_pattern(places)}
    return WithJsonSchema({"anyOf": [text_schema, {"type": "number", **bounds}]})


Amount = Annotated[
    str | int | float,
    AfterValidator(partial(_check_decimal, places=AMOUNT_DECIMAL_PLACES)),
    _decimal_json_schema(AMOUNT_DECIMAL_PLACES),
]
PreciseDecimal = Annotated[
    str | int | float,
    AfterValidator(partial(_check_decimal, places=PRECISE_DECIMAL_PLACES)),
    _decimal_json_schema(PRECISE_DECIMAL_PLACES),
]
VatRate = Annotated[
    str | int | float,
    AfterValidator(_check_percentage),
    _decimal_json_schema(PRECISE_DECIMAL_PLACES, minimum=0, maximum=MAX_PERCENT),
]
