"""The service over real emulators, with faults between its functions and them."""

import datetime as dt
import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast, override

import pytest
from boto3.session import Session
from botocore.config import Config
from botocore.loaders import create_loader
from botocore.session import get_session

from chalicelib.adapters.aws.session import AwsClients, retry_truncated_responses
from chalicelib.adapters.net.presigned import PresignedHttpObjects
from chalicelib.api.routes import ENDPOINTS
from infra.local.access.hosts import LOOPBACK_HOSTS
from infra.local.access.keys import AccessKey
from infra.local.emulators import client_factory, start_emulators
from infra.local.event_sources import sqs_event
from infra.local.paths import StackFolder
from infra.local.processes import Spawner
from infra.local.resources import create_resources
from infra.local.runner.invocation import Invocation
from infra.local.runner.invoke_api import InvokeApi
from infra.local.runner.process import InvocationAnswer, lambda_failure
from infra.local.server import WsgiServer
from infra.template import load_template
from tests.builders.background_functions import QUEUES
from tests.builders.in_process_aws import REGION, MotoAws, Stack
from tests.builders.lambda_client import serve_engine
from tests.builders.service import Service
from tests.builders.stack.msgspec_types import build_type_descriptions
from tests.fakes.api_services import FixedClock
from tests.fakes.fault_injector import FaultInjector
from tests.fakes.fault_proxy import LATE_BY_S, fault_proxy

if TYPE_CHECKING:
    from infra.local.runner.pool import WorkerPool

# They mostly wait for the pauses of botocore's retries.
_SETTLE_THREADS: Final = 8
SETTLE_STEPS_MIN: Final = (0, 2, 4, 6, 6, 11, 31)
_READ_TIMEOUTS_S: Final = {"dynamodb": 0.6, "sqs": 0.8, "s3": 1.2, "secretsmanager": 1.0}
# Read once for all processes: to read them takes longer than a render.
_SERVICE_MODELS: Final = create_loader()
assert max(_READ_TIMEOUTS_S.values()) < LATE_BY_S


class RunningClock(FixedClock):
    """Clock that runs, and can be moved forward."""

    def __init__(self) -> None:
        super().__init__()
        self._begun = time.monotonic()

    @override
    def now(self) -> dt.datetime:
        return self.moment + dt.timedelta(seconds=time.monotonic() - self._begun)


class ShortTimeoutClients(AwsClients):
    """The product's clients with all their retries, but shorter read timeouts."""

    @cached_property
    @override
    def _session(self) -> Session:
        return cast("Session", _ShortTimeoutSession())


class _ShortTimeoutSession:
    def __init__(self) -> None:
        core = get_session()
        core.register_component("data_loader", _SERVICE_MODELS)
        self._session: Any = Session(botocore_session=core, region_name=REGION)
        retry_truncated_responses(self._session.events)

    def client(self, service: str, *, config: Config, endpoint_url: str | None = None) -> Any:
        if service in _READ_TIMEOUTS_S:
            config = config.merge(Config(read_timeout=_READ_TIMEOUTS_S[service]))
        return self._session.client(service, config=config, endpoint_url=endpoint_url)


class FaultyAws(MotoAws):
    """Emulators behind fault proxies; its own clients bypass the proxies."""

    def __init__(self, endpoints: Mapping[str, str], faults: FaultInjector) -> None:
        self.client = cast("Any", client_factory(endpoints))
        self.shared = AwsClients()
        for name in ("dynamodb", "s3", "sqs", "secretsmanager"):
            setattr(self.shared, name, self.client(name))
        self.faults = faults
        self.pools: dict[str, WorkerPool] = {}

    @override
    def take_stack(self) -> Stack:
        return create_resources(
            load_template(),
            self.client,
            "storm",
            parameters={"ApiHost": "https://api.test"},
            region=REGION,
            max_workers=1,
        )

    @override
    def count_messages(self, url: str) -> int:
        name = "ApproximateNumberOfMessages"
        answer = self.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=[name])
        return int(answer["Attributes"][name])


@contextmanager
def running_faulty_aws(path: Path, faults: FaultInjector) -> Iterator[FaultyAws]:
    """Start emulators, and the proxies that this process's clients find in the environment."""
    # As each process of the API does before its first request. Here threads share the models,
    # and pydantic does not build models thread-safely.
    for row in ENDPOINTS:
        row.build_models()
    build_type_descriptions()
    with ExitStack() as cleanup:
        environment = cleanup.enter_context(pytest.MonkeyPatch.context())
        for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_LAMBDA"):
            environment.delenv(name, raising=False)
        environment.setenv("AWS_DEFAULT_REGION", REGION)
        spawner = Spawner()
        cleanup.callback(spawner.close)
        backends, endpoints = start_emulators(StackFolder(path), spawner, LOOPBACK_HOSTS)
        for backend in backends:
            cleanup.callback(backend.stop)
        cloud = FaultyAws(endpoints, faults)
        lambda_api = WsgiServer(InvokeApi(cloud.pools), threads=24)
        lambda_api.start()
        cleanup.callback(lambda_api.close)
        for name, value in AccessKey.from_variables(endpoints).variables().items():
            environment.setenv(name, value)
        urls = {name: url for name, url in endpoints.items() if name.startswith("AWS_ENDPOINT_URL")}
        for name, url in (urls | {"AWS_ENDPOINT_URL_LAMBDA": lambda_api.url}).items():
            environment.setenv(name, cleanup.enter_context(fault_proxy(url, faults)))
        for backend in backends:
            backend.wait()
        yield cloud


