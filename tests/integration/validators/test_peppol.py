"""Profile PEPPOL: the official sheets accept what is written, and own rules agree with them."""

from dataclasses import replace
from typing import Any, Final

import pytest

from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.einvoice.model import Identifier, Invoice
from chalicelib.engine.einvoice.prepare import EInvoiceInput, prepare_invoice
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from chalicelib.engine.einvoice.read_json import read_invoice
from chalicelib.engine.einvoice.totals import compute_totals
from chalicelib.engine.einvoice.write_cii import write_cii
from chalicelib.engine.einvoice.write_json import invoice_json as to_json
from chalicelib.engine.einvoice.write_ubl import write_ubl
from tests.builders.invoices.edge_cases import EDGE_CASES
from tests.builders.invoices.invoice_json import ABSENT, invoice_json
from tests.builders.invoices.invoice_kinds import INVOICE_KINDS
from tests.integration.validators.conftest import refused, rejected

# Email addresses (EM) are none in Peppol's network.
ADDRESS: Final = Identifier(id="DE123456789", scheme="9930")
ADDRESSES: Final = {
    "seller.electronic_address": {"id": "DE123456789", "scheme": "9930"},
    "buyer.electronic_address": {"id": "04011000-12345-03", "scheme": "0204"},
}
ABROAD: Final = {"buyer.address.country": "FR"}
# These have a GLN with a wrong check digit, which is left to the sheet.
LEFT_TO_THE_SHEET: Final = {kind: ["PEPPOL-COMMON-R040"] for kind in ("full", "credit note")}
REFUSED: Final = {"self-billed": [("PEPPOL-EN16931-P0100", "invoice.type_code")]}


def in_peppol(invoice: Invoice) -> Invoice:
    return replace(
        invoice,
        seller=replace(invoice.seller, electronic_address=ADDRESS),
        buyer=replace(invoice.buyer, electronic_address=ADDRESS),
    )


@pytest.mark.parametrize("kind", INVOICE_KINDS)
def test_every_invoice_kind_is_valid_or_refused_as_decided(
    judge: LocalValidator, kind: str
) -> None:
    invoice = in_peppol(INVOICE_KINDS[kind]())

    faults, xml = refused(to_json(invoice), "PEPPOL", "ubl")

    assert faults == REFUSED.get(kind, [])
    official = [] if faults else rejected(judge, xml, "PEPPOL", "ubl", invoice.type_code)
    assert official == LEFT_TO_THE_SHEET.get(kind, [])


SHARE: Final = {
    "vat": {"category": "S", "rate": "19"},
    "reason": "r",
    "amount": "1.03",
    "percent": "10",
    "base_amount": "10.30",
}


def _without(name: str) -> dict[str, Any]:
    return {key: value for key, value in SHARE.items() if key != name}


IN_MAY: Final = {"invoice_period": {"start": "2026-05-01", "end": "2026-05-31"}}
NO_VAT: Final = {f"lines[{n}].vat": {"category": "Z", "rate": 0} for n in range(2)}
IN_SEK: Final = {"tax_currency": "SEK", "tax_total_in_tax_currency": "0.00"}
IN_ITALY: Final = {
    "seller.address.country": "IT",
    "buyer.address.country": "IT",
    "lines[0].vat": {"category": "B", "rate": "22"},
    "lines[1].vat": {"category": "B", "rate": "22"},
}
NOTES: Final = [{"text": "One"}, {"text": "Two"}]


