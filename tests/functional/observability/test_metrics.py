"""Metrics: lines equal the rows, once per render, and no tenant is a dimension."""

import datetime as dt
from collections.abc import Callable

import pytest

from chalicelib.contract.render.render import Timings
from chalicelib.core.clock import epoch_ms, parse_rfc3339
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import EngineJob
from chalicelib.features.renders.subscribe import _STAGE_METRICS
from tests.builders.emf import Metric, metrics_in
from tests.builders.service import Service
from tests.builders.validation_results import fake_validation, post_einvoice

type EmittedMetrics = Callable[[], list[Metric]]

RELAY = {"stack": "platen", "service": "relay"}


@pytest.fixture
def emitted_metrics(capsys: pytest.CaptureFixture[str]) -> EmittedMetrics:
    return lambda: metrics_in(capsys.readouterr().out)


def one(metrics: list[Metric], name: str) -> Metric:
    (found,) = [metric for metric in metrics if metric.name == name]
    return found


def test_render_metrics_are_emitted_once_and_equal_the_row(
    service: Service, emitted_metrics: EmittedMetrics
) -> None:
    service.engine.before_run = lambda _job: service.clock.advance(seconds=2)
    render = service.render().json
    assert emitted_metrics() == []
    service.clock.advance(seconds=3)

    service.relay_events()
    (event,) = service.events(render["id"])
    service.tick()
    service.relay_events()

    metrics = emitted_metrics()
    timings = render["timings"]
    assert timings["total_ms"] == 2000
    stages = {
        "QueueWait": timings["queue_ms"],
        "LoadStage": timings["load_ms"],
        "PrintStage": timings["print_ms"],
        "StoreStage": timings["store_ms"],
        "Total": timings["total_ms"],
    }
    for name, value in stages.items():
        stage = one(metrics, name)
        assert (stage.values, stage.unit, stage.dimensions) == ([value], "Milliseconds", RELAY)
    ended = one(metrics, "Renders")
    assert (ended.values, ended.dimensions) == ([1], RELAY | {"status": "succeeded"})
    assert one(metrics, "Attempts").values == [1]
    assert one(metrics, "EventLag").values == [3000]
    assert ended.timestamp == epoch_ms(parse_rfc3339(event["created_at"]))
    assert "Failures" not in {metric.name for metric in metrics}


def test_every_stage_duration_is_measured(
    service: Service, emitted_metrics: EmittedMetrics
) -> None:
    fake_validation(service)
    timings = post_einvoice(service).json["timings"]

    service.relay_events()

    assert one(emitted_metrics(), "ValidateStage").values == [timings["validate_ms"]]
    assert _STAGE_METRICS.keys() == Timings.model_fields.keys() - {"cold"}


def test_a_failure_is_counted_by_its_code(
    service: Service, emitted_metrics: EmittedMetrics
) -> None:
    def fail(_job: EngineJob) -> None:
        raise RenderFailure("template_runtime_error", "n is undefined")

    service.engine.before_run = fail
    assert service.render().code == "template_runtime_error"

    service.relay_events()

    metrics = emitted_metrics()
    assert one(metrics, "Failures").dimensions == RELAY | {"code": "template_runtime_error"}
    assert one(metrics, "Renders").dimensions == RELAY | {"status": "failed"}


def test_expired_files_are_not_counted_as_renders(
    service: Service, emitted_metrics: EmittedMetrics
) -> None:
    service.render()
    service.relay_events()
    emitted_metrics()
    service.clock.advance(days=400)
    service.tick()
    service.run_maintenance()

    service.relay_events()

    assert {metric.name for metric in emitted_metrics()} == {
        "DueHandedOut",
        "DueLateness",
        "EventLag",
    }


def test_tick_measures_dispatched_items_and_their_delay(
    service: Service, emitted_metrics: EmittedMetrics
) -> None:
    assert service.tick() == 0
    assert [(m.name, m.values) for m in emitted_metrics()] == [
        ("DueHandedOut", [0]),
        ("DueLateness", [0]),
    ]

    service.render(mode="async")
    service.clock.advance(minutes=7)
    handed = service.tick()

    metrics = emitted_metrics()
    tick = {"stack": "platen", "service": "tick"}
    assert one(metrics, "DueHandedOut").values == [handed]
    assert one(metrics, "DueHandedOut").dimensions == tick
    assert one(metrics, "DueLateness").values == [
        dt.timedelta(minutes=3) / dt.timedelta(0, 0, 1000)
    ]


def test_dead_letters_are_counted_by_queue(
    service: Service, emitted_metrics: EmittedMetrics
) -> None:
    service.send("Maintenance", "not JSON")
    service.run_maintenance()
    service.record_dead_letters("Maintenance")

    found = one(emitted_metrics(), "DeadLetters")
    here = {"stack": "platen", "service": "dead_letters", "queue": "maintenance"}
    assert (found.values, found.dimensions) == ([1], here)


def test_no_tenant_is_a_dimension(service: Service, emitted_metrics: EmittedMetrics) -> None:
    service.render(headers={"X-Request-Id": "of-the-caller"})
    service.relay_events()
    service.tick()

    dimensions = {name for metric in emitted_metrics() for name in metric.dimensions}
    assert dimensions == {"stack", "service", "status"}
