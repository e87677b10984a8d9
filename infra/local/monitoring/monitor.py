"""Monitor of a stack: its readiness, and metrics and traces where addresses are set for them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from infra.local.access.wsgi import Application
from infra.local.console import Console
from infra.local.emulators import Emulator, StackError
from infra.local.monitoring.collectors import MeasuredStack
from infra.local.monitoring.listener import ListenerError, MetricsListener, metrics_address
from infra.local.monitoring.metrics import snake_case
from infra.local.monitoring.readiness import (
    PartCheck,
    Readiness,
    ReadinessError,
    ReadinessFront,
    disk_check,
    min_free_bytes,
)
from infra.local.monitoring.spans import ExportError, ExportTarget, SpanExporter
from infra.local.resources import ResourceAttributes
from infra.local.runner.pool import WorkerPool

type Clients = Callable[[str], Any]

_TABLES: Final = ("MainTable", "TransientTable")
_BUCKET: Final = "FilesBucket"
_USABLE: Final = ("ACTIVE", "UPDATING")


class Monitor:
    """Monitor of one stack, which is told of the parts as they come."""

    def __init__(
        self,
        folder: Path,
        console: Console,
        pools: Mapping[str, WorkerPool],
        emulators: Callable[[], Sequence[Emulator]],
    ) -> None:
        """Read the settings, and begin to serve metrics and send spans; raises StackError."""
        self._folder = folder
        self._pools = pools
        self._clients: Clients | None = None
        self._resources: Mapping[str, ResourceAttributes] = {}
        self._queue_urls: Mapping[str, str] = {}
        self._front: ReadinessFront | None = None
        self.readiness: Final = Readiness()
        measured = MeasuredStack(
            pools=pools,
            queues=lambda: self._queue_urls,
            queue_attributes=self._queue_attributes,
            parts=lambda: {each.name.lower(): each.process.pid for each in emulators()},
            folder=folder,
            is_ready=self.readiness.is_ready,
        )
        try:
            self._min_free = min_free_bytes()
            target, address = ExportTarget.from_variables(), metrics_address()
            self._listener = address and MetricsListener(address, console, measured)
        except (ExportError, ListenerError, ReadinessError) as error:
            raise StackError(str(error)) from error
        self._exporter = target and SpanExporter(target, console.note)
        if self._exporter:
            console.observers.append(self._exporter)

    def front(self, base_path: str) -> Application:
        """Return what answers requests from now on: `/readyz`, and with `serve` all."""
        self._front = ReadinessFront(self.readiness, base_path)
        return self._front

    def serve(
        self,
        application: Application,
        template: Mapping[str, Any],
        resources: Mapping[str, ResourceAttributes],
        clients: Clients,
    ) -> None:
        """Let requests through to the service, and watch its parts with impatient clients."""
        self._clients = clients
        self._resources = resources
        self._queue_urls = queue_urls(template, resources)
        assert self._front is not None, "the front answers before"
        self._front.open(application)
        self.readiness.serve(self._checks())

    def close(self) -> None:
        """Be no longer ready, close the listener of metrics, and send the last spans."""
        self.readiness.stop()
        if self._listener:
            self._listener.close()
        if self._exporter:
            self._exporter.close()

    def _checks(self) -> Iterator[PartCheck]:
        yield disk_check(self._folder, self._min_free)
        yield PartCheck("tables", self._tables_problem)
        yield PartCheck("bucket", self._bucket_problem)
        yield PartCheck("queues", self._queues_problem)
        yield PartCheck("functions", self._functions_problem)

    def _tables_problem(self) -> str | None:
        for logical_id in _TABLES:
            name = self._resources[logical_id]["Ref"]
            table = self._client("dynamodb").describe_table(TableName=name)["Table"]
            if table["TableStatus"] not in _USABLE:
                return f"{logical_id} is {table['TableStatus']}"
        return None

    def _bucket_problem(self) -> None:
        self._client("s3").head_bucket(Bucket=self._resources[_BUCKET]["Ref"])

    def _queues_problem(self) -> None:
        self._queue_attributes(next(iter(self._queue_urls.values())))

    def _functions_problem(self) -> str | None:
        missing = [
            pool.function.logical_id
            for pool in self._pools.values()
            if pool.function.warm_count and not pool.load().workers
        ]
        return f"no process of {', '.join(missing)} runs" if missing else None

    def _queue_attributes(self, url: str) -> Mapping[str, str]:
        # SQS refuses the name of an attribute that only MiniStack has, so all are read.
        answer = self._client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
        attributes: Mapping[str, str] = answer["Attributes"]
        return attributes

    def _client(self, service: str) -> Any:
        assert self._clients is not None, "nothing is looked at before it is there"
        return self._clients(service)


def queue_urls(
    template: Mapping[str, Any], resources: Mapping[str, ResourceAttributes]
) -> dict[str, str]:
    """Return the URLs of all queues by their names: `renders` of `RendersQueue`."""
    return {
        snake_case(logical_id.removesuffix("Queue")): resources[logical_id]["Ref"]
        for logical_id, resource in template["Resources"].items()
        if resource.get("Type") == "AWS::SQS::Queue"
    }
