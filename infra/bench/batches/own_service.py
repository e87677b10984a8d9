"""Service of a benchmark on the emulators of a running stack, whose functions do not know it.

It has tables and a bucket of its own. Its functions run in processes of the benchmark, and their
messages go to queues in memory.
"""

import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import uuid4

from chalicelib.api.edge.app import App
from chalicelib.api.routes import BLUEPRINTS
from chalicelib.bootstrap.api import ApiServices
from chalicelib.core import json
from chalicelib.core.clock import SystemClock
from chalicelib.core.ids import RandomIdGenerator
from chalicelib.core.json import JsonObject
from chalicelib.settings import ApiSettings
from infra.bench.counting_clients import CountingClients
from infra.bench.in_process import api_event, environment
from infra.local.event_sources import sqs_event
from infra.local.resources import create_resources
from infra.local.running_stack import RunningStack
from infra.local.seed import seed_workspace
from infra.template import load_template

if TYPE_CHECKING:
    from multiprocessing.pool import AsyncResult
    from multiprocessing.synchronize import Barrier

# What serves an event of a queue, built in the process of its function.
type Build = Callable[["OwnProcess"], Callable[[Any], Mapping[str, object]]]

_START_TIMEOUT_S: Final = 60.0
_HANDLERS: Final = (
    "app.app",
    "functions.render.handler.handler",
    "functions.relay.handler.handler",
    "functions.release_batch.handler.handler",
)


class OwnService(NamedTuple):
    """Variables of its functions, and its workspace, which is on the plan `scale`."""

    variables: Mapping[str, str]
    workspace: str
    live_key: str

    @classmethod
    def on(cls, stack: RunningStack) -> "OwnService":
        """Create its resources on the emulators of a stack."""
        made = create_resources(load_template(), stack.client, "bench")
        refs = {stack.resources[name]["Ref"]: made[name]["Ref"] for name in stack.resources}
        variables: dict[str, str] = {}
        for handler in _HANDLERS:
            of_stack = environment(stack, handler)
            variables |= {name: refs.get(value, value) for name, value in of_stack.items()}
        seeded = seed_workspace(variables)
        return cls(variables, seeded["workspace"], seeded["live_key"])

    def post(self, path: str, body: JsonObject) -> JsonObject:
        """Post to the API with the live key, and return what was made."""
        services = ApiServices(
            ApiSettings.from_env(self.variables),
            OwnProcess(self.variables).clients("api"),
            clock=SystemClock(),
            ids=RandomIdGenerator(),
        )
        app = App(BLUEPRINTS, lambda: services)
        event = api_event(self.live_key, path, body, {})
        # It writes its log to it.
        with redirect_stdout(StringIO()):
            response = app(event, SimpleNamespace(aws_request_id="bench"))
        assert response["statusCode"] in {201, 202}, response
        made: JsonObject = json.loads_own(str(response["body"]))
        return made


class SentMessage(NamedTuple):
    """Message that was sent, and the time of the monotonic clock when its queue delivers it."""

    url: str
    body: JsonObject
    due_at: float


class OwnProcess:
    """Clients of AWS in this process, whose calls are counted; what they send is kept here."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        """Read the variables of the functions; those of AWS become this process's own."""
        self.variables = variables
        self.calls: Counter[str] = Counter()
        self.sent: list[SentMessage] = []
        os.environ.update({k: v for k, v in variables.items() if k.startswith("AWS_")})

    def clients(self, function: str) -> CountingClients:
        """Return clients of a function."""
        clients = CountingClients(function, self.calls)
        in_memory: Any = _MemorySqs(function, self)
        clients.sqs = in_memory
        return clients


class _MemorySqs:
    """SQS client of queues in memory; its calls are counted as those of other clients are."""

    def __init__(self, function: str, process: OwnProcess) -> None:
        self._function = function
        self._process = process

    def send_message(self, **request: Any) -> Mapping[str, object]:
        self._process.calls[f"{self._function} SendMessage"] += 1
        self._keep(request["QueueUrl"], request)
        return {}

    def send_message_batch(self, **request: Any) -> Mapping[str, object]:
        self._process.calls[f"{self._function} SendMessageBatch"] += 1
        for entry in request["Entries"]:
            self._keep(request["QueueUrl"], entry)
        return {}

    def _keep(self, url: str, message: Mapping[str, Any]) -> None:
        body, delay_s = json.loads_own(message["MessageBody"]), message.get("DelaySeconds", 0)
        self._process.sent.append(SentMessage(url, body, time.monotonic() + delay_s))


class Invocation(NamedTuple):
    """What an invocation has sent and called, and the peak of its process's memory."""

    sent: Sequence[SentMessage]
    calls: Counter[str]
    peak_mb: float


class OwnFunction:
    """Function of the service in processes of its own, which serves messages of its queue."""

    def __init__(self, build: Build, variables: Mapping[str, str], processes: int) -> None:
        """Start the processes, and wait until they are warm."""
        spawn = multiprocessing.get_context("spawn")
        are_warm = spawn.Barrier(processes + 1)
        self._pool = spawn.Pool(processes, _Worker.begin, (build, variables, are_warm))
        are_warm.wait(_START_TIMEOUT_S)

    def invoke(self, messages: Sequence[JsonObject]) -> "AsyncResult[Invocation]":
        """Begin an invocation with the messages of an event."""
        return self._pool.apply_async(_Worker.serve, (messages,))

    def close(self) -> None:
        """End the processes."""
        self._pool.terminate()


class _Worker:
    """Process of a function."""

    process: OwnProcess
    serve_event: Callable[[Any], Mapping[str, object]]

    @classmethod
    def begin(cls, build: Build, variables: Mapping[str, str], are_warm: "Barrier") -> None:
        cls.process = OwnProcess(variables)
        cls.serve_event = staticmethod(build(cls.process))
        are_warm.wait(_START_TIMEOUT_S)

    @classmethod
    def serve(cls, messages: Sequence[JsonObject]) -> Invocation:
        received = [
            {"MessageId": uuid4().hex, "ReceiptHandle": "bench", "Body": json.dumps(message)}
            for message in messages
        ]
        process = cls.process
        # Functions write their metrics to it.
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
            answer = cls.serve_event(sqs_event(received, "arn:aws:sqs:::bench"))
        assert answer == {"batchItemFailures": []}, answer
        invocation = Invocation(process.sent, process.calls.copy(), _peak_mb())
        process.sent = []
        process.calls.clear()
        return invocation


def _peak_mb() -> float:
    """Return the peak of this process's memory, which its parent's does not touch."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (each for each in status.splitlines() if each.startswith("VmHWM:"))
    return int(line.split()[1]) / 1_000
