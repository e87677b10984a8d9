"""Local stack: emulators, resources, functions, event sources and gateway."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.access.keys import AccessKey
from infra.local.access.wsgi import signed_only
from infra.local.console import Console
from infra.local.emulators import (
    DYNOXIDE_NAME,
    MINISTACK,
    Emulator,
    StackError,
    client_factory,
    start_emulators,
)
from infra.local.event_sources import QueuePoller, ScheduleTimer
from infra.local.functions import API_LOGICAL_ID, LambdaFunction, declared_functions
from infra.local.gateway.app import Gateway, GatewayResponses
from infra.local.gateway.bucket import BucketDoor
from infra.local.gateway.entrance import Entrance
from infra.local.gateway.events import RouteTable
from infra.local.gateway.large_forms import LargeForms
from infra.local.gateway.room import FreeSpace, RoomForWork
from infra.local.monitoring.monitor import Monitor
from infra.local.monitoring.readiness import min_free_bytes
from infra.local.monitoring.spans import exports_spans
from infra.local.objects.start import RunningObjectStore, start_object_store
from infra.local.paths import StackFolder
from infra.local.processes import Spawner
from infra.local.public_addresses import PublicAddresses
from infra.local.resources import ResourceAttributes, create_resources
from infra.local.runner.environment import REGION, worker_environment
from infra.local.runner.invocation import Invocation
from infra.local.runner.invoke_api import InvokeApi
from infra.local.runner.pool import INIT_REQUEST_ID, WorkerPool
from infra.local.runner.process import InvocationAnswer, WorkerProcess
from infra.local.runner.threads import ThreadLauncher
from infra.local.seed import SeedError, seed_workspace
from infra.local.server import WsgiServer
from infra.template import IntrinsicResolver, load_template

STACK_NAME: Final = "platen"
GATEWAY_THREADS: Final = 96
INVOKE_THREADS: Final = 128
# Of a part to answer, before it counts as missing.
MONITOR_TIMEOUT_S: Final = 2.0


@dataclass(slots=True)
class Stack:
    """All running parts of the stack."""

    folder: StackFolder
    console: Console
    gateway: WsgiServer
    addresses: PublicAddresses
    spawner: Spawner = field(default_factory=Spawner)
    emulators: list[Emulator] = field(default_factory=list)
    pools: dict[str, WorkerPool] = field(default_factory=dict)
    event_sources: list[QueuePoller | ScheduleTimer] = field(default_factory=list)
    invoke_api: WsgiServer | None = None
    object_store: RunningObjectStore | None = None
    entrance: Entrance | None = None
    endpoints: Mapping[str, str] = field(default_factory=dict)
    resources: Mapping[str, ResourceAttributes] = field(default_factory=dict)
    monitor: Monitor | None = None

    @property
    def owns_tables(self) -> bool:
        """Tell whether the tables are this stack's alone, not those of an endpoint of the user."""
        return any(emulator.name == DYNOXIDE_NAME for emulator in self.emulators)

    def drain(self, seconds: float, hurrying: threading.Event) -> bool:
        """Take no new work, and wait so long for what runs; tell whether all has ended."""
        self.folder.run_file.unlink(missing_ok=True)
        if self.monitor:
            self.monitor.readiness.stop()
        for source in self.event_sources:
            source.stop()
        if self.entrance is not None:
            self.entrance.close()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not hurrying.is_set():
            running = self.entrance.running if self.entrance else 0
            if not running and not any(pool.load().is_busy for pool in self.pools.values()):
                return True
            time.sleep(0.05)
        return False

    def stop(self) -> None:
        """Stop all parts and remove the run file."""
        self.folder.run_file.unlink(missing_ok=True)
        self.folder.endpoints_file.unlink(missing_ok=True)
        if self.monitor:
            self.monitor.close()
        for source in self.event_sources:
            source.stop()
        self.gateway.close()
        if self.invoke_api:
            self.invoke_api.close()
        if self.object_store:
            self.object_store.server.close()
        for pool in self.pools.values():
            pool.close()
        for emulator in self.emulators:
            emulator.stop()
        self.spawner.close()
        shutil.rmtree(self.folder.scratch, ignore_errors=True)

    def ended_emulator(self) -> str | None:
        """Return the name of an emulator that has ended by itself, or None."""
        ended = (each.name for each in self.emulators if each.process.poll() is not None)
        return next(ended, None)

    def reap(self) -> None:
        """End idle worker processes."""
        for pool in self.pools.values():
            pool.reap()


