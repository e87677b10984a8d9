"""Requests of PDF tools on a running stack, and the processes that work on them."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any, Final, Protocol

import httpx
import psutil

from infra.local.running_stack import RunningStack
from tests.builders.pdfs.plain import pdf
from tests.builders.pdfs.requests import tool_request
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenant
from tests.builders.waiting import PATIENCE_S

WORKER: Final = "chalicelib.engine.pdf_tools.run.worker"
# What is stopped would go on for half a minute.
SOON_S: Final = 25


class RunTool(Protocol):
    """Sends the request of a tool; `content` is its source, unless `more` names another."""

    def __call__(self, tool: str, content: bytes | None = None, **more: Any) -> httpx.Response:
        """Return the answer."""
        ...


def send_tool(
    client: ApiClient, tool: str, content: bytes | None = None, **more: Any
) -> httpx.Response:
    """Send the request of a tool."""
    return client.http.post(f"/pdf-tools/{tool}", json=tool_request(tool, content, **more))


def draw_long(send: RunTool, **more: str) -> httpx.Response:
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
    """Stop processes in the block, so that their work takes for ever."""
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


def wait_for(holds: Callable[[], object], seconds: float = PATIENCE_S) -> None:
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


def cancel(tenant: Tenant, sent: Future[httpx.Response]) -> None:
    """Cancel the request that is worked on: it ends soon, unbilled, and the next one is made."""
    render_id = wait_until_unfinished(tenant)
    canceled = tenant.client.http.post(f"/renders/{render_id}/cancel")
    begun = time.monotonic()
    answer = sent.result(timeout=PATIENCE_S)
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
