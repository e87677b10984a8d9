"""Killed processes of PDF tools: a request is repeated or fails alone, and is not billed then."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

import psutil
import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.tenants import Tenant
from tests.builders.stack.tool_requests import (
    WORKER,
    RunTool,
    assert_serves,
    assert_unbilled,
    busy_workers,
    children,
    draw_long,
    paused,
    processes,
    send_tool,
    wait_for,
    wait_until_unfinished,
)

pytestmark = pytest.mark.integration

FUNCTION: Final = "functions.pdf_tools"


def test_killed_tool_process_runs_its_request_again(
    stack: RunningStack, tenant: Tenant, send: RunTool
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
    stack: RunningStack, tenant: Tenant, other: Tenant, send: RunTool
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
    stack: RunningStack, tenant: Tenant, other: Tenant, send: RunTool
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
    stack: RunningStack, tenant: Tenant, other: Tenant, send: RunTool
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