class FunctionProcess(Service):
    """One process of the functions, with its own clients and caches."""

    def __init__(self, calm: Service) -> None:
        stores = ("resources", "settings", "workspace", "live", "test")
        for name in (*stores, "engine", "verdicts", "tenancy", "clock", "calls"):
            setattr(self, name, getattr(calm, name))
        self.platform = calm.clients
        self.clients = cast("Any", ShortTimeoutClients())

    @override
    def run_batch(self, queue: str, serve: Callable[[Any], Mapping[str, Any]]) -> list[str]:
        """Return the ids of the received messages; failed ones are delivered again."""
        url = self.resources[f"{queue}Queue" if queue in QUEUES else queue]["Ref"]
        messages = self.platform.sqs.receive_message(
            QueueUrl=url,
            MaxNumberOfMessages=1 if queue == "Renders" else 10,
            WaitTimeSeconds=0,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        ).get("Messages", [])
        if not messages:
            return []
        failed = self._failed_ids(
            serve, sqs_event(messages, f"arn:aws:sqs:{url.rsplit('/', 1)[-1]}")
        )
        for message in messages:
            if message["MessageId"] not in failed:
                receipt = message["ReceiptHandle"]
                self.platform.sqs.delete_message(QueueUrl=url, ReceiptHandle=receipt)
        return [message["MessageId"] for message in messages]

    def _failed_ids(
        self, serve: Callable[[Any], Mapping[str, Any]], event: dict[str, Any]
    ) -> set[str]:
        try:
            answer = serve(event)
        except Exception:  # noqa: BLE001 -- a batch whose function raises has failed as a whole
            return {record["messageId"] for record in event["Records"]}
        return {row["itemIdentifier"] for row in answer["batchItemFailures"]}


class InProcessPool(ABC):
    """Pool of one function for the Invoke API."""

    function: Final = SimpleNamespace(isolates_tenants=False)

    def __init__(self, calm: Service) -> None:
        self._calm = calm

    def invoke(self, invocation: Invocation) -> InvocationAnswer:
        try:
            answer = self.serve(json.loads(invocation.payload), invocation.request_id)
        except Exception as error:  # noqa: BLE001 -- the platform reports any error
            return lambda_failure(type(error).__name__, str(error))
        return InvocationAnswer(json.dumps(answer).encode())

    @abstractmethod
    def serve(self, event: Any, invocation: str) -> Mapping[str, Any]:
        """Run the function."""


class RenderPool(InProcessPool):
    """Pool of render functions; each thread acts as a process."""

    _thread_local: Final = threading.local()

    @override
    def serve(self, event: Any, invocation: str) -> Mapping[str, Any]:
        if getattr(self._thread_local, "calm", None) is not self._calm:
            self._thread_local.calm = self._calm
            self._thread_local.process = FunctionProcess(self._calm)
        answer: Mapping[str, Any] = self._thread_local.process.serve(event, invocation)
        return answer


class EnginePool(InProcessPool):
    """Pool of engines, which reach stores by presigned addresses only."""

    @override
    def serve(self, event: Any, invocation: str) -> Mapping[str, Any]:
        return serve_engine(self._calm, PresignedHttpObjects(), event, None)


class FaultStorm:
    """A service without faults for the test itself, and processes that meet faults."""

    def __init__(self, cloud: FaultyAws) -> None:
        self.faults = cloud.faults
        self.calm = Service(cloud)
        self.calm.clock = RunningClock()
        settings = self.calm.settings
        cloud.pools[settings.render_function] = cast("WorkerPool", RenderPool(self.calm))
        cloud.pools[settings.engine_function] = cast("WorkerPool", EnginePool(self.calm))
        self._is_working = threading.Event()

    @contextmanager
    def workers(self, renders: int, relays: int) -> Iterator[None]:
        """Run functions on the queues of renders and events during the block."""
        self._is_working.set()
        with ThreadPoolExecutor(renders + relays) as threads:
            running = [
                threads.submit(
                    self._work_until_stopped,
                    FunctionProcess.run_queued if n < renders else _relay_events,
                )
                for n in range(renders + relays)
            ]
            try:
                yield
            finally:
                self._is_working.clear()
                for thread in running:
                    thread.result()

    def _work_until_stopped(self, work: Callable[[FunctionProcess], list[str]]) -> None:
        process = FunctionProcess(self.calm)
        while self._is_working.is_set():
            if not work(process):
                time.sleep(0.05)

    def advance_until_settled(self, minutes: Sequence[int] = SETTLE_STEPS_MIN) -> None:
        """Advance the clock in steps, and process the due items at each."""
        process = FunctionProcess(self.calm)
        with ThreadPoolExecutor(_SETTLE_THREADS) as threads:
            for step in minutes:
                self.calm.clock.advance(minutes=step)
                with suppress(Exception):
                    process.tick()
                for work in (process.run_maintenance, process.run_queued, process.relay_events):
                    list(threads.map(_run_until_empty, [work] * _SETTLE_THREADS))
        for name in QUEUES:
            _run_until_empty(partial(process.record_dead_letters, name))

    def purge_queues(self) -> None:
        """Delete all messages of the queues."""
        for name in QUEUES:
            url = self.calm.resources[f"{name}Queue"]["Ref"]
            self.calm.clients.sqs.purge_queue(QueueUrl=url)


def _relay_events(process: FunctionProcess) -> list[str]:
    return process.relay_events()


def _run_until_empty(work: Callable[[], list[str]]) -> None:
    while work():
        pass
