"""Services of the functions behind queues and schedules."""

from collections.abc import Mapping, Sequence
from typing import Any

from chalicelib.adapters.aws.messages import QueueConsumer
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.metrics import Metrics
from chalicelib.adapters.net.smtp import SmtpMailer
from chalicelib.bootstrap.shared_services import SharedServices, arm_crash_points
from chalicelib.core.clock import Clock
from chalicelib.features.dead_letters.record import RecordDeadLetter
from chalicelib.features.dead_letters.repository import DeadLetters
from chalicelib.features.dead_letters.resolutions import PostponeDueItem, ResolveQueuedRender
from chalicelib.features.events.model import PublishEvent
from chalicelib.features.events.relay import OutboxRelay
from chalicelib.features.maintenance.delete_workspace import DeleteWorkspace, Erase
from chalicelib.features.maintenance.dispatch import DueDispatcher
from chalicelib.features.maintenance.due_items import DueIndex, DueItem
from chalicelib.features.maintenance.due_renders import HandleDueRender
from chalicelib.features.maintenance.reconcile_limits import ReconcileLimits
from chalicelib.features.maintenance.tick import Tick
from chalicelib.features.renders.measure import MeasureRender
from chalicelib.features.renders.purge import EraseRenders
from chalicelib.features.renders.rows import render_of
from chalicelib.features.renders.run.after_final import CountEndedHold
from chalicelib.features.templates.due_templates import HandleDueTemplate
from chalicelib.features.templates.erase import EraseTemplates
from chalicelib.features.usage.count import CountUsage, EraseUsage
from chalicelib.features.usage.notify_thresholds import NotifyThresholds
from chalicelib.features.workspaces.keys.expiry_warning import WarnOfKeyExpiry
from chalicelib.features.workspaces.limits.ended_holds import EndedHolds
from chalicelib.features.workspaces.people.free_workspaces import FreeWorkspaceLimit
from chalicelib.features.workspaces.people.members import Members, NotifyOwners
from chalicelib.features.workspaces.repository import ApiKeys, Workspaces
from chalicelib.features.workspaces.status import StatusTransitions
from chalicelib.settings import (
    DeadLettersSettings,
    MaintenanceSettings,
    RelaySettings,
    TickSettings,
)


def relay(settings: RelaySettings, clients: AwsClients, clock: Clock) -> OutboxRelay:
    """Return the outbox relay with all its subscribers."""
    arm_crash_points(settings.crash_points)
    state = SharedServices(clients, clock, main_table=settings.main_table, bucket=settings.bucket)
    count_ended = CountEndedHold(
        ended=EndedHolds(state.tables, settings.main_table), limits=state.limits
    )
    return OutboxRelay(
        tables=state.tables,
        outbox=state.outbox,
        subscribers=(
            state.clean_up,
            CountUsage(settings.main_table, _file_extensions),
            count_ended,
        ),
        effects=(count_ended.fold,),
        clock=clock,
        observers=(MeasureRender(Metrics(settings.stack, "relay")),),
    )


def _file_extensions(row: Mapping[str, Any]) -> Sequence[str]:
    return render_of(dict(row)).extensions


def relay_consumer(settings: RelaySettings, clients: AwsClients) -> QueueConsumer:
    """Return the consumer of the events queue."""
    return _queue_consumer(clients, settings.events_queue_url, settings.events_dead_letters_url)


def tick(settings: TickSettings, clients: AwsClients, clock: Clock) -> Tick:
    """Return the tick, which sends due items to their queues."""
    arm_crash_points(settings.crash_points)
    state = SharedServices(clients, clock, main_table=settings.main_table)
    return Tick(
        index=DueIndex(state.tables, settings.main_table),
        events=state.queue(settings.events_queue_url),
        maintenance=state.queue(settings.maintenance_queue_url),
        event_message=lambda due: PublishEvent(due.pk, due.sk, request_id=due.request_id).to_json(),
        metrics=Metrics(settings.stack, "tick"),
        clock=clock,
    )


