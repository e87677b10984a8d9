"""Identifiers that nobody can have, held against another implementation."""

import random
from typing import Any

import pytest
from stdnum import iban
from stdnum.de import leitweg
from stdnum.eu import vat

from chalicelib.engine.conformance.checks import Verdict
from chalicelib.engine.conformance.read_received_worker import read_document
from chalicelib.engine.conformance.report import conformance_report
from chalicelib.engine.einvoice.prepare import EInvoiceInput, PreparedInvoice, prepare_invoice
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from chalicelib.engine.einvoice.rules.identifiers import (
    has_impossible_vat_form,
    has_wrong_iban_checksum,
    is_leitweg_id,
)
from chalicelib.engine.requested_checks import invoice_validation_request
from tests.builders.invoices.invoice_json import invoice_json

VAT_IDS = """
ATU13585627 BE0428759497 BG175074752 CY10259033P CZ25123891 DE136695976 DK13585628
EE100931558 EL094259216 ESB58378431 ES54362315K ESX2482300W FI20774740 FR40303265045
FRK7399859412 HR33392005961 HU12892312 IE6433435F IE6433435OA IE8D79739I IT00743110157
LT119511515 LT100001919017 LU15027442 LV40003521600 MT11679112 NL004495445B01 PL8567346215
PT501964843 RO18547290 SE123456789701 SI50223054 SK2022749619
"""
IBANS = (
    "DE02120300000000202051 GB82WEST12345698765432 NO9386011117947 MT84MALT011000012345MTLCAST001S"
)
LEITWEG_IDS = "991-03730-19 04011000-12345-03 04011000-1234512345-06"
WRONG: dict[str, Any] = {
    "seller.vat_id": "DE12345678",
    "buyer.vat_id": "ATU1234567",
    "buyer_reference": "04011000-12345-04",
    "buyer.electronic_address": {"id": "991-12345-06", "scheme": "0204"},
    "seller.identifiers": [{"id": "1"}, {"id": "991-12345-06", "scheme": "0204"}],
    "payment.credit_transfers": [
        {"account_id": "DE02120300000000202051"},
        {"account_id": "DE02 1203 0000 0000 2020 52"},
        {"account_id": "0000 1234"},
    ],
}
FOUND = {
    ("PLT-VAT-ID", "invoice.seller.vat_id"),
    ("PLT-VAT-ID", "invoice.buyer.vat_id"),
    ("PLT-LEITWEG-ID", "invoice.buyer_reference"),
    ("PLT-LEITWEG-ID", "invoice.buyer.electronic_address.id"),
    ("PLT-LEITWEG-ID", "invoice.seller.identifiers[1].id"),
    ("PLT-IBAN", "invoice.payment.credit_transfers[1].account_id"),
}


def prepared(changes: dict[str, Any], profile: str, syntax: Syntax) -> PreparedInvoice:
    return prepare_invoice(
        EInvoiceInput(
            profile=PROFILES[profile],
            syntax=syntax,
            source=invoice_json(changes),
            findings_root="invoice",
        )
    )


def mistyped(text: str, chance: random.Random) -> str:
    """Return a text with another digit in place of one."""
    position = chance.choice([n for n, each in enumerate(text) if each.isdigit()])
    digit = chance.choice([each for each in "0123456789" if each != text[position]])
    return text[:position] + digit + text[position + 1 :]


@pytest.mark.parametrize("text", VAT_IDS.split())
def test_a_vat_id_that_exists_has_the_form_of_its_country(text: str) -> None:
    assert vat.is_valid(text)
    assert not has_impossible_vat_form(text)
    assert not has_impossible_vat_form(f" {text[:2]} {text[2:6]} {text[6:]}")
    assert has_impossible_vat_form(text[:3])
    assert has_impossible_vat_form(f"{text}00000")


@pytest.mark.parametrize("text", ["XX1", "US-12", "1A123", "", "CHE-123.456.789 MWST", "GBGD001"])
def test_forms_of_other_countries_are_taken(text: str) -> None:
    assert not has_impossible_vat_form(text)


def test_checksums_agree_with_another_implementation() -> None:
    chance = random.Random(41)  # noqa: S311 -- samples
    for text in IBANS.split() * 100:
        wrong = mistyped(text, chance)
        assert not has_wrong_iban_checksum(text)
        assert has_wrong_iban_checksum(wrong) != iban.is_valid(wrong, check_country=False)
    for text in LEITWEG_IDS.split() * 100:
        wrong = mistyped(text, chance)
        assert is_leitweg_id(text)
        assert is_leitweg_id(wrong) == leitweg.is_valid(wrong)


@pytest.mark.parametrize("text", ["0000 1234", "86011117947", "", "²²", "DE", "Ⅷ" * 50])
def test_other_account_numbers_are_taken(text: str) -> None:
    assert not has_wrong_iban_checksum(text)


@pytest.mark.parametrize("syntax", ["cii", "ubl"])
def test_a_made_invoice_is_warned_of_at_its_fields(syntax: Syntax) -> None:
    invoice = prepared(WRONG, "XRECHNUNG", syntax)
    request = invoice_validation_request(invoice, invoice.to_xml())
    assert request.field_paths is not None
    report = conformance_report(
        request.checks,
        [Verdict((), "V")],
        request.field_paths.json_path,
        request.own_findings,
    )["einvoice"]

    assert (report["status"], report["errors"]) == ("passed", [])
    assert {(each["rule"], each["path"]) for each in report["warnings"]} == FOUND


@pytest.mark.parametrize("syntax", ["cii", "ubl"])
def test_a_received_invoice_is_warned_of_at_its_fields(syntax: Syntax) -> None:
    reading = read_document(prepared(WRONG, "XRECHNUNG", syntax).to_xml())

    own = [each for each in reading["warnings"] if each["rule"] != "PLT-NOT-IN-MODEL"]
    assert reading["errors"] == []
    assert {(each["rule"], each["path"]) for each in own} == FOUND
    assert all(each["location"].startswith("/") for each in own)


@pytest.mark.parametrize("syntax", ["cii", "ubl"])
def test_a_right_invoice_has_no_warning(syntax: Syntax) -> None:
    invoice = prepared({}, "XRECHNUNG", syntax)

    assert invoice_validation_request(invoice, invoice.to_xml()).own_findings == ()
    assert read_document(invoice.to_xml())["warnings"] == []


@pytest.mark.parametrize("reference", ["04011000-12345-04", "12-34", "2026-11-25", "PO 12-3-45"])
def test_a_reference_of_another_profile_or_form_is_taken(reference: str) -> None:
    profile = "EN16931" if reference.startswith("04") else "XRECHNUNG"
    invoice = prepared({"buyer_reference": reference}, profile, "cii")

    assert invoice_validation_request(invoice, invoice.to_xml()).own_findings == ()
