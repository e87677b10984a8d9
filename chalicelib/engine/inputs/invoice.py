"""E-invoice of a job: prepares it, adds its totals to the data and writes its XML."""

from collections.abc import Iterator
from copy import replace
from dataclasses import dataclass
from typing import Final, NamedTuple

from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import Json, JsonObject
from chalicelib.engine.conformance.checks import ValidationRequest
from chalicelib.engine.context import JobContext, RenderWarning, UploadReader
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


class InvoiceReading(NamedTuple):
    """E-invoice of a command and the warnings about it.

    `prepared` is None for an invoice that cannot be computed and is not written either.
    """

    prepared: PreparedInvoice | None
    warnings: tuple[RenderWarning, ...] = ()

    @property
    def totals(self) -> dict[str, Json] | None:
        """Return the totals, or None without an invoice."""
        return None if self.prepared is None else totals_json(self.prepared.totals)


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
    prepared, warnings = reading = read_command(einvoice, job.data or {}, is_test=context.test)
    recorder.warnings += warnings
    if prepared is None:
        return job, None
    job = replace(job, data={**(job.data or {}), "invoice": prepared.completed_json})
    totals = reading.totals or {}
    # Templates show the totals even if no file carries the XML.
    if not einvoice.is_written:
        return job, EInvoiceResult(totals, None)
    file = _embedded_file(prepared, context.uploads)
    return job, EInvoiceResult(totals, file, (invoice_validation_request(prepared, file.content),))


def read_command(command: EInvoiceCommand, data: JsonObject, *, is_test: bool) -> InvoiceReading:
    """Return the e-invoice of a command over loaded data, and the warnings about it.

    Raises RenderFailure `einvoice_invalid` for an invoice that is to be written.
    """
    warnings = [*skipped_by_plan(command)]
    try:
        prepared = prepare_command(command, data, is_test=is_test)
    except RenderFailure as failure:
        if command.is_written:
            raise
        message = f"The template's e-invoice could not be computed: {failure.detail}"
        warnings.append(RenderWarning("invoice_totals_unavailable", message, command.findings_root))
        return InvoiceReading(None, tuple(warnings))
    profile = prepared.input.profile
    if command.is_written and is_test and not profile.has_notes:
        message = _NO_TEST_NOTE_MESSAGE.format(profile.name)
        warnings.append(RenderWarning("feature_unavailable", message, command.findings_root))
    return InvoiceReading(prepared, tuple(warnings))


def skipped_by_plan(command: EInvoiceCommand) -> Iterator[RenderWarning]:
    """Yield a warning where the plan has no e-invoices."""
    if command.is_skipped_by_plan:
        yield RenderWarning("einvoice_skipped_plan", _SKIPPED_BY_PLAN_MESSAGE, "output.einvoice")


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


def _embedded_file(prepared: PreparedInvoice, uploads: UploadReader) -> InvoiceFile:
    """Return the invoice as the embedded file of a hybrid PDF, named after its profile."""
    profile = prepared.input.profile
    return InvoiceFile(
        content=prepared.to_xml(uploads),
        filename=profile.embedded_filename,
        relationship=profile.af_relationship,
        level=profile.xmp_level,
        version=profile.xmp_version,
    )
