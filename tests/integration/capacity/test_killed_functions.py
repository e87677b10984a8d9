"""Functions killed when no other is free, and browsers killed under a live function."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import psutil
import pytest

from infra.local.running_stack import RunningStack
from tests.builders.pages.held_documents import HeldDocument
from tests.builders.stack.api_client import output_ready_at
from tests.builders.stack.tenants import Tenant, Tenants
from tests.builders.waiting import eventually

pytestmark = pytest.mark.integration

SMALL_PLAN_S: Final = 15
# One more than a workspace may keep busy.
ENGINES: Final = (os.cpu_count() or 1) + 1


@pytest.fixture
def tenant(tenants: Tenants) -> Iterator[Tenant]:
    """Create a workspace of the largest plan."""
    with tenants.create("dies", "scale") as made:
        yield made


def processes(stack: RunningStack, word: str) -> list[psutil.Process]:
    """Return the stack's processes with a word in their command line."""
    found = []
    for process in psutil.Process(stack.pid).children(recursive=True):
        try:
            command = " ".join(process.cmdline())
            # A browser's own children end with it.
            found += [process] if word in command and "--type=" not in command else []
        except psutil.Error:
            continue
    return found


def kill(stack: RunningStack, word: str, pause_s: float = 0) -> int:
    """Kill the stack's processes with a word in their command line; return how many there were.

    The youngest is killed first; `pause_s` separates the kills.
    """
    found = sorted(processes(stack, word), key=psutil.Process.create_time, reverse=True)
    for process in found:
        try:
            os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
        time.sleep(pause_s)
    return len(found)


def browsers(stack: RunningStack, pause_s: float = 0) -> int:
    return kill(stack, "--remote-debugging-pipe", pause_s)


@pytest.mark.breadth
def test_caller_whose_function_dies_while_no_engine_is_free_is_answered_in_time(
    stack: RunningStack, tenants: Tenants, new_document: Callable[[], HeldDocument]
) -> None:
    document = new_document()
    with (
        tenants.create("busy", "scale") as busy,
        tenants.create("continues", "free") as continues,
        tenants.create("cancels", "free") as cancels,
        ThreadPoolExecutor() as pool,
    ):
        for _ in range(ENGINES - 2):
            assert busy.client.render(mode="async", **document.fields).status_code == 202
        eventually(lambda: document.load_count() == max(0, ENGINES - 2))
        goes_on = pool.submit(continues.client.render, **document.fields)
        refused = pool.submit(cancels.client.render, timeout_behavior="cancel", **document.fields)
        eventually(lambda: document.load_count() == ENGINES)
        # The engines go on, so that a new function finds none.
        assert kill(stack, "functions.render")

        assert goes_on.result().status_code == 202, goes_on.result().text
        assert refused.result().status_code == 503, refused.result().text
        assert int(refused.result().headers["Retry-After"]) >= 1
        document.finish()
        render = continues.wait_until_final(goes_on.result().json()["id"])
        assert render["status"] == "succeeded", render
        eventually(lambda: (continues.limit_counts, cancels.limit_counts) == ((1, 0, 0), (0, 0, 0)))


@pytest.mark.breadth
def test_late_document_is_canceled_with_its_caller(tenants: Tenants) -> None:
    with tenants.create("cancels", "free") as cancels:
        begun = time.monotonic()

        answer = cancels.client.render(
            timeout_behavior="cancel", output=output_ready_at(time.time() + 3600)
        )

        assert (answer.status_code, answer.json()["code"]) == (408, "render_timeout"), answer.text
        assert time.monotonic() - begun > SMALL_PLAN_S - 1
        # The function itself releases the lease, when it has ended.
        eventually(lambda: cancels.limit_counts == (0, 0, 0))


def test_killed_browser_of_a_queued_render_is_replaced(
    stack: RunningStack, tenant: Tenant, new_document: Callable[[], HeldDocument]
) -> None:
    document = new_document()
    render_id = tenant.client.render(mode="async", **document.fields).json()["id"]
    eventually(lambda: document.load_count() == 1)
    # Standby browsers first: a page that outlives two browsers is given up.
    assert browsers(stack, 0.2)
    eventually(lambda: document.load_count() == 2)
    document.finish()

    render = tenant.wait_until_final(render_id)

    assert render["status"] == "succeeded", render
    assert tenant.row(render_id)["attempt"] == 1


def test_render_without_a_usable_browser_is_retried_by_another_attempt(
    stack: RunningStack, tenant: Tenant, new_document: Callable[[], HeldDocument]
) -> None:
    document = new_document()
    render_id = tenant.client.render(mode="async", **document.fields).json()["id"]
    eventually(lambda: document.load_count() == 1)

    def is_retried() -> bool:
        if tenant.row(render_id)["attempt"] > 1:
            return True
        browsers(stack)
        return False

    eventually(is_retried)
    document.finish()

    render = tenant.wait_until_final(render_id)

    assert render["status"] == "succeeded", render
    assert tenant.row(render_id)["attempt"] > 1
    eventually(lambda: tenant.limit_counts == (1, 0, 0))
