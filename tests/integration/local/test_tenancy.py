"""Workspaces on one machine with processes of their own."""

import contextlib
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from botocore.exceptions import ClientError

from infra.local.running_stack import RunningStack
from tests.builders.pdfs.requests import tool_request
from tests.builders.stack.function_processes import (
    end_processes,
    environments,
    validate_nothing,
    validate_pids,
)
from tests.builders.stack.tenants import Tenant, Tenants

pytestmark = pytest.mark.integration

CORES = os.cpu_count() or 1


def test_health_tells_the_tenancy(isolating: RunningStack) -> None:
    url = isolating.base_url.removesuffix("/v1")

    checks = httpx.get(f"{url}/healthz", timeout=20).json()["checks"]

    parts = {"database": "ok", "storage": "ok", "queues": "ok", "walls": "ok"}
    assert checks == parts | {"tenancy": "ok"}


def test_pages_of_more_workspaces_than_slots_are_made_in_turn(isolating: RunningStack) -> None:
    made = Tenants(isolating)
    pids = set[int]()
    with contextlib.ExitStack() as cleanup:
        tenants = [
            cleanup.enter_context(made.create(f"Page {n}", "growth")) for n in range(CORES + 1)
        ]
        for tenant in tenants * 2:
            answer = tenant.client.render(input={"type": "html", "html": "<p>Its own engine"})
            assert answer.status_code == 200, answer.text
            pids |= environments(isolating, "EngineFunction").keys()

    # Each change of a slot's workspace takes another process.
    assert len(pids) > CORES + 1
    assert len(environments(isolating, "EngineFunction")) <= CORES + 1


def test_pdf_tools_of_two_workspaces_run_in_processes_of_their_own(
    isolating: RunningStack, two_workspaces: tuple[Tenant, Tenant]
) -> None:
    pids = set[int]()
    for tenant in two_workspaces:
        answer = tenant.client.http.post("/pdf-tools/rotate", json=tool_request("rotate"))
        assert answer.status_code == 200, answer.text
        pids |= environments(isolating, "PdfToolsFunction").keys()

    assert len(pids) == 2
    assert len(environments(isolating, "PdfToolsFunction")) <= CORES + 1


def test_each_workspace_has_a_process_of_its_own(isolating: RunningStack) -> None:
    first = validate_nothing(isolating, TenantId="ws_a")
    (own,) = validate_pids(isolating)
    assert validate_nothing(isolating, TenantId="ws_a") == first
    assert validate_pids(isolating) == {own}
    second = validate_nothing(isolating, TenantId="ws_b")

    # One validator at a time: that of the other workspace has ended.
    (other,) = validate_pids(isolating)
    assert first == second == ({"verdicts": []}, None)
    assert other != own
    validate_nothing(isolating, TenantId="ws_b")
    assert validate_pids(isolating) == {other}


def test_many_workspaces_are_served_within_the_slots(isolating: RunningStack) -> None:
    tenants = [f"ws_{number % 9}" for number in range(27)]
    sizes = []
    with ThreadPoolExecutor(9) as threads:
        calls = [threads.submit(validate_nothing, isolating, TenantId=tenant) for tenant in tenants]
        while not all(call.done() for call in calls):
            sizes.append(len(validate_pids(isolating)))
            time.sleep(0.05)

    assert {call.result()[1] for call in calls} == {None}
    assert max(sizes) <= CORES


def test_killed_processes_are_replaced(isolating: RunningStack) -> None:
    validate_nothing(isolating, TenantId="ws_a")
    killed = validate_pids(isolating)
    end_processes(killed)

    assert validate_nothing(isolating, TenantId="ws_a")[1] is None
    assert validate_nothing(isolating, TenantId="ws_b")[1] is None
    assert not validate_pids(isolating) & killed


@pytest.mark.parametrize("options", [{}, {"TenantId": "x" * 257}, {"TenantId": "ws a*"}])
def test_invocation_without_a_valid_tenant_id_is_refused(
    isolating: RunningStack, options: dict[str, str]
) -> None:
    with pytest.raises(ClientError, match="InvalidParameterValueException"):
        validate_nothing(isolating, **options)


@pytest.fixture
def two_workspaces(isolating: RunningStack) -> Iterator[tuple[Tenant, Tenant]]:
    made = Tenants(isolating)
    with made.create("One", "growth") as one, made.create("Two", "growth") as two:
        yield one, two


def test_documents_of_two_workspaces_are_validated_in_turn(
    two_workspaces: tuple[Tenant, Tenant],
) -> None:
    first, second = two_workspaces
    for tenant in (first, second, first):
        answer = tenant.client.render(
            mode="async", output={"pdf": {"pdfua": True}}, delivery={"type": "none"}
        )
        assert answer.status_code == 202, answer.text
        render = tenant.client.wait_until_final(answer.json()["id"], 120)
        assert render["status"] == "succeeded", render
        assert render["result"]["conformance"]["pdfua"]["status"] == "passed"
