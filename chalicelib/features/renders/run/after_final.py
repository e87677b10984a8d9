"""Follow-up of a final render: settle its limits, publish its event, clean up."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final, override

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import Queue, QueueMessage
from chalicelib.adapters.aws.table import Row, Write
from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.engine.emails.model import contents_key
from chalicelib.features.events.model import (
    DomainEvent,
    EventDelivery,
    OutgoingMessage,
    PublishEvent,
    Subscriber,
)
from chalicelib.features.events.relay import crash_for_each
from chalicelib.features.renders.events import FINAL_EVENT_TYPES
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import render_of
from chalicelib.features.renders.run.bodies import is_shared
from chalicelib.features.workspaces.limits.ended_holds import EndedHolds
from chalicelib.features.workspaces.limits.model import NOTHING, EndedHold, Hold, due_limits
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits

_NOT_SETTLED: Final = "a final render is not settled"
# A thread starts when it is needed; one slow queue call must not hold up other renders.
_MAX_SENDINGS: Final = 32


class SettleRender:
    """Settlement of final renders in the limits of their workspaces; idempotent."""

    def __init__(self, limits: WorkspaceLimits) -> None:
        """Settle in `limits`."""
        self._limits = limits

    def __call__(self, renders: Sequence[Render]) -> bool:
        """Settle final renders of one workspace; tell whether a usage threshold was reached.

        Of those that the relay settles only the leases are released.
        """
        ended = []
        for render in renders:
            assert render.is_final, render.status
            source, has_lease, is_settled_by_relay = render.reservation
            if not is_settled_by_relay:
                ended.append(EndedHold(render.id, Hold(source), render.billed))
            elif has_lease:
                self._limits.release(render.workspace_id, render.id)
        return bool(ended) and self._limits.settle(renders[0].workspace_id, ended)


class SettleAndPublish:
    """Settlement and event sending right after the final state; idempotent.

    The relay does the same later if this process dies (decision 9).
    """

    def __init__(self, *, settle: SettleRender, events_queue: Queue) -> None:
        """Settle with `settle` and send events to `events_queue`."""
        self._settle = settle
        self._events_queue = events_queue
        self._executor = ThreadPoolExecutor(_MAX_SENDINGS)

    def __call__(self, render: Render, event: DomainEvent, *, settle: bool = True) -> None:
        """Send the event and settle the render; with `settle` False its own function settles it.

        Both run in parallel, since a caller waits for both. A failed settlement is made up for by
        the reconciliation of the limits (decision 2).
        """
        if not settle:
            self.publish(event)
            crash_if_armed(CrashPoint.RENDER_EVENT_SENT)
            return
        sending = self._executor.submit(copy_context().run, self.publish, event, is_settled=True)
        has_reached_threshold = self.settle(render)
        crash_if_armed(CrashPoint.RENDER_SETTLED)
        sending.result()
        crash_if_armed(CrashPoint.RENDER_EVENT_SENT)
        if has_reached_threshold:
            # Again, since the settlement was not waited for: this message says what it found.
            self.publish(event, is_settled=True, are_limits_due=True)
            crash_if_armed(CrashPoint.THRESHOLD_REPORTED)

    def settle(self, render: Render) -> bool:
        """Settle a final render; tell whether that reached a usage threshold.

        After a transient error the relay does it later.
        """
        has_reached_threshold = False
        with tolerate_transient(_NOT_SETTLED):
            has_reached_threshold = self._settle([render])
        return has_reached_threshold  # noqa: RET504 -- False after a transient error

    def publish(
        self, event: DomainEvent, *, is_settled: bool = False, are_limits_due: bool = False
    ) -> None:
        """Send an event; if that fails, the tick sends it."""
        message = PublishEvent.of_event(event, settled=is_settled, limits_due=are_limits_due)
        self._events_queue.try_send(message.to_json(), group=event.workspace_id)


class CleanUpRender(Subscriber):
    """Subscriber of final events that settles renders and cleans up after them."""

    types = FINAL_EVENT_TYPES

    def __init__(self, *, settle: SettleRender, objects: Objects) -> None:
        """Build from the stores."""
        self._settle = settle
        self._objects = objects

    @override
    def prepare(self, deliveries: Sequence[EventDelivery]) -> Mapping[str, object]:
        """Settle the renders of final events, and delete objects that nobody needs any more."""
        renders = [render_of(delivery.subject_row) for delivery in deliveries]
        self._settle(
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
        self._objects.delete_many([key for render in renders for key in _leftover_keys(render)])


def _leftover_keys(render: Render) -> Iterator[str]:
    if render.body_key is not None and not is_shared(render.body_key):
        yield render.body_key
    named = {key for file in render.files for key in file_object_keys(render, file.key)}
    if render.status == "succeeded":
        named.add(contents_key(render.workspace_id, render.id))
    for key in attempt_object_keys(render):
        if key not in named:
            yield key


class CountEndedHold(Subscriber):
    """Subscriber of final events that counts the holds of rows (decision 2)."""

    types = FINAL_EVENT_TYPES

    def __init__(self, *, ended: EndedHolds, limits: WorkspaceLimits) -> None:
        """Count in `ended` and fold the totals into `limits`."""
        self._ended = ended
        self._limits = limits

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
        return self._ended.increments(event.workspace_id, event.id, ended)

    @override
    def follow_up(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, object]
    ) -> Sequence[OutgoingMessage]:
        """Fold the counted holds; if a usage threshold is reached, tell maintenance at once."""
        workspace_id = deliveries[0].event.workspace_id
        rows = [delivery.subject_row for delivery in deliveries]
        sources = sorted({row["hold"] for row in rows if _is_counted(row)})
        reached = [self._limits.fold(workspace_id, source) for source in sources]
        crash_for_each(CrashPoint.RELAY_FOLDED, deliveries)
        if not any(reached) and not any(delivery.limits_due for delivery in deliveries):
            return ()
        limits = due_limits(workspace_id)
        return [OutgoingMessage("maintenance", QueueMessage(limits.to_json(), limits.group))]


def _is_counted(row: Row) -> bool:
    return bool(row["relay_settles"]) and row["hold"] != NOTHING


def file_key(render: Render, attempt: int, index: int, extension: str) -> str:
    """Return the object key of an attempt's file; keys of two attempts never collide."""
    return f"{files_folder(render)}{attempt}-{index}.{extension}"


def files_folder(render: Render) -> str:
    """Return the common prefix of the object keys of a render's files."""
    return f"ws/{render.workspace_id}/files/{render.id}/"


def attempt_object_keys(render: Render) -> Iterator[str]:
    """Yield the object keys at which attempts of a render may have stored files."""
    for attempt in range(1, render.attempt + 1):
        formats = render.announced.get(str(attempt), render.requested_formats)
        for n, format_ in enumerate(formats):
            yield from file_object_keys(render, file_key(render, attempt, n, format_))
    if render.email_count:
        yield contents_key(render.workspace_id, render.id)


def file_object_keys(render: Render, key: str) -> tuple[str, ...]:
    """Return the object keys of a file: its own and, with delivery `base64`, its base64 copy's."""
    return (key, f"{key}.b64") if render.delivery == "base64" else (key,)
