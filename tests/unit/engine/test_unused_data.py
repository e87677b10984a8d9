"""Data that nothing is made with are told, and not fetched."""

from dataclasses import replace
from typing import Any

import pytest

from chalicelib.engine.job import Canvas, InvoiceOrder, Job
from chalicelib.engine.source import document_of
from chalicelib.engine.unused import unused_data
from tests.builders.engine import NoOutside, NoTemplates, job, visit

PAGE = visit("https://example.com/")
TEXT = job("<p>{{ x }}")
INVOICE = InvoiceOrder("EN16931", "cii", None, "invoice", "data.invoice")


@pytest.mark.parametrize("given", [PAGE, TEXT])
@pytest.mark.parametrize("data", [{"data": {"x": 1}}, {"data_url": "https://example.com/x"}])
def test_data_in_vain_are_told_and_not_fetched(given: Job, data: dict[str, Any]) -> None:
    asked = replace(given, **data)

    (warning,) = unused_data(asked)
    # Whoever asks NoOutside for something is refused.
    document = document_of(asked, NoTemplates(), NoOutside())

    assert (warning.code, warning.detail) == ("feature_unavailable", *data)
    assert (document.html, document.url) in {("<p>{{ x }}", None), ("", "https://example.com/")}


@pytest.mark.parametrize(
    "given",
    [
        job("<p>", templating=True, data={"x": 1}),
        replace(PAGE, source=Canvas({}), data={"x": 1}),
        replace(PAGE, einvoice=INVOICE, data={"invoice": {}}),
        replace(PAGE, data={}),
        TEXT,
    ],
)
def test_data_that_are_asked_for_or_empty_are_not(given: Job) -> None:
    assert list(unused_data(given)) == []
