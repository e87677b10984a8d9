"""What the operator tool works with."""

from functools import cache

from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.aws.table import Tables
from chalicelib.core.clock import Clock, SystemClock
from chalicelib.core.ids import Ids, RandomIds
from chalicelib.features.templates.anywhere import FindTemplate
from chalicelib.features.templates.change import ChangeTemplate
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.trash import TrashTemplate
from chalicelib.features.workspaces.change import ChangeWorkspace
from chalicelib.features.workspaces.create import CreateWorkspace
from chalicelib.features.workspaces.deletion import Deletions
from chalicelib.features.workspaces.keys import ManageKeys
from chalicelib.features.workspaces.limits_repository import Limits
from chalicelib.features.workspaces.members import Members
from chalicelib.features.workspaces.owned import FreeWorkspaces
from chalicelib.features.workspaces.people import ManageMembers
from chalicelib.features.workspaces.repository import Keys, Workspaces
from chalicelib.features.workspaces.service_state import ServiceStates
from chalicelib.features.workspaces.status import ChangeStatus
from chalicelib.settings import OperatorSettings


class Operator:
    """What the operator tool asks for."""

    def __init__(
        self, settings: OperatorSettings, clients: Clients, *, clock: Clock, ids: Ids
    ) -> None:
        """Build the use cases."""
        self.region = settings.region
        self.clock = clock
        tables = Tables(clients)
        self.workspaces = Workspaces(tables, settings.main_table)
        self.limits = Limits(tables, settings.main_table, clock)
        self.keys = Keys(tables, settings.main_table)
        self.service_states = ServiceStates(tables, settings.main_table, clock)
        members = Members(tables, settings.main_table)
        free = FreeWorkspaces(
            tables=tables, table=settings.main_table, workspaces=self.workspaces, clock=clock
        )
        self.create_workspace = CreateWorkspace(
            tables=tables,
            workspaces=self.workspaces,
            limits=self.limits,
            members=members,
            free=free,
            clock=clock,
            ids=ids,
        )
        self.change_workspace = ChangeWorkspace(
            tables=tables, workspaces=self.workspaces, limits=self.limits, free=free
        )
        self.change_status = ChangeStatus(
            tables=tables,
            workspaces=self.workspaces,
            deletions=Deletions(tables, settings.main_table),
            clock=clock,
        )
        self.manage_members = ManageMembers(
            tables=tables, workspaces=self.workspaces, members=members, clock=clock
        )
        self.manage_keys = ManageKeys(workspaces=self.workspaces, keys=self.keys, clock=clock)
        templates = Templates(tables, settings.main_table)
        self.find_template = FindTemplate(workspaces=self.workspaces, templates=templates)
        self.change_template = ChangeTemplate(tables=tables, templates=templates, clock=clock)
        self.trash_template = TrashTemplate(tables=tables, templates=templates, clock=clock)


@cache
def operator() -> Operator:
    """Return the operator tool's use cases."""
    return Operator(OperatorSettings.from_env(), Clients(), clock=SystemClock(), ids=RandomIds())
