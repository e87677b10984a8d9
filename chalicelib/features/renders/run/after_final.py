"""What follows a render's final state: its limits are settled and its fact is sent."""

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
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits

_NOT_SETTLED: Final = "not settled"


class SettleRender:
    """Repeatable: what is out of the limits stays out."""

    def __init__(self, limits: WorkspaceLimits) -> None:
        """Settle in these."""
        self._limits = limits

    def __call__(self, render: Render) -> None:
        """Settle a final render."""
        assert render.is_final, render.status
        self._limits.settle(
            render.workspace_id, render.id, render.reservation, billed=render.billed
        )


class SettleAndPublish:
    """Does at once what the relay would do when the tick finds the fact; repeatable."""

    def __init__(self, *, settle: SettleRender, events_queue: Queue) -> None:
        """Settle with this, and send facts there."""
        self._settle = settle
        self._events_queue = events_queue
        self._executor = ThreadPoolExecutor(1)

    def __call__(self, render: Render, event: DomainEvent, *, settle: bool = True) -> None:
        """Settle a final render unless its function will, and send its fact.

        Both at once, since a caller waits for both. Where the settling then fails, it is made good
        when the limits are next compared with their renders.
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
        """Settle a final render; where AWS has no room for that, the relay does it later."""
        with tolerate_transient(_NOT_SETTLED):
            self._settle(render)

    def publish(self, event: DomainEvent, *, is_settled: bool = False) -> None:
        """Send a fact; where that fails, the tick does it."""
        message = PublishEvent.of_event(event, settled=is_settled)
        self._events_queue.try_send(message.to_json(), group=event.workspace_id)


class CleanUpRender:
    """Repeatable; whoever finds a render final may do it."""

    def __init__(self, *, settle: SettleRender, bodies: RenderBodies, objects: Objects) -> None:
        """Build from the stores."""
        self._settle = settle
        self._bodies = bodies
        self._objects = objects

    def __call__(self, delivery: EventDelivery) -> Sequence[Write]:
        """Clear up after the render of a final fact; there is nothing to be done once only."""
        if delivery.event.type not in FINAL_EVENT_TYPES:
            return ()
        render = render_of(delivery.subject_row)
        # A canceled render's function may still be running; it gives its place back itself.
        if not delivery.settled and not (
            render.status == "canceled" and render.reservation.has_lease
        ):
            self._settle(render)
        crash_if_armed(CrashPoint.RELAY_SETTLED)
        self.delete_objects(render)
        crash_if_armed(CrashPoint.RELAY_CLEANED_UP)
        return ()

    def delete_objects(self, render: Render) -> None:
        """Remove a final render's body and all objects of attempts that its row does not name."""
        if render.body_key is not None:
            self._bodies.delete(render.body_key)
        named = {key for file in render.files for key in file_object_keys(render, file.key)}
        for key in attempt_object_keys(render):
            if key not in named:
                self._objects.delete(key)


def file_key(render: Render, attempt: int, index: int, extension: str) -> str:
    """Return where an attempt keeps its n-th file; no two attempts write to one place."""
    return f"ws/{render.workspace_id}/files/{render.id}/{attempt}-{index}.{extension}"


def attempt_object_keys(render: Render) -> Iterator[str]:
    """Yield every place at which an attempt of this render may have kept a file."""
    for attempt in range(1, render.attempt + 1):
        for n, extension in enumerate(render.extensions):
            yield from file_object_keys(render, file_key(render, attempt, n, extension))


def file_object_keys(render: Render, key: str) -> tuple[str, ...]:
    """Return the places of a file's bodies: its own, and that of its base64 where it has one."""
    return (key, f"{key}.b64") if render.delivery == "base64" else (key,)
