"""Invoices as CII: every profile, validated by its official schema."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from lxml import etree

from chalicelib.engine.einvoice.model import Identifier, Invoice, InvoiceLine, InvoiceNote
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.einvoice.totals import compute_totals
from chalicelib.engine.einvoice.write_cii import write_cii
from chalicelib.engine.einvoice.write_cii.document import NAMESPACES
from infra.cii_elements import TARGET, element_table
from tests.builders.invoices.invoice_kinds import INVOICE_KINDS
from tests.builders.invoices.models import full, line, minimal
from tests.builders.invoices.schemas import schema_errors

NAMES: Any = NAMESPACES

PROFILES_IN_CII = [name for name, profile in PROFILES.items() if "cii" in profile.syntaxes]


def cii(invoice: Invoice, profile: str = "EN16931") -> bytes:
    return write_cii(invoice, compute_totals(invoice), PROFILES[profile])


def texts(document: bytes, path: str) -> list[str]:
    found = etree.fromstring(document).iterfind(f".//{path}", NAMES)
    return [element.text or "" for element in found]


@pytest.mark.parametrize("profile", PROFILES_IN_CII)
@pytest.mark.parametrize("shape", INVOICE_KINDS)
def test_each_invoice_is_schema_valid_in_each_profile(shape: str, profile: str) -> None:
    assert schema_errors(profile, cii(INVOICE_KINDS[shape](), profile)) == []


def test_element_table_equals_generator_output() -> None:
    assert json.loads(TARGET.read_text()) == element_table()


def test_smaller_profiles_omit_elements_outside_their_schema() -> None:
    sizes = {profile: len(cii(full(), profile)) for profile in PROFILES_IN_CII}

    assert sizes["MINIMUM"] < sizes["BASIC_WL"] < sizes["BASIC"] < sizes["EN16931"]
    assert texts(cii(full(), "BASIC_WL"), "ram:IncludedSupplyChainTradeLineItem") == []
    assert texts(cii(full(), "BASIC"), "ram:SellerTradeParty/ram:Name") == ["Nordwind Handels GmbH"]
    assert texts(cii(full(), "BASIC"), "ram:DefinedTradeContact/ram:PersonName") == []
    # The schema of MINIMUM allows it, its rules forbid it.
    assert texts(cii(full(), "MINIMUM"), "ram:BuyerTradeParty/ram:PostalTradeAddress") == []


def test_minimum_keeps_one_tax_total_and_an_empty_delivery() -> None:
    written = cii(INVOICE_KINDS["tax currency"](), "MINIMUM")

    assert texts(written, "ram:TaxTotalAmount") == ["19.00"]
    assert b"<ram:ApplicableHeaderTradeDelivery/>" in written


def test_xml_is_deterministic_without_whitespace() -> None:
    assert cii(full()) == cii(full())
    assert b">\n<" not in cii(full()).partition(b"\n")[2]


def test_discount_terms_end_with_a_line_break() -> None:
    invoice = minimal(payment_terms="#SKONTO#TAGE=14#PROZENT=2.00#")

    terms = texts(cii(invoice), "ram:SpecifiedTradePaymentTerms/ram:Description")

    assert terms == ["#SKONTO#TAGE=14#PROZENT=2.00#\n"]


def test_category_o_has_a_rate_in_the_breakdown_only() -> None:
    rates = texts(cii(INVOICE_KINDS["O"](), "XRECHNUNG"), "ram:RateApplicablePercent")

    assert rates == ["0"]


def test_equal_rates_have_equal_texts() -> None:
    assert set(texts(cii(INVOICE_KINDS["mixed rates"]()), "ram:RateApplicablePercent")) == {
        "19",
        "7",
        "0",
    }


@pytest.mark.parametrize(("code", "cii_code"), [("3", "5"), ("35", "29"), ("432", "72")])
def test_tax_point_code_is_mapped_to_cii_and_written_once(code: str, cii_code: str) -> None:
    invoice = replace(INVOICE_KINDS["mixed rates"](), tax_point_date_code=code)

    assert texts(cii(invoice), "ram:DueDateTypeCode") == [cii_code]


def test_process_defaults_to_the_profile() -> None:
    path = "ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID"

    assert texts(cii(minimal(), "XRECHNUNG"), path) == [PROFILES["XRECHNUNG"].process_id]
    assert texts(cii(minimal(process_id="A1"), "XRECHNUNG"), path) == ["A1"]
    assert texts(cii(minimal()), path) == []


def test_notes_are_written_in_every_profile_that_allows_them() -> None:
    marked = minimal(notes=(InvoiceNote(subject_code="AAI", text="TEST"),))
    noted = {p for p in PROFILES_IN_CII if texts(cii(marked, p), "ram:IncludedNote/ram:Content")}

    assert noted == set(PROFILES_IN_CII) - {"MINIMUM"}
    assert texts(cii(marked), "ram:IncludedNote/ram:SubjectCode") == ["AAI"]


def test_blank_texts_leave_no_empty_elements() -> None:
    blank: InvoiceLine = line(note=" ", object_identifier=Identifier(id="", scheme="AAB"))
    written = cii(minimal(lines=(blank,), buyer_accounting_reference=""))

    empty = [e.tag for e in etree.fromstring(written).iter() if not len(e) and not e.text]

    assert [etree.QName(tag).localname for tag in empty] == ["ApplicableHeaderTradeDelivery"]


def test_numbers_have_no_exponent() -> None:
    invoice = minimal(lines=(line(quantity=Decimal("1E+3")), line(quantity=Decimal("0.000001"))))

    assert texts(cii(invoice), "ram:BilledQuantity") == ["1000", "0.000001"]
