"""Warnings about the e-invoice of a PDF."""

from dataclasses import replace

import pytest

from chalicelib.engine.einvoice.job_invoice import add_invoice_to_job
from chalicelib.engine.job import EInvoiceCommand
from chalicelib.engine.render_trace import TraceRecorder
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.pages.engine_jobs import job


@pytest.mark.parametrize(
    ("profile", "test", "is_written", "codes"),
    [
        ("MINIMUM", True, True, ["feature_unavailable"]),
        ("MINIMUM", True, False, []),
        ("MINIMUM", False, True, []),
        ("BASIC_WL", True, True, []),
    ],
)
def test_unmarked_test_invoice_gives_a_warning(
    profile: str, codes: list[str], *, test: bool, is_written: bool
) -> None:
    order = EInvoiceCommand(profile, "cii", invoice_json(), None, "output.einvoice", is_written)
    recorder = TraceRecorder()

    add_invoice_to_job(replace(job("x"), einvoice=order, test=test), recorder)

    assert [warning.code for warning in recorder.warnings] == codes
