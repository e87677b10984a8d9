"""PDF tools canceled, late or killed at each stage: nobody else notices, nothing is billed."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler
from threading import Event
from typing import Final

import httpx
import psutil
import pytest

from infra.local.running_stack import RunningStack
from tests.builders.pages.web_site import Site
from tests.builders.pdfs.plain import pdf
from tests.builders.stack.api_client import output_ready_at
from tests.builders.stack.tenants import Tenant, Tenants
from tests.integration.service.pdf_tools.conftest import send_tool

pytestmark = pytest.mark.integration

WORKER: Final = "chalicelib.engine.pdf_tools.run.worker"
FUNCTION: Final = "functions.pdf_tools"
VALIDATOR: Final = "java"
# A stopped request is answered within a second, but a slow machine gets more time.
SOON_S: Final = 6
SYNC_TIMEOUT_S: Final = 15

type Sent = Callable[..., httpx.Response]


@pytest.fixture
def tenant(tenants: Tenants) -> Iterator[Tenant]:
    """Create a workspace that waits for long."""
    with tenants.create("ends", "scale") as made:
        yield made


@pytest.fixture
def other(tenants: Tenants) -> Iterator[Tenant]:
    """Create a workspace that must not notice anything."""
    with tenants.create("other", "scale") as made:
        yield made


@pytest.fixture
def hasty(tenants: Tenants) -> Iterator[Tenant]:
    """Create a workspace whose requests wait for a quarter of a minute."""
    with tenants.create("hasty", "free") as made:
        yield made


@pytest.fixture
def send(tenant: Tenant) -> Sent:
    """Return what sends requests of tools."""
    return partial(send_tool, tenant.client)


def draw_long(send: Sent, **more: str) -> httpx.Response:
    """Send a request whose tool takes longer than any caller waits here."""
    return send("to-images", pdf(20, size=(2500, 2500)), dpi=300, **more)


def processes(stack: RunningStack, word: str) -> list[psutil.Process]:
    """Return the stack's processes with a word in their command line, the oldest first."""
    found = []
    for process in psutil.Process(stack.pid).children(recursive=True):
        with suppress(psutil.Error):
            if any(word in argument for argument in process.cmdline()):
                found.append(process)
    return sorted(found, key=lambda each: each.create_time())


def children(process: psutil.Process) -> list[psutil.Process]:
    """Return the processes below one; none if it has ended."""
    with suppress(psutil.Error):
        return process.children(recursive=True)
    return []


def busy_workers(stack: RunningStack) -> list[psutil.Process]:
    """Return the tool processes that have a confined child for a request."""
    return [each for each in processes(stack, WORKER) if children(each)]


@contextmanager
def paused(stack: RunningStack, word: str) -> Iterator[None]:
    """Stop processes in the block, so that what they do takes for ever."""
    found = processes(stack, word)
    assert found, f"no process is {word}"
    for process in found:
        process.suspend()
    try:
        yield
    finally:
        for process in found:
            with suppress(psutil.Error):
                process.resume()


