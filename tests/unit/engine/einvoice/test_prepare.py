"""Preparation of a request's e-invoice: its XML, or the report of the broken rules."""

from typing import Any

import pytest
from lxml import etree

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.einvoice.prepare import EInvoiceInput, invoice_at, prepare_invoice
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from tests.builders.invoices.invoice_json import invoice_json

PAIRS = [(profile, syntax) for profile in PROFILES.values() for syntax in profile.syntaxes]


def request(
    changes: dict[str, Any] | None = None, profile: str = "EN16931", **more: Any
) -> EInvoiceInput:
    syntax: Syntax = more.pop("syntax", "cii")
    source = invoice_json(changes or {})
    return EInvoiceInput(
        profile=PROFILES[profile], syntax=syntax, source=source, findings_root="invoice", **more
    )


def texts(xml: bytes) -> list[str]:
    return [each.text or "" for each in etree.fromstring(xml).iter()]


@pytest.mark.parametrize(("profile", "syntax"), PAIRS)
def test_xml_contains_profile_and_amount_due(profile: Any, syntax: Syntax) -> None:
    prepared = prepare_invoice(request(profile=profile.name, syntax=syntax))

    found = texts(prepared.to_xml())

    assert profile.guideline in found
    assert prepared.completed_json["due_amount"] == "214.16"
    assert "214.16" in found


@pytest.mark.parametrize(("profile", "syntax"), PAIRS)
def test_test_invoice_carries_a_note_where_the_profile_allows_it(
    profile: Any, syntax: Syntax
) -> None:
    live = prepare_invoice(request(profile=profile.name, syntax=syntax))
    test = prepare_invoice(request(profile=profile.name, syntax=syntax, is_test=True))

    notes = [text for text in texts(test.to_xml()) if text.endswith("TEST")]
    assert len(notes) == (0 if profile.name == "MINIMUM" else 1)
    assert not [text for text in texts(live.to_xml()) if text.endswith("TEST")]
    assert test.completed_json == live.completed_json


def test_a_refusal_carries_the_report() -> None:
    with pytest.raises(RenderFailure) as refused:
        prepare_invoice(request({"buyer_reference": "", "payment": None}, profile="XRECHNUNG"))

    failure = refused.value
    report = failure.members["result"]["conformance"]["einvoice"]
    assert failure.code == "einvoice_invalid"
    assert failure.detail == (
        "invoice.buyer_reference is required in XRECHNUNG (BR-DE-15), and 1 more"
    )
    assert {key: report[key] for key in ("profile", "syntax", "status", "validator")} == {
        "profile": "XRECHNUNG",
        "syntax": "cii",
        "status": "failed",
        "validator": None,
    }
    assert report["errors"][1] == {
        "rule": "BR-DE-1",
        "message": "invoice.payment is required in XRECHNUNG",
        "location": "invoice.payment",
        "path": "invoice.payment",
        "count": 1,
    }


@pytest.mark.parametrize(
    ("number", "filename"),
    [("RE/2026-1", "RE2026-1.xml"), ("../../etc", "etc.xml"), ("???", "invoice.xml")],
)
def test_a_file_is_named_after_the_invoice(number: str, filename: str) -> None:
    assert prepare_invoice(request({"number": number})).filename == filename


@pytest.mark.parametrize(
    ("path", "found"),
    [("a", {"b": 1}), ("a.b", 1), ("a.c", None), ("a.b.c", None), ("x", None), ("list.0", None)],
)
def test_path_resolves_objects_only(path: str, found: Any) -> None:
    assert invoice_at({"a": {"b": 1}, "list": [1]}, path) == found


def test_missing_data_are_reported_with_their_path() -> None:
    nothing = EInvoiceInput(
        profile=PROFILES["BASIC"], syntax="cii", source=None, findings_root="data.order.invoice"
    )

    with pytest.raises(RenderFailure) as refused:
        prepare_invoice(nothing)

    assert refused.value.detail == "data.order.invoice is required (PLT-REQUIRED)"
