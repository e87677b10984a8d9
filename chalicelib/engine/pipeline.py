"""Pipeline of a page, from its source to its files, in the order of the steps."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import ContentSource
from chalicelib.core.text import safe_filename
from chalicelib.engine.browser.output.placeholders import may_have_placeholders
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.context import JobContext, RenderedFile
from chalicelib.engine.deadline import Deadline, timeout_failure
from chalicelib.engine.finishing.finisher import FinishingContext, PrintSeparately
from chalicelib.engine.finishing.pdfa import has_conformance_target
from chalicelib.engine.finishing.separate_prints import SeparatePrint
from chalicelib.engine.formats import format_by_name
from chalicelib.engine.formats.finish_file import finish_file
from chalicelib.engine.formats.format import Draw, RenderFormat
from chalicelib.engine.ignored_options import (
    ignored_data_warnings,
    ignored_option_warnings,
    skipped_email_warnings,
    skipped_storage_warnings,
)
from chalicelib.engine.inputs.data import load_data
from chalicelib.engine.inputs.embed_assets import add_assets
from chalicelib.engine.inputs.fetch import load_resources
from chalicelib.engine.job import PageJob, RenderOutcome
from chalicelib.engine.ports import Egress
from chalicelib.engine.render_trace import TraceRecorder
from chalicelib.engine.sources.source_document import SourceDocument
from chalicelib.engine.templating.template_runner import TemplateRunner

if TYPE_CHECKING:
    from chalicelib.engine.conformance.checks import ValidationRequest
    from chalicelib.engine.delivery.emails import RenderedEmail
    from chalicelib.engine.delivery.storage import RenderedPath
    from chalicelib.engine.inputs.invoice import EInvoiceResult


# Fixed, so that the same request gives the same bytes.
_MEMBER_DATE: Final = (2000, 1, 1, 0, 0, 0)
_FALLBACK_FILENAME: Final = "document"
# Compressed in about 0.1 s: the deadline is checked between two chunks.
_CHUNK_BYTES: Final = 2_000_000


class Drawing(NamedTuple):
    """Page drawn in one format, not yet finished."""

    format: RenderFormat
    content: bytes


class PipelineServices(NamedTuple):
    """Services that the pipeline uses."""

    browser: Browser
    templates: TemplateRunner
    egress: Egress


def run_page_job(job: PageJob, context: JobContext, services: PipelineServices) -> RenderOutcome:
    """Make the files of a page; raises RenderFailure.

    The failure's member `trace` is the RenderTrace up to it.
    """
    recorder = TraceRecorder()
    recorder.warnings += [*ignored_option_warnings(job.output), *ignored_data_warnings(job)]
    recorder.warnings += [*skipped_email_warnings(job), *skipped_storage_warnings(job.storage)]
    browser, egress, is_cold_start = services.browser, services.egress, not services.browser.is_warm
    with recorder.attach_trace_to_failure():
        with recorder.stage("template_ms"):
            job = load_data(job, context, egress)
            job, invoice = _add_invoice(job, context, recorder)
            document = _document(job, context, services, recorder)
            resources = load_resources(job, context, egress)
        drawings = _draw(document, context, browser, recorder)
        with recorder.stage("finish_ms"):
            finishing = FinishingContext(
                document.output,
                resources,
                context.test,
                recorder,
                _separate_printer(context, browser, document.output, resources),
                invoice.embedded_file if invoice else None,
                fonts_dir=browser.fonts,
            )
            files = _finish(drawings, finishing, context)
            files = _add_invoice_xml(files, finishing)
            validation_requests = _validation_requests(files, finishing, invoice)
            files = _zip(files, document.output, context)
        with recorder.stage("template_ms"):
            filename = document.output.filename
            emails = _emails(job, context, services.templates, files, filename)
            storage_paths = _storage_paths(job, context, services.templates, files, filename)
    return RenderOutcome(
        files,
        recorder.trace(),
        is_cold_start,
        filename,
        invoice.totals if invoice else None,
        validation_requests,
        emails=emails,
        storage_paths=storage_paths,
    )


def _emails(
    job: PageJob,
    context: JobContext,
    templates: TemplateRunner,
    files: Sequence[RenderedFile],
    filename: str | None,
) -> "tuple[RenderedEmail, ...]":
    """Return the emails of the job's rules, whose texts know the files."""
    if job.emails is None or not job.emails.rules:
        return ()
    # Few jobs have some.
    from chalicelib.engine.emails.evaluate import EmailFile  # noqa: PLC0415
    from chalicelib.engine.emails.job_emails import job_emails  # noqa: PLC0415

    shown = [EmailFile(file.format, len(file.content), file.pages) for file in files]
    return job_emails(job, context, templates, shown, filename)


def _storage_paths(
    job: PageJob,
    context: JobContext,
    templates: TemplateRunner,
    files: Sequence[RenderedFile],
    filename: str | None,
) -> "tuple[RenderedPath, ...]":
    """Return the paths of the files at the job's storage targets."""
    if job.storage is None:
        return ()
    # Few jobs have some.
    from chalicelib.engine.storage_paths import render_storage_paths  # noqa: PLC0415

    return render_storage_paths(job, context, templates, files, filename)


