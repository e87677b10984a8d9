"""What the functions behind queues and schedules work with."""

from collections.abc import Mapping, Sequence
from typing import Any

from chalicelib.adapters.aws.messages import Inbox
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.metrics import Metrics
from chalicelib.adapters.net.smtp import SmtpMail
from chalicelib.bootstrap import crash
from chalicelib.bootstrap.state import State
from chalicelib.core.clock import Clock
from chalicelib.features.dead_letters.bury import BuryMessage
from chalicelib.features.dead_letters.ends import EndQueuedRender, PutOff
from chalicelib.features.dead_letters.repository import DeadLetters
from chalicelib.features.due.message import LookAt
from chalicelib.features.due.repository import DueIndex
from chalicelib.features.due.tick import Tick
from chalicelib.features.facts.message import TellFact
from chalicelib.features.facts.relay import RelayFacts
from chalicelib.features.renders.erase import EraseRenders
from chalicelib.features.renders.measure import MeasureRender
from chalicelib.features.renders.rows import render_of
from chalicelib.features.templates.erase import EraseTemplates
from chalicelib.features.templates.upkeep import UpkeepTemplate
from chalicelib.features.upkeep.limits import ReconcileLimits
from chalicelib.features.upkeep.look_after import LookAfter
from chalicelib.features.upkeep.renders import UpkeepRender
from chalicelib.features.upkeep.workspaces import DeleteWorkspace, Erase
from chalicelib.features.usage.count import CountUsage
from chalicelib.features.usage.erase import EraseUsage
from chalicelib.features.usage.thresholds import TellThresholds
from chalicelib.features.workspaces.deletion import Deletions
from chalicelib.features.workspaces.key_expiry import WarnOfKeyExpiry
from chalicelib.features.workspaces.members import Members
from chalicelib.features.workspaces.notify import NotifyOwners
from chalicelib.features.workspaces.owned import FreeWorkspaces
from chalicelib.features.workspaces.repository import Keys, Workspaces
from chalicelib.settings import DeadLettersSettings, RelaySettings, TickSettings, UpkeepSettings


def relay(settings: RelaySettings, clients: Clients, clock: Clock) -> RelayFacts:
    """Return what tells facts; whoever listens stands here."""
    crash.arm(settings.crash_points)
    state = State(clients, clock, main_table=settings.main_table, bucket=settings.bucket)
    return RelayFacts(
        tables=state.tables,
        facts=state.facts,
        listeners=(state.clear, CountUsage(settings.main_table, _formats)),
        clock=clock,
        observers=(MeasureRender(Metrics(settings.stack, "relay")),),
    )


def _formats(row: Mapping[str, Any]) -> Sequence[str]:
    return render_of(dict(row)).extensions


def relay_inbox(settings: RelaySettings, clients: Clients) -> Inbox:
    """Return what the relay's messages are worked off with."""
    return _inbox(clients, settings.events_queue_url, settings.events_dead_letters_url)


def tick(settings: TickSettings, clients: Clients, clock: Clock) -> Tick:
    """Return what hands out what is due."""
    crash.arm(settings.crash_points)
    state = State(clients, clock, main_table=settings.main_table)
    return Tick(
        index=DueIndex(state.tables, settings.main_table),
        events=state.queue(settings.events_queue_url),
        upkeep=state.queue(settings.upkeep_queue_url),
        tell=lambda due: TellFact(due.pk, due.sk, request_id=due.request_id).to_json(),
        metrics=Metrics(settings.stack, "tick"),
        clock=clock,
    )


def upkeep(settings: UpkeepSettings, clients: Clients, clock: Clock) -> LookAfter:
    """Return what does for due items what they are due for."""
    crash.arm(settings.crash_points)
    state = State(clients, clock, main_table=settings.main_table, bucket=settings.bucket)
    conclude = state.conclude(settings.events_queue_url)
    workspaces = Workspaces(state.tables, settings.main_table)
    keys = Keys(state.tables, settings.main_table)
    notify = NotifyOwners(
        members=Members(state.tables, settings.main_table),
        mail=SmtpMail(settings.smtp_url) if settings.smtp_url else None,
    )
    return LookAfter(
        render=UpkeepRender(
            tables=state.tables,
            renders=state.renders,
            queues=state.render_queues(settings.renders_queue_url, settings.renders_low_queue_url),
            end=state.end(conclude),
            settle=state.settle,
            clear=state.clear,
            purge=state.purge(conclude),
            clock=clock,
        ),
        limits=ReconcileLimits(
            renders=state.renders,
            limits=state.limits,
            bodies=state.bodies,
            thresholds=TellThresholds(
                workspaces=workspaces,
                limits=state.limits,
                facts=state.facts,
                tell=conclude.tell,
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
            deletions=Deletions(state.tables, settings.main_table),
            keys=keys,
            limits=state.limits,
            free=FreeWorkspaces(
                tables=state.tables,
                table=settings.main_table,
                workspaces=workspaces,
                clock=clock,
            ),
            contents=_contents(state),
            clock=clock,
        ),
        template=UpkeepTemplate(
            tables=state.tables,
            templates=state.templates,
            erase=_erase_templates(state),
            clock=clock,
        ),
        workspaces=workspaces,
    )


def _contents(state: State) -> Sequence[Erase]:
    """Return what erases the contents of a workspace: what each feature keeps of it stands here."""
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


def _erase_templates(state: State) -> EraseTemplates:
    return EraseTemplates(
        tables=state.tables,
        table=state.main_table,
        templates=state.templates,
        objects=state.objects,
    )


def upkeep_inbox(settings: UpkeepSettings, clients: Clients) -> Inbox:
    """Return what the upkeep's messages are worked off with."""
    return _inbox(clients, settings.upkeep_queue_url, settings.upkeep_dead_letters_url)


def dead_letters(settings: DeadLettersSettings, clients: Clients, clock: Clock) -> BuryMessage:
    """Return what buries messages that were given up."""
    crash.arm(settings.crash_points)
    state = State(clients, clock, main_table=settings.main_table)
    end = state.end(state.conclude(settings.events_queue_url))
    index = DueIndex(state.tables, settings.main_table)
    return BuryMessage(
        letters=DeadLetters(state.tables, settings.transient_table, clock),
        ends={
            "renders": EndQueuedRender(renders=state.renders, end=end, clock=clock),
            "events": PutOff(index=index, read=_fact_key, clock=clock),
            "upkeep": PutOff(index=index, read=LookAt.from_json, clock=clock),
        },
        metrics=Metrics(settings.stack, "dead_letters"),
        clock=clock,
    )


def _fact_key(message: Mapping[str, Any]) -> LookAt:
    told = TellFact.from_json(message)
    return LookAt(told.subject, told.sort_key)


def _inbox(clients: Clients, queue_url: str, dead_letters_url: str) -> Inbox:
    return Inbox(Queue(clients, queue_url), Queue(clients, dead_letters_url))
