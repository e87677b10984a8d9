"""Invoices as UBL: Invoice and CreditNote, validated by the official schemas."""

from dataclasses import replace
from typing import Any

import pytest
from lxml import etree

from chalicelib.engine.einvoice.model import Invoice
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.einvoice.totals import compute_totals
from chalicelib.engine.einvoice.write_ubl import write_ubl
from chalicelib.engine.einvoice.write_ubl.document import NAMESPACES
from tests.builders.invoices.invoice_kinds import INVOICE_KINDS
from tests.builders.invoices.models import full, minimal
from tests.builders.invoices.schemas import schema_errors

NAMES: Any = NAMESPACES
PROFILES_IN_UBL = [name for name, profile in PROFILES.items() if "ubl" in profile.syntaxes]


def ubl(invoice: Invoice, profile: str = "EN16931") -> bytes:
    return write_ubl(invoice, compute_totals(invoice), PROFILES[profile])


def texts(document: bytes, path: str) -> list[str]:
    found = etree.fromstring(document).iterfind(f".//{path}", NAMES)
    return [element.text or "" for element in found]


def root_name(document: bytes) -> str:
    return etree.QName(etree.fromstring(document)).localname


@pytest.mark.parametrize("profile", PROFILES_IN_UBL)
@pytest.mark.parametrize("type_code", [None, "381"])
@pytest.mark.parametrize("shape", INVOICE_KINDS)
def test_each_invoice_is_schema_valid(shape: str, type_code: str | None, profile: str) -> None:
    invoice = INVOICE_KINDS[shape]()
    written = ubl(replace(invoice, type_code=type_code or invoice.type_code), profile)

    assert schema_errors(root_name(written), written) == []


@pytest.mark.parametrize(
    ("type_code", "name"), [("380", "Invoice"), ("384", "Invoice"), ("381", "CreditNote")]
)
def test_type_code_selects_invoice_or_credit_note(type_code: str, name: str) -> None:
    assert root_name(ubl(minimal(type_code=type_code))) == name


def test_credit_note_keeps_content_without_a_schema_element() -> None:
    written = ubl(INVOICE_KINDS["credit note"]())

    assert texts(written, "cac:PaymentMeans/cbc:PaymentDueDate") == ["2026-12-20"]
    assert texts(written, "cac:AdditionalDocumentReference[cbc:DocumentTypeCode='50']/cbc:ID") == [
        "P-1"
    ]
    assert texts(ubl(full()), "cac:ProjectReference/cbc:ID") == ["P-1"]


def test_credit_note_without_payment_keeps_its_due_date() -> None:
    written = ubl(minimal(type_code="381", payment=None))

    assert texts(written, "cac:PaymentMeans/cbc:PaymentMeansCode") == ["1"]
    assert texts(written, "cac:PaymentMeans/cbc:PaymentDueDate") == ["2026-12-20"]


def test_sales_order_without_order_writes_na() -> None:
    assert texts(ubl(minimal(sales_order_reference="A-1")), "cac:OrderReference/cbc:ID") == ["NA"]


def test_notes_carry_their_subject() -> None:
    assert texts(ubl(full()), "cbc:Note")[:2] == ["Danke.", "#REG#HRB 123"]


def test_amounts_name_their_currency() -> None:
    written = etree.fromstring(ubl(INVOICE_KINDS["tax currency"]()))

    found = {e.get("currencyID") for e in written.iterfind("cac:TaxTotal/cbc:TaxAmount", NAMES)}

    assert found == {"SEK", "EUR"}


def test_payment_text_is_written_once() -> None:
    written = etree.fromstring(ubl(full()))
    means = written.iterfind("cac:PaymentMeans/cbc:PaymentMeansCode", NAMES)

    assert [code.get("name") for code in means] == ["Überweisung", None]
