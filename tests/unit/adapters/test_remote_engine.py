"""Engine over a function without rights: what travels inline, what by address, what is refused."""

import time
from concurrent.futures import Future
from contextlib import nullcontext
from typing import Any

import pytest

from chalicelib.adapters.aws.functions import ConnectionLost, FunctionBusy
from chalicelib.adapters.aws.remote_engine import EngineLost
from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.engine.conformance.checks import ConformanceCheck, ValidationRequest
from chalicelib.engine.context import JobContext, RenderedFile, RenderWarning
from chalicelib.engine.deadline import timeout_failure
from chalicelib.engine.job import EngineJob, PageJob, RenderOutcome
from chalicelib.engine.remote.calls import (
    MAX_INLINE_JOB_BYTES,
    MAX_INLINE_RESULT_BYTES,
    MAX_RETURNED_BYTES,
    SyntaxCall,
)
from chalicelib.engine.remote.results import LintResult
from chalicelib.engine.sources import HtmlSource
from tests.builders.engine_wire import JOB, OUTCOME, TRACE, EngineWire, context, large
from tests.builders.waiting import PATIENCE_S, generous_deadline


@pytest.fixture
def wire() -> EngineWire:
    return EngineWire()


def test_small_job_and_outcome_travel_inline(wire: EngineWire) -> None:
    outcome = wire.run(test=True)

    assert outcome == OUTCOME
    assert wire.engine.jobs == [JOB]
    assert wire.engine.contexts[0].test
    assert wire.function.tenants == ["ws_a"]
    assert wire.engine.contexts[0].lane == "ws_a"
    assert wire.objects.seen == []


def test_content_that_is_validated_travels_once(wire: EngineWire) -> None:
    pdf = b"x" * (MAX_INLINE_RESULT_BYTES - 10_000)
    request = ValidationRequest(pdf, (ConformanceCheck.pdfua(),))
    made = OUTCOME._replace(
        files=(RenderedFile("pdf", pdf, "application/pdf"),), validation_requests=(request,)
    )
    wire.engine.work = lambda *_: made

    assert wire.run() == made
    assert wire.objects.seen == []


def test_large_outcome_comes_by_address_and_is_not_kept(wire: EngineWire) -> None:
    wire.engine.work = lambda *_: large()

    assert wire.run() == large()
    assert wire.objects.seen == ["tmp/ws/ws_a/engine/1/result"]
    assert wire.objects.kept == {}


def test_large_outcome_with_zero_retention_is_refused(wire: EngineWire) -> None:
    wire.engine.work = lambda *_: large()

    failure = wire.failure(may_store=False)

    assert wire.engine.contexts[0].lane is None
    assert (failure.code, wire.objects.seen) == ("output_too_large", [])
    assert str(MAX_RETURNED_BYTES) in failure.detail


def test_large_job_goes_by_address_and_is_not_kept(wire: EngineWire) -> None:
    job = PageJob(HtmlSource("x" * MAX_INLINE_JOB_BYTES), data={"big": 10**40})

    wire.run(job)

    assert wire.engine.jobs == [job]
    assert wire.objects.seen == ["tmp/ws/ws_a/engine/1/job"]
    assert wire.objects.kept == {}


def test_largest_inline_job_fits_an_invocation(wire: EngineWire) -> None:
    overhead = 3_000

    wire.run(PageJob(HtmlSource("x" * (MAX_INLINE_JOB_BYTES - overhead))))

    assert wire.objects.seen == []


def test_uploads_are_read_by_their_addresses(wire: EngineWire) -> None:
    wire.objects.kept["tmp/uploads/1"] = b"<p>uploaded</p>"
    seen: list[bytes] = []

    def work(_job: EngineJob, context: JobContext) -> RenderOutcome:
        seen.append(context.uploads("upl_1"))
        context.uploads("upl_2")
        return OUTCOME

    wire.engine.work = work
    failure = wire.failure(uploads={"upl_1": "tmp/uploads/1", "upl_2": "tmp/uploads/2"})

    assert (seen, failure.code) == ([b"<p>uploaded</p>"], "upload_not_found")
    assert wire.failure(uploads={"upl_1": "tmp/uploads/1"}).detail == "The upload upl_2 is gone."


