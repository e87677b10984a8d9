"""Handler of the maintenance queue: dispatches each due item by its kind."""

import datetime as dt
from collections.abc import Sequence
from functools import partial

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.messages import ReceivedMessage
from chalicelib.adapters.aws.secrets import Secret
from chalicelib.adapters.net.smtp import CurrentMailer
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.bootstrap.shared_services import SharedServices
from chalicelib.bootstrap.work_function import ServeEvent, WorkFunction, WorkParts
from chalicelib.core.ids import BatchId, FileId, RenderId, WorkspaceId
from chalicelib.features.batches.erase import EraseBatches
from chalicelib.features.batches.reconcile_holds import ReconcileBatchHolds
from chalicelib.features.batches.rows import DUE_BATCH
from chalicelib.features.destinations.repository import Destinations
from chalicelib.features.emails.connections.downgrade import DeleteCredentials
from chalicelib.features.emails.connections.repository import DUE_CREDENTIALS, EmailConnections
from chalicelib.features.emails.rules.repository import StoredRules
from chalicelib.features.emails.sends.counts.repository import SendCounts
from chalicelib.features.emails.sends.reports.repository import ProviderReports
from chalicelib.features.emails.sends.repository import Sends
from chalicelib.features.files.repository import DUE_FILE
from chalicelib.features.maintenance.delete_workspace import DeleteWorkspace, Erase
from chalicelib.features.maintenance.dispatch import DueDispatcher, HandleDueItem
from chalicelib.features.maintenance.handle_due_render import HandleDueRender
from chalicelib.features.maintenance.reconcile_limits import ReconcileLimits
from chalicelib.features.renders.erase import EraseRenders
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.purge import PurgeFiles
from chalicelib.features.renders.rows import DUE_RENDER
from chalicelib.features.signed_links.repository import DUE_LINK, SignedLinks
from chalicelib.features.templates.erase import EraseTemplates
from chalicelib.features.templates.handle_due import HandleDueTemplate
from chalicelib.features.templates.repository import DUE_TEMPLATE
from chalicelib.features.usage.erase import EraseUsage
from chalicelib.features.usage.notify_thresholds import NotifyThresholds
from chalicelib.features.webhooks.deliveries.repository import Deliveries
from chalicelib.features.webhooks.endpoints.notify_disabled import NotifyOfDisabledEndpoint
from chalicelib.features.webhooks.endpoints.repository import DUE_NOTICE, Endpoints
from chalicelib.features.webhooks.erase import EraseWebhooks
from chalicelib.features.workspaces.keys.repository import DUE_KEY, ApiKeys
from chalicelib.features.workspaces.keys.warn_of_expiry import WarnOfKeyExpiry
from chalicelib.features.workspaces.limits.model import DUE_LIMITS
from chalicelib.features.workspaces.people.notify_owners import NotifyOwners
from chalicelib.features.workspaces.people.repository import FreeWorkspaceLimit, Members
from chalicelib.features.workspaces.repository import DUE_WORKSPACE, StatusTransitions, Workspaces


def build(parts: WorkParts) -> ServeEvent:
    """Return the function that handles a batch of due items."""
    dispatch = DueDispatcher(
        handlers=due_handlers(parts),
        workspaces=_workspaces(parts),
        listed_kinds=(DUE_CREDENTIALS.name,),
    )

    def handle(message: ReceivedMessage) -> None:
        dispatch(DueItem.from_json(message.body))

    return lambda event: parts.consumer.process_batch(event["Records"], handle)


def due_handlers(parts: WorkParts) -> dict[str, HandleDueItem]:
    """Return the handler of each kind of due items of the maintenance queue."""
    purge = parts.state.make_purge_files(parts.settle_and_publish)
    render = _handle_due_render(parts, purge)
    notify = _notify_owners(parts)
    limits = _reconcile_limits(parts, render, notify)
    workspace = _delete_workspace(parts)
    template = HandleDueTemplate(
        table=parts.state.main_table,
        templates=parts.state.templates,
        erase=_erase_templates(parts.state),
        clock=parts.clock,
    )
    batch = _erase_batches(parts.state)
    connections = EmailConnections(table=parts.state.main_table)
    credentials = DeleteCredentials(connections=connections, clock=parts.clock)
    key = WarnOfKeyExpiry(
        keys=_keys(parts),
        workspaces=_workspaces(parts),
        notify=notify,
        clock=parts.clock,
    )
    disabled_endpoint = NotifyOfDisabledEndpoint(
        endpoints=Endpoints(table=parts.state.main_table),
        workspaces=_workspaces(parts),
        notify=notify,
    )
    return {
        DUE_BATCH.name: lambda item: batch.handle_due(
            (_workspace_id(item), BatchId(item.id("BAT")))
        ),
        DUE_RENDER.name: lambda item: render(_workspace_id(item), RenderId(item.id("RND"))),
        DUE_FILE.name: lambda item: purge.expire(FileId(item.id("FILE"))),
        DUE_LIMITS.name: lambda item: limits(_workspace_id(item)),
        DUE_TEMPLATE.name: lambda item: template(_workspace_id(item), item.id("TPL")),
        DUE_KEY.name: lambda item: key(item.id("KEY")),
        DUE_CREDENTIALS.name: lambda item: credentials(_workspace_id(item), item.sk),
        DUE_NOTICE.name: lambda item: disabled_endpoint(_workspace_id(item), item.id("WHE")),
        DUE_LINK.name: lambda item: _links(parts.state).erase_deleted(item.id("LNK")),
        DUE_WORKSPACE.name: lambda item: workspace(_workspace_id(item)),
    }


