"""Runner of InvoiceJob: the XML of an e-invoice, without a page."""

from chalicelib.engine.context import JobContext, RenderedFile
from chalicelib.engine.ignored_options import skipped_storage_warnings
from chalicelib.engine.inputs.invoice import read_command
from chalicelib.engine.job import InvoiceJob, RenderOutcome
from chalicelib.engine.render_trace import TraceRecorder
from chalicelib.engine.requested_checks import invoice_validation_request


def run_invoice_job(job: InvoiceJob, context: JobContext) -> RenderOutcome:
    """Write the XML of an e-invoice; raise RenderFailure `einvoice_invalid`."""
    recorder = TraceRecorder()
    recorder.warnings += skipped_storage_warnings(job.storage)
    with recorder.attach_trace_to_failure(), recorder.stage("finish_ms"):
        prepared, warnings = reading = read_command(job.einvoice, {}, is_test=context.test)
        assert prepared is not None, "it is written"
        recorder.warnings += warnings
        file = RenderedFile("xml", prepared.to_xml(context.uploads), "application/xml")
    filename = job.filename or prepared.filename
    return RenderOutcome(
        (file,),
        recorder.trace(),
        is_cold_start=False,
        filename=filename,
        invoice_totals=reading.totals,
        validation_requests=(invoice_validation_request(prepared, file.content),),
    )
