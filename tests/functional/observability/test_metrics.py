"""Metrics: lines say what rows say, once for each render, and no tenant is a dimension."""

import datetime as dt
from collections.abc import Callable

import pytest

from chalicelib.contract.render.render import Timings
from chalicelib.core.clock import epoch_ms, parse_rfc3339
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import Job
from chalicelib.features.renders.measure import _STAGE_METRICS
from tests.builders.emf import Metric, metrics_in
from tests.builders.service import Service
from tests.builders.validation_results import fake_validation, post_einvoice

type Told = Callable[[], list[Metric]]

RELAY = {"stack": "platen", "service": "relay"}


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    return lambda: metrics_in(capsys.readouterr().out)


def one(metrics: list[Metric], name: str) -> Metric:
    (found,) = [metric for metric in metrics if metric.name == name]
    return found


def test_a_render_is_measured_once_and_as_its_row_says(service: Service, told: Told) -> None:
    service.engine.before_run = lambda _job: service.clock.advance(seconds=2)
    render = service.render().json
    assert told() == []
    service.clock.advance(seconds=3)

    service.relay_events()
    (fact,) = service.events(render["id"])
    service.tick()
    service.relay_events()

    metrics = told()
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
    assert ended.timestamp == epoch_ms(parse_rfc3339(fact["created_at"]))
    assert "Failures" not in {metric.name for metric in metrics}


def test_every_stage_that_a_render_tells_is_measured(service: Service, told: Told) -> None:
    fake_validation(service)
    timings = post_einvoice(service).json["timings"]

    service.relay_events()

    assert one(told(), "ValidateStage").values == [timings["validate_ms"]]
    assert _STAGE_METRICS.keys() == Timings.model_fields.keys() - {"cold"}


def test_a_failure_is_counted_by_its_code(service: Service, told: Told) -> None:
    def fail(_job: Job) -> None:
        raise RenderFailure("template_runtime_error", "n is undefined")

    service.engine.before_run = fail
    assert service.render().code == "template_runtime_error"

    service.relay_events()

    metrics = told()
    assert one(metrics, "Failures").dimensions == RELAY | {"code": "template_runtime_error"}
    assert one(metrics, "Renders").dimensions == RELAY | {"status": "failed"}


def test_files_that_expire_are_no_render_that_ends(service: Service, told: Told) -> None:
    service.render()
    service.relay_events()
    told()
    service.clock.advance(days=400)
    service.tick()
    service.run_maintenance()

    service.relay_events()

    assert {metric.name for metric in told()} == {"DueHandedOut", "DueLateness", "EventLag"}


def test_the_tick_tells_how_much_it_hands_out_and_how_late(service: Service, told: Told) -> None:
    assert service.tick() == 0
    assert [(m.name, m.values) for m in told()] == [("DueHandedOut", [0]), ("DueLateness", [0])]

    service.render(mode="async")
    service.clock.advance(minutes=4)
    handed = service.tick()

    metrics = told()
    tick = {"stack": "platen", "service": "tick"}
    assert one(metrics, "DueHandedOut").values == [handed]
    assert one(metrics, "DueHandedOut").dimensions == tick
    assert one(metrics, "DueLateness").values == [
        dt.timedelta(minutes=3) / dt.timedelta(0, 0, 1000)
    ]


def test_dead_letters_are_counted_by_queue(service: Service, told: Told) -> None:
    service.send("Maintenance", "not JSON")
    service.run_maintenance()
    service.record_dead_letters("Maintenance")

    found = one(told(), "DeadLetters")
    here = {"stack": "platen", "service": "dead_letters", "queue": "upkeep"}
    assert (found.values, found.dimensions) == ([1], here)


def test_no_tenant_is_a_dimension(service: Service, told: Told) -> None:
    service.render(headers={"X-Request-Id": "of-the-caller"})
    service.relay_events()
    service.tick()

    dimensions = {name for metric in told() for name in metric.dimensions}
    assert dimensions == {"stack", "service", "status"}
