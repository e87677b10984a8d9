"""Tenant isolation of the runner: a process that has served one tenant never serves another."""

import http.client
import json
import os
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
from botocore.exceptions import ClientError

from infra.local.functions import LambdaFunction
from infra.local.runner.invocation import Invocation
from infra.local.runner.invoke_api import InvokeApi
from infra.local.runner.pool import Throttled, WorkerPool
from infra.local.runner.process import Worker
from infra.local.server import WsgiServer
from tests.builders.gate import Gate
from tests.builders.waiting import PATIENCE_S
from tests.unit.infra.test_gateway import lambda_client
from tests.unit.infra.test_runner import (
    NOTHING,
    busy,
    call,
    error,
    function,
    pool,
    wait_for_tickets,
)


def isolated(handler: str = "functions.act", **changed: Any) -> LambdaFunction:
    return function(handler, isolates_tenants=True, **changed)


def pid(running: WorkerPool, tenant: str | None, seconds: float = 0) -> int:
    answer = call(running, {"do": "sleep", "s": seconds}, tenant=tenant)
    assert answer.error is None, answer.payload
    return int(json.loads(answer.payload)["pid"])


def pids(running: WorkerPool, tenants: Sequence[str], seconds: float = 0) -> list[int]:
    """Return the process of each of several invocations that begin in this order."""
    calls: list[Future[int]] = []
    with ThreadPoolExecutor(len(tenants)) as threads:
        for tenant in tenants:
            calls.append(threads.submit(pid, running, tenant, seconds))
            time.sleep(0.01)
    return [each.result() for each in calls]


def test_shared_function_serves_all_tenants_in_one_process() -> None:
    with pool(function()) as running:
        assert pid(running, "ws_a") == pid(running, "ws_b") == pid(running, None)


def test_isolated_function_keeps_a_process_per_tenant() -> None:
    with pool(isolated(concurrency=3)) as running:
        first = [pid(running, tenant) for tenant in ("ws_a", "ws_b", "ws_c")]
        again = [pid(running, tenant) for tenant in ("ws_c", "ws_a", "ws_b")]

    assert len(set(first)) == 3
    assert set(again) == set(first)
    assert again == [first[2], first[0], first[1]]


def test_handler_finds_the_tenant_in_its_context() -> None:
    with pool(isolated("functions.echo")) as running:
        assert json.loads(call(running, {}, tenant="ws_a").payload)["tenant"] == "ws_a"
    with pool(function("functions.echo")) as running:
        assert json.loads(call(running, {}, tenant="ws_a").payload)["tenant"] == "ws_a"
        assert json.loads(call(running, {}).payload)["tenant"] is None


def test_longest_idle_process_ends_for_another_tenant() -> None:
    with pool(isolated(concurrency=2)) as running:
        oldest, newer = pid(running, "ws_a"), pid(running, "ws_b")
        third = pid(running, "ws_c")
        size = running.size()

        assert not psutil.pid_exists(oldest)
        assert (size, pid(running, "ws_b")) == (2, newer)
        assert third not in {oldest, newer}


def test_warm_process_serves_the_first_tenant_only() -> None:
    with pool(isolated(warm_count=1)) as running:
        for thread in running.warm_up():
            thread.join()
        (warm,) = running._workers
        first, other = pid(running, "ws_a"), pid(running, "ws_b")

    assert first == warm.process.pid != other


def test_own_process_is_preferred_to_a_fresh_one() -> None:
    with pool(isolated()) as running:
        own = pid(running, "ws_a")
        thread = running._start_worker_thread()
        assert thread is not None
        thread.join()

        assert running.size() == 2
        assert pid(running, "ws_a") == own


def test_many_tenants_share_few_slots_and_no_process() -> None:
    tenants = [f"ws_{number % 7}" for number in range(35)]
    sizes: list[int] = []
    stop = threading.Event()
    with pool(isolated(concurrency=3)) as running:

        def watch() -> None:
            while not stop.wait(0.01):
                sizes.append(running.size() + running._starting_count)

        watcher = threading.Thread(target=watch)
        watcher.start()
        served = pids(running, tenants, 0.01)
        stop.set()
        watcher.join()

    tenants_of = defaultdict(set)
    for tenant, process in zip(tenants, served, strict=True):
        tenants_of[process].add(tenant)
    assert {len(served) for served in tenants_of.values()} == {1}
    assert max(sizes) <= 3


def test_busy_tenant_does_not_starve_another(gate: Gate) -> None:
    tenants = ["ws_a", "ws_b", "ws_a", "ws_a"]
    with pool(isolated(concurrency=1)) as running, ThreadPoolExecutor(len(tenants)) as threads:
        pid(running, "ws_a")
        with busy(running, gate, tenant="ws_a"):
            sent = []
            for number, tenant in enumerate(tenants, start=1):
                sent.append(threads.submit(call, running, NOTHING, tenant=tenant))
                wait_for_tickets(running, number)
        moments = [json.loads(each.result().payload)["began"] for each in sent]

    assert moments == sorted(moments)


