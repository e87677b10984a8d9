"""Gateway and Invoke API over real sockets, with functions in real processes."""

import http.client
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from infra.local.console import Console
from infra.local.gateway import app as gateway_app
from infra.local.gateway.app import Gateway, GatewayResponses
from infra.local.gateway.events import RouteTable
from infra.local.runner.invoke_api import InvokeApi
from infra.local.server import WsgiServer
from infra.template import IntrinsicResolver, load_template
from tests.builders.gate import Gate
from tests.builders.waiting import PATIENCE_S, eventually
from tests.unit.infra.test_runner import function, pool

HOST = "https://api.test"
pytestmark = pytest.mark.enable_socket


def responses() -> GatewayResponses:
    template = load_template()
    scalars = {"ApiHost": HOST, "FilesHost": HOST}
    return GatewayResponses(
        template, IntrinsicResolver(template, parameters=scalars, attributes={})
    )


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("console") / "lines"


@pytest.fixture(scope="module")
def gateway(lines: Path) -> Iterator[str]:
    # A call of /slow keeps its process.
    declared = function("functions.proxy", concurrency=4)
    with pool(declared) as running, lines.open("w", encoding="utf-8") as out:
        routes = RouteTable(["/v1/renders/{id}", "/slow", "/crash", "/nonsense"])
        server = WsgiServer(threads=4)
        server.serve(Gateway(running, routes, responses(), Console(as_json=False, out=out)))
        yield server.url
        server.close()


def send(url: str, method: str, path: str, body: bytes | None = None) -> tuple[Any, bytes]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE_S)
    connection.request(method, path, body, {"Content-Type": "text/plain"} if body else {})
    answer = connection.getresponse()
    read = answer.read()
    connection.close()
    return answer, read


def problem(answer: Any, body: bytes, status: int) -> dict[str, Any]:
    assert answer.status == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    response: dict[str, Any] = json.loads(body)
    assert response["status"] == status
    assert response["type"] == f"{HOST}/errors/{response['code']}"
    assert response["request_id"] == answer.headers["X-Request-Id"]
    return response


def test_request_reaches_the_function_and_its_answer_the_client(gateway: str) -> None:
    answer, body = send(gateway, "PUT", "/v1/renders/a%20b?x=1", b"hi")

    event = json.loads(body)
    assert (answer.status, answer.headers["X-Request-Id"]) == (201, "req_1")
    assert answer.headers.get_all("Set-Cookie") == ["a=1", "b=2"]
    assert (event["httpMethod"], event["body"]) == ("PUT", "aGk=")
    assert event["pathParameters"] == {"id": "a%20b"}
    assert event["headers"]["Content-Type"] == "text/plain"


def test_function_url_hands_path_and_query_over_as_they_were_sent(gateway: str) -> None:
    target = "/l/lnk_1/a%2fb%2F+%20c.png?b=%2f&a=+%20&&a=1&%61=2&c"

    answer, body = send(gateway, "GET", target)

    event = json.loads(body)
    assert answer.status == 201
    # For a plus of the query AWS writes a space.
    assert f"{event['rawPath']}?{event['rawQueryString']}" == target.replace("+%20&&", " %20&&")
    assert (event["version"], event["requestContext"]["http"]["method"]) == ("2.0", "GET")
    assert event["requestContext"]["timeEpoch"] > 1_700_000_000_000


