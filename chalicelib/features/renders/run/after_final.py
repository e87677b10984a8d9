"""Follow-up of a final render: settle its limits, publish its event, clean up."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.table import Write
from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.features.events.model import DomainEvent, EventDelivery, PublishEvent
from chalicelib.features.renders.events import FINAL_EVENT_TYPES
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import render_of
from chalicelib.features.renders.run.bodies import RenderBodies
from chalicelib.features.workspaces.limits.ended_holds import EndedHolds
from chalicelib.features.workspaces.limits.model import NOTHING, EndedHold, Hold
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits

_NOT_SETTLED: Final = "a final render is not settled"


class SettleRender:
    """Settlement of final renders in the limits of their workspaces; idempotent."""

    def __init__(self, limits: WorkspaceLimits) -> None:
        """Settle in `limits`."""
        self._limits = limits

    def __call__(self, render: Render) -> None:
        """Settle a final render; of one that the relay settles only the lease is released."""
        assert render.is_final, render.status
        source, has_lease, is_settled_by_relay = render.reservation
        if not is_settled_by_relay:
            ended = EndedHold(render.id, Hold(source), render.billed)
            self._limits.settle(render.workspace_id, [ended])
        elif has_lease:
            self._limits.release(render.workspace_id, render.id)


class SettleAndPublish:
    """Settlement and event sending right after the final state; idempotent.

    The relay does the same later if this process dies (decision 9).
    """

    def __init__(self, *, settle: SettleRender, events_queue: Queue) -> None:
        """Settle with `settle` and send events to `events_queue`."""
        self._settle = settle
        self._events_queue = events_queue
        self._executor = ThreadPoolExecutor(1)

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
        with tolerate_transient(_NOT_SETTLED):
            self._settle(render)
            crash_if_armed(CrashPoint.RENDER_SETTLED)
        sending.result()
        crash_if_armed(CrashPoint.RENDER_EVENT_SENT)

    def settle(self, render: Render) -> None:
        """Settle a final render; after a transient error the relay does it later."""
        with tolerate_transient(_NOT_SETTLED):
            self._settle(render)

    def publish(self, event: DomainEvent, *, is_settled: bool = False) -> None:
        """Send an event; if that fails, the tick sends it."""
        message = PublishEvent.of_event(event, settled=is_settled)
        self._events_queue.try_send(message.to_json(), group=event.workspace_id)


class CleanUpRender:
    """Subscriber of final events that cleans up after renders; idempotent."""

    def __init__(self, *, settle: SettleRender, bodies: RenderBodies, objects: Objects) -> None:
        """Build from the stores."""
        self._settle = settle
        self._bodies = bodies
        self._objects = objects

    def __call__(self, delivery: EventDelivery) -> Sequence[Write]:
        """Settle and clean up the render of a final event; return no writes."""
        if delivery.event.type not in FINAL_EVENT_TYPES:
            return ()
        render = render_of(delivery.subject_row)
        # The function of a canceled render may still run; it releases its lease itself.
        if not delivery.settled and not (
            render.status == "canceled" and render.reservation.has_lease
        ):
            self._settle(render)
        crash_if_armed(CrashPoint.RELAY_SETTLED)
        self.delete_objects(render)
        crash_if_armed(CrashPoint.RELAY_CLEANED_UP)
        return ()

    def delete_objects(self, render: Render) -> None:
        """Delete a final render's body and all objects of attempts that its row does not name."""
        if render.body_key is not None:
            self._bodies.delete(render.body_key)
        named = {key for file in render.files for key in file_object_keys(render, file.key)}
        for key in attempt_object_keys(render):
            if key not in named:
                self._objects.delete(key)


class CountEndedHold:
    """Subscriber of final events that counts the holds of rows (decision 2)."""

    def __init__(self, *, ended: EndedHolds, limits: WorkspaceLimits) -> None:
        """Count in `ended` and fold the totals into `limits`."""
        self._ended = ended
        self._limits = limits

    def __call__(self, delivery: EventDelivery) -> Sequence[Write]:
        """Return the writes that count the hold of a final render, if its row has it."""
        if not _is_counted(delivery):
            return ()
        row = delivery.subject_row
        ended = (Hold(row["hold"]), bool(row["billed"]))
        return self._ended.increments(delivery.event.workspace_id, delivery.event.id, [ended])

    def fold(self, delivery: EventDelivery) -> None:
        """Fold what was counted; after a failure the event's message comes again."""
        if _is_counted(delivery):
            self._limits.fold(delivery.event.workspace_id, delivery.subject_row["hold"])
            crash_if_armed(CrashPoint.RELAY_FOLDED)


def _is_counted(delivery: EventDelivery) -> bool:
    row = delivery.subject_row
    is_final = delivery.event.type in FINAL_EVENT_TYPES
    return is_final and row["relay_settles"] and row["hold"] != NOTHING


def file_key(render: Render, attempt: int, index: int, extension: str) -> str:
    """Return the object key of an attempt's file; keys of two attempts never collide."""
    return f"ws/{render.workspace_id}/files/{render.id}/{attempt}-{index}.{extension}"


def attempt_object_keys(render: Render) -> Iterator[str]:
    """Yield the object keys at which attempts of a render may have stored files."""
    for attempt in range(1, render.attempt + 1):
        for n, extension in enumerate(render.extensions):
            yield from file_object_keys(render, file_key(render, attempt, n, extension))


def file_object_keys(render: Render, key: str) -> tuple[str, ...]:
    """Return the object keys of a file: its own and, with delivery `base64`, its base64 copy's."""
    return (key, f"{key}.b64") if render.delivery == "base64" else (key,)
