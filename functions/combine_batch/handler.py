"""Handler of the combine queue: makes the combined files of batches, part by part."""

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.messages import ReceivedMessage
from chalicelib.adapters.aws.multipart import MultipartUploads
from chalicelib.adapters.aws.remote_merge import RemoteMerge
from chalicelib.bootstrap.advance_batch import advance_batch, send_item
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.bootstrap.work_function import ServeEvent, WorkFunction, WorkParts
from chalicelib.core.ids import BatchId, WorkspaceId
from chalicelib.features.batches.combine.clean_up import CleanUpCombining
from chalicelib.features.batches.combine.combine_batch import CombineBatch
from chalicelib.features.batches.combine.repository import CombineLeases, combine_item
from chalicelib.features.batches.combine.succeeded_items import SucceededItems
from chalicelib.features.batches.combine.write_part import WriteMergedPart, WriteZipPart


def build(parts: WorkParts) -> ServeEvent:
    """Return the function that combines the results of the batches of its messages."""
    combine = combine_batch(parts)

    def handle(message: ReceivedMessage) -> None:
        item = DueItem.from_json(message.body)
        combine((WorkspaceId(item.id("WS")), BatchId(item.id("BAT"))))

    return lambda event: parts.consumer.process_batch(event["Records"], handle)


def combine_batch(parts: WorkParts) -> CombineBatch:
    """Return the use case that combines the results of a batch."""
    state, settings = parts.state, parts.settings
    items = SucceededItems(stores=state.batch_stores, renders=state.renders)
    engine = state.make_engine(settings.engine_function, settings.tenancy)
    merge = RemoteMerge(engine, state.objects)
    leases = CombineLeases(table=state.main_table, clock=parts.clock)
    uploads = MultipartUploads(parts.clients, settings.bucket)
    clean_up = CleanUpCombining(
        stores=state.batch_stores,
        leases=leases,
        items=items,
        uploads=uploads,
        objects=state.objects,
        files=state.files,
        purge=state.make_purge_files(parts.settle_and_publish),
        clock=parts.clock,
    )
    return CombineBatch(
        stores=state.batch_stores,
        leases=leases,
        items=items,
        writers={
            "zip": WriteZipPart(items=items, objects=state.objects),
            "merged_pdf": WriteMergedPart(items=items, merge=merge, clock=parts.clock),
        },
        uploads=uploads,
        objects=state.objects,
        advance=advance_batch(parts),
        clean_up=clean_up,
        hand_on=lambda key: send_item(parts.queue("combine"), combine_item(key)),
        clock=parts.clock,
    )


handler = WorkFunction("combine_batch", build)
warm = handler.warm
warm_up_on_lambda(warm)
