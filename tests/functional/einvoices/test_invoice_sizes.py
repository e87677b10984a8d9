"""Invoices with many VAT rates: as many as fit the row of the render."""

from copy import replace
from typing import Any, Final

from chalicelib.core import json
from chalicelib.features.renders.read import Viewer
from chalicelib.features.renders.rows import outcome_json, request_json
from chalicelib.features.renders.run.final_row import MAX_JSON_BYTES, shortened_to_fit
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service

MAX_RATES: Final = 1_000
WIDE: Final = "\U0001f9fe"
METADATA: Final = {f"{number:02d}": WIDE * 500 for number in range(50)}


def invoice(rates: int) -> dict[str, Any]:
    """Return an invoice with a distinct rate per line and amounts of maximum length."""
    sample = {**invoice_json()["lines"][0], "price": {"net": "999"}}
    lines = [
        {
            **sample,
            "quantity": "9999999" if number % 2 else "-9999999",
            "vat": {"category": "S", "rate": f"99.{number:06d}"},
        }
        for number in range(rates)
    ]
    return invoice_json({"lines": lines})


def test_more_rates_than_fit_the_row_are_refused(service: Service) -> None:
    body = {"profile": "EN16931", "invoice": invoice(MAX_RATES + 2)}

    answer = service.call("POST", "/v1/einvoices", json_body=body)

    assert (answer.status, answer.code) == (422, "einvoice_invalid")
    (error,) = answer.json["result"]["conformance"]["einvoice"]["errors"]
    assert (error["rule"], error["location"]) == ("PLT-VAT-BREAKDOWN", "invoice")
    assert "invoice has 1002 different pairs" in error["message"]


def test_maximum_rates_are_stored_and_dropped_first_when_the_row_is_full(
    service: Service,
) -> None:
    body = {"profile": "EN16931", "invoice": invoice(MAX_RATES), "metadata": METADATA}

    answer = service.call("POST", "/v1/einvoices", json_body=body)

    assert answer.status == 200, answer.json
    viewer = Viewer(service.workspace, "live")
    render = service.services.renders.read.one(viewer, answer.json["id"])
    assert render.invoice == answer.json["invoice"]
    assert len(answer.json["invoice"]["vat_breakdown"]) == MAX_RATES
    assert len(json.dumps(render.invoice)) < MAX_JSON_BYTES / 3

    full = shortened_to_fit(replace(render, output={"pdf": {"subject": WIDE * 50_000}}))

    assert full.invoice == {
        name: value for name, value in answer.json["invoice"].items() if name != "vat_breakdown"
    }
    assert len(request_json(full).encode()) + len(outcome_json(full).encode()) <= MAX_JSON_BYTES
