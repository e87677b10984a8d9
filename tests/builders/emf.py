"""Parser of CloudWatch's embedded metric format that checks the rules of its specification."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

MAX_DIMENSIONS: Final = 30
MAX_METRICS: Final = 100
MAX_VALUES: Final = 100
UNITS: Final = {"Count", "Milliseconds"}


@dataclass(frozen=True)
class Metric:
    """Values of one metric for one set of dimensions."""

    name: str
    unit: str
    dimensions: Mapping[str, str]
    values: list[float]
    timestamp: int


def is_emf(line: Mapping[str, Any]) -> bool:
    """Return whether a log line is in the embedded metric format."""
    return "_aws" in line


def metrics_in(output: str) -> list[Metric]:
    """Return every metric of a function's output; assert the rules of the format."""
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    return [metric for line in lines if is_emf(line) for metric in metrics_of(line)]


def metrics_of(line: Mapping[str, Any]) -> list[Metric]:
    """Return the metrics of one line; assert the rules of the format."""
    header = line["_aws"]
    assert header.keys() == {"Timestamp", "CloudWatchMetrics"}
    assert type(header["Timestamp"]) is int
    return [
        metric
        for directive in header["CloudWatchMetrics"]
        for metric in _of_directive(directive, line, header["Timestamp"])
    ]


def _of_directive(
    directive: Mapping[str, Any], line: Mapping[str, Any], timestamp: int
) -> list[Metric]:
    assert directive.keys() == {"Namespace", "Dimensions", "Metrics"}
    assert directive["Namespace"] == "Platen"
    assert 1 <= len(directive["Metrics"]) <= MAX_METRICS
    (names,) = directive["Dimensions"]
    assert len(names) <= MAX_DIMENSIONS
    dimensions = {name: line[name] for name in names}
    for value in dimensions.values():
        assert isinstance(value, str)
        assert 1 <= len(value) <= 1024
    return [_metric(declared, dimensions, line, timestamp) for declared in directive["Metrics"]]


def _metric(
    declared: Mapping[str, Any],
    dimensions: Mapping[str, str],
    line: Mapping[str, Any],
    timestamp: int,
) -> Metric:
    assert declared.keys() == {"Name", "Unit"}
    assert declared["Unit"] in UNITS
    values = line[declared["Name"]]
    assert 1 <= len(values) <= MAX_VALUES
    assert all(isinstance(value, float) for value in values)
    return Metric(declared["Name"], declared["Unit"], dimensions, values, timestamp)
