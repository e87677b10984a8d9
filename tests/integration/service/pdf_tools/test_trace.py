"""Trace of the function of PDF tools for an operator: log lines, deaths and times."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import psutil
import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.tenants import Tenant
from tests.builders.stack.tool_requests import (
    busy_workers,
    cancel,
    draw_long,
    send_tool,
    wait_for,
    wait_until_unfinished,
)
from tests.integration.service.test_observability import log_lines, platen

pytestmark = pytest.mark.integration


def test_trace_of_a_tool_has_its_times_and_its_function(
    stack: RunningStack, tenant: Tenant
) -> None:
    made = send_tool(tenant.client, "watermark").json()
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(draw_long, partial(send_tool, tenant.client))
        canceled_id = wait_until_unfinished(tenant)
        wait_for(lambda: busy_workers(stack))
        tenant.client.http.post(f"/renders/{canceled_id}/cancel").raise_for_status()
        sent.result(timeout=60)

    marked, canceled = (
        platen(stack, "render", "trace", each) for each in (made["id"], canceled_id)
    )

    # The engine has printed the mark, and the tool has drawn it.
    assert marked["timings"] == made["timings"]
    assert None not in {marked["timings"][stage] for stage in ("print_ms", "load_ms", "finish_ms")}
    sources = [(row["source"], row["event"]) for row in canceled["events"]]
    assert ("pdf_tools", "stopped") in sources
    assert ("gateway", "POST /v1/pdf-tools/to-images") in sources


def test_start_and_death_of_the_function_are_logged(
    stack: RunningStack, tenant: Tenant, other: Tenant
) -> None:
    assert send_tool(other.client, "rotate").status_code == 200
    lines = log_lines(stack)
    assert any('"ColdStarts"' in line and '"pdf_tools"' in line for line in lines)
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(draw_long, partial(send_tool, tenant.client))
        wait_for(lambda: busy_workers(stack))
        (worker,) = busy_workers(stack)
        psutil.Process(worker.ppid()).kill()
        cancel(tenant, sent)

    (*_, death) = [line for line in stack.log().splitlines() if "signal: 9" in line]
    assert "PdfToolsFunction" in death
