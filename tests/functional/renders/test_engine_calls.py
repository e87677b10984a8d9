"""Calls of the engine: for whom, and what becomes of a render whose engine is busy or lost."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from chalicelib.adapters.aws.queues import Queue
from chalicelib.core.tenancy import TenantGuard, TenantIsolationError
from chalicelib.engine.remote.execute import ExecuteCall
from chalicelib.engine.sandbox.walls import Walls
from functions.engine.serve import EngineServices, serve
from tests.builders.lambda_client import FunctionKilled, LambdaClient
from tests.builders.service import Service
from tests.builders.templates import make_template
from tests.builders.uploads import store_announced
from tests.fakes.api_services import FixedClock
from tests.fakes.engine import FakeEngine

BUSY = LambdaClient.exceptions.TooManyRequestsException
XML = b'<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:x"/>'


@pytest.fixture
def quick_retries(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make failed messages visible at once."""
    change = service.clients.sqs.change_message_visibility

    def at_once(**request: Any) -> Any:
        return change(**request | {"VisibilityTimeout": 0})

    monkeypatch.setattr(service.clients.sqs, "change_message_visibility", at_once)


def render_now(service: Service) -> None:
    assert service.render().status == 200


def render_later(service: Service) -> None:
    assert service.render(mode="async").status == 202
    service.run_queued()


def lint(service: Service) -> None:
    wanted = {"type": "html", "html": "{{ n }}", "templating": True}
    body = {"input": wanted, "data": {"n": 1}}
    assert service.call("POST", "/v1/renders/preflight", json_body=body).status == 200


def dry_run(service: Service) -> None:
    path = make_template(service, html="{{ n }}")
    dataset = {"name": "A", "data": {"n": 1}}
    assert service.call("POST", f"{path}/datasets", json_body=dataset).status == 201
    assert service.call("POST", f"{path}/publish").status == 201


def validate_received(service: Service) -> None:
    headers = {"Content-Type": "application/xml"}
    answer = service.call("POST", "/v1/einvoices/validate", body=XML, headers=headers)
    assert answer.status == 200


CALLS: list[Callable[[Service], None]] = [
    render_now,
    render_later,
    lint,
    dry_run,
    validate_received,
]


@pytest.mark.parametrize(("tenancy", "is_sent"), [("isolated", True), ("shared", False)])
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_the_engine_is_invoked_for_the_workspace(
    service: Service, call: Callable[[Service], None], tenancy: str, *, is_sent: bool
) -> None:
    service.tenancy = vars(service.settings)["tenancy"] = tenancy

    call(service)

    tenants = {each.tenant for each in service.engine_calls}
    assert tenants == {service.workspace if is_sent else None}


def test_another_tenant_is_refused_before_anything_is_run() -> None:
    engine, store = FakeEngine(), SimpleNamespace()
    execute = ExecuteCall(engine, store, SimpleNamespace, FixedClock(), Walls())  # type: ignore[arg-type]
    services = EngineServices(execute, TenantGuard("isolated"))

    def invoke(tenant: str | None) -> object:
        context: Any = SimpleNamespace(aws_request_id="i", tenant_id=tenant)
        return serve({"v": 1, "call": "unknown"}, context, services)

    for tenant in (None, ""):
        with pytest.raises(TenantIsolationError, match="no tenant id"):
            invoke(tenant)
    with pytest.raises(Exception, match="ValidationError"):
        invoke("ws_a")
    with pytest.raises(TenantIsolationError, match="serves another tenant"):
        invoke("ws_b")
    assert engine.all_jobs == []


def always_busy(service: Service) -> Iterator[BaseException | None]:
    while True:
        service.clock.advance(seconds=6)
        yield BUSY()


def lost_then_busy(service: Service) -> Iterator[BaseException | None]:
    yield FunctionKilled()
    yield from always_busy(service)


FAILURES = pytest.mark.parametrize("failures", [always_busy, lost_then_busy])


@FAILURES
def test_caller_without_a_free_engine_is_refused(
    service: Service, failures: Callable[[Service], Iterator[BaseException | None]]
) -> None:
    service.engine_failures = failures(service)

    answer = service.render(timeout_behavior="cancel")

    assert (answer.status, answer.code) == (503, "region_degraded")
    render = service.call("GET", f"/v1/renders/{answer.json['render_id']}").json
    assert (render["status"], render["billed"]) == ("canceled", False)
    assert service.engine.jobs == []
    assert service.limits()["holds"] == {}


@FAILURES
def test_render_without_a_free_engine_continues_in_the_background(
    service: Service, failures: Callable[[Service], Iterator[BaseException | None]]
) -> None:
    service.engine_failures = failures(service)

    answer = service.render(timeout_behavior="continue")
    assert answer.status == 202
    service.engine_failures = iter(())
    assert service.run_queued() == []

    render = service.call("GET", f"/v1/renders/{answer.json['id']}").json
    assert (render["status"], render["billed"]) == ("succeeded", True)


@pytest.mark.usefixtures("quick_retries")
def test_queued_render_waits_for_an_engine_without_using_up_attempts(service: Service) -> None:
    render_id = service.render(mode="async").json["id"]
    for _ in range(4):
        service.engine_failures = always_busy(service)
        assert len(service.run_queued()) == 1
    service.engine_failures = iter(())
    assert service.run_queued() == []

    render = service.call("GET", f"/v1/renders/{render_id}").json
    assert render["status"] == "succeeded"
    queue = Queue(service.clients, service.settings.renders_queue_url)
    assert queue.approximate_message_count() == 0


@pytest.mark.usefixtures("quick_retries")
@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize(("deaths", "end"), [(1, None), (2, None), (3, "render_lost")])
def test_lost_engine_uses_up_an_attempt(
    service: Service, mode: str, deaths: int, end: str | None
) -> None:
    service.engine_failures = iter([FunctionKilled()] * deaths)

    render_id = service.render(mode=mode).json
    render_id = render_id.get("render_id") or render_id["id"]
    for _ in range(deaths + 1):
        service.run_queued()

    render = service.call("GET", f"/v1/renders/{render_id}").json
    assert (render["error"] or {"code": None})["code"] == end
    assert len(service.engine.jobs) == (0 if end else 1)
    assert service.limits()["holds"] == {}


def test_upload_reaches_the_engine_by_a_presigned_address(service: Service) -> None:
    announced = {"filename": "a.html", "content_type": "text/html", "bytes": 4}
    upload = service.call("POST", "/v1/uploads", json_body=announced).json
    store_announced(service, upload["id"], b"<p>x")

    assert service.render(input={"type": "html", "upload_id": upload["id"]}).status == 200

    (call,) = service.engine_calls
    assert call.event["uploads"].keys() == {upload["id"]}
    assert "Signature" in call.event["uploads"][upload["id"]]
    assert service.engine.html_texts == ["<p>x"]
