"""Workspaces of a running stack, each with a client of its live key."""

import time
from dataclasses import dataclass
from typing import Literal, Self

from chalicelib.adapters.aws.table import Row
from chalicelib.bootstrap.operator import OperatorServices
from chalicelib.core.clock import SystemClock
from chalicelib.core.ids import RandomIdGenerator, WorkspaceId
from chalicelib.features.workspaces.keys.model import SCOPES
from chalicelib.settings import OperatorSettings
from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.stores import StackStores, Stores
from tests.builders.waiting import PATIENCE_S


@dataclass(frozen=True)
class Tenant:
    """A workspace, its client, and its usage."""

    workspace: WorkspaceId
    client: ApiClient
    stores: Stores

    def __enter__(self) -> Self:
        """Return the tenant."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the client's connections."""
        self.client.http.close()

    @property
    def limit_counts(self) -> tuple[int, int, int]:
        """Return how many renders are used, held and leased."""
        item = self.stores.limits_with_rows(self.workspace)
        return int(item["used"]), len(item["holds"]), len(item["leases"])

    def row(self, render_id: str) -> Row:
        """Return the row of a render."""
        rows = self.stores.partition(f"WS#{self.workspace}#RND#{render_id}")
        return next(row for row in rows if row["SK"] == "META")

    def wait_until_final(self, render_id: str, seconds: float = PATIENCE_S) -> Row:
        """Return the row of a render that is final; reading it counts for no limit."""
        end = time.monotonic() + seconds
        while (row := self.row(render_id))["status"] in {"queued", "processing"}:
            assert time.monotonic() < end, row
            time.sleep(0.1)
        return row


class Tenants:
    """Creates workspaces on one stack."""

    def __init__(self, stack: RunningStack) -> None:
        """Use the stack's table."""
        self._stack = stack
        self.stores = StackStores(stack)
        settings = OperatorSettings(main_table=self.stores.main_table.name, region="eu")
        clients = self.stores.clients
        self.operator = OperatorServices(
            settings, clients, clock=SystemClock(), ids=RandomIdGenerator()
        )

    def create(self, name: str, plan: str) -> Tenant:
        """Create a workspace on a plan."""
        workspace = self.operator.create_workspace(name, plan=plan, regions=["eu"]).id
        return Tenant(workspace, self.new_client(workspace, "live"), self.stores)

    def new_client(self, workspace: WorkspaceId, mode: Literal["live", "test"]) -> ApiClient:
        """Create a key of a workspace, and return a client with it."""
        key = self.operator.manage_keys.create(workspace, mode=mode, scopes=SCOPES)
        return ApiClient(self._stack, key.text)
