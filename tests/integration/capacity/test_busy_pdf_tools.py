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

pytestmark = pytest.mark.integration

SMALL_PLAN_S = 15


@pytest.fixture
def busy(tenants: Tenants) -> Iterator[Tenant]:
    """Occupy the functions of PDF tools for the test, or for half a minute."""
    long = tool_request("to-images", pdf(40, size=(2500, 2500)), dpi=300)
    with tenants.create("busy", "scale") as owner, ThreadPoolExecutor() as pool:
        holders = [
            pool.submit(owner.client.http.post, "/pdf-tools/to-images", json=long)
            for _ in range(os.cpu_count() or 1)
        ]
        time.sleep(2)
        yield owner
        for render in owner.client.http.get("/renders").json()["data"]:
            owner.client.http.post(f"/renders/{render['id']}/cancel")
        assert {holder.result().status_code for holder in holders} == {409}


def test_tool_without_a_free_function_is_refused_unbilled(
    stack: RunningStack, tenants: Tenants, busy: Tenant
) -> None:
    del stack, busy
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
        assert SMALL_PLAN_S - 1 < took_s < SMALL_PLAN_S + 3
        assert refused.limit_counts == (0, 0, 0)
