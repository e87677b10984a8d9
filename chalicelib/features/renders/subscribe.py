"""Subscribers of final renders: metrics, clean-up, and the count of ended holds."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, override

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import QueueMessage
from chalicelib.adapters.aws.table import Row, Write
from chalicelib.adapters.metrics import Metrics, MetricValues
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.crash_points import CrashPoint
from chalicelib.engine.delivery.emails import contents_key
from chalicelib.features.events.model import EventDelivery, OutgoingMessage, Subscriber
from chalicelib.features.events.relay import crash_for_each
from chalicelib.features.renders.events import FINAL_EVENT_TYPES
from chalicelib.features.renders.file_keys import answer_key, attempt_object_keys
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import render_of
from chalicelib.features.renders.run.settle import SettleRender
from chalicelib.features.workspaces.limits.ended_holds.repository import EndedHolds
from chalicelib.features.workspaces.limits.model import NOTHING, Hold, due_limits
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits

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


class MeasureRender(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Observer of published events, which writes the metrics of renders.

    Each render is measured once, from its row, regardless of where it ended. No caller waits for
    it.
    """

    metrics: Metrics

    def __call__(self, delivery: EventDelivery, published_at: dt.datetime) -> None:
        """Write one log line: the lag of the event and, for a final render, its values."""
        created_at = parse_rfc3339(delivery.event.created_at)
        lag_ms = (published_at - created_at) / dt.timedelta(milliseconds=1)
        values = [MetricValues("Milliseconds", {"EventLag": lag_ms})]
        if delivery.event.type in FINAL_EVENT_TYPES:
            values += _render_values(render_of(delivery.subject_row))
        self.metrics.write(*values, at=created_at)


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


class CleanUpRender(Subscriber, msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Subscriber of final events that settles renders and cleans up after them."""

    types = FINAL_EVENT_TYPES

    settle: SettleRender
    objects: Objects

    @override
    def prepare(self, deliveries: Sequence[EventDelivery]) -> Mapping[str, object]:
        """Settle the renders of final events, and delete objects that nobody needs any more."""
        renders = [render_of(delivery.subject_row) for delivery in deliveries]
        self.settle(
            [
                render
                for render, delivery in zip(renders, deliveries, strict=True)
                # The function of a canceled render may still run; it releases its lease itself.
                if not delivery.settled
                and not (render.status == "canceled" and render.reservation.has_lease)
            ]
        )
        crash_for_each(CrashPoint.RELAY_SETTLED, deliveries)
        self.delete_objects(renders)
        crash_for_each(CrashPoint.RELAY_CLEANED_UP, deliveries)
        return {}

    def delete_objects(self, renders: Sequence[Render]) -> None:
        """Delete the bodies of final renders and objects of attempts that no row names."""
        self.objects.delete_many([key for render in renders for key in _leftover_keys(render)])


def _leftover_keys(render: Render) -> Iterator[str]:
    if render.body_key is not None and not render.body_key.is_shared:
        yield render.body_key.object_key
    named = {file.key for file in render.files}
    if render.status == "succeeded":
        named |= {contents_key(render.workspace_id, render.id), answer_key(render)}
    for key in attempt_object_keys(render):
        if key not in named:
            yield key


class CountEndedHold(Subscriber, msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Subscriber of final events that counts the holds of rows (decision 2)."""

    types = FINAL_EVENT_TYPES

    ended: EndedHolds
    limits: WorkspaceLimits

    @override
    def writes(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, object]
    ) -> Sequence[Write]:
        """Return the writes that count the holds of final renders that their rows have."""
        counted = [delivery for delivery in deliveries if _is_counted(delivery.subject_row)]
        if not counted:
            return ()
        rows = [delivery.subject_row for delivery in counted]
        ended = [(Hold(row["hold"]), bool(row["billed"])) for row in rows]
        event = counted[0].event
        return self.ended.increments(event.workspace_id, event.id, ended)

    @override
    def follow_up(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, object]
    ) -> Sequence[OutgoingMessage]:
        """Fold the counted holds; if a usage threshold is reached, tell maintenance at once."""
        workspace_id = deliveries[0].event.workspace_id
        rows = [delivery.subject_row for delivery in deliveries]
        sources = sorted({row["hold"] for row in rows if _is_counted(row)})
        reached = [self.limits.fold(workspace_id, source) for source in sources]
        crash_for_each(CrashPoint.RELAY_FOLDED, deliveries)
        if not any(reached) and not any(delivery.limits_due for delivery in deliveries):
            return ()
        limits = due_limits(workspace_id)
        return [OutgoingMessage("maintenance", QueueMessage(limits.to_json(), limits.group))]


def _is_counted(row: Row) -> bool:
    return bool(row["relay_settles"]) and row["hold"] != NOTHING
