"""Pipeline of one document, from its source to its files: source, page, draw, finish, pack."""

import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.core.text import safe_filename
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.deadline import Deadline, timeout_failure
from chalicelib.engine.finishing.finisher import FinishingContext, RunOnFreshPage
from chalicelib.engine.finishing.pdfa import has_conformance_target
from chalicelib.engine.formats import format_by_name
from chalicelib.engine.formats.finish_in_process import finish_file
from chalicelib.engine.formats.format import Draw, RenderFormat
from chalicelib.engine.inputs.data import load_data
from chalicelib.engine.inputs.fetch import load_resources
from chalicelib.engine.inputs.ignored_options import ignored_data_warnings, ignored_option_warnings
from chalicelib.engine.inputs.source_document import (
    SourceDocument,
    TemplateRunner,
    build_source_document,
)
from chalicelib.engine.job import Job, RenderedFile, RenderOutcome, ValidationRequest
from chalicelib.engine.ports import Egress
from chalicelib.engine.render_trace import TraceRecorder

if TYPE_CHECKING:
    from chalicelib.engine.einvoice.job_invoice import EInvoiceResult


# Fixed, so that the same request gives the same bytes.
_MEMBER_DATE: Final = (2000, 1, 1, 0, 0, 0)
_FALLBACK_FILENAME: Final = "document"
# Compressed in about 0.1 s: the deadline is checked between two chunks.
_CHUNK_BYTES: Final = 2_000_000


class PipelineServices(NamedTuple):
    """Services that the pipeline uses."""

    browser: Browser
    templates: TemplateRunner
    egress: Egress


def run_job(job: Job, services: PipelineServices) -> RenderOutcome:
    """Make the files of a job; raises RenderFailure.

    The failure's member `trace` is the RenderTrace up to it.
    """
    recorder = TraceRecorder()
    if job.source is None:
        from chalicelib.engine.einvoice.job_invoice import render_xml_only  # noqa: PLC0415 -- few jobs are one

        return render_xml_only(job, recorder)
    recorder.warnings += [*ignored_option_warnings(job.output), *ignored_data_warnings(job)]
    with recorder.attach_trace_to_failure():
        is_cold_start = not services.browser.is_warm
        formats = [format_by_name(name) for name in job.output.formats if name != "xml"]
        with recorder.stage("template_ms"):
            job, invoice_result = _with_invoice(job, services.egress, recorder)
            document = build_source_document(job, services.templates, services.egress)
            recorder.warnings += document.warnings
            resources = load_resources(job, services.egress)
        contents = _draw_formats(document, job, formats, services.browser, recorder)
        with recorder.stage("finish_ms"):
            finishing = FinishingContext(
                document.output,
                resources,
                job.test,
                recorder,
                _fresh_page_runner(job, services.browser),
                invoice_result.embedded_file if invoice_result else None,
            )
            deadline = Deadline.at_epoch(job.deadline, job.cancellation)
            files = tuple(
                finish_file(format_, content, finishing, deadline)
                for content, format_ in zip(contents, formats, strict=True)
            )
            if "xml" in job.output.formats:
                files = _with_invoice_xml(files, job, finishing)
            validation_requests = (
                *(invoice_result.validation_requests if invoice_result else ()),
                *_pdf_validation_requests(files, finishing),
            )
            filename = document.output.filename
            if job.output.is_zipped:
                files = (zip_archive(files, filename, deadline),)
        totals = invoice_result.totals if invoice_result else None
        return RenderOutcome(
            files, recorder.trace(), is_cold_start, filename, totals, validation_requests
        )


def _pdf_validation_requests(
    files: Sequence[RenderedFile], finishing: FinishingContext
) -> list[ValidationRequest]:
    """Return the validation request of a PDF that must conform to PDF/A or PDF/UA."""
    if not has_conformance_target(finishing):
        return []
    from chalicelib.engine.conformance.requested_checks import pdf_validation_request  # noqa: PLC0415 -- few PDFs are

    return [
        pdf_validation_request(file.content, finishing) for file in files if file.format == "pdf"
    ]