def wait_for(holds: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def unfinished(tenant: Tenant) -> str | None:
    """Return the id of the one render that is worked on, or None."""
    listed = tenant.client.http.get("/renders").json()["data"]
    found = [each["id"] for each in listed if each["status"] in {"queued", "processing"}]
    return found[0] if found else None


def wait_until_unfinished(tenant: Tenant) -> str:
    wait_for(lambda: unfinished(tenant))
    render_id = unfinished(tenant)
    assert render_id is not None
    return render_id


def validated(tenant: Tenant) -> httpx.Response:
    """Send a document to the validators."""
    return send_tool(tenant.client, "validate")


def cancel(tenant: Tenant, sent: Future[httpx.Response]) -> None:
    """Cancel the request that is worked on: it ends soon, unbilled, and the next one is made."""
    render_id = wait_until_unfinished(tenant)
    canceled = tenant.client.http.post(f"/renders/{render_id}/cancel")
    begun = time.monotonic()
    answer = sent.result(timeout=60)
    took_s = time.monotonic() - begun

    assert (canceled.status_code, canceled.json()["status"]) == (200, "canceled")
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict"), answer.text
    assert took_s < SOON_S
    assert_unbilled(tenant, render_id)


def assert_unbilled(tenant: Tenant, render_id: str) -> None:
    wait_for(lambda: tenant.limit_counts == (0, 0, 0))
    shown = tenant.client.get(render_id)
    assert (shown["billed"], shown["files"]) == (False, [])


def assert_serves(tenant: Tenant) -> None:
    """Assert that the next request is made as if nothing had happened."""
    for tool in ("rotate", "watermark"):
        render = send_tool(tenant.client, tool).json()
        assert render["status"] == "succeeded", render


def test_tool_is_canceled_in_the_queue(tenants: Tenants, tenant: Tenant, send: Sent) -> None:
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
    tenant: Tenant, other: Tenant, send: Sent, site: Site
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
    stack: RunningStack, tenant: Tenant, other: Tenant, send: Sent
) -> None:
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(draw_long, send)
        wait_for(lambda: busy_workers(stack))
        cancel(tenant, sent)
    wait_for(lambda: not busy_workers(stack), SOON_S)
    assert_serves(other)


def test_tool_is_canceled_while_its_verdict_is_awaited(
    stack: RunningStack, tenant: Tenant, other: Tenant, send: Sent
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
    assert SYNC_TIMEOUT_S - 1 < time.monotonic() - begun < SYNC_TIMEOUT_S + 3
    wait_for(lambda: not busy_workers(stack), SOON_S)
    wait_for(lambda: hasty.limit_counts == (0, 0, 0))


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


def test_killed_tool_process_runs_its_request_again(
    stack: RunningStack, tenant: Tenant, send: Sent
) -> None:
    with paused(stack, WORKER), ThreadPoolExecutor(1) as pool:
        sent = pool.submit(send, "rotate")
        render_id = wait_until_unfinished(tenant)
        time.sleep(1)
        for worker in processes(stack, WORKER):
            worker.kill()
        render = sent.result(timeout=60).json()

    assert (render["id"], render["status"]) == (render_id, "succeeded"), render
    assert tenant.row(render_id)["attempt"] == 1
    wait_for(lambda: tenant.limit_counts == (1, 0, 0))


def test_request_whose_processes_are_all_killed_fails_alone(
    stack: RunningStack, tenant: Tenant, other: Tenant, send: Sent
) -> None:
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(draw_long, send)
        render_id = wait_until_unfinished(tenant)
        while not sent.done():
            for worker in busy_workers(stack):
                # The next caller's process has no child yet, or has ended soon.
                time.sleep(0.3)
                for child in children(worker):
                    with suppress(psutil.Error):
                        child.kill()
            # Beside it the other tools go on.
            assert send_tool(other.client, "flatten").json()["status"] == "succeeded"
        answer = sent.result()

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_pdf_source"), answer.text
    assert_unbilled(tenant, render_id)
    assert_serves(other)


def test_request_of_a_killed_function_is_run_again(
    stack: RunningStack, tenant: Tenant, other: Tenant, send: Sent
) -> None:
    with paused(stack, WORKER), ThreadPoolExecutor(1) as pool:
        sent = pool.submit(send, "watermark")
        render_id = wait_until_unfinished(tenant)
        time.sleep(2)
        for function in processes(stack, FUNCTION):
            function.kill()
        render = sent.result(timeout=60).json()

    assert (render["id"], render["status"]) == (render_id, "succeeded"), render
    wait_for(lambda: tenant.limit_counts == (1, 0, 0))
    assert_serves(other)


def test_request_that_always_kills_its_function_is_lost_and_unbilled(
    stack: RunningStack, tenant: Tenant, other: Tenant, send: Sent
) -> None:
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(draw_long, send)
        render_id = wait_until_unfinished(tenant)
        while not sent.done():
            for worker in busy_workers(stack):
                with suppress(psutil.Error):
                    psutil.Process(worker.ppid()).kill()
            time.sleep(0.1)
        answer = sent.result()

    assert answer.json()["code"] == "render_lost", answer.text
    assert_unbilled(tenant, render_id)
    assert_serves(other)
