"""E-invoice of a job: prepares it, adds its totals to the data and writes its XML."""

from copy import replace
from dataclasses import dataclass
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.engine.conformance.checks import ValidationRequest
from chalicelib.engine.context import JobContext, UploadReader
from chalicelib.engine.einvoice.prepare import (
    EInvoiceInput,
    PreparedInvoice,
    invoice_at,
    prepare_invoice,
)
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.einvoice.write_json import totals_json
from chalicelib.engine.job import EInvoiceCommand, PageJob
from chalicelib.engine.pdf.document.attachments import InvoiceFile
from chalicelib.engine.render_trace import TraceRecorder
from chalicelib.engine.requested_checks import invoice_validation_request

_SKIPPED_BY_PLAN_MESSAGE: Final = (
    "The PDF carries no e-invoice: the template has one, and the workspace's plan has none. Send "
    "output.einvoice null, or change the plan."
)
_NO_TEST_NOTE_MESSAGE: Final = (
    "The profile {} has no place for the note that marks test documents: nothing in the XML tells "
    "that it is a test. Choose another profile where that must be told."
)


@dataclass(frozen=True, slots=True)
class EInvoiceResult:
    """Results of a job's e-invoice; `embedded_file` is None if no PDF carries it."""

    totals: JsonObject
    embedded_file: InvoiceFile | None
    validation_requests: tuple[ValidationRequest, ...] = ()


def add_invoice_to_job(
    job: PageJob, context: JobContext, recorder: TraceRecorder
) -> tuple[PageJob, EInvoiceResult | None]:
    """Return the job with its completed e-invoice as `data.invoice`, and the invoice's results.

    The job's data must be loaded. Raise RenderFailure `einvoice_invalid`. An invoice that is not
    written, a template's default in a render without a PDF or in a plan without e-invoices, only
    gives a warning.
    """
    einvoice = job.einvoice
    assert einvoice is not None, "there is no e-invoice"
    if einvoice.is_skipped_by_plan:
        recorder.warn("einvoice_skipped_plan", _SKIPPED_BY_PLAN_MESSAGE, "output.einvoice")
    try:
        prepared = prepare_command(einvoice, job.data or {}, is_test=context.test)
    except RenderFailure as failure:
        if einvoice.is_written:
            raise
        message = f"The template's e-invoice could not be computed: {failure.detail}"
        recorder.warn("invoice_totals_unavailable", message, einvoice.findings_root)
        return job, None
    job = replace(job, data={**(job.data or {}), "invoice": prepared.completed_json})
    totals = totals_json(prepared.totals)
    # Templates show the totals even if no file carries the XML.
    if not einvoice.is_written:
        return job, EInvoiceResult(totals, None)
    file = _embedded_file(prepared, recorder, context.uploads)
    return job, EInvoiceResult(totals, file, (invoice_validation_request(prepared, file.content),))


def prepare_command(
    command: EInvoiceCommand, data: JsonObject, *, is_test: bool = False
) -> PreparedInvoice:
    """Return the e-invoice of a command over loaded data; raise RenderFailure."""
    path = command.data_path
    return prepare_invoice(
        EInvoiceInput(
            profile=PROFILES[command.profile],
            syntax=command.syntax,
            source=command.invoice if path is None else invoice_at(data, path),
            findings_root=command.findings_root,
            is_test=is_test,
        )
    )


def write_xml(prepared: PreparedInvoice, recorder: TraceRecorder, uploads: UploadReader) -> bytes:
    """Return the XML of an invoice; warn if its profile cannot carry the test note."""
    profile = prepared.input.profile
    if prepared.input.is_test and not profile.has_notes:
        recorder.warn(
            "feature_unavailable",
            _NO_TEST_NOTE_MESSAGE.format(profile.name),
            prepared.input.findings_root,
        )
    return prepared.to_xml(uploads)


def _embedded_file(
    prepared: PreparedInvoice, recorder: TraceRecorder, uploads: UploadReader
) -> InvoiceFile:
    """Return the invoice as the embedded file of a hybrid PDF, named after its profile."""
    profile = prepared.input.profile
    return InvoiceFile(
        content=write_xml(prepared, recorder, uploads),
        filename=profile.embedded_filename,
        relationship=profile.af_relationship,
        level=profile.xmp_level,
        version=profile.xmp_version,
    )
