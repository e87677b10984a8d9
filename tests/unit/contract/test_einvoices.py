"""Requests of the e-invoice endpoint."""

import json
from typing import Any

import pytest

from chalicelib.contract.einvoices import EInvoiceRequest
from chalicelib.contract.validation import read_body
from chalicelib.core.errors import ServiceError
from chalicelib.engine.einvoice.profiles import PROFILES
from tests.builders.invoices.invoice_json import invoice_json


def read(**changes: Any) -> EInvoiceRequest:
    value = {"profile": "EN16931", "invoice": invoice_json(), **changes}
    return read_body(EInvoiceRequest, json.dumps(value).encode(), value)


def refused_at(**changes: Any) -> list[str]:
    with pytest.raises(ServiceError) as refused:
        read(**changes)
    return [error.path for error in refused.value.errors]


@pytest.mark.parametrize("profile", PROFILES)
def test_ubl_is_for_the_profiles_that_have_it(profile: str) -> None:
    assert read(profile=profile).syntax == "cii"
    if "ubl" in PROFILES[profile].syntaxes:
        assert read(profile=profile, syntax="ubl").syntax == "ubl"
    else:
        assert refused_at(profile=profile, syntax="ubl") == ["/syntax"]


@pytest.mark.parametrize(
    ("changes", "paths"),
    [
        ({"profile": "COMFORT"}, ["/profile"]),
        ({"profile": "COMFORT", "syntax": "ubl"}, ["/profile"]),
        ({"invoice": None}, ["/invoice"]),
        ({"invoice": invoice_json({"lines[1].unit": "hours"})}, ["/invoice/lines/1/unit"]),
        ({"filename": "x" * 256}, ["/filename"]),
        ({"data": {}}, ["/data"]),
        ({"version": "live"}, ["/version"]),
    ],
)
def test_a_refusal_points_at_the_field(changes: dict[str, Any], paths: list[str]) -> None:
    assert refused_at(**changes) == paths


def test_render_fields_are_kept() -> None:
    request = read(mode="async", priority="low", reference="r", test=True, metadata={"a": 1})

    assert (request.mode, request.priority, request.reference) == ("async", "low", "r")
    assert (request.test, request.metadata, request.filename) == (True, {"a": 1}, None)