def test_failure_comes_with_its_errors_members_and_trace(wire: EngineWire) -> None:
    sent = RenderFailure(
        "data_schema_mismatch",
        "does not fit",
        errors=[FieldError("/data", "x", "y")],
        trace=TRACE,
        line=3,
    )

    def work(*_: Any) -> RenderOutcome:
        raise sent

    wire.engine.work = work
    failure = wire.failure()

    assert (failure.code, failure.detail, failure.errors) == (sent.code, sent.detail, sent.errors)
    assert failure.members == {"trace": TRACE, "line": 3}


def test_lint_returns_all_failures(wire: EngineWire) -> None:
    (failure,), warnings = wire.remote.lint(JOB, context())

    assert (failure.code, failure.members) == ("template_syntax_error", {"line": 1})
    assert warnings == (RenderWarning("undefined_value", "x", "line 2"),)


def test_lookups_return_refusals_by_pointer(wire: EngineWire) -> None:
    urls = {"/input/url": "https://a.example/", "/data_url": "http://b.example/"}

    refusals = wire.remote.look_up(urls, context(), https_only=["/data_url"])

    assert refusals == {
        "/input/url": "https://a.example/ False",
        "/data_url": "http://b.example/ True",
    }


def test_self_test_names_missing_walls(wire: EngineWire) -> None:
    assert wire.remote.missing_walls(context()) == ("system_call_filter",)


@pytest.mark.parametrize(
    ("max_pages", "max_bytes", "code"),
    [(2, 99, None), (1, 99, "page_limit_exceeded"), (2, 9, "output_too_large")],
)
def test_dry_run_reports_limits(
    wire: EngineWire, max_pages: int, max_bytes: int, code: str | None
) -> None:
    reported = None
    try:
        wire.remote.dry_run(JOB, context(), max_pages=max_pages, max_bytes=max_bytes)
    except RenderFailure as failure:
        reported = failure.code

    assert reported == code
    assert wire.objects.seen == []


def test_cancellation_stops_the_engine(wire: EngineWire) -> None:
    cancellation: Future[None] = Future()

    def work(_job: EngineJob, context: JobContext) -> RenderOutcome:
        cancellation.set_result(None)
        context.cancellation.result(PATIENCE_S)
        raise timeout_failure()

    wire.engine.work = work

    assert wire.failure(cancellation=cancellation).code == "render_timeout"
    assert wire.objects.seen == ["tmp/ws/ws_a/engine/1/stop"]
    assert wire.objects.kept == {}


def test_busy_engine_is_called_until_the_wait_ends(wire: EngineWire) -> None:
    wire.function.refusals = 2
    assert wire.run() == OUTCOME

    wire.function.refusals = 1_000
    with pytest.raises(FunctionBusy):
        wire.run(slot_ends_at=time.time() + 0.4)
    assert len(wire.function.payloads) < 10


def test_engine_that_does_not_answer_is_a_timeout(wire: EngineWire) -> None:
    never: Future[None] = Future()

    def work(*_: Any) -> RenderOutcome:
        never.result(PATIENCE_S)
        return OUTCOME

    wire.engine.work = work
    failure = wire.failure(ends_at=time.time() - 2.8)
    never.set_result(None)

    assert failure.code == "render_timeout"


@pytest.mark.parametrize(("losses", "is_lost"), [(1, False), (2, False), (3, True)])
def test_lost_connection_is_made_again(
    wire: EngineWire, monkeypatch: pytest.MonkeyPatch, losses: int, *, is_lost: bool
) -> None:
    invoke, failures = wire.function.invoke, [ConnectionLost("engine")] * losses

    def lossy(*event: Any, **options: Any) -> Any:
        if failures:
            raise failures.pop()
        return invoke(*event, **options)

    monkeypatch.setattr(wire.function, "invoke", lossy)

    with pytest.raises(EngineLost) if is_lost else nullcontext():
        assert wire.run() == OUTCOME


def test_texts_are_compiled_by_their_names(wire: EngineWire) -> None:
    call = SyntaxCall(ends_at=generous_deadline(), result_form=None, texts={"to": "{{", "cc": "{%"})

    result, _ = wire.remote.ask(call, LintResult, context(may_store=False))

    found = [record.failure() for record in result.failures]
    assert [(each.members["text"], each.detail) for each in found] == [("to", "{{"), ("cc", "{%")]
