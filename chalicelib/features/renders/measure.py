"""Measure renders: how each one ended and what it took, when the fact of its end is told.

So each render is measured once, whoever ended it, from what its row says, and nobody waits for it.
"""

import datetime as dt
from collections.abc import Iterator
from typing import Final

from chalicelib.adapters.metrics import Metrics, Values
from chalicelib.core.clock import parse_rfc3339
from chalicelib.features.facts.model import Heard
from chalicelib.features.renders.facts import FINAL_FACTS
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import render_of

_STAGES: Final = {
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
    """An observer of what the relay has told."""

    def __init__(self, metrics: Metrics) -> None:
        """Write to these."""
        self._metrics = metrics

    def __call__(self, heard: Heard, told_at: dt.datetime) -> None:
        """Write one line: how long the fact was under way and, at a render's end, all of it."""
        created = parse_rfc3339(heard.fact.created_at)
        lag_ms = (told_at - created) / dt.timedelta(milliseconds=1)
        measured = [Values("Milliseconds", {"FactLag": lag_ms})]
        if heard.fact.type in FINAL_FACTS:
            measured += _of_render(render_of(heard.row))
        self._metrics.write(*measured, at=created)


def _of_render(render: Render) -> Iterator[Values]:
    yield Values("Count", {"Renders": 1}, {"status": render.status})
    if render.error is not None:
        yield Values("Count", {"Failures": 1}, {"code": render.error["code"]})
    if render.attempt:
        yield Values("Count", {"Attempts": render.attempt})
    timings = render.timings or {}
    stages = {metric: timings[name] for name, metric in _STAGES.items() if name in timings}
    if stages:
        yield Values("Milliseconds", stages)
