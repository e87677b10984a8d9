"""Lambda function of a row of the registry of work, and the parts that it is built from."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from chalicelib.adapters.aws.messages import QueueConsumer, QueueEvent
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.json_logs import configure_logging, log_context
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap.cold_start import arm_crash_points
from chalicelib.bootstrap.shared_services import SharedServices
from chalicelib.bootstrap.work import WORK, Work
from chalicelib.core.clock import Clock, SystemClock
from chalicelib.core.locked_property import LockedCachedProperty
from chalicelib.features.renders.run.end import EndRender
from chalicelib.features.renders.run.settle import SettleAndPublish
from chalicelib.settings import WorkSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

# A schedule sends an event without records, whose function does not read it.
type ServeEvent = Callable[[QueueEvent], Mapping[str, object]]


class WorkParts:
    """Parts of one function: its row, its settings, and services over them."""

    def __init__(
        self, row: Work, settings: WorkSettings, clients: AwsClients, clock: Clock
    ) -> None:
        """Arm the crash points of this process; build the services on first use."""
        arm_crash_points(settings.crash_points)
        self.row = row
        self.settings = settings
        self.clients = clients
        self.clock = clock

    @LockedCachedProperty
    def state(self) -> SharedServices:
        """Services over tables and bucket."""
        return SharedServices(
            self.clients,
            self.clock,
            main_table=self.settings.main_table,
            bucket=self.settings.bucket,
        )

    @LockedCachedProperty
    def settle_and_publish(self) -> SettleAndPublish:
        """Step that follows a final state."""
        return self.state.make_settle_and_publish(self.settings.queue_url("events"))

    @LockedCachedProperty
    def end_render(self) -> EndRender:
        """Use case that ends a render from outside its function."""
        return self.state.make_end_render(self.settle_and_publish)

    @LockedCachedProperty
    def metrics(self) -> Metrics:
        """Metrics of this function."""
        return Metrics(self.settings.stack, self.row.name)

    def queue(self, name: str) -> Queue:
        """Return a queue that this function sends to."""
        return Queue(self.clients, self.settings.queue_url(name))

    @LockedCachedProperty
    def consumer(self) -> QueueConsumer:
        """Consumer of this function's queue."""
        name = self.row.queues[0]
        dead_letters = Queue(self.clients, self.settings.dead_letters_url(name))
        return QueueConsumer(self.queue(name), dead_letters)


class WorkFunction:
    """Handler of one function; its services are built at the cold start and kept."""

    def __init__(self, name: str, build: Callable[[WorkParts], ServeEvent]) -> None:
        """Serve events with the function that `build` returns for the row `name`."""
        self._row = WORK[name]
        self._build = build

    def warm(self) -> None:
        """Build the services before the first event; raises MissingSetting."""
        configure_logging(self._row.name)
        parts, _ = self._services
        parts.metrics.count("ColdStarts")

    def __call__(self, event: QueueEvent, context: "LambdaContext") -> Mapping[str, object]:
        """Serve one event of Lambda; of a queue's batch return the messages that failed."""
        configure_logging(self._row.name)
        with log_context(invocation=context.aws_request_id):
            return self._services.serve(event)

    @LockedCachedProperty
    def _services(self) -> "_Services":
        settings = WorkSettings.with_names(self._row.all_settings)
        parts = WorkParts(self._row, settings, AwsClients(), SystemClock())
        return _Services(parts, self._build(parts))


class _Services(NamedTuple):
    parts: WorkParts
    serve: ServeEvent