def test_function_url_has_no_answers_of_a_gateway(
    gateway: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashed, body = send(gateway, "GET", "/l/crash")
    too_large, _ = send(gateway, "POST", "/l/a", b"x" * 6_000_000)
    send(gateway, "GET", "/l/a")
    monkeypatch.setattr(gateway_app, "TIMEOUT_S", 0.3)
    late, _ = send(gateway, "GET", "/l/slow")

    assert (crashed.status, json.loads(body)) == (502, {"Message": "Bad Gateway"})
    assert (too_large.status, late.status) == (413, 502)


def test_each_request_is_one_line_with_its_id(gateway: str, lines: Path) -> None:
    send(gateway, "GET", "/v1/renders/seen")

    (line,) = eventually(
        lambda: [line for line in lines.read_text().splitlines() if "/seen" in line]
    )
    assert "GET" in line
    assert " 201 " in line
    assert line.endswith("req_1")


def test_head_has_no_body(gateway: str) -> None:
    answer, body = send(gateway, "HEAD", "/v1/renders/1")

    assert (answer.status, body) == (201, b"")


def test_unknown_path_without_catch_all_is_a_gateway_404(gateway: str) -> None:
    assert problem(*send(gateway, "GET", "/nothing"), 404)["code"] == "not_found"


@pytest.mark.parametrize("size", [4_800_000, 10_485_761])
def test_oversized_body_is_a_gateway_413(gateway: str, size: int) -> None:
    response = problem(*send(gateway, "POST", "/v1/renders/1", b"x" * size), 413)

    assert response["code"] == "payload_too_large"


def test_killed_function_is_a_gateway_500(gateway: str) -> None:
    assert problem(*send(gateway, "GET", "/crash"), 500)["code"] == "internal_error"


def test_malformed_answer_is_a_gateway_500(gateway: str) -> None:
    assert problem(*send(gateway, "GET", "/nonsense"), 500)["code"] == "internal_error"


def test_late_answer_is_a_gateway_503(gateway: str, monkeypatch: pytest.MonkeyPatch) -> None:
    send(gateway, "GET", "/v1/renders/1")
    monkeypatch.setattr(gateway_app, "TIMEOUT_S", 0.3)

    assert problem(*send(gateway, "GET", "/slow"), 503)["code"] == "region_degraded"


@pytest.fixture
def client() -> Iterator[Any]:
    with pool(function(concurrency=1)) as running:
        server = WsgiServer(InvokeApi({"stack-Fake": running}), threads=8)
        server.start()
        yield lambda_client(server.url)
        server.close()


def lambda_client(url: str) -> Any:
    return boto3.client(
        "lambda",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="x",
        aws_secret_access_key="x",
        config=Config(retries={"total_max_attempts": 1}),
    )


def test_boto3_invokes_by_name_and_by_arn(client: Any) -> None:
    event = json.dumps({"do": "answer", "bytes": 5})
    arn = "arn:aws:lambda:us-east-1:000000000000:function:stack-Fake"

    by_name = client.invoke(FunctionName="stack-Fake", Payload=event)
    by_arn = client.invoke(FunctionName=arn, Payload=event)

    assert by_name["StatusCode"] == 200
    assert by_name["Payload"].read() == by_arn["Payload"].read()


def test_an_unhandled_error_is_a_function_error(client: Any) -> None:
    event = json.dumps({"do": "raise", "message": "no"})

    answer = client.invoke(FunctionName="stack-Fake", Payload=event)

    assert (answer["StatusCode"], answer["FunctionError"]) == (200, "Unhandled")


def test_an_event_is_accepted_and_runs_later(client: Any) -> None:
    event = json.dumps({"do": "sleep", "s": 0.1})

    answer = client.invoke(FunctionName="stack-Fake", InvocationType="Event", Payload=event)

    assert answer["StatusCode"] == 202


def test_an_unknown_function_is_not_found(client: Any) -> None:
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.invoke(FunctionName="other", Payload=b"{}")


def test_a_request_over_the_limit_is_refused(client: Any) -> None:
    with pytest.raises(client.exceptions.RequestTooLargeException):
        client.invoke(FunctionName="stack-Fake", Payload=json.dumps("x" * 6_291_455))


def test_the_deadline_in_the_payload_bounds_the_wait_for_a_slot(client: Any, gate: Gate) -> None:
    busy = json.dumps(gate.event)
    client.invoke(FunctionName="stack-Fake", InvocationType="Event", Payload=busy)
    gate.wait_for(1)
    hurried = {"do": "sleep", "s": 0, "deadline": time.time() + 0.2}

    with pytest.raises(ClientError) as refused:
        client.invoke(FunctionName="stack-Fake", Payload=json.dumps(hurried))

    assert refused.value.response["Error"]["Code"] == "TooManyRequestsException"
