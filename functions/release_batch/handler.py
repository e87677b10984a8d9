"""Handler of the batches queue: looks at the batches of a workspace, and releases their items."""

import datetime as dt
from functools import partial

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.messages import ReceivedMessage
from chalicelib.bootstrap.batches import advance_batch
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.bootstrap.work_function import ServeEvent, WorkFunction, WorkParts
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.batches.import_csv import CsvPositions, ImportCsv
from chalicelib.features.batches.lease import release_item
from chalicelib.features.batches.release import ReleaseStep
from chalicelib.features.batches.releaser import Releaser
from chalicelib.features.workspaces.limits.request_rate import RateOfTestRenders
from chalicelib.features.workspaces.repository import Workspaces


def build(parts: WorkParts) -> ServeEvent:
    """Return the function that looks at the batches of the workspaces of its messages."""
    release = releaser(parts)
    # What the first look needs is loaded before it.
    parts.clients.create("dynamodb", "s3", "sqs")

    def handle(message: ReceivedMessage) -> None:
        release(WorkspaceId(DueItem.from_json(message.body).id("WS")))

    return lambda event: parts.consumer.process_batch(event["Records"], handle)


def releaser(parts: WorkParts) -> Releaser:
    """Return the use case that releases the batches of a workspace."""
    state = parts.state
    stores = state.batch_stores
    advance = advance_batch(parts)
    release = ReleaseStep(
        stores=stores,
        renders=state.renders,
        limits=state.limits,
        test_rate=RateOfTestRenders(state.tables, state.main_table),
        queue=partial(parts.queue, "batch_items"),
        clock=parts.clock,
    )
    import_csv = ImportCsv(
        stores=stores,
        positions=CsvPositions(state.tables, state.main_table),
        objects=state.objects,
        fail=advance.fail,
        clock=parts.clock,
    )
    return Releaser(
        batches=stores.batches,
        leases=stores.leases,
        workspaces=Workspaces(state.tables, state.main_table),
        import_csv=import_csv,
        advance=advance,
        release=release,
        wake=partial(_wake, parts),
        clock=parts.clock,
    )


def _wake(parts: WorkParts, workspace_id: WorkspaceId, delay: dt.timedelta) -> None:
    """Send a message to this function; if that fails, the tick does it within a minute."""
    item = release_item(workspace_id)
    parts.queue("batches").try_send(item.to_json(), group=item.group, delay=delay)


handler = WorkFunction("release_batch", build)
warm = handler.warm
warm_up_on_lambda(warm)
