"""Engine that makes small files at once and requests their validation as the real one does."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from chalicelib.core.errors import RenderFailure
from chalicelib.engine import pipeline
from chalicelib.engine.conformance.checks import ConformanceCheck
from chalicelib.engine.conformance.requested_checks import pdf_validation_request
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.finishing.pdfa import has_conformance_target
from chalicelib.engine.job import Job, RenderedFile, RenderOutcome, RenderTrace, ValidationRequest
from chalicelib.engine.render_trace import TraceRecorder
from tests.builders.aws_actions import acting_as

FAKE_PDF = b"%PDF-1.7 a document of the fake engine"
CONTENT_TYPES = {
    "pdf": "application/pdf",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "webp": "image/webp",
    "html": "text/html; charset=utf-8",
    "zip": "application/zip",
}


class FakeEngine:
    """Makes one small file for each format of a job and remembers the jobs."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.lint_jobs: list[Job] = []
        self.lint_failures: list[RenderFailure] = []
        self.before_run: Callable[[Job], None] = lambda _job: None
        self.content = FAKE_PDF
        self.logs: tuple[str, ...] = ()
        self.page_count = 2

    def lint(self, job: Job) -> list[RenderFailure]:
        self.lint_jobs.append(job)
        return self.lint_failures

    def run(self, job: Job) -> RenderOutcome:
        self.jobs.append(job)
        with acting_as(""):
            self.before_run(job)
        if job.source is None:
            return pipeline.run_job(job, cast("Any", None))
        kinds = ("zip",) if job.output.is_zipped else job.output.formats
        files = tuple(
            RenderedFile(
                kind, self.content, CONTENT_TYPES[kind], self.page_count if kind == "pdf" else None
            )
            for kind in kinds
        )
        trace = RenderTrace(logs=self.logs, timings={"load_ms": 1, "print_ms": 2})
        name = job.output.filename
        return RenderOutcome(
            files,
            trace,
            is_cold_start=False,
            filename=name,
            validation_requests=_to_validate(files, job),
        )


def _to_validate(files: Sequence[RenderedFile], job: Job) -> tuple[ValidationRequest, ...]:
    order = job.einvoice if job.einvoice is not None and job.einvoice.is_written else None
    parts: Any = (TraceRecorder(), None, order)
    finishing = FinishingContext(job.output, {}, job.test, *parts)
    if not has_conformance_target(finishing):
        return ()
    invoices = [] if order is None else [ConformanceCheck.cii(order.profile)]
    return (
        *(ValidationRequest(b"<invoice/>", (check,), lambda _place: None) for check in invoices),
        *(
            pdf_validation_request(file.content, finishing)
            for file in files
            if file.format == "pdf"
        ),
    )
