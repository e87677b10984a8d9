"""PDF tools canceled at each stage, or late: nobody else notices, nothing is billed."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import BaseHTTPRequestHandler
from threading import Event
from typing import Final

import httpx
import pytest

from infra.local.running_stack import RunningStack
from tests.builders.pages.web_site import Site
from tests.builders.stack.api_client import output_ready_at
from tests.builders.stack.tenants import Tenant, Tenants
from tests.builders.stack.tool_requests import (
    SOON_S,
    WORKER,
    RunTool,
    assert_serves,
    assert_unbilled,
    busy_workers,
    cancel,
    draw_long,
    paused,
    send_tool,
    wait_for,
    wait_until_unfinished,
)

pytestmark = pytest.mark.integration

VALIDATOR: Final = "java"
SYNC_TIMEOUT_S: Final = 15


@pytest.fixture
def hasty(tenants: Tenants) -> Iterator[Tenant]:
    """Create a workspace whose requests wait for a quarter of a minute."""
    with tenants.create("hasty", "free") as made:
        yield made


def validated(tenant: Tenant) -> httpx.Response:
    """Send a document to the validators."""
    return send_tool(tenant.client, "validate")


def test_tool_is_canceled_in_the_queue(tenants: Tenants, tenant: Tenant, send: RunTool) -> None:
    output = output_ready_at(time.time() + 6)
    with tenants.create("occupies", "scale") as other:
        holders = [other.client.render(mode="async", output=output) for _ in range(8)]
        accepted = send("rotate", mode="async").json()
        before = tenant.row(accepted["id"])["status"]

        canceled = tenant.client.http.post(f"/renders/{accepted['id']}/cancel").json()

        assert (before, canceled["status"]) == ("queued", "canceled")
        for holder in holders:
            assert other.wait_until_final(holder.json()["id"])["status"] == "succeeded"
    assert_unbilled(tenant, accepted["id"])
    assert "started_at" not in tenant.row(accepted["id"])


def test_tool_is_canceled_while_its_mark_is_printed(
    tenant: Tenant, other: Tenant, send: RunTool, site: Site
) -> None:
    asked, ends = Event(), Event()

    def answer_late(_handler: BaseHTTPRequestHandler) -> None:
        asked.set()
        ends.wait(9)

    site.pages["/late.png"] = answer_late
    mark = {"image": {"url": site.url("/late.png")}}
    try:
        with ThreadPoolExecutor(1) as pool:
            sent = pool.submit(send, "watermark", watermark=mark)
            assert asked.wait(20)
            cancel(tenant, sent)
    finally:
        ends.set()
    assert_serves(other)


def test_tool_is_canceled_while_it_runs(
    stack: RunningStack, tenant: Tenant, other: Tenant, send: RunTool
) -> None:
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(draw_long, send)
        wait_for(lambda: busy_workers(stack))
        cancel(tenant, sent)
    wait_for(lambda: not busy_workers(stack), SOON_S)
    assert_serves(other)


def test_tool_is_canceled_while_its_verdict_is_awaited(
    stack: RunningStack, tenant: Tenant, other: Tenant, send: RunTool
) -> None:
    # The validator starts with its first request.
    assert validated(other).status_code == 200
    with paused(stack, VALIDATOR), ThreadPoolExecutor(1) as pool:
        sent = pool.submit(send, "validate")
        wait_until_unfinished(tenant)
        time.sleep(2)
        assert not busy_workers(stack)
        cancel(tenant, sent)
    report = validated(other).json()["result"]["conformance"]
    assert {part["status"] for part in report.values()} == {"failed"}


def test_late_tool_is_canceled_with_its_caller(stack: RunningStack, hasty: Tenant) -> None:
    begun = time.monotonic()

    answer = draw_long(partial(send_tool, hasty.client), timeout_behavior="cancel")

    assert (answer.status_code, answer.json()["code"]) == (408, "render_timeout"), answer.text
    assert time.monotonic() - begun > SYNC_TIMEOUT_S - 1
    wait_for(lambda: not busy_workers(stack), SOON_S)
    wait_for(lambda: hasty.limit_counts == (0, 0, 0))


@pytest.mark.breadth
def test_late_tool_goes_on_without_its_caller(stack: RunningStack, hasty: Tenant) -> None:
    with paused(stack, WORKER):
        answer = send_tool(hasty.client, "split", timeout_behavior="continue")
        render_id = answer.json()["id"]

        assert answer.status_code == 202, answer.text
        assert hasty.row(render_id)["status"] == "processing"

    render = hasty.wait_until_final(render_id)
    assert (render["status"], render["attempt"]) == ("succeeded", 1)
    assert len(hasty.client.get(render_id)["files"]) == 3
    wait_for(lambda: hasty.limit_counts == (1, 0, 0))
