"""Functions of a stack in the process of a benchmark, with a count of their calls of AWS."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from itertools import batched
from typing import TYPE_CHECKING, Any, Final, override

import psutil

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.bootstrap.work import WORK
from chalicelib.bootstrap.work_function import WorkParts
from chalicelib.core.clock import SystemClock
from chalicelib.core.json import JsonObject
from chalicelib.settings import WorkSettings
from chalicelib.settings.table import setting
from infra.local.event_sources import sqs_event
from infra.local.functions import LambdaFunction, declared_functions
from infra.local.runner.environment import worker_environment
from infra.local.running_stack import RunningStack
from infra.local.stack import STACK_NAME, PublicUrls, stack_resolver
from infra.template import load_template

if TYPE_CHECKING:
    from boto3.session import Session

    from infra.write_units import WriteUnits

# The largest batch of messages that a queue hands out.
_BATCH: Final = 10
# Calls that Lambda would make.
_NOT_COUNTED: Final = ("DeleteMessage",)


def function_by_id(stack: RunningStack, logical_id: str) -> LambdaFunction:
    """Return a function of a stack as the stack runs it."""
    template = load_template()
    urls = PublicUrls(stack.files_host, stack.files_host)
    resolver = stack_resolver(template, urls, stack.resources)
    functions = declared_functions(template, resolver, STACK_NAME)
    return next(each for each in functions if each.logical_id == logical_id)


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Give this process variables inside the block; some are read only when a call is made."""
    own = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(own)


def function_variables(stack: RunningStack, logical_id: str) -> dict[str, str]:
    """Return the environment variables of a function of a stack."""
    with environment(psutil.Process(stack.pid).environ()):
        return worker_environment(function_by_id(stack, logical_id), stack.endpoints)


class CountingClients(AwsClients):
    """Clients that count their calls, and write units if asked, under the name of a function."""

    def __init__(
        self, function: str, counts: Counter[str], units: "WriteUnits | None" = None
    ) -> None:
        """Count calls in `counts` as `<function> <call>`."""
        super().__init__()
        self._function = function
        self._counts = counts
        self._units = units

    @cached_property
    @override
    def _session(self) -> "Session":
        import boto3  # noqa: PLC0415

        session = boto3.session.Session()
        session.events.register("before-send", self._count)
        if self._units is not None:
            self._units.count(session.events, self._function)
        return session

    def _count(self, event_name: str, **_: Any) -> None:
        self._counts[f"{self._function} {event_name.rsplit('.', 1)[-1]}".lstrip()] += 1


@contextmanager
def counted_function(stack: RunningStack, name: str) -> Iterator["CountedFunction"]:
    """Run a function behind a queue in this process, with the variables that it has in the stack.

    `name` is that of its row in the registry of work.
    """
    row, sqs = WORK[name], stack.client("sqs")
    queue, events = (
        # No message comes a second time.
        sqs.create_queue(QueueName=each, Attributes={"VisibilityTimeout": "3600"})["QueueUrl"]
        for each in (f"bench-{name}", f"bench-{name}-events")
    )
    variables = {
        **function_variables(stack, row.function),
        setting(f"{row.queues[0]}_queue_url").variable: queue,
        setting("events_queue_url").variable: events,
    }
    with environment(variables):
        counts: Counter[str] = Counter()
        settings = WorkSettings.with_names(row.all_settings, variables)
        parts = WorkParts(row, settings, CountingClients("", counts), SystemClock())
        # Imported by name, as Lambda does.
        serve = import_module(f"functions.{name}.handler").build(parts)
        yield CountedFunction(sqs, queue, serve, counts)


class CountedFunction:
    """Function that serves messages of a queue that no poller reads."""

    def __init__(
        self, sqs: Any, queue: str, serve: Callable[[Any], object], counts: Counter[str]
    ) -> None:
        """Serve by `serve`, which counts its calls in `counts`."""
        self._sqs = sqs
        self._queue = queue
        self._serve = serve
        self._counts = counts

    def serve(self, messages: Sequence[JsonObject]) -> None:
        """Serve messages in batches."""
        for batch in batched(messages, _BATCH, strict=False):
            records = [self._receive(each) for each in batch]
            answer = self._serve(sqs_event(records, "arn:aws:sqs:us-east-1:0:bench"))
            assert answer == {"batchItemFailures": []}, answer

    def calls(self, messages: Sequence[JsonObject]) -> Mapping[str, float]:
        """Serve messages, and return the calls of one of them by their names."""
        self._counts.clear()
        self.serve(messages)
        counts = {name: count / len(messages) for name, count in sorted(self._counts.items())}
        return {name: count for name, count in counts.items() if name not in _NOT_COUNTED}

    def _receive(self, message: JsonObject) -> Mapping[str, Any]:
        """Send a message and return it as it is received."""
        self._sqs.send_message(QueueUrl=self._queue, MessageBody=json.dumps(message))
        received: Mapping[str, Any] = self._sqs.receive_message(
            QueueUrl=self._queue, WaitTimeSeconds=5, MessageSystemAttributeNames=["All"]
        )
        return dict(received["Messages"][0])