def _with_invoice(
    job: Job, egress: Egress, recorder: TraceRecorder
) -> tuple[Job, "EInvoiceResult | None"]:
    """Return the job with its e-invoice in the data, and the result of writing that invoice."""
    if job.einvoice is None:
        return job, None
    # Few jobs have one, so few processes need this import.
    from chalicelib.engine.einvoice.job_invoice import add_invoice_to_job  # noqa: PLC0415

    return add_invoice_to_job(replace(job, data=load_data(job, egress), data_url=None), recorder)


def _with_invoice_xml(
    files: Sequence[RenderedFile], job: Job, finishing: FinishingContext
) -> tuple[RenderedFile, ...]:
    """Return the files and the XML of the e-invoice, in the order of the requested formats."""
    assert finishing.invoice_file is not None, "xml goes beside an e-invoice only"
    xml = RenderedFile("xml", finishing.invoice_file.content, "application/xml")
    return tuple(sorted((*files, xml), key=lambda file: job.output.formats.index(file.format)))


def _fresh_page_runner(job: Job, browser: Browser) -> RunOnFreshPage:
    def run_on_fresh_page[Result](work: Callable[[BrowserPage], Result]) -> Result:
        try:
            return browser.use(work, Deadline.at_epoch(job.deadline, job.cancellation))
        finally:
            browser.prepare()

    return run_on_fresh_page


def _draw_formats(
    document: SourceDocument,
    job: Job,
    formats: Sequence[RenderFormat],
    browser: Browser,
    recorder: TraceRecorder,
) -> list[bytes]:
    warning_count = len(recorder.warnings)

    def draw(page: BrowserPage) -> list[bytes]:
        if "pdf" in document.output.formats and document.output.pdf.varies_by_page:
            # Prepares the page for headers and footers while this one is drawn.
            browser.prepare()
        try:
            return _draw_page(page, document, formats, recorder)
        finally:
            # Also after the loss of the browser: the last warnings and logs explain it best. A
            # retry in a second browser replaces them.
            recorder.warnings[warning_count:] = page.warnings
            recorder.logs, recorder.explain = page.logs, page.explanation
            recorder.links, recorder.accessibility_gaps = page.links, page.accessibility_gaps
            recorder.page_url = page.url

    try:
        contents = browser.use(draw, Deadline.at_epoch(job.deadline, job.cancellation))
    finally:
        # Prepares the next document's page while this document is finished and stored.
        browser.prepare()
    return contents


def _draw_page(
    page: BrowserPage,
    document: SourceDocument,
    formats: Sequence[RenderFormat],
    recorder: TraceRecorder,
) -> list[bytes]:
    with recorder.stage("load_ms"):
        if document.url is None:
            page.load(document.html, document.output, needs_screen_layout=document.is_canvas)
        else:
            page.visit(document.url, document.output)
        if document.is_canvas:
            page.fit_canvas(document.output)
    content_by_draw: dict[Draw, bytes] = {}
    with recorder.stage("print_ms"):
        for format_ in formats:
            if format_.draw not in content_by_draw:
                content_by_draw[format_.draw] = format_.draw(page, document.output)
    return [content_by_draw[format_.draw] for format_ in formats]


def zip_archive(
    files: Sequence[RenderedFile], filename: str | None, deadline: Deadline
) -> RenderedFile:
    """Return the files in one ZIP archive; its members get the caller's `filename`.

    Raises RenderFailure `render_timeout`.
    """
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            member = zipfile.ZipInfo(_member_name(file, filename), _MEMBER_DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(member, "w") as member_file:
                for start in range(0, len(file.content), _CHUNK_BYTES):
                    if deadline.has_passed:
                        raise timeout_failure()
                    member_file.write(file.content[start : start + _CHUNK_BYTES])
    pages = next((file.pages for file in files if file.pages is not None), None)
    return RenderedFile("zip", result.getvalue(), "application/zip", pages=pages)


def _member_name(file: RenderedFile, filename: str | None) -> str:
    """Return the name of a file in the archive; unique, because no two files share a format."""
    return safe_filename(filename, fallback=_FALLBACK_FILENAME, extension=file.format)