def start(stack: Stack) -> None:
    """Start everything and write the run file; raises StackError, SeedError or TemplateError."""
    shutil.rmtree(stack.folder.scratch, ignore_errors=True)
    stack.folder.scratch.mkdir(parents=True)
    stack.monitor = Monitor(stack.folder.path, stack.console, stack.pools, lambda: stack.emulators)
    stack.gateway.serve(stack.monitor.front(stack.addresses.base_path))
    hosts = stack.addresses.hosts
    stack.emulators, endpoints = start_emulators(stack.folder, stack.spawner, hosts)
    endpoints = stack.endpoints = _open_object_store(stack, endpoints)
    bucket_endpoint = _bucket_endpoint(stack, endpoints)
    bucket_url = stack.addresses.files_host if bucket_endpoint else ""
    paths = _start_route_listing()
    template = load_template()
    clients = client_factory(endpoints)
    for emulator in stack.emulators:
        emulator.wait()
    resources = stack.resources = create_resources(
        template,
        clients,
        STACK_NAME,
        parameters=_template_parameters(stack.addresses, bucket_url),
        region=REGION,
    )
    endpoints = _open_invoke_api(stack, endpoints)
    resolver = stack_resolver(template, stack.addresses, resources, bucket_url)
    declared = declared_functions(template, resolver, STACK_NAME)
    environments = {
        function.logical_id: worker_environment(function, endpoints) for function in declared
    }
    for function in declared:
        environment = environments[function.logical_id]
        stack.pools[function.name] = _pool(stack, function, environment)
    warming = [thread for pool in stack.pools.values() for thread in pool.warm_up()]
    _start_event_sources(stack, declared, resources, clients)
    demo_workspace = {} if stack.folder.is_kept else seed_workspace(environments[API_LOGICAL_ID])
    _wait_until_warm(stack, warming)
    routes, responses = RouteTable(_route_paths(paths)), GatewayResponses(template, resolver)
    stack.entrance = _entrance(stack, responses, routes, bucket_endpoint)
    impatient = client_factory(endpoints, timeout_s=MONITOR_TIMEOUT_S)
    stack.monitor.serve(stack.entrance, template, resources, impatient)
    _write_run_files(stack, demo_workspace, endpoints, resources)


def _wait_until_warm(stack: Stack, warming: Iterable[threading.Thread]) -> None:
    for thread in warming:
        thread.join()
    for pool in stack.pools.values():
        if pool.size() < min(pool.function.warm_count, 1):
            message = f"{pool.function.logical_id} did not start; see {stack.folder.functions_log}"
            raise StackError(message)


def _entrance(
    stack: Stack, responses: GatewayResponses, routes: RouteTable, bucket_endpoint: str | None
) -> Entrance:
    """Return the way to the API function, for work while the disk of what is kept has room."""
    bucket = stack.resources["FilesBucket"]["Ref"]
    gateway = Gateway(
        stack.pools[stack.resources[API_LOGICAL_ID]["Ref"]],
        routes,
        responses,
        stack.console,
        base_path=stack.addresses.base_path,
        bucket=BucketDoor(bucket, bucket_endpoint) if bucket_endpoint else None,
    )
    if not stack.folder.is_kept:
        return Entrance(gateway)
    forms = LargeForms(
        gateway,
        responses.problem,
        base_path=stack.addresses.base_path,
        bucket_endpoint=bucket_endpoint,
    )
    space = FreeSpace(stack.folder.path, min_free_bytes(), stack.console.note)
    return Entrance(RoomForWork(forms, space, responses.capacity_problem))


def stack_resolver(
    template: Mapping[str, Any],
    addresses: PublicAddresses,
    resources: Mapping[str, ResourceAttributes],
    bucket_url: str = "",
) -> IntrinsicResolver:
    """Return the resolver of the template for a stack with these addresses."""
    names = {"AWS::StackName": STACK_NAME, "AWS::Region": REGION}
    return IntrinsicResolver(
        template,
        parameters=names | _template_parameters(addresses, bucket_url),
        attributes=resources,
    )


def _bucket_endpoint(stack: Stack, endpoints: Mapping[str, str]) -> str | None:
    """Return the URL of this machine's bucket, or None where the user has a bucket elsewhere."""
    if stack.object_store is not None:
        return stack.object_store.server.url
    url = next((each.url for each in stack.emulators if each.name == MINISTACK), None)
    used = endpoints.get("AWS_ENDPOINT_URL_S3") or endpoints.get("AWS_ENDPOINT_URL")
    return url if url == used else None


def _open_invoke_api(stack: Stack, endpoints: Mapping[str, str]) -> dict[str, str]:
    """Start the Invoke API, whose pools are added later; the user's Lambda endpoint wins."""
    signed = signed_only(InvokeApi(stack.pools), AccessKey.from_variables(endpoints))
    stack.invoke_api = WsgiServer(signed, threads=INVOKE_THREADS)
    stack.invoke_api.start()
    return {"AWS_ENDPOINT_URL_LAMBDA": stack.invoke_api.url, **endpoints}


