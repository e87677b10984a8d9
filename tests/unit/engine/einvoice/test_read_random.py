"""Random invoices round-trip through XML."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from chalicelib.engine.einvoice.model import Invoice, PriceDetails, Vat, VatExemption
from chalicelib.engine.einvoice.profiles import PROFILES, InvoiceProfile, Syntax
from chalicelib.engine.einvoice.read_json import read_invoice
from chalicelib.engine.einvoice.read_xml import read_xml
from chalicelib.engine.einvoice.totals import compute_totals
from chalicelib.engine.einvoice.write_cii import write_cii
from chalicelib.engine.einvoice.write_ubl import write_ubl
from chalicelib.engine.einvoice.write_ubl.document import CREDIT_NOTE_CODES
from tests.builders.invoices.schemas import schema_errors

# All characters of XML 1.0, with its special characters more often.
TEXT = st.text(
    st.one_of(
        st.sampled_from("<>&\"'# \n\r\t]A1"),
        st.characters(exclude_categories=["Cs", "Cc", "Cn"]),
    ),
    min_size=1,
    max_size=12,
).filter(lambda text: bool(text.strip()))
CODES = {
    "currency": ["EUR", "SEK"],
    "country": ["DE", "FR"],
    "origin_country": ["CN"],
    "type_code": ["380", "381", "389"],
    "category": ["S", "E", "O", "AE"],
    "unit": ["C62", "KGM"],
    "base_unit": ["C62"],
    "means_code": ["58", "30", "59"],
    "subject_code": ["AAI", "REG"],
    "tax_point_date_code": ["3", "35", "432"],
    "reason_code": ["95", "VATEX-EU-O"],
    "scheme": ["0088", "EM", "HS"],
    "version": ["1"],
}
AMOUNTS = {"amount", "base_amount", "prepaid_amount", "rounding_amount"}


def values(name: str, hint: Any) -> st.SearchStrategy[Any]:
    arguments = get_args(hint)
    origin = get_origin(hint)
    if origin in {UnionType, Union}:
        return st.none() | values(name, arguments[0])
    if origin is tuple:
        least = 1 if name == "lines" else 0
        return st.lists(values(name, arguments[0]), min_size=least, max_size=3).map(tuple)
    if origin is Mapping:
        return st.dictionaries(st.sampled_from(CODES["category"]), instances(VatExemption))
    return instances(hint) if is_dataclass(hint) else scalars(name, hint)


def scalars(name: str, hint: type) -> st.SearchStrategy[Any]:
    if hint is Decimal:
        if name == "rate":
            return st.decimals(min_value=0, max_value=100, places=6)
        places = 2 if name in AMOUNTS else 6
        return st.decimals(min_value=-(10**6), max_value=10**6, places=places)
    if hint is dt.date:
        return st.dates()
    assert hint is str, (name, hint)
    if name == "vat_id":  # the only text with a least length
        return TEXT.map(lambda text: f"DE{text}A")
    return st.sampled_from(CODES[name]) if name in CODES else TEXT


def instances(model: Any) -> st.SearchStrategy[Any]:
    hints = get_type_hints(model)
    kept = [each.name for each in fields(model) if each.name not in {"net_amount", *IN_PAIRS}]
    return st.builds(model, **{name: values(name, hints[name]) for name in kept}).map(consistent)


# Fields that are meaningless alone.
IN_PAIRS = {"tax_currency", "tax_total_in_tax_currency"}


def consistent(value: Any) -> Any:
    """Remove what the rules refuse before XML is written."""
    if isinstance(value, PriceDetails):
        # A smaller quantity makes line totals of more digits than an amount may have.
        is_tiny = value.base_quantity is not None and abs(value.base_quantity) < Decimal("0.01")
        return replace(
            value,
            discount=None if value.gross is None else value.discount,
            base_quantity=None if is_tiny else value.base_quantity,
        )
    if isinstance(value, Vat) and value.category == "O":
        return replace(value, rate=None)
    return value


@pytest.mark.breadth
@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(instances(Invoice), st.none() | st.decimals(0, 1000, places=2))
def test_any_invoice_round_trips(drawn: Invoice, tax_total: Decimal | None) -> None:
    currency = None if tax_total is None else "GBP"
    drawn = replace(drawn, tax_currency=currency, tax_total_in_tax_currency=tax_total)
    for profile in PROFILES.values():
        # BASIC has no element for it, so such an invoice is never written (BR-CO-16).
        rounding = None if profile.name == "BASIC" else drawn.rounding_amount
        invoice = replace(drawn, rounding_amount=rounding)
        # Larger amounts are refused before XML is written (PLT-AMOUNT-RANGE).
        assume(max(map(abs, compute_totals(invoice).line_net_amounts)) < Decimal(10) ** 9)
        for syntax in profile.syntaxes if profile.has_lines else ():
            assert_is_kept(invoice, profile, syntax)


def assert_is_kept(invoice: Invoice, profile: InvoiceProfile, syntax: Syntax) -> None:
    write = write_cii if syntax == "cii" else write_ubl
    document = write(invoice, compute_totals(invoice), profile)

    reading = read_xml(document)

    assert reading.content is not None, reading.problem
    read = read_invoice(reading.content, "invoice")
    assert reading.not_in_model == ()
    assert write(read, compute_totals(read), profile) == document
    ubl = "CreditNote" if invoice.type_code in CREDIT_NOTE_CODES else "Invoice"
    assert schema_errors(profile.name if syntax == "cii" else ubl, document) == []
