"""Services of the operator tool."""

from functools import cache
from typing import Final

from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.secrets import Secret
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.signing_keys import SigningKeys
from chalicelib.adapters.aws.table import Table
from chalicelib.bootstrap.shared_services import SharedServices
from chalicelib.bootstrap.work import DEAD_LETTER_QUEUES
from chalicelib.core.clock import Clock, SystemClock
from chalicelib.core.ids import IdGenerator, RandomIdGenerator
from chalicelib.features.dead_letters.redrive import RedriveDeadLetters
from chalicelib.features.dead_letters.repository import DeadLetters
from chalicelib.features.destinations.uploads.repository import StorageUploads
from chalicelib.features.emails.connections.downgrade import ScheduleCredentials
from chalicelib.features.emails.connections.repository import EmailConnections
from chalicelib.features.emails.sends.repository import Sends
from chalicelib.features.templates.change import ChangeTemplate
from chalicelib.features.templates.read import FindTemplate
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.trash import TrashTemplate
from chalicelib.features.trace.trace_render import ReadLogLines, TraceRender
from chalicelib.features.webhooks.deliveries.find import FindDeliveries
from chalicelib.features.webhooks.deliveries.repository import Deliveries
from chalicelib.features.webhooks.endpoints.repository import Endpoints
from chalicelib.features.workspaces.change import ChangeWorkspace
from chalicelib.features.workspaces.change_status import ChangeWorkspaceStatus
from chalicelib.features.workspaces.create import CreateWorkspace
from chalicelib.features.workspaces.keys.manage import ManageKeys
from chalicelib.features.workspaces.keys.repository import ApiKeys
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.people.manage import ManageMembers
from chalicelib.features.workspaces.people.repository import FreeWorkspaceLimit, Members
from chalicelib.features.workspaces.repository import StatusTransitions, Workspaces
from chalicelib.features.workspaces.service_state.repository import ServiceStates
from chalicelib.settings import (
    MailSettings,
    OperatorSettings,
    SigningSettings,
    TraceSettings,
    WorkSettings,
)


class OperatorServices:
    """Use cases of the operator tool."""

    def __init__(
        self, settings: OperatorSettings, clients: AwsClients, *, clock: Clock, ids: IdGenerator
    ) -> None:
        """Build the use cases."""
        self.region = settings.region
        self.clock = clock
        table = Table(clients, settings.main_table)
        self.workspaces = Workspaces(table=table)
        self.limits = WorkspaceLimits(table, clock)
        self.keys = ApiKeys(table)
        self.service_states = ServiceStates(table, clock)
        members = Members(table=table)
        free = FreeWorkspaceLimit(table=table, workspaces=self.workspaces, clock=clock)
        self.create_workspace = CreateWorkspace(
            table=table,
            workspaces=self.workspaces,
            limits=self.limits,
            members=members,
            free_workspaces=free,
            clock=clock,
            ids=ids,
        )
        self.change_workspace = self._change_workspace(table, free)
        self.change_status = ChangeWorkspaceStatus(
            table=table,
            workspaces=self.workspaces,
            transitions=StatusTransitions(table=table),
            clock=clock,
        )
        self.manage_members = ManageMembers(
            table=table, workspaces=self.workspaces, members=members, clock=clock
        )
        self.manage_keys = ManageKeys(
            workspaces=self.workspaces, keys=self.keys, members=members, clock=clock
        )
        templates = Templates(table=table)
        self.find_template = FindTemplate(workspaces=self.workspaces, templates=templates)
        self.change_template = ChangeTemplate(table=table, templates=templates, clock=clock)
        self.trash_template = TrashTemplate(table=table, templates=templates, clock=clock)

    def _change_workspace(
        self, table: Table, free_workspaces: FreeWorkspaceLimit
    ) -> ChangeWorkspace:
        return ChangeWorkspace(
            table=table,
            workspaces=self.workspaces,
            limits=self.limits,
            free_workspaces=free_workspaces,
            follow_plan=ScheduleCredentials(
                connections=EmailConnections(table=table), clock=self.clock
            ),
        )


@cache
def operator_services() -> OperatorServices:
    """Return the use cases of this process."""
    return OperatorServices(
        OperatorSettings.from_env(), AwsClients(), clock=SystemClock(), ids=RandomIdGenerator()
    )


def trace_render(
    settings: TraceSettings, clients: AwsClients, log_lines: ReadLogLines, clock: Clock
) -> TraceRender:
    """Return the use case that traces a render; `log_lines` reads the functions' logs."""
    state = SharedServices(clients, clock, main_table=settings.main_table, bucket=settings.bucket)
    workspaces = Workspaces(table=state.main_table)
    deliveries = Deliveries(table=state.main_table)
    return TraceRender(
        workspaces=workspaces,
        renders=state.renders,
        outbox=state.outbox,
        deliveries=deliveries,
        find_deliveries=FindDeliveries(
            workspaces=workspaces,
            endpoints=Endpoints(table=state.main_table),
            deliveries=deliveries,
        ),
        sends=Sends(table=state.main_table),
        uploads=StorageUploads(state.main_table),
        limits=state.limits,
        letters=DeadLetters(table=Table(state.clients, settings.transient_table), clock=clock),
        queues=DEAD_LETTER_QUEUES,
        objects=state.objects,
        read_lines=log_lines,
    )


def mail_secret(settings: MailSettings, clients: AwsClients, clock: Clock) -> Secret:
    """Return the secret with the URL of the mail server."""
    return Secret(clients, settings.smtp_secret, clock)


def signing_keys(settings: SigningSettings, clients: AwsClients, clock: Clock) -> SigningKeys:
    """Return the versions of the signing secret."""
    return SigningKeys(Secret(clients, settings.signing_secret, clock), clock)


class DeadLetterService:
    """Dead letters: their rows, the dead-letter queues, and the use case that redrives them."""

    def __init__(self, settings: WorkSettings, clients: AwsClients, clock: Clock) -> None:
        """Build the use cases."""
        self.letters: Final = DeadLetters(
            table=Table(clients, settings.transient_table), clock=clock
        )
        self.dead_letter_queues: Final = {
            name: Queue(clients, settings.dead_letters_url(name)) for name in DEAD_LETTER_QUEUES
        }
        self.redrive: Final = RedriveDeadLetters(
            letters=self.letters,
            queues={name: Queue(clients, settings.queue_url(name)) for name in DEAD_LETTER_QUEUES},
        )


def redrive_settings() -> WorkSettings:
    """Return the settings of `platen dlq`; raises MissingSetting."""
    urls = [
        f"{queue}_{kind}_url" for queue in DEAD_LETTER_QUEUES for kind in ("queue", "dead_letters")
    ]
    return WorkSettings.with_names(["transient_table", *urls])
