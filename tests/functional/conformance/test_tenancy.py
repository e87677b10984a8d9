"""Tenant isolation: a workspace's documents are validated in environments of its own."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from chalicelib.bootstrap.validation import ValidationServices
from chalicelib.core.tenancy import TenantGuard, TenantIsolationError
from chalicelib.engine.conformance.local_validator import LocalValidator
from functions.validate import handler as validate
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service
from tests.builders.validation_results import fake_validation
from tests.builders.waiting import generous_deadline

PDFUA = {"pdf": {"pdfua": True}}


class RecordingObjects:
    """Store that records the addresses which are read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def get(self, url: str, **_limits: Any) -> None:
        self.read.append(url)


@pytest.fixture
def objects() -> RecordingObjects:
    return RecordingObjects()


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, objects: RecordingObjects) -> Any:
    """Return a function that starts an execution environment under a tenancy."""

    def start(tenancy: str) -> None:
        held: Any = objects
        services = ValidationServices(LocalValidator(Path("absent")), held, TenantGuard(tenancy))
        monkeypatch.setattr(validate, "_services", lambda: services)

    return start


def invoke(tenant: str | None, url: str = "https://store.test/1") -> object:
    context: Any = SimpleNamespace(
        aws_request_id="i", tenant_id=tenant, get_remaining_time_in_millis=lambda: 60_000
    )
    return validate.handler({"checks": [], "until": generous_deadline(), "url": url}, context)


@pytest.mark.parametrize(("tenancy", "is_sent"), [("isolated", True), ("shared", False)])
def test_every_validation_is_invoked_for_its_workspace(
    service: Service, tenancy: str, *, is_sent: bool
) -> None:
    fake_validation(service)
    service.tenancy = tenancy
    other = service.create_workspace("scale")
    key = service.key("live", other)

    service.render(output=PDFUA)
    service.render(output=PDFUA, key=key)
    service.render(output=PDFUA, mode="async", key=key)
    service.render(output=PDFUA, mode="async")
    service.run_queued()
    service.call(
        *("POST", "/v1/einvoices"),
        json_body={"profile": "EN16931", "invoice": invoice_json()},
        key=key,
    )

    workspaces = [service.workspace, other, other, service.workspace, other]
    sent = service.validate_tenants
    assert sorted(map(str, sent)) == sorted(str(each if is_sent else None) for each in workspaces)
    assert sent[:2] == (workspaces[:2] if is_sent else [None, None])


def test_environment_serves_the_tenant_of_its_first_invocation(
    start: Any, objects: RecordingObjects
) -> None:
    start("isolated")

    invoke("ws_a", "own")
    with pytest.raises(TenantIsolationError, match="serves another tenant"):
        invoke("ws_b", "foreign")
    invoke("ws_a", "again")

    assert objects.read == ["own", "again"]


@pytest.mark.parametrize("tenant", [None, ""])
def test_invocation_without_a_tenant_is_refused_and_binds_nothing(
    start: Any, objects: RecordingObjects, tenant: str | None
) -> None:
    start("isolated")

    with pytest.raises(TenantIsolationError, match="no tenant id"):
        invoke(tenant)
    invoke("ws_a", "first")
    with pytest.raises(TenantIsolationError, match="no tenant id"):
        invoke(tenant)

    assert objects.read == ["first"]


def test_refusal_repeats_no_tenant_id(start: Any) -> None:
    start("isolated")
    invoke("ws_a")

    with pytest.raises(TenantIsolationError) as refused:
        invoke("ws_b" * 999)

    assert "ws_" not in str(refused.value)


def test_unknown_tenancy_isolates(start: Any) -> None:
    start("Isolated ")

    with pytest.raises(TenantIsolationError):
        invoke(None)


@pytest.mark.parametrize("tenants", [(None, None), ("ws_a", "ws_b"), ("ws_a", None)])
def test_shared_environment_serves_every_invocation(
    start: Any, objects: RecordingObjects, tenants: tuple[str | None, ...]
) -> None:
    start("shared")

    for tenant in tenants:
        invoke(tenant)

    assert len(objects.read) == len(tenants)
