"""Canceling renders while a real browser works on them."""

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ENDLESS, HTML, ApiClient, output_ready_at
from tests.builders.stack.tenants import Tenant, Tenants
from tests.builders.waiting import eventually

pytestmark = pytest.mark.integration

# Each would run for half a minute.
_SOON_S = 25
_WAITS: dict[str, dict[str, Any]] = {
    "pause": {"output": {"wait": {"delay_ms": 10_000, "expression": "false"}}},
    "condition": {"output": {"wait": {"expression": "false", "timeout_ms": 60_000}}},
    "script": {
        "input": {"type": "html", "html": HTML + ENDLESS},
        "output": {"wait": {"timeout_ms": 60_000}},
    },
    "template": {
        "input": {
            "type": "html",
            "html": "{% for a in range(900000) %}{% set b = [a, a] | join('-') %}{% endfor %}" * 9,
        },
        "data": {},
        "output": {"wait": {"expression": "false", "timeout_ms": 60_000}},
    },
}


@pytest.fixture(scope="module")
def tenant(tenants: Tenants) -> Iterator[Tenant]:
    """Create a workspace for this module."""
    with tenants.create("cancels", "scale") as tenant:
        yield tenant


def running(tenant: Tenant, mode: str) -> str:
    """Return the id of the one unfinished render, shortly after it has begun."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        listed = tenant.client.http.get("/renders").json()["data"]
        begun = [r["id"] for r in listed if r["status"] in {"queued", "processing"}]
        if begun and (mode == "sync" or tenant.row(begun[0])["status"] == "processing"):
            # Give it time to load its page.
            time.sleep(1)
            return str(begun[0])
        time.sleep(0.1)
    raise TimeoutError


def stopped(stack: RunningStack, render_id: str) -> bool:
    """Return whether the render function has logged that a render was canceled."""
    return any('"stopped"' in line and render_id in line for line in stack.log().splitlines())


@pytest.mark.parametrize("wait", _WAITS)
def test_canceled_sync_render_stops_soon_and_releases_its_lease(
    tenant: Tenant, wait: str, stack: RunningStack, capsys: pytest.CaptureFixture[str]
) -> None:
    body = {"input": {"type": "html", "html": HTML}} | _WAITS[wait]
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(tenant.client.http.post, "/renders", json=body)
        render_id = running(tenant, "sync")
        assert tenant.limit_counts[1:] == (1, 1)
        asked = time.monotonic()
        canceled = tenant.client.http.post(f"/renders/{render_id}/cancel")
        answer = waiting.result(timeout=60)
        took_s = time.monotonic() - asked

    with capsys.disabled():
        sys.stdout.write(f"\ncanceled in its {wait}: stopped after {took_s:.2f} s")
    assert (canceled.status_code, canceled.json()["status"]) == (200, "canceled")
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict"), answer.text
    assert took_s < _SOON_S
    assert stopped(stack, render_id), "it was being worked on"
    assert tenant.limit_counts == (0, 0, 0)
    assert tenant.client.get(render_id)["billed"] is False
    again = tenant.client.http.post(f"/renders/{render_id}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "conflict")


def test_canceled_async_render_stops_and_the_next_one_runs(
    tenant: Tenant, live: ApiClient, stack: RunningStack
) -> None:
    body = {"input": {"type": "html", "html": HTML}, "mode": "async"}
    slow = body | {"output": output_ready_at(time.time() + 60)}
    assert tenant.client.http.post("/renders", json=slow).status_code == 202
    render_id = running(tenant, "async")

    canceled = tenant.client.http.post(f"/renders/{render_id}/cancel")

    assert canceled.json()["status"] == "canceled"
    next_one = tenant.client.http.post("/renders", json=body).json()["id"]
    assert tenant.client.wait_until_final(next_one)["status"] == "succeeded"
    assert live.render().json()["status"] == "succeeded"
    assert tenant.client.get(render_id)["files"] == []
    eventually(lambda: stopped(stack, render_id) and tenant.limit_counts == (1, 0, 0))
