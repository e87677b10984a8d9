"""Count of ended items: a subscriber to the final events of their renders.

In the transaction of the relay the row of the item gets its final status, and one of several
counter rows counts it: parallel transactions on one counter would conflict.
"""

import datetime as dt
import threading
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, override

from chalicelib.adapters.aws.queues import QueueMessage
from chalicelib.adapters.aws.table import Row, Write
from chalicelib.core import json
from chalicelib.core.clock import Clock
from chalicelib.core.ids import BatchId, WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.features.batches.release.repository import release_item
from chalicelib.features.batches.repository import Batches
from chalicelib.features.events.model import EventDelivery, OutgoingMessage, Subscriber
from chalicelib.features.renders.events import FINAL_EVENT_TYPES
from chalicelib.features.renders.rows import render_of

if TYPE_CHECKING:
    from chalicelib.features.batches.model import BatchKey

# The row of an item is listed with 99 others in one answer.
_MAX_ERROR_CHARS: Final = 8_000
_MAX_MESSAGE_CHARS: Final = 1_000
# A look at the batches of a workspace costs as much as some items.
_WAKE_INTERVAL: Final = dt.timedelta(seconds=0.5)
_DELAY: Final = dt.timedelta(seconds=1)
# A queue may deliver that much earlier.
_DELAY_MARGIN: Final = dt.timedelta(seconds=0.2)
_MAX_KNOWN: Final = 1_000


class CountBatchItem(Subscriber):
    """Subscriber that ends the items of batches with their renders, and wakes the releaser."""

    types = FINAL_EVENT_TYPES

    def __init__(self, batches: Batches, clock: Clock) -> None:
        """Count in `batches`."""
        self._batches = batches
        self._wakes = _Wakes(clock)

    @override
    def writes(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, object]
    ) -> Sequence[Write]:
        """Return the writes that end items, and count them."""
        items: list[Write] = []
        counts: defaultdict[tuple[BatchKey, int], Counter[str]] = defaultdict(Counter)
        for delivery in deliveries:
            if not _is_item(delivery.subject_row):
                continue
            render = render_of(delivery.subject_row)
            assert render.batch_id is not None
            assert render.batch_index is not None
            batch = render.workspace_id, BatchId(render.batch_id)
            error = None if render.error is None else _error_json(render.error)
            items.append(
                self._batches.item_end(batch, render.batch_index, render.id, render.status, error)
            )
            counts[batch, render.batch_run][render.status] += 1
        # The row does not matter: the events are published once, together with these writes.
        number = ord(deliveries[0].event.id[-1])
        return [
            *items,
            *(
                self._batches.increment(batch, run, more, number)
                for (batch, run), more in counts.items()
            ),
        ]

    @override
    def follow_up(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, object]
    ) -> Sequence[OutgoingMessage]:
        """Return the message that wakes the releaser of the workspace."""
        if not any(_is_item(delivery.subject_row) for delivery in deliveries):
            return ()
        message = self._wakes.next_message(deliveries[0].event.workspace_id)
        return [] if message is None else [OutgoingMessage("batches", message)]


class _Wake(NamedTuple):
    """Times of the last messages to a releaser: of the one sent at once, and of the delayed one.

    Without a delayed message `arrives_at` lies in the past.
    """

    sent_at: dt.datetime
    arrives_at: dt.datetime


class _Wakes:
    """Limiter of messages to releasers: at least one arrives after each end of an item.

    It counts the messages of this process only. Safe for use from all threads.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last: dict[WorkspaceId, _Wake] = {}

    def next_message(self, workspace_id: WorkspaceId) -> QueueMessage | None:
        """Return the message for an item that has just ended.

        It is delayed if another was sent just now, and None if a delayed one has yet to arrive.
        """
        item, now = release_item(workspace_id), self._clock.now()
        with self._lock:
            last = self._last.get(workspace_id)
            if last is None or now >= last.sent_at + _WAKE_INTERVAL:
                if len(self._last) >= _MAX_KNOWN:
                    self._last.clear()
                self._last[workspace_id] = _Wake(now, now if last is None else last.arrives_at)
                return QueueMessage(item.to_json(), item.group)
            if now < last.arrives_at - _DELAY_MARGIN:
                return None
            self._last[workspace_id] = last._replace(arrives_at=now + _DELAY)
            return QueueMessage(item.to_json(), item.group, _DELAY)


def _is_item(row: Row) -> bool:
    return row.get("batch_id") is not None


def _error_json(error: JsonObject) -> str:
    text = json.dumps(error)
    if len(text) <= _MAX_ERROR_CHARS:
        return text
    return json.dumps(
        {"code": error["code"], "message": str(error["message"])[:_MAX_MESSAGE_CHARS]}
    )
