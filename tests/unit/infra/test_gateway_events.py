"""Proxy events and answers as API Gateway makes and reads them."""

import base64
import datetime as dt
import json
from typing import Any

import pytest

from infra.local.gateway.events import Request, RouteTable, proxy_event, proxy_response

NOON = dt.datetime(2026, 3, 4, 12, 0, tzinfo=dt.UTC)
ROUTES = RouteTable(
    [
        *("/{proxy+}", "/v1/renders", "/v1/renders/{id}", "/v1/renders/late", "/"),
        "/l/{link}/{rest+}",
    ]
)


def event(**changed: Any) -> dict[str, Any]:
    sent: dict[str, Any] = {
        "method": "POST",
        "path": "/v1/renders/a%2Fb",
        "query": "a=1&a=2&b=%C3%A9&c=",
        "headers": [("content-type", "application/json"), ("x-many", "1"), ("x-many", "2")],
        "body": b"\xff\x00",
    }
    request = Request(**(sent | changed))
    match = ROUTES.match(request.path)
    assert match is not None
    return proxy_event(request, match, moment=NOON)


@pytest.mark.parametrize(
    ("path", "resource", "parameters"),
    [
        ("/v1/renders", "/v1/renders", {}),
        ("/v1/renders/", "/v1/renders", {}),
        ("/v1/renders/rnd_1", "/v1/renders/{id}", {"id": "rnd_1"}),
        ("/v1/renders/late", "/v1/renders/late", {}),
        ("/v1/renders/1/2", "/{proxy+}", {"proxy": "v1/renders/1/2"}),
        ("/", "/", {}),
        ("/l/1/a", "/l/{link}/{rest+}", {"link": "1", "rest": "a"}),
        ("/l/1/a/%2F/b/", "/l/{link}/{rest+}", {"link": "1", "rest": "a/%2F/b"}),
        ("/l/1//a/../b", "/l/{link}/{rest+}", {"link": "1", "rest": "/a/../b"}),
        ("/l/1/", "/{proxy+}", {"proxy": "l/1"}),
    ],
)
def test_a_path_belongs_to_its_most_literal_resource(
    path: str, resource: str, parameters: dict[str, str]
) -> None:
    match = ROUTES.match(path)

    assert match is not None
    assert (match.resource, dict(match.parameters)) == (resource, parameters)


def test_unknown_path_without_catch_all_has_no_resource() -> None:
    assert RouteTable(["/v1/renders"]).match("/v1/other") is None


def test_path_parameters_stay_encoded_as_on_aws() -> None:
    made = event()

    assert made["resource"] == "/v1/renders/{id}"
    assert made["pathParameters"] == {"id": "a%2Fb"}
    assert made["requestContext"]["resourcePath"] == "/v1/renders/{id}"


def test_queries_are_decoded_and_the_last_value_wins() -> None:
    made = event()

    assert made["queryStringParameters"] == {"a": "2", "b": "é", "c": ""}
    assert made["multiValueQueryStringParameters"] == {"a": ["1", "2"], "b": ["é"], "c": [""]}


def test_headers_come_single_and_multiple() -> None:
    made = event()

    assert made["headers"]["X-Many"] == "2"
    assert made["multiValueHeaders"]["X-Many"] == ["1", "2"]


def test_every_body_is_base64() -> None:
    made = event()

    assert made["isBase64Encoded"] is True
    assert base64.b64decode(made["body"]) == b"\xff\x00"


def test_absent_fields_are_null() -> None:
    made = event(path="/", query="", headers=[], body=b"")

    absent = ("body", "headers", "queryStringParameters", "pathParameters", "stageVariables")
    assert [made[name] for name in absent] == [None] * 5
    assert made["isBase64Encoded"] is False


def test_context_contains_caller_and_time() -> None:
    context = event()["requestContext"]

    assert context["identity"]["sourceIp"] == "127.0.0.1"
    assert context["requestTimeEpoch"] == 1772625600000
    assert context["requestTime"] == "04/Mar/2026:12:00:00 +0000"


def test_an_answer_in_base64_is_decoded_and_headers_may_repeat() -> None:
    answer = proxy_response(
        json.dumps(
            {
                "statusCode": 200,
                "headers": {"A": "1", "B": "single"},
                "multiValueHeaders": {"B": ["2", "3"]},
                "body": base64.b64encode(b"%PDF").decode(),
                "isBase64Encoded": True,
            },
        ).encode(),
    )

    assert answer.status == 200
    assert sorted(answer.headers) == [("A", "1"), ("B", "2"), ("B", "3")]
    assert answer.body == b"%PDF"


@pytest.mark.parametrize("payload", [b"null", b"[]", b'{"body": "x"}', b'"x"', b"x"])
def test_malformed_answer_is_refused(payload: bytes) -> None:
    with pytest.raises(ValueError, match=r"statusCode|Expecting"):
        proxy_response(payload)
