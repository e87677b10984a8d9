"""Deployments: the API function may invoke a render function of another release."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.builders.service import Service
from tests.builders.templates import TEMPLATES_PATH

HEADERS = {"Idempotency-Key": "one"}

type Serve = Callable[..., dict[str, Any]]


def run_another_release(
    service: Service, monkeypatch: pytest.MonkeyPatch, *, calls: int, takes_s: int = 0
) -> None:
    """Make the render function reject the protocol version for so many calls."""
    real: Serve = service.serve
    left = iter(range(calls))

    def serve(event: dict[str, Any], invocation: str = "i") -> dict[str, Any]:
        service.clock.advance(seconds=takes_s)
        known = next(left, None) is None
        return real(event if known else event | {"v": 99}, invocation)

    monkeypatch.setattr(service, "serve", serve)


def test_render_waits_for_a_function_of_its_release(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_another_release(service, monkeypatch, calls=5)

    answer = service.render()

    assert (answer.status, answer.json.get("status")) == (200, "succeeded"), answer.body
    assert len(service.engine.jobs) == 1
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (1, {}, {})


def test_render_that_waited_too_long_is_queued(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_another_release(service, monkeypatch, calls=99, takes_s=6)

    answer = service.render()
    assert (answer.status, answer.json["status"]) == (202, "queued")

    monkeypatch.undo()
    service.run_queued()
    shown = service.call("GET", f"/v1/renders/{answer.json['id']}").json
    assert shown["status"] == "succeeded"


def test_timeout_behavior_cancel_answers_region_degraded(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_another_release(service, monkeypatch, calls=99, takes_s=6)

    answer = service.render(timeout_behavior="cancel", headers=HEADERS)

    assert (answer.status, answer.code) == (503, "region_degraded")
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (0, {}, {})
    monkeypatch.undo()
    assert service.render(timeout_behavior="cancel", headers=HEADERS).status == 200


@pytest.mark.parametrize("delivery", ["url", "binary"])
def test_answer_of_a_newer_release_is_read_from_the_row(
    service: Service, monkeypatch: pytest.MonkeyPatch, delivery: str
) -> None:
    real: Serve = service.serve
    monkeypatch.setattr(service, "serve", lambda *given: real(*given) | {"v": 99})

    answer = service.render(delivery={"type": delivery})

    assert answer.status == 200, answer.body
    assert (answer.body == service.engine.content) is (delivery == "binary")


def test_publishing_waits_for_a_function_of_its_release(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_another_release(service, monkeypatch, calls=5)
    template = {"name": "T", "html": "<p>{{ n }}</p>", "publish": True}
    template |= {"datasets": [{"name": "D", "data": {"n": 1}}]}

    answer = service.call("POST", TEMPLATES_PATH, json_body=template)

    assert answer.status == 201, answer.body


def test_row_of_an_earlier_release_is_read(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = ("input", "output", "delivery", "expires_in_s", "max_pages", "engine", "metadata")
    monkeypatch.setattr("chalicelib.features.renders.rows._REQUEST_FIELDS", earlier)
    render = service.render().json
    monkeypatch.undo()

    shown = service.call("GET", f"/v1/renders/{render['id']}").json
    assert shown == render | {"email": []}
