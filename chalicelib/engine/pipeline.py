"""One document, from its source to its files: source, page, draw, finish, pack."""

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


class PipelineServices(NamedTuple):
    """What documents are made with."""

    browser: Browser
    templates: TemplateRunner
    egress: Egress


def run_job(job: Job, services: PipelineServices) -> RenderOutcome:
    """Make the files of a job; raises RenderFailure with the code of what went wrong.

    The failure has the Trace of how it came about as its member `trace`.
    """
    course = TraceRecorder()
    if job.source is None:
        from chalicelib.engine.einvoice.job_invoice import render_xml_only  # noqa: PLC0415 -- few jobs are one

        return render_xml_only(job, course)
    course.warnings += [*ignored_option_warnings(job.output), *ignored_data_warnings(job)]
    with course.attach_trace_to_failure():
        cold = not services.browser.is_warm
        formats = [format_by_name(name) for name in job.output.formats if name != "xml"]
        with course.stage("template_ms"):
            job, invoiced = _with_invoice(job, services.egress, course)
            document = build_source_document(job, services.templates, services.egress)
            course.warnings += document.warnings
            resources = load_resources(job, services.egress)
        contents = _draw_formats(document, job, formats, services.browser, course)
        with course.stage("finish_ms"):
            finishing = FinishingContext(
                document.output,
                resources,
                job.test,
                course,
                _fresh_page_runner(job, services.browser),
                invoiced.embedded_file if invoiced else None,
            )
            deadline = Deadline.at_epoch(job.deadline, job.cancellation)
            files = tuple(
                finish_file(format_, content, finishing, deadline)
                for content, format_ in zip(contents, formats, strict=True)
            )
            if "xml" in job.output.formats:
                files = _with_invoice_xml(files, job, finishing)
            to_judge = (
                *(invoiced.validation_requests if invoiced else ()),
                *_pdf_validation_requests(files, finishing),
            )
            filename = document.output.filename
            if job.output.is_zipped:
                files = (zip_archive(files, filename, deadline),)
        totals = invoiced.totals if invoiced else None
        return RenderOutcome(files, course.trace(), cold, filename, totals, to_judge)


def _pdf_validation_requests(
    files: Sequence[RenderedFile], finishing: FinishingContext
) -> list[ValidationRequest]:
    """Return what is to be asked of a PDF that is made to conform to something."""
    if not has_conformance_target(finishing):
        return []
    from chalicelib.engine.conformance.requested_checks import pdf_validation_request  # noqa: PLC0415 -- few are

    return [
        pdf_validation_request(file.content, finishing) for file in files if file.format == "pdf"
    ]


def _with_invoice(
    job: Job, egress: Egress, recorder: TraceRecorder
) -> tuple[Job, "EInvoiceResult | None"]:
    """Return the job with what its e-invoice comes to, if it has one."""
    if job.einvoice is None:
        return job, None
    # Few jobs have one.
    from chalicelib.engine.einvoice.job_invoice import add_invoice_to_job  # noqa: PLC0415

    return add_invoice_to_job(replace(job, data=load_data(job, egress), data_url=None), recorder)


def _with_invoice_xml(
    files: Sequence[RenderedFile], job: Job, finishing: FinishingContext
) -> tuple[RenderedFile, ...]:
    """Return the files with the XML of the e-invoice among them, in the order of the formats."""
    assert finishing.invoice_file is not None, "xml goes beside an e-invoice only"
    xml = RenderedFile("xml", finishing.invoice_file.content, "application/xml")
    return tuple(sorted((*files, xml), key=lambda file: job.output.formats.index(file.format)))


def _fresh_page_runner(job: Job, browser: Browser) -> RunOnFreshPage:
    def fresh_page[Result](work: Callable[[BrowserPage], Result]) -> Result:
        try:
            return browser.use(work, Deadline.at_epoch(job.deadline, job.cancellation))
        finally:
            browser.prepare()

    return fresh_page


def _draw_formats(
    document: SourceDocument,
    job: Job,
    formats: Sequence[RenderFormat],
    browser: Browser,
    recorder: TraceRecorder,
) -> list[bytes]:
    known = len(recorder.warnings)

    def draw(page: BrowserPage) -> list[bytes]:
        if "pdf" in document.output.formats and document.output.pdf.varies_by_page:
            # The page that headers and footers are printed on comes about meanwhile.
            browser.prepare()
        try:
            return _draw_page(page, document, formats, recorder)
        finally:
            # Also where the browser was lost: what the page said last tells most about it. A second
            # browser tells all of it again.
            recorder.warnings[known:] = page.warnings
            recorder.logs, recorder.explain = page.logs, page.explanation
            recorder.links, recorder.accessibility_gaps = page.links, page.accessibility_gaps
            recorder.page_url = page.url

    try:
        contents = browser.use(draw, Deadline.at_epoch(job.deadline, job.cancellation))
    finally:
        # The next document's page is made while this one is finished and stored.
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
    drawn: dict[Draw, bytes] = {}
    with recorder.stage("print_ms"):
        for format_ in formats:
            if format_.draw not in drawn:
                drawn[format_.draw] = format_.draw(page, document.output)
    return [drawn[format_.draw] for format_ in formats]


# Dates in files are fixed, so that the same request gives the same bytes.
_MEMBER_DATE: Final = (2000, 1, 1, 0, 0, 0)
_FALLBACK: Final = "document"
# A tenth of a second.
_CHUNK_BYTES: Final = 2_000_000


def zip_archive(
    files: Sequence[RenderedFile], filename: str | None, deadline: Deadline
) -> RenderedFile:
    """Return the archive; `filename` is the caller's, and what its members are called as well.

    Raises RenderFailure `render_timeout`.
    """
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            member = zipfile.ZipInfo(_member_name(file, filename), _MEMBER_DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(member, "w") as packing:
                for begin in range(0, len(file.content), _CHUNK_BYTES):
                    if deadline.has_passed:
                        raise timeout_failure()
                    packing.write(file.content[begin : begin + _CHUNK_BYTES])
    pages = next((file.pages for file in files if file.pages is not None), None)
    return RenderedFile("zip", result.getvalue(), "application/zip", pages=pages)


def _member_name(file: RenderedFile, filename: str | None) -> str:
    """Return a name that no other file has: no two have one format."""
    return safe_filename(filename, fallback=_FALLBACK, extension=file.format)
