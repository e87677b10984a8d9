"""State of the API function that its features share: settings, ids, services over resources."""

import datetime as dt
import logging
import threading
from collections.abc import Callable, Mapping
from typing import Final

from chalicelib.adapters.aws.functions import FunctionBusy, LambdaFunction
from chalicelib.adapters.aws.remote_engine import EngineCallContext, EngineLost, RemoteEngine
from chalicelib.adapters.aws.remote_schemas import RemoteSchemas
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import Table
from chalicelib.bootstrap.shared_services import SharedServices
from chalicelib.core.clock import Clock
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import IdGenerator, WorkspaceId
from chalicelib.core.locked_property import LockedCachedProperty
from chalicelib.core.tenancy import isolates_tenants
from chalicelib.engine.schemas.check_schemas import CheckSchemas
from chalicelib.features.renders.idempotency.repository import IdempotencyRecords
from chalicelib.features.renders.run.bodies import engine_folder
from chalicelib.features.renders.run.settle import SettleAndPublish
from chalicelib.features.workspaces.limits.concurrency import ConcurrencyLeases
from chalicelib.features.workspaces.limits.schema_places.repository import (
    PlacedSchemas,
    SchemaPlaces,
)
from chalicelib.features.workspaces.repository import Workspaces
from chalicelib.features.workspaces.service_state.repository import ServiceStates
from chalicelib.features.workspaces.trials.repository import RunningTrials
from chalicelib.features.workspaces.trials.run import RunTrial
from chalicelib.settings import ApiSettings

log = logging.getLogger(__name__)

# The walls of a deployment change with its platform only.
_ASKED_EVERY: Final = dt.timedelta(minutes=5)
_ASKED_AGAIN_AFTER: Final = dt.timedelta(seconds=15)
_SELF_TEST_S: Final = 2.0
# With tenant isolation the self-test has an environment of its own.
_SELF_TEST_TENANT: Final = WorkspaceId("self-test")


class WallsCheck:
    """Check whether the engine's processes have all their walls, by its self-test.

    Safe for use from all threads: while one asks the engine, the others wait for its answer.
    """

    def __init__(self, engine: RemoteEngine, clock: Clock) -> None:
        """Ask `engine` with the first check."""
        self._engine = engine
        self._clock = clock
        self._ask_at = dt.datetime.min.replace(tzinfo=dt.UTC)
        self._are_complete = False
        self._lock = threading.Lock()

    def __call__(self) -> bool:
        """Tell whether the last answer of the engine named no missing wall; False without one."""
        with self._lock:
            now = self._clock.now()
            if now >= self._ask_at:
                self._ask(now)
            return self._are_complete

    def _ask(self, now: dt.datetime) -> None:
        self._ask_at = now + _ASKED_AGAIN_AFTER
        until = now.timestamp() + _SELF_TEST_S
        context = EngineCallContext(
            tenant=_SELF_TEST_TENANT, folder="", ends_at=until, slot_ends_at=until, may_store=False
        )
        try:
            self._are_complete = not self._engine.missing_walls(context)
        except (FunctionBusy, EngineLost, RenderFailure):
            log.warning("the engine gave no answer about its walls", exc_info=True)
        else:
            self._ask_at = now + _ASKED_EVERY


class ApiState(SharedServices):
    """Services that several features of the API function use, each built on first use."""

    def __init__(
        self, settings: ApiSettings, clients: AwsClients, *, clock: Clock, ids: IdGenerator
    ) -> None:
        """Build nothing yet."""
        super().__init__(
            clients,
            clock,
            main_table=settings.main_table,
            bucket=settings.bucket,
            bucket_url=settings.bucket_url,
        )
        self.transient_table = Table(clients, settings.transient_table)
        self.settings = settings
        self.ids = ids

    @LockedCachedProperty
    def settle_and_publish(self) -> SettleAndPublish:  # noqa: D102
        return self.make_settle_and_publish(self.settings.events_queue_url)

    @LockedCachedProperty
    def workspaces(self) -> Workspaces:  # noqa: D102
        return Workspaces(table=self.main_table)

    @LockedCachedProperty
    def service_states(self) -> ServiceStates:  # noqa: D102
        return ServiceStates(self.main_table, self.clock)

    @LockedCachedProperty
    def idempotency(self) -> IdempotencyRecords:  # noqa: D102
        return IdempotencyRecords(table=self.transient_table)

    @LockedCachedProperty
    def leases(self) -> ConcurrencyLeases:  # noqa: D102
        return ConcurrencyLeases(limits=self.limits, clock=self.clock, ids=self.ids)

    @LockedCachedProperty
    def render_function(self) -> LambdaFunction:  # noqa: D102
        return LambdaFunction(self.clients, self.settings.render_function)

    def schemas(self, workspace_id: WorkspaceId) -> CheckSchemas:
        """Return the schema checks of a workspace for requests that hold a lease of it."""
        return CheckSchemas(schemas=self._remote_schemas(workspace_id))

    def placed_schemas(self, workspace_id: WorkspaceId) -> CheckSchemas:
        """Return the schema checks of a workspace for requests that hold no lease of it."""
        schemas = self._remote_schemas(workspace_id)
        return CheckSchemas(
            schemas=PlacedSchemas(
                schemas=schemas, places=self._schema_places, workspace_id=workspace_id
            )
        )

    @LockedCachedProperty
    def _schema_places(self) -> SchemaPlaces:
        return SchemaPlaces(table=self.main_table, clock=self.clock, ids=self.ids)

    def _remote_schemas(self, workspace_id: WorkspaceId) -> RemoteSchemas:
        call_id = self.ids.new("rnd", self.clock.now())
        folder = engine_folder(workspace_id, call_id)
        return RemoteSchemas(self._schemas_function, workspace_id, folder, self.clock)

    @LockedCachedProperty
    def _schemas_function(self) -> RemoteEngine:
        return self.make_engine(self.settings.schemas_function, self.settings.tenancy)

    @LockedCachedProperty
    def engine(self) -> RemoteEngine:  # noqa: D102
        return self.make_engine(self.settings.engine_function, self.settings.tenancy)

    @LockedCachedProperty
    def pdf_tools(self) -> RemoteEngine:  # noqa: D102
        return self.make_engine(self.settings.pdf_tools_function, self.settings.tenancy)

    def make_run_trial(self, function: str) -> RunTrial:
        """Return the use case that has a function test credentials."""
        return RunTrial(
            running=RunningTrials(table=self.main_table),
            function=LambdaFunction(self.clients, function),
            clock=self.clock,
        )

    @property
    def checks(self) -> Mapping[str, Callable[[], bool]]:
        """Checks of `/healthz` by name: False where a part is missing, raising where it fails."""
        return {
            "database": self._can_read,
            "storage": self._can_read_objects,
            "queues": self._can_reach_queues,
            "walls": self._check_walls,
            "tenancy": lambda: isolates_tenants(self.settings.tenancy),
        }

    def _can_read(self) -> bool:
        self.main_table.get("HEALTH")
        return True

    def _can_read_objects(self) -> bool:
        # There is no such object. Only a read, not a look-up, tells an absent bucket from it.
        self.objects.get("ws/HEALTH")
        return True

    def _can_reach_queues(self) -> bool:
        settings = self.settings
        for url in (
            settings.renders_queue_url,
            settings.renders_low_queue_url,
            settings.events_queue_url,
            settings.webhooks_queue_url,
            settings.batches_queue_url,
        ):
            self.queue(url).approximate_message_count()
        return True

    @LockedCachedProperty
    def _check_walls(self) -> WallsCheck:
        return WallsCheck(self.engine, self.clock)
