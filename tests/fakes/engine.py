"""Engine that makes small files at once and requests their validation as the real one does."""

import io
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from copy import replace
from typing import Any
from urllib.parse import urlsplit

import pikepdf

from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.engine.conformance.checks import ConformanceCheck, ValidationRequest
from chalicelib.engine.context import JobContext, RenderedFile, RenderTrace, RenderWarning
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.delivery.emails import RenderedEmail
from chalicelib.engine.emails.evaluate import EmailFile
from chalicelib.engine.emails.job_emails import job_emails
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.finishing.pdfa import has_conformance_target
from chalicelib.engine.ignored_options import skipped_storage_warnings
from chalicelib.engine.job import (
    EngineJob,
    InvoiceJob,
    LintOutcome,
    MarkJob,
    PageJob,
    RenderOutcome,
)
from chalicelib.engine.lint import compile_faults, syntax_faults
from chalicelib.engine.render_trace import TraceRecorder
from chalicelib.engine.requested_checks import pdf_validation_request
from chalicelib.engine.run_invoice_job import run_invoice_job
from chalicelib.engine.sources import HtmlSource, TemplateSource
from chalicelib.engine.sources.source import SourceBase
from chalicelib.engine.storage_paths import render_storage_paths
from chalicelib.engine.templating.renderer import TemplateRenderer
from tests.builders.aws_actions import acting_as
from tests.builders.waiting import generous_deadline

FAKE_PDF = b"%PDF-1.7 a document of the fake engine"
CONTENT_TYPES = {
    "pdf": "application/pdf",
    "xml": "application/xml",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "webp": "image/webp",
    "html": "text/html; charset=utf-8",
    "zip": "application/zip",
}


class FakeEngine:
    """Makes one small file for each format of a job and remembers the jobs."""

    def __init__(self) -> None:
        self.all_jobs: list[EngineJob] = []
        self.contexts: list[JobContext] = []
        self.html_texts: list[str] = []
        self.lint_jobs: list[PageJob] = []
        self.lint_warnings: list[RenderWarning] = []
        self.lint_failures: list[RenderFailure] = []
        self.private_hosts: tuple[str, ...] = ()
        self.looked_up: list[tuple[dict[str, str], tuple[str, ...]]] = []
        self.before_run: Callable[[EngineJob], None] = lambda _job: None
        self.content = FAKE_PDF
        self.logs: tuple[str, ...] = ()
        self.warnings: tuple[RenderWarning, ...] = ()
        self.page_count = 2
        self.lacks: tuple[str, ...] = ()
        # Files that come out in place of those that the job asks for.
        self.files: tuple[RenderedFile, ...] | None = None

    @property
    def jobs(self) -> list[PageJob]:
        """Return the jobs of pages."""
        return [job for job in self.all_jobs if isinstance(job, PageJob)]

    def missing_walls(self, deadline: Deadline) -> tuple[str, ...]:
        assert deadline.remaining_s() > 0
        return self.lacks

    def lint(self, job: PageJob, context: JobContext, *, compile_only: bool = False) -> LintOutcome:
        if compile_only:  # With the real language and clock, in this process.
            context = replace(context, deadline=generous_deadline())
            return compile_faults(job, context, InProcessTemplates())
        self.lint_jobs.append(job)
        self._load(job, context)
        return LintOutcome(self.lint_failures, self.lint_warnings)

    def look_up(
        self, addresses: Mapping[str, str], deadline: Deadline, *, https_only: Sequence[str]
    ) -> dict[str, str]:
        """Refuse the addresses whose hosts are private by `private_hosts`."""
        assert deadline.remaining_s() > 0
        self.looked_up.append((dict(addresses), tuple(https_only)))
        return {
            pointer: f"{host}:443 is refused: it is a private or internal address"
            for pointer, url in addresses.items()
            for host in self.private_hosts
            if urlsplit(url).hostname == host
        }

    def preview_emails(self, job: PageJob, context: JobContext) -> tuple[RenderedEmail, ...]:
        """Run the rules with the real language, in this process."""
        files = [EmailFile(name, 0, None) for name in job.output.formats]
        return job_emails(job, context, InProcessTemplates(), files, job.output.filename)

    def check_syntax(self, texts: Mapping[str, str], deadline: Deadline) -> list[RenderFailure]:
        """Compile with the real language, in this process."""
        return syntax_faults(texts, InProcessTemplates(), time.time() + deadline.remaining_s())

    def run(self, job: EngineJob, context: JobContext) -> RenderOutcome:
        self.all_jobs.append(job)
        self.contexts.append(context)
        with acting_as(""):
            self.before_run(job)
        if isinstance(job, MarkJob):
            mark = RenderedFile("pdf", mark_pdf(), "application/pdf", pages=1)
            return RenderOutcome((mark,), RenderTrace(timings={"print_ms": 3}), is_cold_start=False)
        if isinstance(job, InvoiceJob):
            outcome = run_invoice_job(job, context)
            paths = render_storage_paths(
                job, context, InProcessTemplates(), outcome.files, outcome.filename
            )
            return outcome._replace(storage_paths=paths)
        self._load(job, context)
        kinds = ("zip",) if job.output.is_zipped else job.output.formats
        files = tuple(
            RenderedFile(
                kind, self.content, CONTENT_TYPES[kind], self.page_count if kind == "pdf" else None
            )
            for kind in kinds
        )
        if self.files is not None:
            files = self.files
        trace = RenderTrace(
            (*self.warnings, *skipped_storage_warnings(job.storage)),
            logs=self.logs,
            timings={"load_ms": 1, "print_ms": 2},
        )
        name = job.output.filename
        if name is not None and name.startswith("{{ '"):  # As batches write names of items.
            name = InProcessTemplates().render(name, {}, strict=False, deadline=0, escape=False)
        return RenderOutcome(
            files,
            trace,
            is_cold_start=False,
            filename=name,
            validation_requests=_to_validate(files, job, is_test=context.test),
            emails=_emails(job, context, files),
            storage_paths=render_storage_paths(job, context, InProcessTemplates(), files, name),
        )

    def _load(self, job: PageJob, context: JobContext) -> None:
        if job.data_pointer is not None:
            context.check_data(job.data or {}, job.data_pointer)
        content = content_of(job)
        if isinstance(content, HtmlSource):
            self.html_texts.append(content.load(context))


