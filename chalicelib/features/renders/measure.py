"""Metrics of renders, written when the event of their end is published.

Each render is measured once, from its row, regardless of where it ended. No caller waits for it.
"""

import datetime as dt
from collections.abc import Iterator
from typing import Final

from chalicelib.adapters.metrics import Metrics, MetricValues
from chalicelib.core.clock import parse_rfc3339
from chalicelib.features.events.model import EventDelivery
from chalicelib.features.renders.events import FINAL_EVENT_TYPES
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import render_of

_STAGE_METRICS: Final = {
    "queue_ms": "QueueWait",
    "template_ms": "TemplateStage",
    "load_ms": "LoadStage",
    "print_ms": "PrintStage",
    "finish_ms": "FinishStage",
    "validate_ms": "ValidateStage",
    "store_ms": "StoreStage",
    "total_ms": "Total",
}


class MeasureRender:
    """Observer of published events."""

    def __init__(self, metrics: Metrics) -> None:
        """Write to `metrics`."""
        self._metrics = metrics

    def __call__(self, delivery: EventDelivery, published_at: dt.datetime) -> None:
        """Write one log line: the lag of the event and, for a final render, its values."""
        created_at = parse_rfc3339(delivery.event.created_at)
        lag_ms = (published_at - created_at) / dt.timedelta(milliseconds=1)
        values = [MetricValues("Milliseconds", {"EventLag": lag_ms})]
        if delivery.event.type in FINAL_EVENT_TYPES:
            values += _render_values(render_of(delivery.subject_row))
        self._metrics.write(*values, at=created_at)


def _render_values(render: Render) -> Iterator[MetricValues]:
    yield MetricValues("Count", {"Renders": 1}, {"status": render.status})
    if render.error is not None:
        yield MetricValues("Count", {"Failures": 1}, {"code": str(render.error["code"])})
    if render.attempt:
        yield MetricValues("Count", {"Attempts": render.attempt})
    timings = render.timings or {}
    stages = {metric: timings[name] for name, metric in _STAGE_METRICS.items() if name in timings}
    if stages:
        yield MetricValues("Milliseconds", stages)
