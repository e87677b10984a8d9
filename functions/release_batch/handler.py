"""Handler of the batches queue: looks at the batches of a workspace, and releases their items."""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Final

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.messages import PoisonMessageError, ReceivedMessage
from chalicelib.bootstrap.advance_batch import advance_batch
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.bootstrap.work_function import ServeEvent, WorkFunction, WorkParts
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.message_version import UnknownVersion
from chalicelib.features.batches.csv.import_csv import ImportCsv
from chalicelib.features.batches.csv.repository import CsvPositions
from chalicelib.features.batches.release.release_step import ReleaseStep
from chalicelib.features.batches.release.releaser import Releaser
from chalicelib.features.batches.release.repository import release_item
from chalicelib.features.workspaces.limits.request_rate import RateOfTestRenders
from chalicelib.features.workspaces.repository import Workspaces

# Of one event.
_MAX_MESSAGES: Final = 10


def build(parts: WorkParts) -> ServeEvent:
    """Return the function that looks at the batches of the workspaces of its messages."""
    release = releaser(parts)
    # What the first look needs is loaded before it.
    parts.clients.create("dynamodb", "s3", "sqs")

    def look(received: Sequence[ReceivedMessage]) -> Mapping[str, Exception]:
        message_ids: dict[WorkspaceId, list[str]] = {}
        failures: dict[str, Exception] = {}
        for message in received:
            try:
                workspace_id = WorkspaceId(DueItem.from_json(message.body).id("WS"))
            except (PoisonMessageError, UnknownVersion) as unreadable:
                failures[message.id] = unreadable
            else:
                # One look serves all messages of a workspace: only one function has its lease
                # (decision 41).
                message_ids.setdefault(workspace_id, []).append(message.id)
        failed = _release_each(release, message_ids)
        return failures | {
            message_id: failed[workspace_id]
            for workspace_id, ids in message_ids.items()
            if workspace_id in failed
            for message_id in ids
        }

    return lambda event: parts.consumer.process_together(event["Records"], look)


def _release_each(
    release: Releaser, workspace_ids: Collection[WorkspaceId]
) -> Mapping[WorkspaceId, Exception]:
    """Look at the batches of each workspace once, at the same time; return the failures."""
    # A workspace does not wait for another one, whose items take many seconds.
    with ThreadPoolExecutor(_MAX_MESSAGES, thread_name_prefix="workspace") as pool:
        looks = {each: pool.submit(copy_context().run, release, each) for each in workspace_ids}
    failures: dict[WorkspaceId, Exception] = {}
    for workspace_id, look in looks.items():
        try:
            look.result()
        except Exception as error:  # noqa: BLE001 -- it is returned
            failures[workspace_id] = error
    return failures


def releaser(parts: WorkParts) -> Releaser:
    """Return the use case that releases the batches of a workspace."""
    state = parts.state
    stores = state.batch_stores
    advance = advance_batch(parts)
    release = ReleaseStep(
        stores=stores,
        renders=state.renders,
        limits=state.limits,
        test_rate=RateOfTestRenders(state.main_table),
        queue=partial(parts.queue, "batch_items"),
        clock=parts.clock,
    )
    import_csv = ImportCsv(
        stores=stores,
        positions=CsvPositions(table=state.main_table),
        objects=state.objects,
        fail=advance.fail,
        clock=parts.clock,
    )
    return Releaser(
        batches=stores.batches,
        leases=stores.leases,
        workspaces=Workspaces(table=state.main_table),
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
