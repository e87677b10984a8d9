"""The stack: emulators, resources, functions, gateway, sources, in the order of starting."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.backends import Backend, StackError, client_factory, start_backends
from infra.local.console import Console
from infra.local.functions import API, Function, functions
from infra.local.gateway.app import Gateway
from infra.local.gateway.events import Routes
from infra.local.gateway.responses import GatewayResponses
from infra.local.invoke_api import InvokeApi
from infra.local.paths import INSTALLED, Folder
from infra.local.pollers import Poller
from infra.local.processes import Spawner
from infra.local.resources import Attributes, create_resources
from infra.local.runner.environment import REGION, worker_environment
from infra.local.runner.pool import INIT, Invocation, Pool
from infra.local.runner.process import Answer, Worker
from infra.local.schedules import Ticker
from infra.local.seed import SeedError, seed
from infra.local.server import Server
from infra.template import Resolver, load

STACK_NAME: Final = "platen"
GATEWAY_THREADS: Final = 96
INVOKE_THREADS: Final = 128


@dataclass(slots=True)
class Stack:
    """Everything that runs; `stop` ends it in the reverse order."""

    folder: Folder
    console: Console
    gateway: Server
    spawner: Spawner = field(default_factory=Spawner)
    backends: list[Backend] = field(default_factory=list)
    pools: dict[str, Pool] = field(default_factory=dict)
    sources: list[Poller | Ticker] = field(default_factory=list)
    invoke_api: Server | None = None

    def stop(self) -> None:
        """End every process and take the run file away."""
        self.folder.run_file.unlink(missing_ok=True)
        self.folder.endpoints_file.unlink(missing_ok=True)
        for source in self.sources:
            source.stop()
        self.gateway.close()
        if self.invoke_api:
            self.invoke_api.close()
        for pool in self.pools.values():
            pool.close()
        for backend in self.backends:
            backend.stop()
        self.spawner.close()
        shutil.rmtree(self.folder.scratch, ignore_errors=True)

    def broken(self) -> str | None:
        """Return the name of an emulator that ended by itself, if any."""
        return next((b.name for b in self.backends if b.process.poll() is not None), None)

    def reap(self) -> None:
        """Let idle processes go."""
        for pool in self.pools.values():
            pool.reap()


def start(stack: Stack) -> None:
    """Start everything and write the run file; raises StackError, SeedError or TemplateError."""
    shutil.rmtree(stack.folder.scratch, ignore_errors=True)
    stack.folder.scratch.mkdir(parents=True)
    stack.backends, endpoints = start_backends(stack.folder, stack.spawner)
    paths = _ask_for_paths()
    template = load()
    clients = client_factory(endpoints)
    for backend in stack.backends:
        backend.wait()
    parameters = _parameters(stack.gateway.url)
    made = create_resources(template, clients, STACK_NAME, parameters=parameters, region=REGION)
    scalars = {"AWS::StackName": STACK_NAME, "AWS::Region": REGION, **parameters}
    resolver = Resolver(template, parameters=scalars, attributes=made)

    endpoints = _open_invoke_api(stack, endpoints)
    declared = functions(template, resolver, STACK_NAME)
    environments = {
        function.logical_id: {
            **_only_here(),
            **worker_environment(function, endpoints),
            **_switched_off(),
        }
        for function in declared
    }
    for function in declared:
        environment = environments[function.logical_id]
        stack.pools[function.name] = _pool(stack, function, environment)
    warming = [thread for pool in stack.pools.values() for thread in pool.warm_up()]
    _start_sources(stack, declared, made, clients)
    told = seed(environments[API])
    for thread in warming:
        thread.join()
    stack.gateway.serve(
        Gateway(
            stack.pools[made[API]["Ref"]],
            Routes(_paths(paths)),
            GatewayResponses(template, resolver),
            stack.console,
        ),
    )
    _publish(stack, told, endpoints, made)


def _open_invoke_api(stack: Stack, endpoints: Mapping[str, str]) -> dict[str, str]:
    """Serve the functions that are still to come; a Lambda of the user's own wins."""
    stack.invoke_api = Server(InvokeApi(stack.pools), threads=INVOKE_THREADS)
    stack.invoke_api.start()
    return {"AWS_ENDPOINT_URL_LAMBDA": stack.invoke_api.url, **endpoints}


def _only_here() -> dict[str, str]:
    return {
        "PLATEN_CHROMIUM_DIR": str(INSTALLED / "chromium"),
        "PLATEN_FONTS_DIR": str(INSTALLED / "fonts"),
        "PLATEN_VALIDATORS_DIR": str(INSTALLED / "validators"),
    }


def _switched_off() -> dict[str, str]:
    off = os.environ.get("PLATEN_LOCAL_VALIDATORS") == "off"
    return {"PLATEN_VALIDATE_FUNCTION": ""} if off else {}


def _parameters(url: str) -> dict[str, str]:
    return {"ApiHost": url, "FilesHost": url}


def _ask_for_paths() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "infra.local.gateway.routes"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _paths(asked: "subprocess.Popen[bytes]") -> list[str]:
    told, problems = asked.communicate()
    if asked.returncode != 0:
        message = f"the API function cannot be imported:\n{problems.decode()}"
        raise StackError(message)
    paths: list[str] = json.loads(told)
    return paths


def _pool(stack: Stack, function: Function, environment: Mapping[str, str]) -> Pool:
    console = stack.console

    def log(line: str) -> None:
        console.line(function.logical_id, line)

    def launch() -> Worker:
        return Worker(function, environment, stack.spawner, log)

    def report(_function: Function, invocation: Invocation, answer: Answer, seconds: float) -> None:
        if answer.error:
            console.failure(function.logical_id, answer.payload)
        if function.logical_id != API and invocation.request_id != INIT:
            status = answer.error or "ok"
            request_id = answer.request_id or invocation.request_id
            console.invocation(function.logical_id, seconds * 1000, status, request_id)

    throttle = os.environ.get("PLATEN_LOCAL_THROTTLE") == "1"
    # The gateway has no retries of its own: its function always waits for a slot.
    return Pool(
        function,
        launch,
        report=report,
        throttle=throttle and function.logical_id != API,
    )


def _start_sources(
    stack: Stack,
    declared: tuple[Function, ...],
    made: Mapping[str, Attributes],
    clients: Callable[[str], Any],
) -> None:
    urls = {
        attributes["Arn"]: attributes["Ref"] for attributes in made.values() if "Arn" in attributes
    }
    for function in declared:
        pool = stack.pools[function.name]
        stack.sources += [
            Poller(source, urls, pool, clients("sqs"), stack.console) for source in function.queues
        ]
        stack.sources += [Ticker(schedule, pool) for schedule in function.schedules]
    for source in stack.sources:
        source.start()


def _publish(
    stack: Stack,
    told: Mapping[str, str],
    endpoints: Mapping[str, str],
    made: Mapping[str, Attributes],
) -> None:
    url = stack.gateway.url
    run = {"base_url": f"{url}/v1", "files_host": url, **told, "pid": os.getpid()}
    details = {
        "stack": STACK_NAME,
        "endpoints": endpoints,
        "resources": made,
        "region": REGION,
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
    """Return when told to stop; raises StackError when an emulator ended by itself."""
    last = time.monotonic()
    while not stopping.wait(0.5):
        if broken := stack.broken():
            message = f"{broken} ended by itself; see {stack.folder.path}"
            raise StackError(message)
        if time.monotonic() - last > 5:  # noqa: PLR2004 -- seconds between sweeps
            stack.reap()
            last = time.monotonic()


__all__ = ["SeedError", "Stack", "start", "watch"]