def _handle_due_render(parts: WorkParts, purge: PurgeFiles) -> HandleDueRender:
    state, settings = parts.state, parts.settings
    return HandleDueRender(
        table=state.main_table,
        renders=state.renders,
        queues=state.render_queues(
            *map(settings.queue_url, ("renders", "renders_low", "batch_items"))
        ),
        end=parts.end_render,
        settle=state.settle_render,
        clean_up=state.clean_up,
        purge=purge,
        is_combining_done=partial(_is_combining_done, state),
        clock=parts.clock,
    )


def _is_combining_done(state: SharedServices, render: Render) -> bool:
    """Tell whether the files of a render are in the combined ones of its batch, if there are any.

    Where a batch could not combine them they stay.
    """
    if not render.is_combined:
        return True
    batch = state.batch_stores.batches.get((render.workspace_id, BatchId(render.batch_id or "")))
    return batch is not None and bool(batch.files)


def _reconcile_limits(
    parts: WorkParts, handle_due: HandleDueRender, notify: NotifyOwners
) -> ReconcileLimits:
    return ReconcileLimits(
        renders=parts.state.renders,
        limits=parts.state.limits,
        bodies=parts.state.bodies,
        handle_due=handle_due,
        reconcile_others=ReconcileBatchHolds(
            batches=parts.state.batch_stores.batches, limits=parts.state.limits
        ),
        notify_thresholds=NotifyThresholds(
            workspaces=_workspaces(parts),
            limits=parts.state.limits,
            events=parts.state.outbox,
            publish=parts.settle_and_publish.publish,
            notify=notify,
            clock=parts.clock,
        ),
        clock=parts.clock,
    )


def _delete_workspace(parts: WorkParts) -> DeleteWorkspace:
    state = parts.state
    return DeleteWorkspace(
        transitions=StatusTransitions(table=state.main_table),
        keys=_keys(parts),
        limits=state.limits,
        free_workspaces=FreeWorkspaceLimit(
            table=state.main_table,
            workspaces=_workspaces(parts),
            clock=parts.clock,
        ),
        erasers=_erasers(state),
        send_later=partial(_send_later, parts),
        clock=parts.clock,
    )


def _send_later(parts: WorkParts, item: DueItem, delay: dt.timedelta) -> None:
    """Send an item to this function again; if that fails, the tick does it."""
    parts.queue("maintenance").try_send(item.to_json(), group=item.group, delay=delay)


def _workspaces(parts: WorkParts) -> Workspaces:
    return Workspaces(table=parts.state.main_table)


def _keys(parts: WorkParts) -> ApiKeys:
    return ApiKeys(parts.state.main_table)


def _notify_owners(parts: WorkParts) -> NotifyOwners:
    secret = Secret(parts.clients, parts.settings.smtp_secret, parts.clock)
    return NotifyOwners(
        members=Members(table=parts.state.main_table),
        find_mailer=CurrentMailer(lambda: parts.settings.smtp_url or secret.value),
    )


def _workspace_id(item: DueItem) -> WorkspaceId:
    return WorkspaceId(item.id("WS"))


def _erasers(state: SharedServices) -> Sequence[Erase]:
    """Return the erasers of a deleted workspace, one for each feature that stores data of it."""
    return (
        EraseRenders(
            table=state.main_table,
            renders=state.renders,
            files=state.files,
            objects=state.objects,
            bodies=state.bodies,
        ),
        _erase_batches(state),
        _erase_templates(state),
        EraseWebhooks(
            table=state.main_table,
            deliveries=Deliveries(table=state.main_table),
            objects=state.objects,
        ),
        Destinations(table=state.main_table).erase,
        EmailConnections(table=state.main_table).erase,
        Sends(table=state.main_table).erase,
        ProviderReports(table=state.main_table).erase,
        SendCounts(table=state.main_table).erase,
        _links(state).erase,
        EraseUsage(table=state.main_table, clock=state.clock),
    )


def _links(state: SharedServices) -> SignedLinks:
    return SignedLinks(table=state.main_table)


def _erase_batches(state: SharedServices) -> EraseBatches:
    return EraseBatches(
        table=state.main_table,
        batches=state.batch_stores.batches,
        bodies=state.batch_bodies,
        objects=state.objects,
        files=state.files,
        clock=state.clock,
    )


def _erase_templates(state: SharedServices) -> EraseTemplates:
    return EraseTemplates(
        table=state.main_table,
        templates=state.templates,
        objects=state.objects,
        files=state.files,
        erase_email_rules=StoredRules(table=state.main_table).erase,
    )


handler = WorkFunction("maintenance", build)
warm = handler.warm
warm_up_on_lambda(warm)
