"""Dates and times are texts: numbers are not read as seconds."""

import json
from typing import Any

import pytest

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import Day, Timestamp
from chalicelib.contract.invoice.invoice import EInvoiceSpec, Invoice
from chalicelib.contract.render.pdf import Margin
from chalicelib.contract.render.request import AssetSpec
from chalicelib.contract.validation import read_body
from chalicelib.core.errors import ServiceError


class Dated(Model):
    day: Day | None = None
    moment: Timestamp | None = None


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"day": 0}, "/day"),
        ({"day": 1e-7}, "/day"),
        ({"moment": 0}, "/moment"),
        ({"moment": 1_700_000_000.5}, "/moment"),
        ({"moment": True}, "/moment"),
    ],
)
def test_numbers_are_refused_as_dates(value: dict[str, Any], path: str) -> None:
    with pytest.raises(ServiceError) as refused:
        read_body(Dated, json.dumps(value).encode(), value)

    assert [error.path for error in refused.value.errors] == [path]


def test_texts_are_accepted_as_dates() -> None:
    value = {"day": "2026-01-31", "moment": "2026-01-31T10:00:00+01:00"}

    dated = read_body(Dated, json.dumps(value).encode(), value)

    assert dated.model_dump(mode="json", exclude_unset=True) == value


@pytest.mark.parametrize(
    ("model", "value", "told"),
    [
        (
            AssetSpec,
            {"path": "a", "content": "data:text/css;base64,YQ=="},
            "without data:…, before it",
        ),
        (AssetSpec, {"path": "a", "content": "_-_-"}, "must be base64 of A-Z"),
        (AssetSpec, {"path": "a", "content_type": "css"}, "a media type, such as text/css"),
        (Invoice, {"currency": "EURO"}, "must be a code of three capital letters, such as EUR"),
        (Invoice, {"type_code": "x"}, "must be a code of two or three digits, such as 380"),
        (EInvoiceSpec, {"profile": "PEPPOL"}, "POST /v1/einvoices makes PEPPOL"),
        (EInvoiceSpec, {"syntax": "ubl"}, "POST /v1/einvoices makes ubl"),
        (Margin, {"top": 10}, "must be a text with a unit, such as 10mm"),
    ],
)
def test_refused_text_is_told_its_form_in_words(
    model: type[Model], value: dict[str, Any], told: str
) -> None:
    with pytest.raises(ServiceError) as refused:
        read_body(model, json.dumps(value).encode(), value)

    messages = [error.message for error in refused.value.errors]
    assert any(told in message for message in messages), messages
    assert not any("^" in message for message in messages)
