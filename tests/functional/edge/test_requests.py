"""Requests: routes, methods, bodies, queries, and the headers of every answer."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chalicelib.api.edge.app import CATCH_ALL_PATHS, METHODS, App
from chalicelib.api.edge.endpoint import endpoints_of
from tests.builders.http import CONTEXT, request
from tests.fakes import api_resource
from tests.fakes.api_services import FakeApiServices


@pytest.fixture
def services() -> FakeApiServices:
    return FakeApiServices()


@pytest.fixture
def app(services: FakeApiServices) -> App:
    return App([api_resource.blueprint], lambda: services)


@pytest.fixture
def key(services: FakeApiServices) -> str:
    return services.key()


@pytest.mark.parametrize("target", ["/", "/v1", "/v1/nothing", "/v1/chairs/1/x/y", "/favicon.ico"])
@pytest.mark.parametrize("method", [*METHODS, "TRACE"])
def test_unknown_route(app: App, method: str, target: str) -> None:
    answer = request(app, method, target)

    assert answer.status == 404
    assert method == "HEAD" or answer.code == "not_found"


@pytest.mark.parametrize(
    ("method", "target", "allow"),
    [
        ("PUT", "/v1/chairs", "GET, HEAD, POST"),
        ("OPTIONS", "/v1/chairs", "GET, HEAD, POST"),
        ("HEAD", "/v1/chairs/1/fold", "POST"),
        ("DELETE", "/v1/chairs/1", "GET, HEAD"),
        ("TRACE", "/v1/chairs/1", "GET, HEAD"),
        ("PROPFIND", "/v1/chairs", "GET, HEAD, POST"),
    ],
)
def test_wrong_method(app: App, method: str, target: str, allow: str) -> None:
    answer = request(app, method, target)

    assert answer.status == 405
    assert answer.headers["Allow"] == allow
    assert method == "HEAD" or answer.code == "method_not_allowed"


def test_every_path_takes_every_method(app: App) -> None:
    assert set(app.routes) == {row.path for row in endpoints_of([api_resource.blueprint])} | set(
        CATCH_ALL_PATHS
    )
    assert all(set(methods) == set(METHODS) for methods in app.routes.values())


def test_head_answers_as_get_without_a_body(app: App, key: str) -> None:
    for target in ("/v1/chairs/1", "/v1/pictures/1"):
        get, head = (request(app, method, target, key=key) for method in ("GET", "HEAD"))

        assert (head.status, head.body) == (200, b"")
        assert head.headers["Content-Type"] == get.headers["Content-Type"]
        assert head.headers["Content-Length"] == str(len(get.body))


def test_binary_answer_ignores_the_accept_header(app: App, key: str) -> None:
    for accept in ({}, {"Accept": "application/json"}, {"accept": "image/png"}):
        answer = request(app, "GET", "/v1/pictures/1", key=key, headers=accept)

        assert answer.body == b"\x89PNG\xff\x00"
        assert answer.headers["Content-Type"] == "image/png"


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"", "empty"),
        (b"{", "line 1, column 2"),
        (b"name=x", "line 1"),
        (b'{"name": "a", "name": "b"}', "twice"),
        (b'{"name": "a", "data": {"x": NaN}}', "NaN"),
        (b'{"name": "a", "data": {"x": 1e999}}', "double"),
        (b'{"data":' * 10_000, "deeper"),
        (b"[" * 10_000 + b"]" * 10_000, "deeper"),
        (b'{"name": "\xff"}', "UTF-8"),
        (b'{"name": "\\ud800"}', "surrogate"),
        (b'\xef\xbb\xbf{"name": "a"}', "byte order mark"),
    ],
)
def test_invalid_json_is_refused(app: App, key: str, body: bytes, detail: str) -> None:
    answer = request(app, "POST", "/v1/chairs", key=key, body=body)

    assert (answer.status, answer.code) == (400, "invalid_json")
    assert detail in answer.json["detail"]


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ([], [""]),
        (None, [""]),
        ({}, ["/name"]),
        ({"name": 1}, ["/name"]),
        ({"name": ""}, ["/name"]),
        ({"name": "x" * 11}, ["/name"]),
        ({"name": "a", "colour": 1, "~/x": 2}, ["/colour", "/~0~1x"]),
        ({"name": "a", "legs": {}}, ["/legs"]),
        (
            {"name": "a", "legs": [{"kind": "leg", "length": 1}, {"kind": "leg"}]},
            ["/legs/1/length"],
        ),
        ({"name": "a", "legs": [{"kind": "leg", "length": "1"}]}, ["/legs/0/length"]),
        ({"name": "a", "legs": [{"kind": "leg", "length": 10}]}, ["/legs/0/length"]),
        ({"name": "a", "limb": {"kind": "tail"}}, ["/limb/kind"]),
        ({"name": "a", "limb": {}}, ["/limb/kind"]),
        ({"name": "a", "limb": {"kind": "arm"}}, ["/limb/arm"]),
        ({"name": "a", "limb": {"kind": "arm", "arm": 1}}, ["/limb/arm"]),
        ({"name": "a", "limb": {"kind": "arm", "arm": "x", "leg": 1}}, ["/limb/leg"]),
        ({"name": "a", "version": "draft"}, ["/version"]),
        ({"name": "a", "version": 0}, ["/version"]),
        ({"name": "a", "data": {"toolong": 1}}, ["/data/toolong"]),
        ({"legs": 1, "x": 1}, ["/name", "/legs", "/x"]),
    ],
)
def test_json_of_the_wrong_shape(app: App, key: str, body: Any, pointers: list[str]) -> None:
    answer = request(app, "POST", "/v1/chairs", key=key, body=json.dumps(body).encode())

    assert (answer.status, answer.code) == (400, "validation_error")
    assert sorted(answer.pointers) == sorted(pointers)
    assert all(entry["message"] and entry["code"] for entry in answer.json["errors"])


def test_error_messages_are_readable(app: App, key: str) -> None:
    sent = {"name": "a", "version": "draft", "legs": [{"kind": "leg", "length": 10}]}
    answer = request(app, "POST", "/v1/chairs", key=key, json_body=sent)

    assert answer.json["errors"] == [
        {
            "path": "/legs/0/length",
            "code": "out_of_range",
            "message": "must be at most 9",
        },
        {
            "path": "/version",
            "code": "not_allowed",
            "message": "must be 'live', or must be a whole number",
        },
    ]


def test_whole_numbers_may_have_a_decimal_point(app: App, key: str) -> None:
    body = b'{"name": "a", "version": 2.0, "legs": [{"kind": "leg", "length": %s}]}'

    taken = request(app, "POST", "/v1/chairs", key=key, body=body % b"7.0")
    assert taken.status < 300, taken.body
    for length in (b"7.5", b"70.0", b"1e300"):
        refused = request(app, "POST", "/v1/chairs", key=key, body=body % length)
        assert refused.pointers == ["/legs/0/length"]


def test_errors_are_cut_at_one_hundred(app: App, key: str) -> None:
    sent = {f"x{n}": 1 for n in range(5000)}

    assert len(request(app, "POST", "/v1/chairs", key=key, json_body=sent).pointers) == 100


def test_unexpected_body_is_refused(app: App, key: str) -> None:
    for body, status in (
        (b"", 200),
        (b"{}", 200),
        (b'{"x": 1}', 400),
        (b"[]", 400),
        (b"x", 400),
    ):
        answer = request(app, "POST", "/v1/chairs/1/fold", key=key, body=body)
        assert answer.status == status
    assert request(app, "POST", "/v1/chairs/1/fold", key=key).status == 200


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/xml",
        "multipart/form-data; boundary=x",
        "application/json; charset=latin-1",
        "application/problem+json",
    ],
)
def test_wrong_media_type(app: App, key: str, content_type: str) -> None:
    answer = request(
        app,
        "POST",
        "/v1/chairs",
        key=key,
        body=b"{}",
        headers={"Content-Type": content_type},
    )

    assert (answer.status, answer.code) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    "content_type", ["application/json", "Application/JSON; charset=UTF-8", ""]
)
def test_right_media_type(app: App, key: str, content_type: str) -> None:
    headers = {"Content-Type": content_type}
    answer = request(app, "POST", "/v1/chairs", key=key, body=b'{"name": "a"}', headers=headers)

    assert answer.status == 201


def test_non_json_bodies_reach_the_view(app: App, key: str) -> None:
    headers = {"Content-Type": "application/xml"}

    answer = request(app, "POST", "/v1/files", key=key, body=b"<a>\xff</a>", headers=headers)

    assert answer.json == {"bytes": 8}
    assert request(app, "POST", "/v1/files", key=key, body=b"{}").code == "unsupported_media_type"


def test_body_over_the_plan_limit_is_refused(app: App, services: FakeApiServices) -> None:
    body = b'{"name": "a", "data": {"x": "' + b"x" * 1_000_000 + b'"}}'
    free, starter = (services.key(services.workspace(plan_code=plan)) for plan in ("free", "pro"))

    refused = request(app, "POST", "/v1/chairs", key=free, body=body)

    assert (refused.status, refused.code) == (413, "payload_too_large")
    assert f"has {len(body)} bytes; the plan allows 1 MB" in refused.json["detail"]
    assert "up to 200 MB with POST /v1/uploads, " in refused.json["detail"]
    assert request(app, "POST", "/v1/chairs", key=starter, body=body).status == 201
    exact = body[:-3][: 1_000_000 - 3] + b'"}}'
    assert request(app, "POST", "/v1/chairs", key=free, body=exact).status == 201


@pytest.mark.parametrize(
    ("query", "pointers"),
    [
        ("nothing=1", ["/query/nothing"]),
        ("limit=0", ["/query/limit"]),
        ("limit=101", ["/query/limit"]),
        ("limit=ten", ["/query/limit"]),
        ("limit=1.5", ["/query/limit"]),
        ("limit=", ["/query/limit"]),
        ("limit=1&limit=2", ["/query/limit"]),
        ("colour=green&x=1", ["/query/colour", "/query/x"]),
        ("cursor=abc", ["/query/cursor"]),
        ("cursor=%ff", ["/query/cursor"]),
        ("cursor=", ["/query/cursor"]),
    ],
)
def test_query_parameters_are_checked(app: App, key: str, query: str, pointers: list[str]) -> None:
    answer = request(app, "GET", f"/v1/chairs?{query}", key=key)

    assert (answer.status, answer.code) == (400, "validation_error")
    assert answer.pointers == pointers


def test_unknown_query_parameter_is_refused(app: App, key: str) -> None:
    assert request(app, "GET", "/v1/chairs/1?x=1", key=key).pointers == ["/query/x"]
    assert request(app, "POST", "/v1/chairs?dry=1", key=key, body=b'{"name":"a"}').status == 400


def test_lists_are_paged_by_cursor(app: App, key: str) -> None:
    seen: list[int] = []
    page = request(app, "GET", "/v1/chairs?limit=15", key=key).json
    while True:
        seen += page["data"]
        assert page["has_more"] is (page["next_cursor"] is not None)
        if not page["has_more"]:
            break
        target = f"/v1/chairs?limit=20&cursor={page['next_cursor']}"
        page = request(app, "GET", target, key=key).json

    assert seen == list(range(50))


def test_cursor_is_bound_to_workspace_mode_and_filter(
    app: App, services: FakeApiServices, key: str
) -> None:
    workspace = next(iter(services.workspaces.values()))
    cursor = request(app, "GET", "/v1/chairs?colour=red", key=key).json["next_cursor"]
    same = f"/v1/chairs?cursor={cursor}&colour=red"

    assert request(app, "GET", same, key=key).status == 200
    assert request(app, "GET", same, key=services.key(workspace)).status == 200
    for target, other in (
        (f"/v1/chairs?cursor={cursor}", key),
        (f"/v1/chairs?cursor={cursor}&colour=blue", key),
        (same, services.key()),
        (same, services.key(workspace, "live")),
        (f"/v1/chairs?cursor={cursor[:-1]}&colour=red", key),
        (f"/v1/chairs?cursor={cursor}=&colour=red", key),
        (f"/v1/chairs?cursor=A{cursor[1:]}&colour=red", key),
    ):
        assert request(app, "GET", target, key=other).pointers == ["/query/cursor"]


@pytest.mark.parametrize("text", ["", "x" * 256, "caf\u00e9", "a\tb"])
def test_idempotency_key_must_be_printable(app: App, key: str, text: str) -> None:
    headers = {"Idempotency-Key": text}
    answer = request(app, "POST", "/v1/chairs", key=key, json_body={"name": "a"}, headers=headers)

    assert (answer.code, answer.pointers) == (
        "validation_error",
        ["/headers/Idempotency-Key"],
    )


def test_two_idempotency_keys_are_refused(app: App, key: str) -> None:
    headers = {"Idempotency-Key": ("one", "two")}

    answer = request(app, "POST", "/v1/chairs", key=key, json_body={"name": "x"}, headers=headers)

    assert answer.code == "validation_error"
    assert [error["path"] for error in answer.json["errors"]] == ["/headers/Idempotency-Key"]


def test_idempotency_key_reaches_the_view(app: App, key: str) -> None:
    headers = {"idempotency-key": "order 7"}
    answer = request(app, "POST", "/v1/chairs", key=key, json_body={"name": "a"}, headers=headers)

    assert answer.json["idempotency_key"] == "order 7"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("abc-1.2_3", True),
        ("x" * 128, True),
        ("x" * 129, False),
        ("a b", False),
        ("", False),
    ],
)
def test_request_id(app: App, sent: str, kept: bool) -> None:  # noqa: FBT001
    answer = request(app, "GET", "/v1/chairs/1", headers={"x-request-id": sent})

    assert answer.code == "authentication_required"
    shown = answer.headers["X-Request-Id"]
    assert shown == sent if kept else shown.startswith("req_")


def test_every_answer_has_the_common_headers(app: App, services: FakeApiServices, key: str) -> None:
    good = request(app, "GET", "/v1/chairs/1", key=key)
    bad = request(app, "POST", "/v1/chairs", key=key, body=b"{")

    for answer in (good, bad):
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Request-Id"]
        assert answer.headers["RateLimit-Policy"] == '"requests";q=2;w=1'
    assert good.headers["RateLimit"] == '"requests";r=99;t=2'
    services.limits.left = 0
    refused = request(app, "GET", "/v1/chairs/1", key=key)
    assert (refused.status, refused.code) == (429, "rate_limited")
    assert refused.headers["Retry-After"] == "3"
    assert refused.headers["RateLimit"] == '"requests";r=0;t=3'


def test_bug_answers_internal_error_and_is_logged_once(
    app: App, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = request(app, "GET", "/v1/bug", headers={"X-Request-Id": "trace-me"})

    assert (answer.status, answer.code) == (500, "internal_error")
    assert b"secret detail" not in answer.body
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    errors = [line for line in lines if line["level"] == "ERROR"]
    assert [line["request_id"] for line in errors] == ["trace-me"]
    assert "in bug" in errors[0]["exception"]
    assert "secret detail" not in json.dumps(lines)


def test_failed_bootstrap_still_answers_a_problem() -> None:
    def broken() -> FakeApiServices:
        message = "no settings"
        raise RuntimeError(message)

    answer = request(App([api_resource.blueprint], broken), "GET", "/v1/chairs/1")

    assert (answer.status, answer.code) == (500, "internal_error")
    assert answer.headers["X-Request-Id"].startswith("req_")


@pytest.mark.parametrize("event", [{}, {"requestContext": None}, {"requestContext": {}, "body": 1}])
def test_non_gateway_event_is_an_unknown_route(app: App, event: dict[str, Any]) -> None:
    assert app(event, CONTEXT)["statusCode"] == 404


def test_requests_are_isolated_between_threads(
    app: App, services: FakeApiServices, key: str
) -> None:
    def ask(n: int) -> str:
        return str(request(app, "GET", f"/v1/chairs/{n}", key=key).json["id"])

    services.limits.left = 1000
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(400))) == [str(n) for n in range(400)]


def test_logs_never_contain_the_key(app: App, key: str, capsys: pytest.CaptureFixture[str]) -> None:
    request(app, "GET", "/v1/chairs/1", key=key)
    request(app, "GET", "/v1/chairs/1", key=key[:-1])

    assert key[-20:-1] not in capsys.readouterr().out
