"""Unused data are reported and not fetched."""

from dataclasses import replace
from typing import Any

import pytest

from chalicelib.engine.inputs.ignored_options import ignored_data_warnings
from chalicelib.engine.inputs.source_document import build_source_document
from chalicelib.engine.job import CanvasScene, EInvoiceCommand, Job
from tests.builders.pages.engine_jobs import NoTemplates, RefusingEgress, job, web_page_job

PAGE = web_page_job("https://example.com/")
TEXT = job("<p>{{ x }}")
INVOICE = EInvoiceCommand("EN16931", "cii", None, "invoice", "data.invoice")


@pytest.mark.parametrize("given", [PAGE, TEXT])
@pytest.mark.parametrize("data", [{"data": {"x": 1}}, {"data_url": "https://example.com/x"}])
def test_unused_data_are_reported_and_not_fetched(given: Job, data: dict[str, Any]) -> None:
    with_data = replace(given, **data)

    (warning,) = ignored_data_warnings(with_data)
    # RefusingEgress fails every fetch.
    document = build_source_document(with_data, NoTemplates(), RefusingEgress())

    assert (warning.code, warning.detail) == ("feature_unavailable", *data)
    assert (document.html, document.url) in {("<p>{{ x }}", None), ("", "https://example.com/")}


@pytest.mark.parametrize(
    "given",
    [
        job("<p>", templating=True, data={"x": 1}),
        replace(PAGE, source=CanvasScene({}), data={"x": 1}),
        replace(PAGE, einvoice=INVOICE, data={"invoice": {}}),
        replace(PAGE, data={}),
        TEXT,
    ],
)
def test_used_or_empty_data_are_not_reported(given: Job) -> None:
    assert list(ignored_data_warnings(given)) == []