def _open_object_store(stack: Stack, endpoints: Mapping[str, str]) -> dict[str, str]:
    """Start the store of objects that are kept; the user's S3 endpoint wins, or one for all."""
    has_own = "AWS_ENDPOINT_URL_S3" in endpoints or not any(
        emulator.name == MINISTACK for emulator in stack.emulators
    )
    if not stack.folder.is_kept or has_own:
        return dict(endpoints)
    key = AccessKey.from_variables(endpoints)
    stack.object_store = start_object_store(stack.folder.objects, key, stack.gateway.hosts)
    return {**endpoints, "AWS_ENDPOINT_URL_S3": stack.object_store.server.url}


def _template_parameters(addresses: PublicAddresses, bucket_url: str) -> dict[str, str]:
    is_isolated = os.environ.get("PLATEN_LOCAL_TENANCY") == "workspace"
    tenancy = "isolated" if is_isolated else "shared"
    return {
        "ApiHost": addresses.api_host,
        "FilesHost": addresses.files_host,
        "GatewayUrl": addresses.own_url,
        "BucketUrl": bucket_url,
        "Tenancy": tenancy,
        "Traces": "on" if exports_spans() else "",
    }


def _start_route_listing() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "infra.local.gateway.routes"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _route_paths(process: "subprocess.Popen[bytes]") -> list[str]:
    output, errors = process.communicate()
    if process.returncode != 0:
        message = f"the API function cannot be imported:\n{errors.decode()}"
        raise StackError(message)
    paths: list[str] = json.loads(output)
    return paths


def _pool(stack: Stack, function: LambdaFunction, environment: Mapping[str, str]) -> WorkerPool:
    console = stack.console

    def log(line: str) -> None:
        console.log_line(function.logical_id, line)

    def launch() -> WorkerProcess:
        return WorkerProcess(function, environment, stack.spawner, log)

    def report(
        _function: LambdaFunction, invocation: Invocation, answer: InvocationAnswer, seconds: float
    ) -> None:
        if answer.error:
            console.log_failure(function.logical_id, answer.payload)
        if function.logical_id != API_LOGICAL_ID and invocation.request_id != INIT_REQUEST_ID:
            status = answer.error or "ok"
            request_id = answer.request_id or invocation.request_id
            console.log_invocation(function.logical_id, seconds * 1000, status, request_id)

    throttle = os.environ.get("PLATEN_LOCAL_THROTTLE") == "1"
    # The gateway does not retry, so its function always waits for a slot.
    return WorkerPool(
        function,
        ThreadLauncher(launch) if function.serves_in_threads else launch,
        report=report,
        throttle=throttle and function.logical_id != API_LOGICAL_ID,
    )


def _start_event_sources(
    stack: Stack,
    declared: tuple[LambdaFunction, ...],
    resources: Mapping[str, ResourceAttributes],
    clients: Callable[[str], Any],
) -> None:
    urls = {
        attributes["Arn"]: attributes["Ref"]
        for attributes in resources.values()
        if "Arn" in attributes
    }
    for function in declared:
        pool = stack.pools[function.name]
        stack.event_sources += [
            QueuePoller(source, urls, pool, clients("sqs"), stack.console)
            for source in function.queues
        ]
        stack.event_sources += [
            ScheduleTimer(schedule, pool, stack.console) for schedule in function.schedules
        ]
    for source in stack.event_sources:
        source.start()


def _write_run_files(
    stack: Stack,
    demo_workspace: Mapping[str, str],
    endpoints: Mapping[str, str],
    resources: Mapping[str, ResourceAttributes],
) -> None:
    addresses = stack.addresses
    run = {
        "base_url": f"{addresses.api_host}/v1",
        "files_host": addresses.files_host,
        **demo_workspace,
        "pid": os.getpid(),
    }
    details = {
        "stack": STACK_NAME,
        "own_url": addresses.own_url,
        "endpoints": endpoints,
        "resources": resources,
        "region": REGION,
        "default_plan": "self_hosted" if stack.folder.is_kept else "free",
    }
    for path, content in (
        (stack.folder.endpoints_file, details),
        (stack.folder.run_file, run),
    ):
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        partial.chmod(0o600)
        partial.rename(path)


def watch(stack: Stack, stopping: threading.Event) -> None:
    """Wait until `stopping` is set; raises StackError when an emulator ends by itself."""
    last_reap = time.monotonic()
    while not stopping.wait(0.5):
        if emulator := stack.ended_emulator():
            message = f"{emulator} ended by itself; see {stack.folder.path}"
            raise StackError(message)
        if time.monotonic() - last_reap > 5:  # noqa: PLR2004 -- seconds between reaps
            stack.reap()
            last_reap = time.monotonic()


__all__ = ["SeedError", "Stack", "start", "watch"]
