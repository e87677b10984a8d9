"""Advance of batches, as two functions build it; the others load nothing of batches."""

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.queues import Queue
from chalicelib.bootstrap.work_function import WorkParts
from chalicelib.features.batches.advance import AdvanceBatch
from chalicelib.features.batches.combine.repository import combine_item
from chalicelib.features.batches.reconcile_holds import ReconcileBatchHolds


def advance_batch(parts: WorkParts) -> AdvanceBatch:
    """Return the use case that advances and ends batches."""
    state = parts.state
    return AdvanceBatch(
        stores=state.batch_stores,
        outbox=state.outbox,
        publish=parts.settle_and_publish.publish,
        renders=state.renders,
        end=parts.end_render,
        holds=ReconcileBatchHolds(batches=state.batch_stores.batches, limits=state.limits),
        files=state.files,
        send_combine=lambda key: send_item(parts.queue("combine"), combine_item(key)),
        on_miscount=lambda: parts.metrics.count("MiscountedBatches"),
        clock=parts.clock,
    )


def send_item(queue: Queue, item: DueItem) -> None:
    """Send a message; if that fails, the tick has the releaser do it within a minute."""
    queue.try_send(item.to_json(), group=item.group)
