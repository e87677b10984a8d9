"""All functions busy: refused as on Lambda, and answered within the plan's timeout."""

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import httpx
import pytest
from botocore.exceptions import ClientError

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import output_ready_at
from tests.builders.stack.tenants import Tenant, Tenants

pytestmark = pytest.mark.integration

# Of the plan `free`; `scale` waits for as long as the gateway does.
SMALL_PLAN_S: Final = 15
BUSY_S: Final = SMALL_PLAN_S + 4
# Tolerance for a slow machine; waiting for capacity would take longer.
LATE_S: Final = 3


@dataclass(frozen=True)
class Answered:
    """An answer, its duration, and its tenant."""

    http: httpx.Response
    seconds: float
    at: float
    tenant: Tenant


@dataclass(frozen=True)
class Window:
    """Answers given while all functions were busy, which ends at `capacity_at`."""

    capacity_at: float
    goes_on: Answered
    refused: Answered
    used: Answered
    invoked: ClientError
    invoked_s: float


@pytest.fixture(scope="module")
def window(stack: RunningStack, tenants: Tenants) -> Iterator[Window]:
    """Keep all functions busy beyond the timeout of the small plan, and send more requests."""
    capacity_at = time.time() + BUSY_S
    output = output_ready_at(capacity_at)
    with (
        tenants.create("busy", "scale") as owner,
        tenants.create("continues", "free") as continues,
        tenants.create("cancels", "free") as cancels,
        tenants.create("waits", "scale") as waits,
        ThreadPoolExecutor() as pool,
    ):
        holders = [
            pool.submit(owner.client.render, output=output) for _ in range(os.cpu_count() or 1)
        ]
        time.sleep(2)
        goes_on = pool.submit(ask, continues)
        refused = pool.submit(ask, cancels, timeout_behavior="cancel")
        used = pool.submit(ask, waits)
        begun = time.monotonic()
        with pytest.raises(ClientError) as invoked:
            tenants.stores.clients.lambda_client(30).invoke(
                FunctionName=stack.resources["EngineFunction"]["Ref"], Payload=b"{}"
            )
        invoked_s = time.monotonic() - begun
        yield Window(
            capacity_at, goes_on.result(), refused.result(), used.result(), invoked.value, invoked_s
        )
        assert [holder.result().status_code for holder in holders] == [200] * len(holders)


def ask(tenant: Tenant, **fields: Any) -> Answered:
    begun = time.monotonic()
    answer = tenant.client.render(headers={"Idempotency-Key": "k"}, **fields)
    return Answered(answer, time.monotonic() - begun, time.time(), tenant)


def eventually(holds: Callable[[], bool], seconds: float = 15) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.2)
    return holds()


def test_busy_function_is_refused_as_by_lambda(window: Window) -> None:
    assert window.invoked.response["ResponseMetadata"]["HTTPStatusCode"] == 429
    assert window.invoked.response["Error"]["Code"] == "TooManyRequestsException"
    # At once, except for the client's own retries: the call did not wait for capacity.
    assert window.invoked_s < BUSY_S / 2


def test_caller_with_timeout_behavior_continue_gets_a_202_and_later_the_document(
    window: Window,
) -> None:
    answer = window.goes_on.http
    client = window.goes_on.tenant.client

    assert answer.status_code == 202, answer.text
    assert answer.json()["status"] == "queued"
    assert SMALL_PLAN_S - 1 < window.goes_on.seconds < SMALL_PLAN_S + LATE_S
    render = window.goes_on.tenant.wait_until_final(answer.json()["id"])
    assert render["status"] == "succeeded", render
    assert eventually(lambda: window.goes_on.tenant.limit_counts == (1, 0, 0))
    again = client.render(headers={"Idempotency-Key": "k"})
    assert (again.status_code, again.json()["id"]) == (202, render["id"])


def test_caller_with_timeout_behavior_cancel_gets_a_503_and_pays_nothing(window: Window) -> None:
    answer, tenant = window.refused.http, window.refused.tenant

    assert answer.status_code == 503, answer.text
    assert answer.json()["code"] == "region_degraded"
    assert int(answer.headers["Retry-After"]) >= 1
    assert SMALL_PLAN_S - 1 < window.refused.seconds < SMALL_PLAN_S + LATE_S
    assert eventually(lambda: tenant.limit_counts == (0, 0, 0))
    render = tenant.client.get(answer.json()["render_id"])
    assert (render["status"], render["billed"], render["files"]) == ("canceled", False, [])
    again = ask(tenant, timeout_behavior="cancel").http
    assert again.status_code == 200, again.text
    assert "Idempotent-Replayed" not in again.headers
    assert eventually(lambda: tenant.limit_counts == (1, 0, 0))


def test_capacity_that_frees_in_time_is_used(window: Window) -> None:
    assert window.used.http.status_code == 200, window.used.http.text
    assert window.capacity_at < window.used.at < window.capacity_at + LATE_S
    assert eventually(lambda: window.used.tenant.limit_counts == (1, 0, 0))