@pytest.mark.parametrize(
    ("rule", "path", "changes"),
    [
        ("R020", "seller.electronic_address", {"seller.electronic_address": ABSENT}),
        ("R010", "buyer.electronic_address", {"buyer.electronic_address": ABSENT}),
        ("R003", "buyer_reference", {"buyer_reference": ABSENT, **ABROAD}),
        ("R007", "process_id", {"process_id": "urn:example:process"}),
        ("R002", "notes", {"notes": NOTES, **ABROAD}),
        ("P0100", "type_code", {"type_code": "389"}),
        ("P0101", "type_code", {"type_code": "261"}),
        (
            "P0112",
            "type_code",
            {"type_code": "384", "preceding_invoices": [{"number": "1"}], **ABROAD},
        ),
        # KoSIT has taken the following over from Peppol.
        ("R005", "tax_currency", {"tax_currency": "EUR"}),
        ("R040", "allowances[0].amount", {"allowances": [{**SHARE, "amount": "1.00"}]}),
        ("R041", "charges[0].base_amount", {"charges": [_without("base_amount")]}),
        ("R042", "charges[0].percent", {"charges": [_without("percent")]}),
        ("R046", "lines[0].price.net", {"lines[0].price.gross": "20"}),
        (
            "R055",
            "tax_total_in_tax_currency",
            {"tax_currency": "SEK", "tax_total_in_tax_currency": "-1.00"},
        ),
        ("R061", "payment.direct_debit.mandate_reference", {"payment": {"means_code": "49"}}),
        ("R061", "payment.direct_debit", {"payment": {"means_code": "59"}, **ABROAD}),
        ("R110", "lines[0].period.start", {**IN_MAY, "lines[0].period": {"start": "2026-04-30"}}),
        ("R111", "lines[0].period.end", {**IN_MAY, "lines[0].period": {"end": "2026-06-01"}}),
        ("R121", "lines[0].price.base_quantity", {"lines[0].price.base_quantity": "-1"}),
        ("R130", "lines[0].price.base_unit", {"lines[0].price.base_unit": "KGM"}),
    ],
)
def test_a_missing_or_wrong_field_is_found_as_by_the_official_sheet(
    judge: LocalValidator, rule: str, path: str, changes: dict[str, Any]
) -> None:
    source = invoice_json({**ADDRESSES, **changes})
    invoice = read_invoice(source, "invoice")

    own, _ = refused(source, "PEPPOL", "ubl")
    xml = write_ubl(invoice, compute_totals(invoice), PROFILES["PEPPOL"])

    assert own == [(f"PEPPOL-EN16931-{rule}", f"invoice.{path}")]
    type_code = "381" if invoice.type_code == "261" else "380"
    assert f"PEPPOL-EN16931-{rule}" in rejected(judge, xml, "PEPPOL", "ubl", type_code)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"notes": NOTES},
        {"buyer_reference": ABSENT, "order_reference": "O-1", **ABROAD},
        {"buyer_reference": ABSENT, "sales_order_reference": "S-1", **ABROAD},
        {"type_code": "381"},
        {"process_id": "urn:peppol:bis:billing_with_response"},
        {"allowances": [{**SHARE, "amount": "1.05"}]},
        {"lines[0].price.base_unit": "C62", "lines[0].price.base_quantity": "2"},
        # 0 has any sign.
        {"lines[0].quantity": "-100", **IN_SEK},
        {**NO_VAT, **IN_SEK, "tax_total_in_tax_currency": "-1.00"},
        # What a price adds is a discount below zero.
        {"lines[0].price": {"net": "20", "gross": "19", "discount": "-1"}},
        IN_ITALY,
    ],
)
def test_what_the_official_sheet_takes_is_not_refused(
    judge: LocalValidator, changes: dict[str, Any]
) -> None:
    own, xml = refused(invoice_json({**ADDRESSES, **changes}), "PEPPOL", "ubl")

    assert own == []
    assert rejected(judge, xml, "PEPPOL", "ubl", changes.get("type_code", "380")) == []


@pytest.mark.parametrize("notes", [[], [{"text": "Thank you"}]])
def test_the_test_mark_keeps_within_the_one_note_that_is_allowed(
    judge: LocalValidator, notes: list[dict[str, str]]
) -> None:
    source = invoice_json({**ADDRESSES, **ABROAD, "notes": notes})
    request = EInvoiceInput(
        profile=PROFILES["PEPPOL"],
        syntax="ubl",
        source=source,
        findings_root="invoice",
        is_test=True,
    )

    xml = prepare_invoice(request).to_xml()

    assert b"TEST</cbc:Note>" in xml
    assert rejected(judge, xml, "PEPPOL", "ubl", "380") == []


@pytest.mark.parametrize(
    ("content_type", "official"),
    [("application/pdf", []), ("application/zip", ["PEPPOL-EN16931-CL001", "BR-CL-24"])],
)
def test_an_embedded_document_is_as_good_as_its_media_type(
    judge: LocalValidator, content_type: str, official: list[str]
) -> None:
    document = {"id": "A", "upload_id": "upl_1", "filename": "a", "content_type": content_type}
    source = invoice_json({**ADDRESSES, "supporting_documents": [document]})
    request = EInvoiceInput(
        profile=PROFILES["PEPPOL"], syntax="ubl", source=source, findings_root="invoice"
    )

    xml = prepare_invoice(request).to_xml(lambda _: b"content")

    assert b">Y29udGVudA==<" in xml
    assert sorted(rejected(judge, xml, "PEPPOL", "ubl", "380")) == sorted(official)


@pytest.mark.parametrize(
    ("profile", "syntax", "rule"),
    [
        ("XRECHNUNG", "cii", "BR-DE-22"),
        ("XRECHNUNG", "ubl", "BR-DE-22"),
        ("PEPPOL", "ubl", "DE-R-022"),
    ],
)
def test_embedded_documents_have_names_of_their_own_within_germany(
    judge: LocalValidator, profile: str, syntax: Syntax, rule: str
) -> None:
    document = {"upload_id": "upl_1", "filename": "a.pdf", "content_type": "application/pdf"}
    documents = [{"id": "A", **document}, {"id": "B", **document}]
    source = invoice_json({**ADDRESSES, "supporting_documents": documents})
    invoice = read_invoice(source, "invoice")
    write = {"cii": write_cii, "ubl": write_ubl}[syntax]

    own, _ = refused(source, profile, syntax)
    xml = write(invoice, compute_totals(invoice), PROFILES[profile], {"upl_1": "QQ=="})

    assert own == [(rule, "invoice.supporting_documents[1].filename")]
    assert rule in rejected(judge, xml, profile, syntax, "380")


def test_edge_cases_that_pass_here_pass_the_official_sheet(judge: LocalValidator) -> None:
    wrong = {}
    for name, changes in EDGE_CASES.items():
        if name == "VAT of Greece":  # Greece has rules of its own, for its own number of an invoice
            continue
        own, xml = refused(invoice_json({**ADDRESSES, **changes}), "PEPPOL", "ubl")
        if not own and (
            official := rejected(judge, xml, "PEPPOL", "ubl", changes.get("type_code", "380"))
        ):
            wrong[name] = official

    assert wrong == {"identifiers of every kind": ["PEPPOL-COMMON-R040"]}
