"""Request rate of refused requests: they count like others."""

import json
import time
from typing import Any

import pytest

from tests.builders.service import Service

GOOD = b'{"input": {"type": "html", "html": "<p>Hello</p>"}}'


@pytest.fixture
def free(service: Service) -> str:
    """Return a live key of the free plan: two requests a second."""
    return service.key("live", service.create_workspace("free"))


def refused(**more: Any) -> dict[str, Any]:
    return {"body": GOOD} | more


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (refused(body=b"{"), "invalid_json"),
        (refused(body=b"{}"), "validation_error"),
        (refused(body=b"x" * 1_000_001), "payload_too_large"),
        (refused(headers={"Content-Type": "text/plain"}), "unsupported_media_type"),
        (refused(body=GOOD[:-1] + b', "test": true}'), "test_key_required"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refused_renders_count_towards_the_rate(
    service: Service, free: str, sent: dict[str, Any], code: str
) -> None:
    answers = [service.call("POST", "/v1/renders", key=free, **sent) for _ in range(4)]

    assert [answer.code for answer in answers] == [code, code, "rate_limited", "rate_limited"]
    shown = [answer.headers["RateLimit"] for answer in answers]
    assert shown == [f'"requests";r={r};t=1' for r in (1, 0, 0, 0)]
    assert answers[2].headers["Retry-After"] == "1"
    service.clock.advance(seconds=1)
    assert service.call("POST", "/v1/renders", key=free, **sent).code == code


def test_missing_scope_counts_towards_the_rate(service: Service) -> None:
    key = service.key("live", service.create_workspace("free"), scopes=["renders:read"])

    answers = [service.call("POST", "/v1/renders", key=key, body=GOOD).code for _ in range(3)]

    assert answers == ["insufficient_scope", "insufficient_scope", "rate_limited"]


def test_each_request_is_counted_once(service: Service) -> None:
    key = service.key("live", service.create_workspace("pro"))
    left = []
    for body in (GOOD, b"{", GOOD):
        answer = service.call("POST", "/v1/renders", key=key, body=body)
        left.append(int(answer.headers["RateLimit"].split(";")[1].removeprefix("r=")))

    assert left == [left[0], left[0] - 1, left[0] - 2]


def test_failed_render_is_counted_once(service: Service, free: str) -> None:
    header = {"Idempotency-Key": "1"}
    first = service.call("POST", "/v1/renders", key=free, body=GOOD, headers=header)
    other = json.loads(GOOD) | {"reference": "other"}
    reused = service.call("POST", "/v1/renders", key=free, json_body=other, headers=header)

    assert first.headers["RateLimit"] == '"requests";r=1;t=1'
    assert reused.code == "idempotency_key_reused"
    assert reused.headers["RateLimit"] == '"requests";r=0;t=1'


def test_unauthenticated_request_counts_towards_no_rate(service: Service) -> None:
    for method, target, key in (
        ("GET", "/healthz", None),
        ("GET", "/v1/nothing", service.live),
        ("PUT", "/v1/renders", service.live),
        ("POST", "/v1/renders", "wrong"),
    ):
        answer = service.call(method, target, key=key)
        assert "RateLimit" not in answer.headers
        assert "RateLimit-Policy" not in answer.headers


def test_rate_limit_applies_before_the_body_is_read(service: Service, free: str) -> None:
    body = GOOD[:-1] + b', "unknown": [%s]}' % b",".join([b"{}"] * 300_000)
    begun = time.process_time()
    codes = [service.call("POST", "/v1/renders", key=free, body=body).code for _ in range(2)]
    read = time.process_time()

    codes += [service.call("POST", "/v1/renders", key=free, body=body).code for _ in range(8)]

    assert codes == ["validation_error"] * 2 + ["rate_limited"] * 8
    assert time.process_time() - read < read - begun