def test_own_process_is_used_while_another_starts_for_an_earlier_tenant(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pool(isolated(concurrency=2)) as running, ThreadPoolExecutor(2) as threads:
        own, launch, may_start = pid(running, "ws_a"), running._launch, threading.Event()

        def launch_late() -> Worker:
            may_start.wait(PATIENCE_S)
            return launch()

        monkeypatch.setattr(running, "_launch", launch_late)
        with busy(running, gate, tenant="ws_a"):
            other = threads.submit(pid, running, "ws_b")
            wait_for_tickets(running, 1)
            again = threads.submit(pid, running, "ws_a")
            wait_for_tickets(running, 2)
        assert again.result() == own
        may_start.set()
        assert other.result() != own


def test_killed_process_is_replaced_for_its_tenant() -> None:
    with pool(isolated(concurrency=1)) as running:
        killed = pid(running, "ws_a")
        (worker,) = running._workers
        os.kill(killed, signal.SIGKILL)
        worker.process.wait(PATIENCE_S)
        again = pid(running, "ws_a")

        os.kill(again, signal.SIGKILL)
        other = pid(running, "ws_b")

    assert len({killed, again, other}) == 3


def test_slot_of_a_process_that_dies_goes_to_the_waiting_tenant() -> None:
    with pool(isolated(concurrency=1)) as running, ThreadPoolExecutor() as threads:
        pid(running, "ws_a")
        dying = threads.submit(call, running, {"do": "exit", "code": 7}, tenant="ws_a")
        waiting = threads.submit(pid, running, "ws_b")

        assert error(dying.result())["errorType"] == "Runtime.ExitError"
        assert waiting.result() > 0
        assert running.size() == 1


def test_idle_slot_of_another_tenant_is_not_throttled(gate: Gate) -> None:
    with pool(isolated(concurrency=1), throttle=True) as running:
        pid(running, "ws_a")
        pid(running, "ws_b")
        with busy(running, gate, tenant="ws_b"), pytest.raises(Throttled):
            call(running, NOTHING, tenant="ws_a")


def test_abandoned_ticket_leaves_its_process_to_the_next_tenant() -> None:
    with pool(isolated(concurrency=1)) as running:
        with suppress(Throttled):
            call(running, NOTHING, tenant="ws_a", slot_deadline=lambda: time.time() - 1)

        assert pid(running, "ws_b") == pid(running, "ws_b")


def test_isolated_function_is_never_run_without_a_tenant() -> None:
    with pool(isolated()) as running:
        for tenant in (None, ""):
            with pytest.raises(AssertionError):
                running.invoke(Invocation(b"{}", tenant=tenant))
        assert running.size() == 0


@pytest.fixture
def api() -> Iterator[str]:
    with pool(isolated("functions.echo")) as isolating, pool(function("functions.echo")) as shared:
        server = WsgiServer(InvokeApi({"isolated": isolating, "shared": shared}), threads=8)
        server.start()
        yield server.url
        server.close()


@pytest.mark.enable_socket
@pytest.mark.parametrize("name", ["isolated", "shared"])
@pytest.mark.parametrize("tenant", ["ws_a", "x" * 256, "a b/c=d+e-f@g:h.i"])
def test_invoke_api_hands_the_tenant_over(api: str, name: str, tenant: str) -> None:
    client = lambda_client(api)

    answer = client.invoke(FunctionName=name, Payload=b"{}", TenantId=tenant)

    assert json.loads(answer["Payload"].read())["tenant"] == tenant


@pytest.mark.enable_socket
@pytest.mark.parametrize("invocation_type", ["RequestResponse", "Event"])
def test_invoke_api_refuses_an_isolated_function_without_a_tenant(
    api: str, invocation_type: str
) -> None:
    client = lambda_client(api)

    with pytest.raises(ClientError, match=r"InvalidParameterValueException.*needs a tenant id"):
        client.invoke(FunctionName="isolated", Payload=b"{}", InvocationType=invocation_type)


@pytest.mark.enable_socket
@pytest.mark.parametrize("name", ["isolated", "shared"])
@pytest.mark.parametrize("tenant", ["", "x" * 257, "ws_a, ws_b", "ws*", "b\xe4r"])
def test_invoke_api_refuses_a_malformed_tenant_id(api: str, name: str, tenant: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(api).netloc, timeout=PATIENCE_S)
    connection.putrequest("POST", f"/2015-03-31/functions/{name}/invocations")
    connection.putheader("X-Amz-Tenant-Id", tenant.encode("latin-1"))
    connection.putheader("Content-Length", "2")
    connection.endheaders(b"{}")
    answer = connection.getresponse()
    body = json.loads(answer.read())
    connection.close()

    assert answer.status == 400
    assert answer.headers["x-amzn-errortype"] == "InvalidParameterValueException"
    assert body["message"] == "The tenant id is not valid."
