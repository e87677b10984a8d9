"""An engine that makes small files at once and has them judged as the real one does."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from chalicelib.core.errors import RenderFailure
from chalicelib.engine import pipeline
from chalicelib.engine.conformance.asked import of_pdf
from chalicelib.engine.conformance.checks import Check
from chalicelib.engine.course import Course
from chalicelib.engine.finishing.pdfa import conforms
from chalicelib.engine.formats.format import Finishing
from chalicelib.engine.job import Job, Outcome, Produced, ToJudge, Trace
from tests.builders.grants import serving

PDF = b"%PDF-1.7 a document of the fake engine"
TYPES = {
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
        self.linted: list[Job] = []
        self.faults: list[RenderFailure] = []
        self.before: Callable[[Job], None] = lambda _job: None
        self.content = PDF
        self.logs: tuple[str, ...] = ()
        self.pages = 2

    def lint(self, job: Job) -> list[RenderFailure]:
        self.linted.append(job)
        return self.faults

    def run(self, job: Job) -> Outcome:
        self.jobs.append(job)
        with serving(""):
            self.before(job)
        if job.source is None:
            return pipeline.run(job, cast("Any", None))
        kinds = ("zip",) if job.output.zipped else job.output.formats
        files = tuple(
            Produced(kind, self.content, TYPES[kind], self.pages if kind == "pdf" else None)
            for kind in kinds
        )
        trace = Trace(logs=self.logs, timings={"load_ms": 1, "print_ms": 2})
        name = job.output.filename
        return Outcome(files, trace, cold=False, filename=name, to_judge=_to_judge(files, job))


def _to_judge(files: Sequence[Produced], job: Job) -> tuple[ToJudge, ...]:
    order = job.einvoice if job.einvoice is not None and job.einvoice.written else None
    parts: Any = (Course(), None, order)
    finishing = Finishing(job.output, {}, job.test, *parts)
    if not conforms(finishing):
        return ()
    invoices = [] if order is None else [Check.cii(order.profile)]
    return (
        *(ToJudge(b"<invoice/>", (check,), lambda _place: None) for check in invoices),
        *(of_pdf(file.content, finishing) for file in files if file.format == "pdf"),
    )
