"""Warnings about the e-invoice of a PDF."""

import pytest

from chalicelib.contract.options.output import EInvoiceOptions
from chalicelib.engine.inputs.invoice import add_invoice_to_job
from chalicelib.engine.job import EInvoiceDefault
from chalicelib.engine.render_trace import TraceRecorder
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.pages.engine_jobs import task


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
    options = {"profile": profile, "invoice_path": "invoice"}
    default = (
        None
        if is_written
        else EInvoiceDefault(EInvoiceOptions(profile=profile, invoice_path="invoice"), "no_pdf")
    )
    output = {"einvoice": options} if is_written else {}
    recorder = TraceRecorder()

    given = task("x", output, data={"invoice": invoice_json()}, test=test, einvoice_default=default)
    add_invoice_to_job(*given, recorder)

    assert [warning.code for warning in recorder.warnings] == codes
