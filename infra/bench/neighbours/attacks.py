"""Loads that one workspace can put on a stack with an ordinary key, in open loop."""

import contextlib
import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from infra.bench.client import BenchClient
from infra.local.running_stack import RunningStack

PER_SECOND: Final = 8
_MAX_OPEN: Final = 64
_LOOPS: Final = (
    "{% for a in range(3000) %}{% for b in range(3000) %}{% set c = a * b %}{% endfor %}"
    "{% endfor %}"
)
_PATTERN: Final = {"properties": {"a": {"pattern": "^(a+)+$"}}}


class Request(NamedTuple):
    """Request that is sent again and again."""

    path: str
    body: Mapping[str, Any]


def preview(stack: RunningStack) -> Request:
    """Return a preview of an email rule whose subject has nested loops."""
    with BenchClient(stack) as client:
        template = {"name": "Note", "html": "<p>x", "publish": True}
        connection = {
            "name": "Mail",
            "provider": "smtp",
            "default_from": {"email": "a@example.com", "name": "A"},
            "config": {"host": "smtp.example.com", "port": 587, "username": "a"},
        }
        rule = {
            "connection_id": client.post("/v1/email-connections", connection)["id"],
            "to": "a@example.com",
            "subject": _LOOPS,
        }
        template_id = client.post("/v1/templates", template)["id"]
    return Request("/v1/email-rules/preview", {"template_id": template_id, "rule": rule})


def schema_check(stack: RunningStack) -> Request:
    """Return an async render whose data a pattern does not match for a long time."""
    template = {"name": "Note", "html": "<p>x", "schema": _PATTERN, "publish": True}
    with BenchClient(stack) as client:
        template_id = client.post("/v1/templates", template)["id"]
    source = {"type": "template", "template_id": template_id}
    body = {"mode": "async", "input": source, "data": {"a": "a" * 40 + "!"}}
    return Request("/v1/renders", body)


@contextmanager
def sent_again_and_again(stack: RunningStack, request: Request) -> Iterator[Counter[int]]:
    """Send a request eight times a second in the block, however long the answers take.

    Yields the answers by status, 0 for none, which grow meanwhile.
    """
    statuses: Counter[int] = Counter()
    stopping = threading.Event()

    def run() -> None:
        with ThreadPoolExecutor(_MAX_OPEN) as threads:
            while not stopping.wait(1 / PER_SECOND):
                threads.submit(_send, stack, request, statuses)

    sender = threading.Thread(target=run)
    sender.start()
    # What is sent first has begun to work.
    time.sleep(1)
    try:
        yield statuses
    finally:
        stopping.set()
        sender.join()


def _send(stack: RunningStack, request: Request, statuses: Counter[int]) -> None:
    headers = {"Authorization": f"Bearer {stack.live_key}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection(urlsplit(stack.base_url).netloc, timeout=60)
    with contextlib.closing(connection):
        try:
            connection.request("POST", request.path, json.dumps(request.body).encode(), headers)
            statuses[connection.getresponse().status] += 1
        except OSError:
            statuses[0] += 1
