"""One step of the release of a batch: up to 25 of its items become renders in one transaction.

The batch is part of the transaction, and its number of steps fences it. In flight are the items
that were released and have not ended, over all batches of the workspace.
"""

import datetime as dt
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import replace
from typing import Final, NamedTuple

from chalicelib.adapters.aws.queues import Queue, QueueMessage
from chalicelib.adapters.aws.table import Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import BatchId, RenderId, derived_id
from chalicelib.core.json import JsonObject
from chalicelib.features.batches.bodies import BatchTemplate, ChunkMap, chunk_key, with_names
from chalicelib.features.batches.model import Batch, BatchItem
from chalicelib.features.batches.release.repository import ReleaserLease
from chalicelib.features.batches.stores import BatchStores
from chalicelib.features.renders.model import BodyKey, Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.enqueue import DUE_AFTER
from chalicelib.features.renders.run.protocol import QueuedRender
from chalicelib.features.workspaces.limits.model import NOTHING, EndedHold, Holder, Reservation
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.limits.request_rate import RateOfTestRenders
from chalicelib.features.workspaces.model import Workspace

log = logging.getLogger(__name__)

# With their renders, the batch and the lease they fit into one transaction.
STEP: Final = 25
_MAX_KNOWN: Final = 64


class NoRendersLeftError(Exception):
    """The workspace has no renders left."""


class Step(NamedTuple):
    """Items of a step: those to render, those that are bad, and where the next step begins."""

    good: Sequence[tuple[BatchItem, Render]]
    bad: Sequence[BatchItem]
    next_index: int

    @property
    def total(self) -> int:
        """Return the number of items."""
        return len(self.good) + len(self.bad)


class StepResult(NamedTuple):
    """Batch after a step, and its renders; with `is_paced` the rate allows no more."""

    batch: Batch
    renders: int
    is_paced: bool = False


