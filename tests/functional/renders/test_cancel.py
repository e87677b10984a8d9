"""`POST /v1/renders/{id}/cancel`: queued, running and final renders."""

import contextlib
from collections.abc import Callable

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import JobContext, RenderTrace, RenderWarning
from chalicelib.engine.deadline import timeout_failure
from chalicelib.engine.job import EngineJob
from tests.builders.http import ApiAnswer
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.builders.waiting import PATIENCE_S


def cancel(service: Service, render_id: str, key: str | None = None) -> ApiAnswer:
    return service.call("POST", f"/v1/renders/{render_id}/cancel", key=key or service.live)


def newest(service: Service) -> str:
    return str(service.call("GET", "/v1/renders").json["data"][0]["id"])


def nothing_is_reserved(service: Service) -> bool:
    limits = service.limits()
    return (limits["used"], limits["holds"], limits["leases"]) == (0, {}, {})


def cancel_while_running(
    service: Service, then: Callable[[JobContext], None]
) -> Callable[[EngineJob], None]:
    def before(_job: EngineJob) -> None:
        assert cancel(service, newest(service)).json["status"] == "canceled"
        then(service.engine.contexts[-1])

    return before


def stop(context: JobContext) -> None:
    """Stop as a canceled page does."""
    context.cancellation.result(timeout=PATIENCE_S)
    raise timeout_failure()


def finish_first(_context: JobContext) -> None:
    """Finish before the cancellation is noticed."""


def test_queued_render_is_canceled_and_never_run(service: Service) -> None:
    render_id = service.render(mode="async").json["id"]

    answer = cancel(service, render_id)

    assert (answer.status, answer.json["status"]) == (200, "canceled")
    assert answer.json["error"] is None
    row = next(row for row in service.rows(render_id) if row["SK"] == "META")
    assert row["history"][-1]["event"] == "ended from outside: canceled"
    assert nothing_is_reserved(service)
    assert service.run_queued() == []
    assert service.engine.jobs == []
    service.relay_events()
    assert service.objects() == []
    assert [event["type"] for event in service.events(render_id)] == ["render.canceled"]
    again = cancel(service, render_id)
    assert (again.status, again.code) == (409, "conflict")


@pytest.mark.parametrize("then", [stop, finish_first])
@pytest.mark.parametrize("delivery", ["url", "binary"])
def test_running_render_stops_and_then_releases_its_lease(
    service: Service, then: Callable[[JobContext], None], delivery: str
) -> None:
    def look(context: JobContext) -> None:
        assert list(service.limits()["leases"]) == [newest(service)], "it still runs"
        then(context)

    service.engine.before_run = cancel_while_running(service, look)

    answer = service.render(delivery={"type": delivery}, headers={"Idempotency-Key": "k"})

    assert (answer.status, answer.code) == (409, "conflict")
    render = service.call("GET", f"/v1/renders/{answer.json['render_id']}").json
    assert (render["status"], render["billed"], render["files"]) == ("canceled", False, [])
    assert nothing_is_reserved(service)
    assert service.objects() == []
    assert [event["type"] for event in service.events(render["id"])] == ["render.canceled"]
    replayed = service.render(delivery={"type": delivery}, headers={"Idempotency-Key": "k"})
    assert (replayed.code, replayed.json["render_id"]) == ("conflict", render["id"])


@pytest.mark.parametrize("then", [stop, finish_first])
def test_queued_render_that_runs_stops(
    service: Service, then: Callable[[JobContext], None]
) -> None:
    service.engine.before_run = cancel_while_running(service, then)
    render_id = service.render(mode="async").json["id"]

    assert service.run_queued() == []

    assert service.call("GET", f"/v1/renders/{render_id}").json["status"] == "canceled"
    service.relay_events()
    assert nothing_is_reserved(service)
    assert service.objects() == []


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_canceled_render_with_a_killed_function_leaves_nothing(service: Service, mode: str) -> None:
    def die_after_storing(_context: JobContext) -> None:
        # The relay removes the files that exist by then; this file arrives later.
        service.relay_events()
        service.kill_before_commit = True

    service.engine.before_run = cancel_while_running(service, die_after_storing)
    service.render(mode=mode)
    with contextlib.suppress(FunctionKilled):
        service.run_queued()
    assert len(service.objects()) == 1

    service.clock.advance(seconds=600)
    service.tick()
    service.run_maintenance()

    assert service.call("GET", f"/v1/renders/{newest(service)}").json["status"] == "canceled"
    assert nothing_is_reserved(service)
    assert service.objects() == []
    (row,) = (row for row in service.rows(newest(service)) if row["SK"] == "META")
    assert "due_at" not in row


def test_superseded_attempt_is_stopped(service: Service) -> None:
    def superseded(_job: EngineJob) -> None:
        if len(service.engine.jobs) == 1:
            service.serve(service.last_event | {"attempt": 2, "row": None}, "second")
            stop(service.engine.contexts[0])

    service.engine.before_run = superseded

    assert service.render().json["status"] == "succeeded"
    assert service.limits()["used"] == 1


def test_final_render_cannot_be_canceled(service: Service) -> None:
    render_id = service.render().json["id"]

    answer = cancel(service, render_id)

    assert (answer.status, answer.code) == (409, "conflict")
    assert service.limits()["used"] == 1


def test_key_cancels_only_renders_it_can_see(service: Service) -> None:
    live = service.render(mode="async").json["id"]
    reader = service.key("live", scopes=["renders:read"])

    assert cancel(service, live, service.test).code == "render_not_found"
    assert cancel(service, live, reader).code == "insufficient_scope"
    foreign = service.key("live", service.create_workspace())
    assert cancel(service, live, foreign).code == "render_not_found"
    assert cancel(service, "rnd_x").code == "render_not_found"
    assert cancel(service, live).status == 200


@pytest.mark.parametrize("kept", [True, False])
def test_canceled_render_keeps_its_trace(service: Service, *, kept: bool) -> None:
    trace = RenderTrace(
        (RenderWarning("slow_asset", "It took 9 s.", "https://example.com/a"),),
        ("log: x",),
        {"load_ms": 7},
        {"fonts": [], "bytes": {}, "requests": 1, "wait": "load"},
    )

    def stop_in_mid_page(context: JobContext) -> None:
        context.cancellation.result(timeout=PATIENCE_S)
        raise RenderFailure("render_timeout", "x", trace=trace)

    service.engine.before_run = cancel_while_running(service, stop_in_mid_page)

    answer = service.render(delivery={"type": "binary", "retention": None if kept else "none"})

    render = service.call("GET", f"/v1/renders/{answer.json['render_id']}").json
    assert (render["status"], render["error"]) == ("canceled", None)
    assert render["timings"]["load_ms"] == 7
    assert [warning["code"] for warning in render["warnings"]] == ["slow_asset"]
    assert render["logs"] == (["log: x"] if kept else [])
    assert (render["explain"] or {}).get("wait") == ("load" if kept else None)
