"""Calls of the schemas function: for whom, and what becomes of a request that gets no answer."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from chalicelib.adapters.net.presigned import PresignedHttpObjects
from chalicelib.core.errors import FieldError
from chalicelib.core.tenancy import TenantGuard, TenantIsolationError
from chalicelib.engine.remote.calls import EngineAnswer
from chalicelib.engine.remote.execute_schema import ExecuteSchemaCall
from chalicelib.engine.remote.results import SchemaResult, decode_result
from chalicelib.settings import ApiSettings
from functions.schemas.handler import SchemaServices, serve
from tests.builders.aws_actions import acting_as
from tests.builders.http import ApiAnswer
from tests.builders.lambda_client import FunctionKilled, LambdaClient
from tests.builders.service import Service, shared_schemas
from tests.builders.templates import (
    TEMPLATES_PATH,
    make_template,
    post_template,
    publish_template,
    render_template,
)
from tests.fakes.api_services import FixedClock

SCHEMA = {"type": "object", "required": ["n"]}


def render_with_schema(service: Service) -> ApiAnswer:
    path = make_template(service, schema=SCHEMA, publish=True)
    service.schema_calls.clear()
    return render_template(service, path, data={"n": 1})


def create_with_schema(service: Service) -> ApiAnswer:
    return post_template(service, schema=SCHEMA)


def publish_with_schema(service: Service) -> ApiAnswer:
    path = make_template(service, schema=SCHEMA, datasets=[{"name": "D", "data": {"n": 1}}])
    service.schema_calls.clear()
    return publish_template(service, path)


REQUESTS = pytest.mark.parametrize(
    "send", [render_with_schema, create_with_schema, publish_with_schema]
)


@REQUESTS
def test_each_check_names_its_workspace(
    service: Service, send: Callable[[Service], ApiAnswer]
) -> None:
    service.tenancy = "isolated"
    service.settings = ApiSettings(**vars(service.settings) | {"tenancy": "isolated"})

    assert send(service).status in {200, 201}

    assert [call.tenant for call in service.schema_calls] == [service.workspace]


def test_no_schema_takes_no_call(service: Service) -> None:
    path = make_template(service, datasets=[{"name": "D", "data": {}}], publish=True)

    assert render_template(service, path, data={"n": 1}).status == 200
    assert service.schema_calls == []


def always_busy(service: Service) -> Iterator[BaseException | None]:
    while True:
        service.clock.advance(seconds=6)
        yield LambdaClient.exceptions.TooManyRequestsException()


def killed(_service: Service) -> Iterator[BaseException | None]:
    yield FunctionKilled()


def late(_service: Service) -> Iterator[BaseException | None]:
    """The check, whose own time is bounded, has waited for others."""
    yield ReadTimeoutError(endpoint_url="https://lambda.test")


@pytest.mark.parametrize("failures", [always_busy, killed, late])
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_render_whose_check_gets_no_answer_can_be_sent_again(
    service: Service, failures: Callable[[Service], Iterator[BaseException | None]], mode: str
) -> None:
    path = make_template(service, schema=SCHEMA, publish=True)
    service.schema_failures = failures(service)

    answer = render_template(service, path, data={"n": 1}, mode=mode)

    assert (answer.status, answer.code) == (503, "region_degraded")
    assert "JSON Schema" in answer.json["detail"]
    assert answer.headers["Retry-After"] == "5"
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (0, {}, {})
    assert service.call("GET", "/v1/renders").json["data"] == []
    service.schema_failures = iter(())
    assert render_template(service, path, data={"n": 1}, mode=mode).status in {200, 202}


def test_template_whose_check_gets_no_answer_is_not_created(service: Service) -> None:
    service.schema_failures = iter([FunctionKilled()])

    answer = create_with_schema(service)

    assert (answer.status, answer.code) == (503, "region_degraded")
    assert service.call("GET", TEMPLATES_PATH).json["data"] == []


def test_answer_of_a_broken_function_is_not_trusted(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_template(service, schema=SCHEMA, publish=True)
    forged = {"kind": "schema", "findings": "none"}
    answer = SimpleNamespace(to_json=lambda: {"v": 1, "result": forged, "result_key": None})
    monkeypatch.setattr(ExecuteSchemaCall, "__call__", lambda *_: answer)

    refused = render_template(service, path, data={})

    assert (refused.status, refused.code) == (503, "region_degraded")
    assert service.limits()["holds"] == {}


def test_large_data_are_checked_at_an_address_that_lives_as_long_as_the_check(
    service: Service,
) -> None:
    seen: list[list[str]] = []
    worker = shared_schemas()

    class WatchedSchemas:
        def check_schema(self, *_: Any, **__: Any) -> list[FieldError]:
            return []

        def validate(self, schema: Any, data: Any, **options: Any) -> list[FieldError]:
            with acting_as(""):
                seen.append([key for key in service.objects() if "/engine/" in key])
            return worker.validate(schema, data, **options)

    service.schemas = WatchedSchemas()
    path = make_template(service, schema={"properties": {"n": {"maxItems": 9}}}, publish=True)
    # Written in full, the numbers are too large for an invocation.
    numbers = ",".join(["1e15"] * 400_000)
    source = f'{{"type": "template", "template_id": "{path.rpartition("/")[2]}"}}'
    body = f'{{"input": {source}, "data": {{"n": [{numbers}]}}}}'
    answer = service.call("POST", "/v1/renders", body=body.encode())

    assert (answer.code, answer.pointers) == ("data_schema_mismatch", ["/data/n"])
    (keys,) = seen
    assert [key.split("/")[:4] for key in keys] == [["tmp", "ws", service.workspace, "engine"]]
    assert [key for key in service.objects() if "/engine/" in key] == []
    assert service.schema_calls[-1].event["request"] is None


@pytest.mark.parametrize("tenant", [None, "ws_b"])
def test_environment_of_one_workspace_refuses_others(tenant: str | None) -> None:
    execute = ExecuteSchemaCall(
        schemas=shared_schemas(), objects=PresignedHttpObjects(), clock=FixedClock()
    )
    services = SchemaServices(execute, TenantGuard("isolated"))
    ends_at = FixedClock().now().timestamp() + 10
    event: dict[str, Any] = {
        "v": 1,
        "type": "schema",
        "ends_at": ends_at,
        "result_form": None,
        "request": {"schema": SCHEMA, "data": {}, "prefix": "/data"},
        "request_url": None,
    }

    def invoke(tenant: str | None) -> Any:
        context: Any = SimpleNamespace(aws_request_id="r", tenant_id=tenant)
        return serve(event, context, services)

    content = EngineAnswer.from_json(invoke("ws_a")).content
    assert content is not None
    result, _ = decode_result(content, SchemaResult)
    assert result.findings == (FieldError("/data", "required", '"n" is required'),)
    with pytest.raises(TenantIsolationError):
        invoke(tenant)