def _add_invoice(
    job: PageJob, context: JobContext, recorder: TraceRecorder
) -> "tuple[PageJob, EInvoiceResult | None]":
    """Return the job with its e-invoice in the data, and the result of writing that invoice."""
    if job.einvoice is None:
        return job, None
    # Few jobs have one, so few processes need this import.
    from chalicelib.engine.inputs.invoice import add_invoice_to_job  # noqa: PLC0415

    return add_invoice_to_job(job, context, recorder)


def _document(
    job: PageJob, context: JobContext, services: PipelineServices, recorder: TraceRecorder
) -> SourceDocument:
    """Return the document to load, with the job's assets; its warnings are recorded."""
    document = job.document(context, services.templates)
    document = add_assets(document, job, context, services.egress)
    recorder.warnings += document.warnings
    return document


def _draw(
    document: SourceDocument, context: JobContext, browser: Browser, recorder: TraceRecorder
) -> list[Drawing]:
    """Load the document and draw each format but `xml`, which is no drawing."""
    formats = [format_by_name(name) for name in document.output.formats if name != "xml"]
    if not formats:
        return []
    warning_count = len(recorder.warnings)

    def draw(page: BrowserPage) -> list[Drawing]:
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
            recorder.page_url, recorder.page_texts = page.url, page.texts
            recorder.page_overlay = page.overlay

    try:
        return browser.use(draw, context.time_limit, context.lane)
    finally:
        # Prepares the next document's page while this document is finished and stored.
        browser.prepare()


def _draw_page(
    page: BrowserPage,
    document: SourceDocument,
    formats: Sequence[RenderFormat],
    recorder: TraceRecorder,
) -> list[Drawing]:
    with recorder.stage("load_ms"):
        if document.url is None:
            page.load(
                document.html,
                document.output,
                needs_screen_layout=document.is_canvas,
                assets=document.assets,
            )
        else:
            page.visit(document.url, document.output)
        if document.is_canvas:
            page.fit_canvas(document.output)
        else:
            page.replace_missing_parts(document.output)
        if not document.has_templates and may_have_placeholders(document.html):
            page.find_placeholders()
    content_by_draw: dict[Draw, bytes] = {}
    with recorder.stage("print_ms"):
        for format_ in formats:
            if format_.draw not in content_by_draw:
                content_by_draw[format_.draw] = format_.draw(page, document.output)
        page.find_broken_links()
        page.find_clipped_content()
    return [Drawing(format_, content_by_draw[format_.draw]) for format_ in formats]


def _separate_printer(
    context: JobContext,
    browser: Browser,
    output: OutputOptions,
    resources: Mapping[ContentSource, bytes],
) -> PrintSeparately:
    def print_separately(part: SeparatePrint) -> list[bytes]:
        def work(page: BrowserPage) -> list[bytes]:
            return part.print(page, output, resources)

        try:
            return browser.use(work, context.time_limit, context.lane)
        finally:
            browser.prepare()

    return print_separately


def _finish(
    drawings: Sequence[Drawing], finishing: FinishingContext, context: JobContext
) -> tuple[RenderedFile, ...]:
    deadline = context.time_limit
    return tuple(finish_file(each.format, each.content, finishing, deadline) for each in drawings)


def _add_invoice_xml(
    files: Sequence[RenderedFile], finishing: FinishingContext
) -> tuple[RenderedFile, ...]:
    """Return the files and the requested XML of the e-invoice, in the order of the formats."""
    formats = finishing.output.formats
    if "xml" not in formats:
        return tuple(files)
    assert finishing.invoice_file is not None, "xml goes beside an e-invoice only"
    xml = RenderedFile("xml", finishing.invoice_file.content, "application/xml")
    return tuple(sorted((*files, xml), key=lambda file: formats.index(file.format)))


def _validation_requests(
    files: Sequence[RenderedFile], finishing: FinishingContext, invoice: "EInvoiceResult | None"
) -> "tuple[ValidationRequest, ...]":
    """Return the checks for the validators: of the e-invoice, and of a PDF/A or PDF/UA."""
    requests = [] if invoice is None else [*invoice.validation_requests]
    if has_conformance_target(finishing):
        from chalicelib.engine.requested_checks import pdf_validation_request  # noqa: PLC0415 -- few PDFs are

        requests += [
            pdf_validation_request(file.content, finishing)
            for file in files
            if file.format == "pdf"
        ]
    return tuple(requests)


def _zip(
    files: tuple[RenderedFile, ...], output: OutputOptions, context: JobContext
) -> tuple[RenderedFile, ...]:
    """Return the files, in one archive if the output is zipped."""
    if not output.is_zipped:
        return files
    return (zip_archive(files, output.filename, context.time_limit),)


def zip_archive(
    files: Sequence[RenderedFile], filename: str | None, deadline: Deadline
) -> RenderedFile:
    """Return the files in one ZIP archive; its members get the caller's `filename`.

    Raises RenderFailure `render_timeout`.
    """
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            # Unique, because no two files share a format.
            name = safe_filename(filename, fallback=_FALLBACK_FILENAME, extension=file.format)
            member = zipfile.ZipInfo(name, _MEMBER_DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(member, "w") as member_file:
                for start in range(0, len(file.content), _CHUNK_BYTES):
                    if deadline.has_passed:
                        raise timeout_failure()
                    member_file.write(file.content[start : start + _CHUNK_BYTES])
    pages = next((file.pages for file in files if file.pages is not None), None)
    return RenderedFile("zip", result.getvalue(), "application/zip", pages=pages)