def _emails(
    job: PageJob, context: JobContext, files: Sequence[RenderedFile]
) -> tuple[RenderedEmail, ...]:
    if job.emails is None or not job.emails.rules:
        return ()
    shown = [EmailFile(file.format, len(file.content), file.pages) for file in files]
    return job_emails(job, context, InProcessTemplates(), shown, job.output.filename)


class InProcessTemplates:
    """Compiler without a process of its own; all of them share one, which takes long to build."""

    _renderer = TemplateRenderer()
    _lock = threading.Lock()

    @contextmanager
    def cancel_on(self, _cancellation: Future[None]) -> Iterator[None]:
        yield

    def render(self, source: str, data: JsonObject, **options: Any) -> str:
        # It is of the clock of the tests.
        options.pop("deadline")
        options.pop("on_undefined", None)
        with self._lock:
            result = self._renderer.render(source, data, **options)
        if isinstance(result, str):
            return result
        failure = RenderFailure(result.code, result.message)
        failure.members |= {name: getattr(result, name) for name in ("line", "column", "excerpt")}
        raise failure


def mark_pdf() -> bytes:
    """Return a page with a black box, as the browser prints a mark."""
    document, target = pikepdf.new(), io.BytesIO()
    page = document.add_blank_page(page_size=(120, 40))
    page.Contents = document.make_stream(b"0 0 120 40 re f")
    document.save(target, deterministic_id=True)
    return target.getvalue()


def content_of(job: EngineJob) -> SourceBase:
    """Return the source of a job, for a template its content."""
    assert isinstance(job, PageJob)
    source = job.source.content if isinstance(job.source, TemplateSource) else job.source
    assert source is not None
    return source


def html_of(job: EngineJob) -> str | None:
    """Return the HTML of a job."""
    content = content_of(job)
    assert isinstance(content, HtmlSource)
    return content.html


def _to_validate(
    files: Sequence[RenderedFile], job: PageJob, *, is_test: bool
) -> tuple[ValidationRequest, ...]:
    order = job.einvoice if job.einvoice is not None and job.einvoice.is_written else None
    parts: Any = (TraceRecorder(), None, order)
    finishing = FinishingContext(job.output, {}, is_test, *parts)
    if not has_conformance_target(finishing):
        return ()
    invoices = [] if order is None else [ConformanceCheck.cii(order.profile)]
    return (
        *(ValidationRequest(b"<invoice/>", (check,)) for check in invoices),
        *(
            pdf_validation_request(file.content, finishing)
            for file in files
            if file.format == "pdf"
        ),
    )
