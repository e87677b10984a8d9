"""Follow-up of a final render: settle its limits, publish its event."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final

import msgspec

from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.features.events.model import DomainEvent, PublishEvent
from chalicelib.features.renders.model import Render
from chalicelib.features.workspaces.limits.model import EndedHold, Hold
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits

_NOT_SETTLED: Final = "a final render is not settled"
# A thread starts when it is needed; one slow queue call must not hold up other renders.
_MAX_SENDINGS: Final = 32


class SettleRender(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Settlement of final renders in the limits of their workspaces; idempotent."""

    limits: WorkspaceLimits

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
                self.limits.release(render.workspace_id, render.id)
        return bool(ended) and self.limits.settle(renders[0].workspace_id, ended)


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
