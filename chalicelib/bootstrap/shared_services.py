"""Services over tables, bucket and queues that several functions share."""

from chalicelib.adapters.aws.functions import LambdaFunction
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.remote_engine import RemoteEngine
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import Table
from chalicelib.core.clock import Clock
from chalicelib.core.locked_property import LockedCachedProperty
from chalicelib.core.tenancy import isolates_tenants
from chalicelib.features.batches.bodies import BatchBodies
from chalicelib.features.batches.release.repository import ReleaserLeases
from chalicelib.features.batches.repository import Batches
from chalicelib.features.batches.stores import BatchStores
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.files.repository import Files
from chalicelib.features.renders.purge import PurgeFiles
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.bodies import RenderBodies
from chalicelib.features.renders.run.end import EndRender
from chalicelib.features.renders.run.enqueue import RenderQueues
from chalicelib.features.renders.run.settle import SettleAndPublish, SettleRender
from chalicelib.features.renders.subscribe import CleanUpRender
from chalicelib.features.templates.repository import Templates
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.limits.request_rate import RequestRate


class SharedServices:
    """Services that several functions build alike, each built on first use."""

    def __init__(
        self,
        clients: AwsClients,
        clock: Clock,
        *,
        main_table: str,
        bucket: str = "",
        bucket_url: str = "",
    ) -> None:
        """Build nothing yet; services over the bucket fail without `bucket`."""
        self.clients = clients
        self.clock = clock
        self.main_table = Table(clients, main_table)
        self.bucket = bucket
        self._bucket_url = bucket_url

    @LockedCachedProperty
    def renders(self) -> Renders:  # noqa: D102
        return Renders(self.main_table, self.clock)

    @LockedCachedProperty
    def limits(self) -> WorkspaceLimits:  # noqa: D102
        return WorkspaceLimits(self.main_table, self.clock)

    @LockedCachedProperty
    def request_rate(self) -> RequestRate:  # noqa: D102
        return RequestRate(self.main_table, self.clock)

    @LockedCachedProperty
    def files(self) -> Files:  # noqa: D102
        return Files(table=self.main_table)

    @LockedCachedProperty
    def outbox(self) -> EventOutbox:  # noqa: D102
        return EventOutbox(table=self.main_table)

    @LockedCachedProperty
    def templates(self) -> Templates:  # noqa: D102
        return Templates(table=self.main_table)

    @LockedCachedProperty
    def objects(self) -> Objects:  # noqa: D102
        assert self.bucket
        return Objects(self.clients, self.bucket, self._bucket_url)

    @LockedCachedProperty
    def bodies(self) -> RenderBodies:  # noqa: D102
        return RenderBodies(objects=self.objects, read_item=self.batch_bodies.job)

    @LockedCachedProperty
    def batch_bodies(self) -> BatchBodies:  # noqa: D102
        return BatchBodies(self.objects)

    @LockedCachedProperty
    def batch_stores(self) -> BatchStores:  # noqa: D102
        return BatchStores(
            self.main_table,
            Batches(table=self.main_table),
            self.batch_bodies,
            ReleaserLeases(table=self.main_table, clock=self.clock),
        )

    @LockedCachedProperty
    def clean_up(self) -> CleanUpRender:  # noqa: D102
        return CleanUpRender(settle=self.settle_render, objects=self.objects)

    @LockedCachedProperty
    def settle_render(self) -> SettleRender:  # noqa: D102
        return SettleRender(limits=self.limits)

    def queue(self, url: str) -> Queue:
        """Return the queue at this URL."""
        return Queue(self.clients, url)

    def render_queues(
        self, normal_url: str, low_url: str, batch_items_url: str | None = None
    ) -> RenderQueues:
        """Return the queues of renders (decision 14)."""
        batch_items = None if batch_items_url is None else self.queue(batch_items_url)
        return RenderQueues(self.queue(normal_url), self.queue(low_url), batch_items)

    def make_engine(self, function: str, tenancy: str) -> RemoteEngine:
        """Return the engine behind this function, which has no rights."""
        engine = LambdaFunction(self.clients, function, isolates_tenants=isolates_tenants(tenancy))
        return RemoteEngine(engine, self.objects, self.clock)

    def make_settle_and_publish(self, events_queue_url: str) -> SettleAndPublish:
        """Return the step that follows a final state; its events go to this queue."""
        return SettleAndPublish(
            settle=self.settle_render, events_queue=self.queue(events_queue_url)
        )

    def make_end_render(self, settle_and_publish: SettleAndPublish) -> EndRender:
        """Return the use case that ends a render from outside its function."""
        return EndRender(
            table=self.main_table,
            renders=self.renders,
            events=self.outbox,
            settle_and_publish=settle_and_publish,
            clock=self.clock,
        )

    def make_purge_files(self, settle_and_publish: SettleAndPublish) -> PurgeFiles:
        """Return the use case that purges the files of a render."""
        return PurgeFiles(
            table=self.main_table,
            renders=self.renders,
            files=self.files,
            events=self.outbox,
            objects=self.objects,
            settle_and_publish=settle_and_publish,
            clock=self.clock,
        )
