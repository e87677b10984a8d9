"""From what a job says of an e-invoice to the invoice, read and computed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.conformance.requested_checks import invoice_validation_request
from chalicelib.engine.einvoice.prepare import (
    EInvoiceInput,
    PreparedInvoice,
    invoice_at,
    prepare_invoice,
)
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from chalicelib.engine.einvoice.write_json import totals_json
from chalicelib.engine.finishing.finisher import InvoiceFile
from chalicelib.engine.job import Job, RenderedFile, RenderOutcome, ValidationRequest

if TYPE_CHECKING:
    from chalicelib.engine.render_trace import TraceRecorder


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
    """What follows from a job's e-invoice; `embedded` None: it goes into no file."""

    totals: Mapping[str, Any]
    embedded_file: InvoiceFile | None
    validation_requests: tuple[ValidationRequest, ...] = ()


def add_invoice_to_job(job: Job, recorder: "TraceRecorder") -> tuple[Job, EInvoiceResult | None]:
    """Return a job whose data are there with its e-invoice as `invoice` of them.

    Raises RenderFailure `einvoice_invalid`; one that is not written is a warning instead.
    """
    order = job.einvoice
    assert order is not None, "there is no e-invoice"
    if order.is_skipped_by_plan:
        recorder.warn("einvoice_skipped_plan", _SKIPPED_BY_PLAN_MESSAGE, "output.einvoice")
    try:
        prepared = prepare_job_invoice(job)
    except RenderFailure as failure:
        if order.is_written:
            raise
        message = f"The template's e-invoice could not be computed: {failure.detail}"
        recorder.warn("invoice_totals_unavailable", message, order.findings_root)
        return job, None
    job = replace(job, data={**(job.data or {}), "invoice": prepared.completed_json})
    totals = totals_json(prepared.totals)
    if not order.is_written:
        return job, EInvoiceResult(totals, None)
    file = _embedded_file(prepared, recorder)
    return job, EInvoiceResult(totals, file, (invoice_validation_request(prepared, file.content),))


def prepare_job_invoice(job: Job) -> PreparedInvoice:
    """Return the e-invoice of a job whose data are there; raises RenderFailure."""
    order = job.einvoice
    assert order is not None, "there is no e-invoice"
    source = (
        order.invoice if order.data_path is None else invoice_at(job.data or {}, order.data_path)
    )
    return prepare_invoice(
        EInvoiceInput(
            profile=PROFILES[order.profile],
            syntax=cast("Syntax", order.syntax),
            source=source,
            findings_root=order.findings_root,
            is_test=job.test,
        )
    )


def write_xml(prepared: PreparedInvoice, recorder: "TraceRecorder") -> bytes:
    """Return the XML of an invoice; that a test is not marked as one there is a warning."""
    profile = prepared.input.profile
    if prepared.input.is_test and not profile.has_notes:
        recorder.warn(
            "feature_unavailable",
            _NO_TEST_NOTE_MESSAGE.format(profile.name),
            prepared.input.findings_root,
        )
    return prepared.to_xml()


def _embedded_file(prepared: PreparedInvoice, recorder: "TraceRecorder") -> InvoiceFile:
    """Return the invoice as the file that a PDF carries, named as its profile wants it."""
    profile = prepared.input.profile
    return InvoiceFile(
        content=write_xml(prepared, recorder),
        filename=profile.embedded_filename,
        relationship=profile.af_relationship,
        level=profile.xmp_level,
        version=profile.xmp_version,
    )


def render_xml_only(job: Job, recorder: "TraceRecorder") -> RenderOutcome:
    """Write the e-invoice of a job; raises RenderFailure `einvoice_invalid`."""
    with recorder.attach_trace_to_failure(), recorder.stage("finish_ms"):
        prepared = prepare_job_invoice(job)
        file = RenderedFile("xml", write_xml(prepared, recorder), "application/xml")
    filename = job.output.filename or prepared.filename
    totals = totals_json(prepared.totals)
    return RenderOutcome(
        (file,),
        recorder.trace(),
        is_cold_start=False,
        filename=filename,
        invoice_totals=totals,
        validation_requests=(invoice_validation_request(prepared, file.content),),
    )
