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
from tests.builders.pages.held_documents import HeldDocument
from tests.builders.stack.tenants import Tenant, Tenants
from tests.builders.waiting import eventually

pytestmark = pytest.mark.integration

# Of the plan `free`; `scale` waits for as long as the gateway does.
SMALL_PLAN_S: Final = 15
# One more than a workspace may keep busy.
ENGINES: Final = (os.cpu_count() or 1) + 1


@dataclass(frozen=True)
class Answered:
    """An answer, its duration, and its tenant."""

    http: httpx.Response
    seconds: float
    tenant: Tenant


@dataclass(frozen=True)
class Window:
    """Answers given while all engines were busy, and the engine that was then used."""

    goes_on: Answered
    refused: Answered
    used: Answered
    invoked: ClientError


@pytest.fixture(scope="module")
def window(
    stack: RunningStack, tenants: Tenants, new_document: Callable[[], HeldDocument]
) -> Iterator[Window]:
    """Keep all engines busy until callers of the small plan are answered."""
    document = new_document()
    with (
        tenants.create("busy", "scale") as owner,
        tenants.create("busy too", "scale") as other,
        tenants.create("continues", "free") as continues,
        tenants.create("cancels", "free") as cancels,
        tenants.create("waits", "scale") as waits,
        ThreadPoolExecutor() as pool,
    ):
        holders = [
            (tenant, tenant.client.render(mode="async", **document.fields).json()["id"])
            for tenant in (*[owner] * (ENGINES - 1), other)
        ]
        eventually(lambda: document.load_count() == ENGINES)
        goes_on = pool.submit(ask, continues)
        refused = pool.submit(ask, cancels, timeout_behavior="cancel")
        with pytest.raises(ClientError) as invoked:
            tenants.stores.clients.lambda_client(30).invoke(
                FunctionName=stack.resources["EngineFunction"]["Ref"], Payload=b"{}"
            )
        answers = (goes_on.result(), refused.result())
        assert {tenant.row(holder)["status"] for tenant, holder in holders} == {"processing"}
        used = pool.submit(ask, waits)
        # It is refused at first.
        time.sleep(1)
        document.finish()
        yield Window(*answers, used.result(), invoked.value)
        assert {tenant.wait_until_final(holder)["status"] for tenant, holder in holders} == {
            "succeeded"
        }


def ask(tenant: Tenant, **fields: Any) -> Answered:
    begun = time.monotonic()
    answer = tenant.client.render(headers={"Idempotency-Key": "k"}, **fields)
    return Answered(answer, time.monotonic() - begun, tenant)


def test_busy_function_is_refused_as_by_lambda(window: Window) -> None:
    assert window.invoked.response["ResponseMetadata"]["HTTPStatusCode"] == 429
    assert window.invoked.response["Error"]["Code"] == "TooManyRequestsException"


def test_caller_with_timeout_behavior_continue_gets_a_202_and_later_the_document(
    window: Window,
) -> None:
    answer = window.goes_on.http
    client = window.goes_on.tenant.client

    assert answer.status_code == 202, answer.text
    assert answer.json()["status"] == "queued"
    assert window.goes_on.seconds > SMALL_PLAN_S - 1
    render = window.goes_on.tenant.wait_until_final(answer.json()["id"])
    assert render["status"] == "succeeded", render
    eventually(lambda: window.goes_on.tenant.limit_counts == (1, 0, 0))
    again = client.render(headers={"Idempotency-Key": "k"})
    assert (again.status_code, again.json()["id"]) == (202, render["id"])


def test_caller_with_timeout_behavior_cancel_gets_a_503_and_pays_nothing(window: Window) -> None:
    answer, tenant = window.refused.http, window.refused.tenant

    assert answer.status_code == 503, answer.text
    assert answer.json()["code"] == "region_degraded"
    assert int(answer.headers["Retry-After"]) >= 1
    assert window.refused.seconds > SMALL_PLAN_S - 1
    eventually(lambda: tenant.limit_counts == (0, 0, 0))
    render = tenant.client.get(answer.json()["render_id"])
    assert (render["status"], render["billed"], render["files"]) == ("canceled", False, [])
    again = ask(tenant, timeout_behavior="cancel").http
    assert again.status_code == 200, again.text
    assert "Idempotent-Replayed" not in again.headers
    eventually(lambda: tenant.limit_counts == (1, 0, 0))


def test_capacity_that_frees_in_time_is_used(window: Window) -> None:
    assert window.used.http.status_code == 200, window.used.http.text
    eventually(lambda: window.used.tenant.limit_counts == (1, 0, 0))