class ReleaseStep:
    """Release of the next items of one batch."""

    def __init__(
        self,
        *,
        stores: BatchStores,
        renders: Renders,
        limits: WorkspaceLimits,
        test_rate: RateOfTestRenders,
        queue: Callable[[], Queue],
        clock: Clock,
    ) -> None:
        """Build from the stores; the renders go to `queue`."""
        self._stores = stores
        self._renders = renders
        self._limits = limits
        self._test_rate = test_rate
        self._queue = queue
        self._clock = clock
        self._chunks: dict[BatchId, ChunkMap] = {}

    def __call__(
        self, lease: ReleaserLease, workspace: Workspace, batch: Batch, room: int
    ) -> StepResult:
        """Release up to `room` renders; bad items end at once and take no room.

        Raises NoRendersLeftError, and ConditionFailed if the batch or the lease has changed.
        """
        now = self._clock.now()
        step = self._plan(batch, min(room, STEP))
        step, reservation = self._reserve(workspace, batch, step, now)
        if not step.total and step.next_index == batch.next_index:
            return StepResult(batch, 0, is_paced=True)
        crash_if_armed(CrashPoint.BATCH_RESERVED)
        good = [(item, replace(render, reservation=reservation)) for item, render in step.good]
        after = replace(
            batch,
            status="processing",
            next_index=step.next_index,
            released=batch.released + step.total,
            steps=batch.steps + 1,
            paused_since=None,
        )
        self._stores.table.transact(self._writes(lease, batch, after, step._replace(good=good)))
        crash_if_armed(CrashPoint.BATCH_RELEASED)
        if reservation.source != NOTHING:
            self._limits.confirm(workspace.id, [holder_id(batch)])
        renders = [render for _, render in good]
        self._queue().send_all(
            [QueueMessage(_message(render), render.workspace_id) for render in renders]
        )
        crash_if_armed(CrashPoint.BATCH_ENQUEUED)
        log.info("items released", extra={"batch": batch.id, "renders": len(renders)})
        return StepResult(after, len(renders))

    def _plan(self, batch: Batch, room: int) -> Step:
        """Return the next items; `next_index` is the total when the run has no more."""
        template, chunks = self._stores.bodies.template(*batch.key), self._chunks_of(batch)
        assert template is not None, f"the template of {batch.id} is gone"
        good: list[tuple[BatchItem, Render]] = []
        bad: list[BatchItem] = []
        next_index, chunk = batch.next_index, None
        for index, earlier in self._candidates(batch):
            if len(good) == room or len(good) + len(bad) == STEP:
                return Step(good, bad, index)
            number, line = chunks.locate(index)
            if chunk is None or not chunk.has(index):
                chunk = self._stores.bodies.chunk(*batch.key, number)
                assert chunk is not None, f"chunk {number} of {batch.id} is gone"
            body_key = BodyKey(chunk_key(*batch.key, number), line)
            item, render = self._item(batch, template, (index, body_key), chunk.item(line))
            if earlier is not None:
                item = replace(item, previous_render_id=earlier.render_id)
            if render is None:
                bad.append(item)
            else:
                good.append((item, render))
            next_index = index + 1
        return Step(good, bad, max(next_index, batch.total))

    def _candidates(self, batch: Batch) -> Iterator[tuple[int, BatchItem | None]]:
        """Yield the indexes that the run has not released yet, with the item's last end."""
        if batch.run == 1:
            yield from ((index, None) for index in range(batch.next_index, batch.total))
            return
        for item in self._stores.batches.items(
            batch, batch.next_index, batch.total, statuses=("failed",)
        ):
            if item.run < batch.run:
                yield item.index, item

    def _chunks_of(self, batch: Batch) -> ChunkMap:
        known = self._chunks.get(batch.id)
        if known is None:
            if len(self._chunks) >= _MAX_KNOWN:
                self._chunks.clear()
            known = self._chunks[batch.id] = self._stores.batches.chunks(batch)
        return known

    def _item(
        self,
        batch: Batch,
        template: BatchTemplate,
        index_and_body: tuple[int, BodyKey],
        fields: JsonObject,
    ) -> tuple[BatchItem, Render | None]:
        (index, body_key), error = index_and_body, fields.get("error")
        item = with_names(BatchItem(index=index, status="queued", run=batch.run), fields)
        if isinstance(error, Mapping):
            return replace(item, status="failed", error=error), None
        now = self._clock.now()
        render_id = RenderId(derived_id("rnd", now, batch.id, str(index), str(batch.run)))
        metadata = fields.get("metadata")
        output = template.render.output
        if item.filename is not None:
            output = {**output, "filename": item.filename}
        render = replace(
            template.render,
            id=render_id,
            created_at=format_rfc3339(now),
            output=output,
            reference=item.reference,
            metadata=metadata if isinstance(metadata, Mapping) else None,
            body_key=body_key,
            batch_index=index,
            batch_run=batch.run,
        )
        return replace(item, render_id=render_id), render

    def _reserve(
        self, workspace: Workspace, batch: Batch, step: Step, now: dt.datetime
    ) -> tuple[Step, Reservation]:
        """Reserve renders for a step; return it with those only for which there are some."""
        wanted = len(step.good)
        if not wanted:
            return step, Reservation(NOTHING, has_lease=False, is_settled_by_relay=True)
        if batch.test:
            taken = self._test_rate.take_renders(workspace, wanted, now)
            return _first(step, taken), Reservation(
                NOTHING, has_lease=False, is_settled_by_relay=True
            )
        holder = Holder(holder_id(batch), workspace, wanted)
        try:
            hold = self._limits.reserve(holder, now)
            if hold.renders > wanted:
                # Of an earlier try that died, with more room.
                self._limits.settle(workspace.id, [EndedHold(holder.id, hold, billed=False)])
                hold = self._limits.reserve(holder, now)
        except ServiceError as refusal:
            if refusal.code != "render_limit_reached":
                raise
            raise NoRendersLeftError from refusal
        return _first(step, hold.renders), Reservation(
            hold.source, has_lease=False, is_settled_by_relay=True
        )

    def _writes(
        self, lease: ReleaserLease, batch: Batch, after: Batch, step: Step
    ) -> Iterator[Write]:
        yield self._stores.batches.change(batch, after)
        yield self._stores.leases.renewal(lease)
        write_item = (
            self._stores.batches.item_creation
            if batch.run == 1
            else self._stores.batches.item_retry
        )
        for item in (*step.bad, *(item for item, _ in step.good)):
            yield write_item(batch, item)
        for _, render in step.good:
            due_at = format_rfc3339(self._clock.now() + DUE_AFTER)
            yield self._renders.creation(render, due_at=due_at, claimed_until=render.created_at)
        if step.bad:
            failed = {"failed": len(step.bad)}
            yield self._stores.batches.increment(batch.key, batch.run, failed, after.steps)


def holder_id(batch: Batch) -> str:
    """Return the id of the hold of a batch's next step."""
    return f"{batch.id}-{batch.steps + 1}"


def _first(step: Step, count: int) -> Step:
    """Return a step without the renders after the first `count`."""
    if count >= len(step.good):
        return step
    next_index = step.good[count][0].index
    bad = [item for item in step.bad if item.index < next_index]
    return Step(step.good[:count], bad, next_index)


def _message(render: Render) -> JsonObject:
    return QueuedRender(render.workspace_id, render.id, render.request_id).to_json()
