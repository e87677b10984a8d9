"""Advance of a batch: events of its progress, and its end once all its items have ended."""

import datetime as dt
import logging
from collections.abc import Callable, Sequence
from copy import replace
from typing import Final

from chalicelib.adapters.aws.table import Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import BatchId, RenderId
from chalicelib.core.json import JsonObject
from chalicelib.features.batches.events import completed_event, pause_event, progress_events
from chalicelib.features.batches.model import (
    PROGRESS_STEPS,
    Batch,
    BatchKey,
    BatchStatus,
    Counted,
    ItemCounts,
    counts_of,
)
from chalicelib.features.batches.present import stored_file
from chalicelib.features.batches.reconcile_holds import ReconcileBatchHolds
from chalicelib.features.batches.stores import BatchStores
from chalicelib.features.events.model import DomainEvent
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.files.repository import FileOwner, Files
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.end import EndRender
from chalicelib.features.renders.run.final_row import retention

log = logging.getLogger(__name__)

# Looks come with each end of another batch's items.
_SENT_AGAIN_AFTER: Final = dt.timedelta(seconds=20)
_MAX_KNOWN: Final = 1_000


class AdvanceBatch:
    """Claims of a batch's tenths, its pause and its end; each has its event once."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        stores: BatchStores,
        outbox: EventOutbox,
        publish: Callable[[DomainEvent], None],
        renders: Renders,
        end: EndRender,
        holds: ReconcileBatchHolds,
        files: Files,
        send_combine: Callable[[BatchKey], None],
        on_miscount: Callable[[], None],
        clock: Clock,
    ) -> None:
        """Build from the stores; `publish` sends an event, `send_combine` a message.

        `on_miscount` is called when a batch cannot end, because its counters are wrong.
        """
        self._stores = stores
        self._outbox = outbox
        self._publish = publish
        self._renders = renders
        self._end = end
        self._holds = holds
        self._files = files
        self._send_combine = send_combine
        self._on_miscount = on_miscount
        self._combine_sent: dict[BatchId, dt.datetime] = {}
        self._clock = clock

    def __call__(self, batch: Batch, counted: Counted) -> Batch:
        """Return the batch after all changes that its counters allow.

        Raises ConditionFailed if the batch has changed since it was read.
        """
        if batch.cancel_requested_at is not None:
            batch = self._sweep(batch)
        else:
            batch = self._report(batch, counts_of(batch, counted))
        if not batch.is_released or batch.released != counted.ended:
            return batch
        counts = batch.counts
        if counts is None:
            self._holds.remove_all(batch)
            counts = self._recount(batch)
        # Of a canceled batch the rows are believed: nothing is in flight any more.
        if counts != counts_of(batch, counted) and batch.cancel_requested_at is None:
            log.error(
                "the counters differ from the items",
                extra={"batch": batch.id, "rows": counts, "counters": counted},
            )
            self._on_miscount()
            return batch
        if not batch.combine.kinds or not counts.succeeded or batch.cancel_requested_at:
            return self.finish(batch, counts)
        return self._combine(batch, counts)

    def pause(self, batch: Batch, counted: Counted) -> Batch:
        """Pause a batch because its workspace has no renders left."""
        if batch.paused_since is not None:
            return batch
        at = format_rfc3339(self._clock.now())
        paused = replace(batch, paused_since=at, pauses=batch.pauses + 1)
        event = pause_event(paused, counts_of(batch, counted), at)
        self._commit(batch, paused, [event])
        crash_if_armed(CrashPoint.BATCH_PAUSED)
        log.info("batch paused", extra={"batch": batch.id})
        return paused

    def fail(self, batch: Batch) -> Batch:
        """End a batch that has an error, and no items."""
        return self.finish(replace(batch, error=None), ItemCounts(), error=batch.error)

    def finish(self, batch: Batch, counts: ItemCounts, *, error: JsonObject | None = None) -> Batch:
        """End a batch whose items have all ended; one with an `error` fails."""
        now = self._clock.now()
        at = format_rfc3339(now)
        status: BatchStatus = "completed" if error is None else "failed"
        if batch.cancel_requested_at is not None:
            left = batch.total - counts.succeeded - counts.failed
            status, counts = "canceled", counts._replace(canceled=left)
        ended = replace(
            batch,
            status=status,
            counts=counts,
            error=error,
            paused_since=None,
            completed_at=at,
            data_until=format_rfc3339(now + _data_retention(batch)),
        )
        event = completed_event(ended, counts, at)
        owner = FileOwner(batch.workspace_id, RenderId(batch.id))
        # One by one: each record is due by itself.
        records = [
            write
            for file in ended.files
            for write in self._files.creations([stored_file(file)], owner)
        ]
        # One with combined files stays active until what is left of making them is removed.
        others = [] if batch.combine.kinds else [self._stores.batches.deactivation(ended)]
        self._commit(batch, ended, [event], *others, *records)
        crash_if_armed(CrashPoint.BATCH_ENDED)
        log.info("batch ended", extra={"batch": batch.id, "status": status})
        return ended

    def _combine(self, batch: Batch, counts: ItemCounts) -> Batch:
        """Have the combined files made; their function ends the batch."""
        waiting = batch
        if batch.counts is None:
            waiting = replace(batch, counts=counts)
            self._commit(batch, waiting, [])
            crash_if_armed(CrashPoint.BATCH_COMBINING)
        self.ask_for_combining(batch)
        return waiting

    def ask_for_combining(self, batch: Batch) -> None:
        """Send a message to the function that combines, unless one was sent just now."""
        now = self._clock.now()
        sent_at = self._combine_sent.get(batch.id)
        if sent_at is not None and now < sent_at + _SENT_AGAIN_AFTER:
            return
        if len(self._combine_sent) >= _MAX_KNOWN:
            self._combine_sent.clear()
        self._combine_sent[batch.id] = now
        self._send_combine(batch.key)

    def _report(self, batch: Batch, counts: ItemCounts) -> Batch:
        """Claim the tenths that were reached, with their events."""
        reached = counts.total * PROGRESS_STEPS // batch.total if batch.total else 0
        if reached <= batch.progress:
            return batch
        after = replace(batch, progress=reached)
        at = format_rfc3339(self._clock.now())
        self._commit(batch, after, progress_events(batch, after, counts, at))
        crash_if_armed(CrashPoint.BATCH_PROGRESSED)
        return after

    def _sweep(self, batch: Batch) -> Batch:
        """Cancel the queued items of a canceled batch; those in flight finish."""
        if batch.is_swept:
            return batch
        for item in self._stores.batches.items(batch, 0, batch.next_index, statuses=("queued",)):
            assert item.render_id is not None, item.index
            render = self._renders.get(batch.workspace_id, item.render_id)
            if render is not None and render.status == "queued":
                self._end.cancel_queued(render)
                crash_if_armed(CrashPoint.BATCH_ITEM_CANCELED)
        swept = replace(batch, is_swept=True)
        self._commit(batch, swept, [])
        return swept

    def _recount(self, batch: Batch) -> ItemCounts:
        """Return the counts of the item rows."""
        counts = dict.fromkeys(ItemCounts._fields, 0)
        for item in self._stores.batches.items(batch, 0, batch.total):
            status = item.status_in(batch)
            if status in counts:
                counts[status] += 1
        return ItemCounts(**counts)

    def _commit(
        self, before: Batch, after: Batch, events: Sequence[DomainEvent], *others: Write
    ) -> None:
        if events:
            after = replace(after, last_event_at=events[-1].created_at)
        change = self._stores.batches.change(before, after)
        self._stores.table.transact([change, *map(self._outbox.creation, events), *others])
        for event in events:
            self._publish(event)


def _data_retention(batch: Batch) -> dt.timedelta:
    """Return how long the data of a batch are kept after its end, for a retry."""
    if batch.zero_retention:
        return dt.timedelta(0)
    return retention(test=batch.test, days=batch.retention_days)
