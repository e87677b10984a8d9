"""Workspaces on one machine: processes of their own, or shared ones."""

import contextlib
import json
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psutil
import pytest
from botocore.exceptions import ClientError

from infra.local.running_stack import RunningStack, running_stack
from tests.builders.pdfs.requests import tool_request
from tests.builders.stack.tenants import Tenant, Tenants

pytestmark = pytest.mark.integration

CORES = os.cpu_count() or 1


@pytest.fixture(scope="module")
def isolating() -> Iterator[RunningStack]:
    with running_stack(PLATEN_LOCAL_TENANCY="workspace") as running:
        yield running


@pytest.fixture(scope="module")
def sharing() -> Iterator[RunningStack]:
    with running_stack() as running:
        yield running


def validate(stack: RunningStack, **options: Any) -> tuple[Any, str | None]:
    """Invoke the validate function without checks; return its answer and its error."""
    event = {"checks": [], "content": "", "until": time.time() + 30}
    answer = stack.client("lambda").invoke(
        FunctionName=stack.resources["ValidateFunction"]["Ref"],
        Payload=json.dumps(event),
        **options,
    )
    return json.loads(answer["Payload"].read()), answer.get("FunctionError")


def environments(stack: RunningStack, function: str) -> dict[int, dict[str, str]]:
    """Return the variables of a function's worker processes by their ids."""
    name = stack.resources[function]["Ref"]
    found = {}
    for process in psutil.Process(stack.pid).children():
        with contextlib.suppress(psutil.Error):
            variables = process.environ()
            if variables.get("AWS_LAMBDA_FUNCTION_NAME") == name:
                found[process.pid] = variables
    return found


def validate_pids(stack: RunningStack) -> set[int]:
    """Return the worker processes of the validate function."""
    return set(environments(stack, "ValidateFunction"))


@pytest.mark.parametrize(
    ("function", "has_rights"),
    [
        ("RenderFunction", True),
        ("EngineFunction", False),
        ("PdfToolsFunction", False),
        ("SchemasFunction", False),
        ("ValidateFunction", False),
    ],
)
def test_function_without_rights_has_no_way_to_the_stores(
    sharing: RunningStack, function: str, *, has_rights: bool
) -> None:
    # Starts a process where none is warm; the answer does not matter.
    name = sharing.resources[function]["Ref"]
    sharing.client("lambda").invoke(FunctionName=name, Payload=b"{}")
    running = environments(sharing, function)
    access = ("AWS_ACCESS_KEY", "AWS_SECRET", "AWS_SESSION", "AWS_ENDPOINT")

    assert running
    for variables in running.values():
        assert any(name.startswith(access) for name in variables) is has_rights
        assert ("PLATEN_BUCKET" in variables) is has_rights


def test_health_tells_the_tenancy(sharing: RunningStack, isolating: RunningStack) -> None:
    told = {}
    for name, stack in (("shared", sharing), ("isolated", isolating)):
        url = stack.base_url.removesuffix("/v1")
        told[name] = httpx.get(f"{url}/healthz", timeout=20).json()["checks"]

    parts = {"database": "ok", "storage": "ok", "queues": "ok", "walls": "ok"}
    assert told["shared"] == parts | {"tenancy": "missing"}
    assert told["isolated"] == parts | {"tenancy": "ok"}


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
    assert len(environments(isolating, "EngineFunction")) <= CORES


def test_pdf_tools_of_two_workspaces_run_in_processes_of_their_own(
    isolating: RunningStack, two_workspaces: tuple[Tenant, Tenant]
) -> None:
    pids = set[int]()
    for tenant in two_workspaces:
        answer = tenant.client.http.post("/pdf-tools/rotate", json=tool_request("rotate"))
        assert answer.status_code == 200, answer.text
        pids |= environments(isolating, "PdfToolsFunction").keys()

    assert len(pids) == 2
    assert len(environments(isolating, "PdfToolsFunction")) <= CORES


def test_shared_process_serves_all_workspaces(sharing: RunningStack) -> None:
    pids = set[int]()
    for options in ({"TenantId": "ws_a"}, {"TenantId": "ws_b"}, {}):
        assert validate(sharing, **options) == ({"verdicts": []}, None)
        pids |= validate_pids(sharing)

    assert len(pids) == 1


def test_each_workspace_has_a_process_of_its_own(isolating: RunningStack) -> None:
    first = validate(isolating, TenantId="ws_a")
    (own,) = validate_pids(isolating)
    assert validate(isolating, TenantId="ws_a") == first
    assert validate_pids(isolating) == {own}
    second = validate(isolating, TenantId="ws_b")

    # One validator at a time: that of the other workspace has ended.
    (other,) = validate_pids(isolating)
    assert first == second == ({"verdicts": []}, None)
    assert other != own
    validate(isolating, TenantId="ws_b")
    assert validate_pids(isolating) == {other}


def test_many_workspaces_are_served_within_the_slots(isolating: RunningStack) -> None:
    tenants = [f"ws_{number % 9}" for number in range(27)]
    sizes = []
    with ThreadPoolExecutor(9) as threads:
        calls = [threads.submit(validate, isolating, TenantId=tenant) for tenant in tenants]
        while not all(call.done() for call in calls):
            sizes.append(len(validate_pids(isolating)))
            time.sleep(0.05)

    assert {call.result()[1] for call in calls} == {None}
    assert max(sizes) <= CORES


def test_killed_processes_are_replaced(isolating: RunningStack) -> None:
    validate(isolating, TenantId="ws_a")
    killed = validate_pids(isolating)
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    psutil.wait_procs([psutil.Process(pid) for pid in killed if psutil.pid_exists(pid)], 5)

    assert validate(isolating, TenantId="ws_a")[1] is None
    assert validate(isolating, TenantId="ws_b")[1] is None
    assert not validate_pids(isolating) & killed


@pytest.mark.parametrize("options", [{}, {"TenantId": "x" * 257}, {"TenantId": "ws a*"}])
def test_invocation_without_a_valid_tenant_id_is_refused(
    isolating: RunningStack, options: dict[str, str]
) -> None:
    with pytest.raises(ClientError, match="InvalidParameterValueException"):
        validate(isolating, **options)


@pytest.fixture
def two_workspaces(isolating: RunningStack) -> Iterator[tuple[Tenant, Tenant]]:
    made = Tenants(isolating)
    with made.create("One", "growth") as one, made.create("Two", "growth") as two:
        yield one, two


def test_documents_of_two_workspaces_are_validated_in_turn(
    two_workspaces: tuple[Tenant, Tenant],
) -> None:
    for tenant in (*two_workspaces, *two_workspaces):
        answer = tenant.client.render(
            mode="async", output={"pdf": {"pdfua": True}}, delivery={"type": "none"}
        )
        assert answer.status_code == 202, answer.text
        render = tenant.client.wait_until_final(answer.json()["id"], 120)
        assert render["status"] == "succeeded", render
        assert render["result"]["conformance"]["pdfua"]["status"] == "passed"
