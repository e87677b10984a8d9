"""All functions of PDF tools busy: a caller is refused in time, and pages are made meanwhile."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from infra.local.running_stack import RunningStack
from tests.builders.pdfs.plain import pdf
from tests.builders.pdfs.requests import tool_request
from tests.builders.stack.tenants import Tenant, Tenants
from tests.builders.stack.tool_requests import busy_workers
from tests.builders.waiting import eventually

pytestmark = pytest.mark.integration

SMALL_PLAN_S = 15


@pytest.fixture
def busy(stack: RunningStack, tenants: Tenants) -> Iterator[Tenant]:
    """Occupy the functions of PDF tools for the test."""
    # One more than a workspace may keep busy.
    functions = (os.cpu_count() or 1) + 1
    long = tool_request("to-images", pdf(40, size=(2500, 2500)), dpi=300, mode="async")
    with tenants.create("busy", "scale") as owner, tenants.create("busy too", "scale") as other:
        holders = [
            (tenant, tenant.client.http.post("/pdf-tools/to-images", json=long).json()["id"])
            for tenant in (*[owner] * (functions - 1), other)
        ]
        eventually(lambda: len(busy_workers(stack)) == functions, pause_s=0.1)
        yield owner
        assert {tenant.row(holder)["status"] for tenant, holder in holders} == {"processing"}
        for tenant, holder in holders:
            tenant.client.http.post(f"/renders/{holder}/cancel")
        assert {tenant.wait_until_final(holder)["status"] for tenant, holder in holders} == {
            "canceled"
        }


@pytest.mark.breadth
@pytest.mark.usefixtures("busy")
def test_tool_without_a_free_function_is_refused_unbilled(tenants: Tenants) -> None:
    with tenants.create("refused", "free") as refused, tenants.create("pages", "free") as pages:
        with ThreadPoolExecutor(1) as pool:
            begun = time.monotonic()
            body = tool_request("rotate", timeout_behavior="cancel")
            sent = pool.submit(refused.client.http.post, "/pdf-tools/rotate", json=body)
            page = pages.client.render()
            answer = sent.result()
            took_s = time.monotonic() - begun

        assert page.status_code == 200, page.text
        assert (answer.status_code, answer.json()["code"]) == (503, "region_degraded"), answer.text
        assert int(answer.headers["Retry-After"]) >= 1
        assert took_s > SMALL_PLAN_S - 1
        assert refused.limit_counts == (0, 0, 0)
