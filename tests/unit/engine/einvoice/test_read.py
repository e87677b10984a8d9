"""Reading invoices from XML: without loss, and unsupported content is named."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from chalicelib.engine.einvoice.model import Invoice, PaymentInstructions
from chalicelib.engine.einvoice.profiles import PROFILES, InvoiceProfile
from chalicelib.engine.einvoice.read_json import read_invoice
from chalicelib.engine.einvoice.read_xml import XmlInvoice, read_xml
from chalicelib.engine.einvoice.totals import InvoiceTotals, compute_totals
from chalicelib.engine.einvoice.write_cii import write_cii
from chalicelib.engine.einvoice.write_ubl import write_ubl
from tests.builders.invoices.invoice_kinds import INVOICE_KINDS
from tests.builders.invoices.models import full, minimal

type Writer = Callable[[Invoice, InvoiceTotals, InvoiceProfile], bytes]

WRITERS: dict[str, Writer] = {"cii": write_cii, "ubl": write_ubl}


def write(invoice: Invoice, profile: str = "EN16931", syntax: str = "cii") -> bytes:
    return WRITERS[syntax](invoice, compute_totals(invoice), PROFILES[profile])


def read(document: bytes) -> tuple[XmlInvoice, Invoice]:
    reading = read_xml(document)
    assert reading.content is not None, reading.problem
    return reading, read_invoice(reading.content, "invoice")


@pytest.mark.parametrize(("syntax", "type_code"), [("cii", "380"), ("ubl", "380"), ("ubl", "381")])
def test_full_invoice_is_read_without_loss(syntax: str, type_code: str) -> None:
    sent = replace(full(), type_code=type_code)

    _, invoice = read(write(sent, syntax=syntax))

    assert replace(invoice, **_as_sent(sent, invoice)) == sent


def _as_sent(sent: Invoice, invoice: Invoice) -> dict[str, Any]:
    """Return the invoice as sent, after a check of the values that reading completes."""
    assert [line.net_amount for line in invoice.lines] == list(
        compute_totals(sent).line_net_amounts
    )
    assert invoice.payment_terms == f"{sent.payment_terms}\n"
    assert [part.amount for part in invoice.allowances] == [Decimal("10.00")]
    lines = tuple(
        replace(line, net_amount=None, allowances=original.allowances)
        for line, original in zip(invoice.lines, sent.lines, strict=True)
    )
    return {
        "lines": lines,
        "payment_terms": sent.payment_terms,
        "allowances": sent.allowances,
        "vat_exemptions": sent.vat_exemptions,
    }


def test_both_syntaxes_read_the_same_invoice() -> None:
    _, from_cii = read(write(full(), syntax="cii"))
    _, from_ubl = read(write(full(), syntax="ubl"))

    assert from_cii == from_ubl


@pytest.mark.parametrize("profile", ["MINIMUM", "BASIC_WL"])
def test_profiles_without_lines_give_no_invoice(profile: str) -> None:
    reading = read_xml(write(full(), profile))

    assert (reading.content, reading.problem) == (None, None)


def test_content_outside_the_model_is_named_with_its_location() -> None:
    terms = b"<ram:SpecifiedTradePaymentTerms><ram:Description>Netto</ram:Description>"
    terms += b"</ram:SpecifiedTradePaymentTerms>"
    document = (
        write(full())
        .replace(
            b"</ram:BuyerReference>",
            b"</ram:BuyerReference><ram:SalesAgentTradeParty><ram:Name>"
            b"Agentur</ram:Name></ram:SalesAgentTradeParty>",
        )
        .replace(
            b"<ram:SpecifiedTradeSettlementHeaderM", terms + b"<ram:SpecifiedTradeSettlementHeaderM"
        )
    )

    reading, _ = read(document)

    transaction = "/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction"
    assert [finding.location for finding in reading.not_in_model] == [
        f"{transaction}/ram:ApplicableHeaderTradeAgreement/ram:SalesAgentTradeParty",
        f"{transaction}/ram:ApplicableHeaderTradeSettlement/ram:SpecifiedTradePaymentTerms[2]",
    ]
    assert "ram:SalesAgentTradeParty" in reading.not_in_model[0].message


@pytest.mark.parametrize(
    ("syntax", "name"), [("cii", "ram:DuePayableAmount"), ("ubl", "cbc:PayableAmount")]
)
def test_total_that_differs_from_the_lines_is_named(syntax: str, name: str) -> None:
    head, _, tail = write(minimal(), syntax=syntax).partition(f"<{name}".encode())

    reading, _ = read(head + f"<{name}".encode() + tail.replace(b">119.00<", b">118.99<", 1))

    assert [r.location.rpartition("/")[2] for r in reading.not_in_model] == [name]
    assert reading.not_in_model[0].message == (
        "due_amount is 118.99 in the document; from its lines follows 119.00"
    )


def test_second_payment_means_is_named_and_not_merged() -> None:
    code = b"<cbc:PaymentMeansCode>58</cbc:PaymentMeansCode>"
    document = write(full(), syntax="ubl").replace(code, code.replace(b"58", b"30"))

    reading, invoice = read(document)

    assert invoice.payment is not None
    assert len(invoice.payment.credit_transfers) == 1
    assert [r.location for r in reading.not_in_model] == ["/ubl:Invoice/cac:PaymentMeans[2]"]


def test_foreign_prefixes_whitespace_and_comments_are_read() -> None:
    document = (
        write(minimal())
        .replace(b"ram:", b"a:")
        .replace(b"xmlns:ram", b"xmlns:a")
        .replace(b"><", b">\n  <!-- x --><?p q?><")
        .replace(b">20261120<", b">\n 20261120 <")
    )

    reading, invoice = read(document)

    assert reading.not_in_model == ()
    assert write(invoice) == write(minimal())


def test_unknown_guideline_is_still_read() -> None:
    guideline = b"urn:cen.eu:en16931:2017#compliant#urn:xoev-de:kosit:standard:xrechnung_2.3"
    document = write(minimal()).replace(b"urn:cen.eu:en16931:2017", guideline)

    reading, _ = read(document)

    assert reading.guideline == guideline.decode()


@pytest.mark.parametrize(
    ("old", "new", "location", "message"),
    [
        (b">20261120<", b">20261131<", "ram:IssueDateTime/udt:DateTimeString", "calendar"),
        (b">20261120<", b">2026-11-20<", "ram:IssueDateTime/udt:DateTimeString", "format 102"),
        (b'"102">20261120', b'"610">20261120', "ram:IssueDateTime/udt:DateTimeString", "102"),
        (b">50.00<", b">1e9<", "NetPriceProductTradePrice/ram:ChargeAmount", "decimal"),
        (b">50.00<", b">NaN<", "NetPriceProductTradePrice/ram:ChargeAmount", "decimal"),
        (
            b">50.00<",
            b">%s<" % (b"9" * 16),
            "NetPriceProductTradePrice/ram:ChargeAmount",
            "15 digits",
        ),
        (b">50.00<", b"><", "ram:NetPriceProductTradePrice", "ram:ChargeAmount"),
        (b' unitCode="H87"', b"", "ram:BilledQuantity", "@unitCode"),
        (b"SellerTradeParty", b"Party", "ram:ApplicableHeaderTradeAgreement", "SellerTradeParty"),
    ],
)
def test_unreadable_invoice_names_the_location(
    old: bytes, new: bytes, location: str, message: str
) -> None:
    reading = read_xml(write(minimal()).replace(old, new))

    assert reading.content is None
    assert reading.problem is not None
    assert reading.problem.location.endswith(location)
    assert message in reading.problem.message


def test_ubl_date_may_have_a_time_zone() -> None:
    document = write(minimal(), syntax="ubl").replace(b">2026-11-20<", b">2026-11-20+01:00<")

    _, invoice = read(document)

    assert invoice.issue_date == minimal().issue_date


def test_ubl_creditor_of_a_payee_is_found() -> None:
    document = write(INVOICE_KINDS["direct debit"](), syntax="ubl")
    creditor = b'<cac:PartyIdentification><cbc:ID schemeID="SEPA">DE98ZZZ09999999999</cbc:ID>'
    creditor += b"</cac:PartyIdentification>"
    payee = (
        b"<cac:PayeeParty>" + creditor + b"<cac:PartyName><cbc:Name>P</cbc:Name></cac:PartyName>"
    )
    moved = document.replace(creditor, b"").replace(
        b"<cac:PaymentMeans>", payee + b"</cac:PayeeParty><cac:PaymentMeans>"
    )

    reading, invoice = read(moved)

    assert invoice.payment is not None
    assert invoice.payment.direct_debit is not None
    assert invoice.payment.direct_debit.creditor_id == "DE98ZZZ09999999999"
    assert invoice.payee is not None
    assert (invoice.payee.identifier, reading.not_in_model) == (None, ())


def test_credit_note_payment_holds_only_the_due_date() -> None:
    _, invoice = read(write(minimal(type_code="381", payment=None), syntax="ubl"))

    assert invoice.payment == PaymentInstructions(means_code="1")
    assert invoice.due_date == minimal().due_date
