"""Processes that all workspaces share: what each function has, and who is served by it."""

import httpx
import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.function_processes import environments, validate_nothing, validate_pids

pytestmark = pytest.mark.integration


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
    stack: RunningStack, function: str, *, has_rights: bool
) -> None:
    # Starts a process where none is warm; the answer does not matter.
    name = stack.resources[function]["Ref"]
    stack.client("lambda").invoke(FunctionName=name, Payload=b"{}")
    running = environments(stack, function)
    access = ("AWS_ACCESS_KEY", "AWS_SECRET", "AWS_SESSION", "AWS_ENDPOINT")

    assert running
    for variables in running.values():
        assert any(name.startswith(access) for name in variables) is has_rights
        assert ("PLATEN_BUCKET" in variables) is has_rights


def test_health_tells_that_processes_are_shared(stack: RunningStack) -> None:
    url = stack.base_url.removesuffix("/v1")

    checks = httpx.get(f"{url}/healthz", timeout=20).json()["checks"]

    parts = {"database": "ok", "storage": "ok", "queues": "ok", "walls": "ok"}
    assert checks == parts | {"tenancy": "missing"}


def test_one_process_serves_all_workspaces(stack: RunningStack) -> None:
    pids = set[int]()
    for options in ({"TenantId": "ws_a"}, {"TenantId": "ws_b"}, {}):
        assert validate_nothing(stack, **options) == ({"verdicts": []}, None)
        pids |= validate_pids(stack)

    assert len(pids) == 1
