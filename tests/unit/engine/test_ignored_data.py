"""Unused data are reported and not fetched."""

from copy import replace
from typing import Any

import pytest

from chalicelib.engine.ignored_options import ignored_data_warnings
from chalicelib.engine.inputs.data import load_data
from chalicelib.engine.sources import CanvasSource
from tests.builders.pages.engine_jobs import (
    NoTemplates,
    RefusingEgress,
    Task,
    task,
    web_page_task,
)

PAGE = web_page_task("https://example.com/")
TEXT = task("<p>{{ x }}")
INVOICE = {"einvoice": {"profile": "EN16931", "invoice_path": "invoice"}}


@pytest.mark.parametrize("given", [PAGE, TEXT])
@pytest.mark.parametrize("data", [{"data": {"x": 1}}, {"data_url": "https://example.com/x"}])
def test_unused_data_are_reported_and_not_fetched(given: Task, data: dict[str, Any]) -> None:
    job, context = replace(given[0], **data), given[1]

    (warning,) = ignored_data_warnings(job)
    # RefusingEgress fails every fetch.
    loaded = load_data(job, context, RefusingEgress())
    document = loaded.document(context, NoTemplates())

    assert (warning.code, warning.detail) == ("feature_unavailable", *data)
    assert (document.html, document.url) in {("<p>{{ x }}", None), ("", "https://example.com/")}


@pytest.mark.parametrize(
    "given",
    [
        task("<p>", templating=True, data={"x": 1}),
        task(source=CanvasSource({}), data={"x": 1}),
        task("<p>", INVOICE, data={"invoice": {}}),
        task("<p>", data={}),
        TEXT,
    ],
)
def test_used_or_empty_data_are_not_reported(given: Task) -> None:
    assert list(ignored_data_warnings(given[0])) == []
