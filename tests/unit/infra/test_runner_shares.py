"""Shares of a pool: a workspace cannot keep all workers of a function busy."""

import json
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from infra.local.functions import LambdaFunction, declared_functions
from infra.local.runner.invocation import owner_of
from infra.local.runner.pool import WorkerPool
from infra.local.runner.process import InvocationAnswer
from infra.template import IntrinsicResolver
from tests.builders.gate import Gate
from tests.builders.waiting import PATIENCE_S
from tests.unit.infra.test_runner import NOTHING, call, function, pool, wait_for_tickets


def shared(**changed: Any) -> LambdaFunction:
    return function(**({"concurrency": 3, "share": 2} | changed))


def work(owner: str, **what: Any) -> dict[str, Any]:
    return NOTHING | {"workspace": owner} | what


def hold(
    running: WorkerPool, gate: Gate, threads: ThreadPoolExecutor, owner: str, count: int
) -> list[Future[InvocationAnswer]]:
    """Begin invocations of a workspace that go on until the gate is open."""
    event = gate.event | {"workspace": owner}
    return [threads.submit(call, running, event) for _ in range(count)]


@pytest.mark.parametrize(
    ("payload", "owner"),
    [
        (b'{"workspace": "ws_a"}', "ws_a"),
        (b'{"workspace_id": "ws_a", "workspace": "ws_b"}', "ws_a"),
        (b'{"Records": []}', None),
        (b'{"workspace": 5}', None),
        (b"[]", None),
        (b"no JSON", None),
    ],
)
def test_owner_is_the_workspace_that_a_payload_names(payload: bytes, owner: str | None) -> None:
    assert owner_of(payload) == owner


def test_neighbour_is_served_while_a_workspace_waits_for_more(gate: Gate) -> None:
    with pool(shared()) as running, ThreadPoolExecutor() as threads, ExitStack() as at_end:
        at_end.callback(gate.open)
        held = hold(running, gate, threads, "ws_a", 4)
        gate.wait_for(2)
        wait_for_tickets(running, 2)

        assert json.loads(call(running, work("ws_b")).payload)["pid"] > 0
        assert (gate.count(), running.size()) == (2, 3)
        # The worker that the neighbour has left stays free.
        wait_for_tickets(running, 2)
        gate.open()
        assert [each.result().error for each in held] == [None] * 4


def test_worker_goes_to_the_workspace_that_has_fewest(gate: Gate, tmp_path: Path) -> None:
    first = Gate(tmp_path / "first")
    with (
        pool(shared(concurrency=2)) as running,
        ThreadPoolExecutor() as threads,
        ExitStack() as at_end,
    ):
        at_end.callback(gate.open)
        held = hold(running, gate, threads, "ws_a", 1) + hold(running, first, threads, "ws_a", 1)
        gate.wait_for(1)
        first.wait_for(1)
        for number in (1, 2):
            held += hold(running, gate, threads, "ws_a", 1)
            wait_for_tickets(running, number)
        neighbour = threads.submit(call, running, work("ws_b"))
        wait_for_tickets(running, 3)

        first.open()

        assert neighbour.result(PATIENCE_S).error is None
        gate.open()
        assert [each.result().error for each in held] == [None] * 4


def test_worker_that_dies_leaves_its_share() -> None:
    with pool(shared(share=1)) as running, ThreadPoolExecutor() as threads:
        for _ in range(3):
            assert call(running, work("ws_a", do="exit", code=7)).error == "Unhandled"
        waiting = threads.submit(call, running, work("ws_a"))

        assert waiting.result().error is None


def test_events_without_a_workspace_have_no_share(gate: Gate) -> None:
    with pool(shared()) as running, ThreadPoolExecutor() as threads, ExitStack() as at_end:
        at_end.callback(gate.open)
        for _ in range(3):
            threads.submit(call, running, gate.event)
        gate.wait_for(3)


def test_share_is_a_hint_of_the_template() -> None:
    template = {
        "Resources": {
            "Fake": {
                "Type": "AWS::Serverless::Function",
                "Metadata": {"PlatenLocal": {"Concurrency": 4, "Share": 3}},
                "Properties": {"Handler": "a.b", "Timeout": 1, "MemorySize": 1},
            }
        }
    }

    (declared,) = declared_functions(
        template, IntrinsicResolver(template, parameters={}, attributes={}), "stack"
    )

    assert (declared.concurrency, declared.share) == (4, 3)
