"""What keeps the state, alike for all that is built here: what stands over tables and bucket."""

from functools import cached_property

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.aws.table import Tables
from chalicelib.core.clock import Clock
from chalicelib.engine.schemas.worker import SchemaWorker
from chalicelib.features.facts.repository import Facts
from chalicelib.features.files.repository import Files
from chalicelib.features.renders.bodies import Bodies
from chalicelib.features.renders.clear import ClearRender
from chalicelib.features.renders.conclude import ConcludeRender
from chalicelib.features.renders.end import EndRender
from chalicelib.features.renders.purge import PurgeFiles
from chalicelib.features.renders.queues import RenderQueues
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.settle import SettleRender
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.schemas import CheckSchemas
from chalicelib.features.workspaces.limits_repository import Limits


class State:
    """The parts that several functions build alike."""

    def __init__(
        self, clients: Clients, clock: Clock, *, main_table: str, bucket: str = ""
    ) -> None:
        """Build nothing yet; without a bucket nothing that needs one may be asked for."""
        self.clients = clients
        self.clock = clock
        self.main_table = main_table
        self.bucket = bucket

    @cached_property
    def tables(self) -> Tables:  # noqa: D102
        return Tables(self.clients)

    @cached_property
    def renders(self) -> Renders:  # noqa: D102
        return Renders(self.tables, self.main_table)

    @cached_property
    def limits(self) -> Limits:  # noqa: D102
        return Limits(self.tables, self.main_table, self.clock)

    @cached_property
    def files(self) -> Files:  # noqa: D102
        return Files(self.tables, self.main_table)

    @cached_property
    def facts(self) -> Facts:  # noqa: D102
        return Facts(self.tables, self.main_table)

    @cached_property
    def templates(self) -> Templates:  # noqa: D102
        return Templates(self.tables, self.main_table)

    @cached_property
    def check_schemas(self) -> CheckSchemas:  # noqa: D102
        return CheckSchemas(SchemaWorker())

    @cached_property
    def objects(self) -> Objects:  # noqa: D102
        assert self.bucket
        return Objects(self.clients, self.bucket)

    @cached_property
    def bodies(self) -> Bodies:  # noqa: D102
        return Bodies(self.objects)

    @cached_property
    def clear(self) -> ClearRender:  # noqa: D102
        return ClearRender(settle=self.settle, bodies=self.bodies, objects=self.objects)

    @cached_property
    def settle(self) -> SettleRender:  # noqa: D102
        return SettleRender(self.limits)

    def queue(self, url: str) -> Queue:
        """Return the queue at this URL."""
        return Queue(self.clients, url)

    def render_queues(self, normal_url: str, low_url: str) -> RenderQueues:
        """Return the queues that renders wait in."""
        return RenderQueues(self.queue(normal_url), self.queue(low_url))

    def conclude(self, events_queue_url: str) -> ConcludeRender:
        """Return what follows a final state; facts go to this queue."""
        return ConcludeRender(settle=self.settle, events=self.queue(events_queue_url))

    def end(self, conclude: ConcludeRender) -> EndRender:
        """Return what ends renders from outside their functions."""
        return EndRender(
            tables=self.tables,
            renders=self.renders,
            facts=self.facts,
            conclude=conclude,
            clock=self.clock,
        )

    def purge(self, conclude: ConcludeRender) -> PurgeFiles:
        """Return what takes a render's files away."""
        return PurgeFiles(
            tables=self.tables,
            renders=self.renders,
            files=self.files,
            facts=self.facts,
            objects=self.objects,
            conclude=conclude,
            clock=self.clock,
        )