def maintenance(settings: MaintenanceSettings, clients: AwsClients, clock: Clock) -> DueDispatcher:
    """Return the dispatcher of due items."""
    arm_crash_points(settings.crash_points)
    state = SharedServices(clients, clock, main_table=settings.main_table, bucket=settings.bucket)
    settle_and_publish = state.make_settle_and_publish(settings.events_queue_url)
    workspaces = Workspaces(state.tables, settings.main_table)
    keys = ApiKeys(state.tables, settings.main_table)
    notify = NotifyOwners(
        members=Members(state.tables, settings.main_table),
        send_mail=SmtpMailer(settings.smtp_url) if settings.smtp_url else None,
    )
    handle_due_render = HandleDueRender(
        tables=state.tables,
        renders=state.renders,
        queues=state.render_queues(settings.renders_queue_url, settings.renders_low_queue_url),
        end=state.make_end_render(settle_and_publish),
        settle=state.settle_render,
        clean_up=state.clean_up,
        purge=state.make_purge_files(settle_and_publish),
        clock=clock,
    )
    return DueDispatcher(
        render=handle_due_render,
        limits=ReconcileLimits(
            renders=state.renders,
            limits=state.limits,
            bodies=state.bodies,
            handle_due=handle_due_render,
            notify_thresholds=NotifyThresholds(
                workspaces=workspaces,
                limits=state.limits,
                events=state.outbox,
                publish=settle_and_publish.publish,
                notify=notify,
                clock=clock,
            ),
            clock=clock,
        ),
        key=WarnOfKeyExpiry(
            keys=keys,
            workspaces=workspaces,
            notify=notify,
            clock=clock,
        ),
        workspace=DeleteWorkspace(
            transitions=StatusTransitions(state.tables, settings.main_table),
            keys=keys,
            limits=state.limits,
            free_workspaces=FreeWorkspaceLimit(
                tables=state.tables,
                table=settings.main_table,
                workspaces=workspaces,
                clock=clock,
            ),
            erasers=_erasers(state),
            clock=clock,
        ),
        template=HandleDueTemplate(
            tables=state.tables,
            templates=state.templates,
            erase=_erase_templates(state),
            clock=clock,
        ),
        workspaces=workspaces,
    )


def _erasers(state: SharedServices) -> Sequence[Erase]:
    """Return the erasers of a deleted workspace, one for each feature that stores data of it."""
    return (
        EraseRenders(
            tables=state.tables,
            table=state.main_table,
            renders=state.renders,
            files=state.files,
            objects=state.objects,
            bodies=state.bodies,
        ),
        _erase_templates(state),
        EraseUsage(tables=state.tables, table=state.main_table, clock=state.clock),
    )


def _erase_templates(state: SharedServices) -> EraseTemplates:
    return EraseTemplates(
        tables=state.tables,
        table=state.main_table,
        templates=state.templates,
        objects=state.objects,
    )


def maintenance_consumer(settings: MaintenanceSettings, clients: AwsClients) -> QueueConsumer:
    """Return the consumer of the maintenance queue."""
    return _queue_consumer(
        clients, settings.maintenance_queue_url, settings.maintenance_dead_letters_url
    )


def dead_letters(
    settings: DeadLettersSettings, clients: AwsClients, clock: Clock
) -> RecordDeadLetter:
    """Return the use case that resolves and records dead letters (decision 11)."""
    arm_crash_points(settings.crash_points)
    state = SharedServices(clients, clock, main_table=settings.main_table)
    end = state.make_end_render(state.make_settle_and_publish(settings.events_queue_url))
    index = DueIndex(state.tables, settings.main_table)
    return RecordDeadLetter(
        letters=DeadLetters(state.tables, settings.transient_table, clock),
        resolutions={
            "renders": ResolveQueuedRender(renders=state.renders, end=end, clock=clock),
            "events": PostponeDueItem(index=index, read_item=_event_key, clock=clock),
            "upkeep": PostponeDueItem(index=index, read_item=DueItem.from_json, clock=clock),
        },
        metrics=Metrics(settings.stack, "dead_letters"),
        clock=clock,
    )


def _event_key(message: Mapping[str, Any]) -> DueItem:
    event = PublishEvent.from_json(message)
    return DueItem(event.subject, event.sort_key)


def _queue_consumer(clients: AwsClients, queue_url: str, dead_letters_url: str) -> QueueConsumer:
    return QueueConsumer(Queue(clients, queue_url), Queue(clients, dead_letters_url))
