"""Killed functions and browsers: no render is lost or counted twice."""

import concurrent.futures
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress

import psutil
import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ENDLESS, HTML, ApiClient
from tests.builders.stack.tenants import Tenant, Tenants
from tests.builders.stack.tool_requests import wait_for

pytestmark = pytest.mark.integration

SLOW = HTML + "<script>const end=Date.now()+2500;while(Date.now()<end);</script>"


def _workers(stack: RunningStack, handler: str) -> list[psutil.Process]:
    return [
        process
        for process in psutil.Process(stack.pid).children(recursive=True)
        if handler in " ".join(_command(process)) and "worker" in " ".join(_command(process))
    ]


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return []


@pytest.fixture
def tenant(tenants: Tenants) -> Iterator[Tenant]:
    """Create a workspace of which nothing else is made or counted."""
    with tenants.create("dies", "scale") as made:
        yield made


def _quota_left(tenant: Tenant) -> int:
    return int(tenant.stores.limits(tenant.workspace)["quota_left"])


def _kill_while_rendering(stack: RunningStack) -> Iterator[int]:
    """Kill the processes of the render function; yield their pids."""
    for process in _workers(stack, "functions.render"):
        os.kill(process.pid, signal.SIGKILL)
        yield process.pid


def test_sync_render_survives_the_death_of_its_function(
    stack: RunningStack, tenant: Tenant
) -> None:
    left = _quota_left(tenant)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answer = pool.submit(tenant.client.render, SLOW)
        time.sleep(1.2)
        assert list(_kill_while_rendering(stack))

        render = answer.result().json()

    assert render["status"] == "succeeded", render
    assert tenant.limit_counts == (1, 0, 0)
    assert _quota_left(tenant) == left - 1


def test_queued_render_survives_the_death_of_its_function(
    stack: RunningStack, tenant: Tenant
) -> None:
    render_id = tenant.client.render(SLOW, mode="async").json()["id"]
    wait_for(lambda: tenant.row(render_id)["status"] != "queued")
    assert list(_kill_while_rendering(stack))

    render = tenant.client.wait_until_final(render_id)

    assert render["status"] == "succeeded", str(render)[-700:]
    wait_for(lambda: tenant.limit_counts == (1, 0, 0))
    rows = tenant.stores.partition(f"WS#{tenant.workspace}#RND#{render_id}")
    assert len([row for row in rows if row["SK"].startswith("EVENT#")]) == 1
    assert tenant.client.render().status_code == 200


def test_killed_browser_is_replaced_within_the_render(stack: RunningStack, tenant: Tenant) -> None:
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answer = pool.submit(tenant.client.render, SLOW)
        time.sleep(1.2)
        browsers = [
            process
            for process in psutil.Process(stack.pid).children(recursive=True)
            if "--remote-debugging-pipe" in (words := _command(process))
            and not any(word.startswith("--type=") for word in words)
        ]
        # Standby browsers first: a page that outlives two browsers is given up.
        for process in sorted(browsers, key=psutil.Process.create_time, reverse=True):
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
            time.sleep(0.2)

        render = answer.result().json()

    assert render["status"] == "succeeded", str(render)[-700:]
    assert tenant.client.render().status_code == 200


def test_page_that_never_yields_times_out_and_the_next_render_succeeds(live: ApiClient) -> None:
    answer = live.render(ENDLESS, output={"wait": {"timeout_ms": 1000}})

    assert answer.status_code == 422
    assert answer.json()["code"] == "wait_timeout"
    assert live.render().status_code == 200


def test_same_idempotency_key_from_many_clients_makes_one_document(
    tenant: Tenant,
) -> None:
    def send(_n: int) -> tuple[int, str]:
        answer = tenant.client.render(headers={"Idempotency-Key": "many"})
        return answer.status_code, answer.json().get("id") or answer.json()["code"]

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(send, range(24)))

    made = {what for status, what in answers if status == 200}
    refused = {what for status, what in answers if status == 409}
    assert len(made) == 1
    assert refused <= {"idempotency_in_progress"}
    assert {status for status, _ in answers} <= {200, 409}
    assert tenant.limit_counts == (1, 0, 0)
