"""State of the API function that its features share: settings, ids, services over resources."""

from functools import cached_property

from chalicelib.adapters.aws.functions import LambdaFunction
from chalicelib.adapters.aws.remote_engine import RemoteEngine
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.bootstrap.shared_services import SharedServices
from chalicelib.core.clock import Clock
from chalicelib.core.ids import IdGenerator
from chalicelib.features.renders.run.after_final import SettleAndPublish
from chalicelib.features.workspaces.limits.concurrency import ConcurrencyLeases
from chalicelib.features.workspaces.repository import Workspaces
from chalicelib.features.workspaces.service_state import ServiceStates
from chalicelib.settings import ApiSettings


class ApiState(SharedServices):
    """Services that several features of the API function use, each built on first use."""

    def __init__(
        self, settings: ApiSettings, clients: AwsClients, *, clock: Clock, ids: IdGenerator
    ) -> None:
        """Build nothing yet."""
        super().__init__(clients, clock, main_table=settings.main_table, bucket=settings.bucket)
        self.settings = settings
        self.ids = ids

    @cached_property
    def settle_and_publish(self) -> SettleAndPublish:  # noqa: D102
        return self.make_settle_and_publish(self.settings.events_queue_url)

    @cached_property
    def workspaces(self) -> Workspaces:  # noqa: D102
        return Workspaces(self.tables, self.settings.main_table)

    @cached_property
    def service_states(self) -> ServiceStates:  # noqa: D102
        return ServiceStates(self.tables, self.settings.main_table, self.clock)

    @cached_property
    def leases(self) -> ConcurrencyLeases:  # noqa: D102
        return ConcurrencyLeases(limits=self.limits, clock=self.clock, ids=self.ids)

    @cached_property
    def render_function(self) -> LambdaFunction:  # noqa: D102
        return LambdaFunction(self.clients, self.settings.render_function)

    @cached_property
    def engine(self) -> RemoteEngine:  # noqa: D102
        return self.make_engine(self.settings.engine_function, self.settings.tenancy)
