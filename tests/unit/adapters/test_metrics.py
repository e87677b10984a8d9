"""Metrics: CloudWatch lines with ids beside the values and never as dimensions."""

import datetime as dt
import json

import pytest

from chalicelib.adapters.json_logs import log_context
from chalicelib.adapters.metrics import Metrics, MetricValues
from tests.builders.emf import metrics_in
from tests.builders.hostile_texts import HOSTILE_TEXTS

MOMENT = dt.datetime(2026, 11, 21, 12, 0, tzinfo=dt.UTC)
HERE = {"stack": "platen-test", "service": "relay"}


@pytest.fixture
def metrics() -> Metrics:
    return Metrics("platen-test", "relay")


def test_values_with_several_dimensions_are_one_line(
    metrics: Metrics, capsys: pytest.CaptureFixture[str]
) -> None:
    metrics.write(
        MetricValues("Milliseconds", {"LoadStage": 12, "PrintStage": 34.5}),
        MetricValues("Count", {"Renders": 1}, {"status": "failed"}),
        MetricValues("Count", {"Failures": 1}, {"code": "render_lost"}),
        at=MOMENT,
    )

    output = capsys.readouterr().out
    assert output.count("\n") == 1
    emitted = [(m.name, m.unit, m.dimensions, m.values) for m in metrics_in(output)]
    assert emitted == [
        ("LoadStage", "Milliseconds", HERE, [12.0]),
        ("PrintStage", "Milliseconds", HERE, [34.5]),
        ("Renders", "Count", HERE | {"status": "failed"}, [1.0]),
        ("Failures", "Count", HERE | {"code": "render_lost"}, [1.0]),
    ]
    assert {m.timestamp for m in metrics_in(output)} == {int(MOMENT.timestamp() * 1000)}


def test_line_carries_bound_ids_beside_its_dimensions(
    metrics: Metrics, capsys: pytest.CaptureFixture[str]
) -> None:
    with log_context(request_id="req_1", render="rnd_1"):
        metrics.count("BrowserRecycles", reason="recycle_due")

    output = capsys.readouterr().out
    assert json.loads(output).items() >= {"request_id": "req_1", "render": "rnd_1"}.items()
    (metric,) = metrics_in(output)
    assert metric.dimensions == HERE | {"reason": "recycle_due"}


@pytest.mark.parametrize("value", HOSTILE_TEXTS)
def test_no_id_can_inject_a_line(
    metrics: Metrics, capsys: pytest.CaptureFixture[str], value: str
) -> None:
    with log_context(request_id=value):
        metrics.count("DeadLetters", queue="renders")

    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["request_id"] == value


@pytest.mark.parametrize("name", ["POWERTOOLS_SERVICE_NAME", "POWERTOOLS_METRICS_NAMESPACE"])
def test_the_environment_changes_no_dimension(
    metrics: Metrics,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    monkeypatch.setenv(name, "another")
    metrics.count("ColdStarts")

    (metric,) = metrics_in(capsys.readouterr().out)
    assert metric.dimensions == HERE
