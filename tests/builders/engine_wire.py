"""Both sides of the wire between the render function and the engine function."""

from copy import replace
from typing import TYPE_CHECKING, Any

import pytest

from chalicelib.adapters.aws.remote_engine import EngineCallContext, RemoteEngine
from chalicelib.core.clock import SystemClock
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import WorkspaceId
from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding, ValidationRequest
from chalicelib.engine.conformance.html_places import HtmlPlaces
from chalicelib.engine.conformance.invoice_field_paths import InvoiceFieldPaths
from chalicelib.engine.context import JobContext, RenderedFile, RenderTrace, RenderWarning
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.job import EngineJob, Job, LintOutcome, PageJob, RenderOutcome
from chalicelib.engine.remote.calls import MAX_INLINE_RESULT_BYTES
from chalicelib.engine.sources import HtmlSource
from tests.builders.waiting import generous_deadline
from tests.fakes.engine_function import EngineFunction, MemoryObjects

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from chalicelib.engine.delivery.emails import RenderedEmail

JOB = PageJob(HtmlSource("<p>one</p>"), data={"big": 10**40})
TRACE = RenderTrace(
    (RenderWarning("font_missing", "no font", "Arial"),), ("a log line",), {"load_ms": 7}, {"n": 1}
)
PDF = b"%PDF-1.7 the file"
OUTCOME = RenderOutcome(
    (RenderedFile("pdf", PDF, "application/pdf", pages=2),),
    TRACE,
    is_cold_start=True,
    filename="ä.pdf",
    invoice_totals={"due": "1.00", "count": 10**30},
    validation_requests=(
        ValidationRequest(
            PDF,
            (ConformanceCheck.pdfa("3b"),),
            own_findings=(RawFinding("engine", "error", "r", "m", "l", 1),),
            html_places=HtmlPlaces({9: "<h1> “A”"}, "No font has x"),
        ),
        ValidationRequest(
            b"<invoice/>", (ConformanceCheck.cii("EN16931"),), InvoiceFieldPaths("invoice", 1, (2,))
        ),
    ),
)


class OneEngine:
    """Engine that answers one outcome, or the outcome that `work` makes."""

    def __init__(self) -> None:
        self.work: Callable[[EngineJob, JobContext], RenderOutcome] = lambda _job, _context: OUTCOME
        self.jobs: list[EngineJob] = []
        self.contexts: list[JobContext] = []

    def run(self, job: EngineJob, context: JobContext) -> RenderOutcome:
        self.jobs.append(job)
        self.contexts.append(context)
        return self.work(job, context)

    def missing_walls(self, deadline: Deadline) -> tuple[str, ...]:
        assert deadline.remaining_s() > 0
        return ("system_call_filter",)

    def lint(self, job: PageJob, context: JobContext, *, compile_only: bool = False) -> LintOutcome:
        assert not compile_only
        self.run(job, context)
        failure = RenderFailure("template_syntax_error", "line 1", line=1)
        return LintOutcome([failure], [RenderWarning("undefined_value", "x", "line 2")])

    def look_up(
        self, addresses: "Mapping[str, str]", deadline: Deadline, *, https_only: "Sequence[str]"
    ) -> dict[str, str]:
        assert deadline.remaining_s() > 0
        return {name: f"{url} {name in https_only}" for name, url in addresses.items()}

    def preview_emails(self, job: PageJob, context: JobContext) -> "tuple[RenderedEmail, ...]":
        return self.run(job, context).emails

    def check_syntax(self, texts: "Mapping[str, str]", deadline: Deadline) -> list[RenderFailure]:
        assert deadline.remaining_s() > 0
        return [
            RenderFailure("template_syntax_error", source, text=name)
            for name, source in texts.items()
        ]


class EngineWire:
    """Both sides of the wire."""

    def __init__(self) -> None:
        self.engine, self.objects = OneEngine(), MemoryObjects()
        self.function = EngineFunction(self.engine, self.objects)
        self.remote = RemoteEngine(self.function, self.objects, SystemClock())  # type: ignore[arg-type]

    def run(self, job: Job = JOB, **more: Any) -> RenderOutcome:
        return self.remote.run(job, context(**more))

    def failure(self, job: Job = JOB, **more: Any) -> RenderFailure:
        with pytest.raises(RenderFailure) as raised:
            self.run(job, **more)
        return raised.value


def context(**more: Any) -> EngineCallContext:
    end = generous_deadline()
    made = EngineCallContext(WorkspaceId("ws_a"), "tmp/ws/ws_a/engine/1", end, end)
    return replace(made, **more)


def large(size: int = MAX_INLINE_RESULT_BYTES) -> RenderOutcome:
    return OUTCOME._replace(files=(RenderedFile("pdf", b"x" * size, "application/pdf"),))
