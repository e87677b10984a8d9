"""Failures while events are forwarded, and the calls that a poll makes."""

import contextlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.builders.forwarding import Forwarding
from tests.builders.service import Service
from tests.builders.templates import make_template
from tests.fakes.webhook_receiver import WebhookReceiver


def test_failed_post_is_reported_and_not_repeated(
    service: Service, receiver: WebhookReceiver, forwarding: Forwarding
) -> None:
    forwarding.events.start()
    receiver.statuses = [500]
    service.render()
    assert forwarding.poll()[0].status_code == 500
    service.render()
    (failed,) = forwarding.poll(url="http://127.0.0.1:1/")
    assert (failed.status_code, failed.error) == (None, "127.0.0.1:1 could not be connected to")
    assert forwarding.poll() == []


def test_failure_of_aws_loses_no_event(
    service: Service, forwarding: Forwarding, monkeypatch: pytest.MonkeyPatch
) -> None:
    forwarding.events.start()
    service.render()
    service.render()
    calls = ("query", "batch_get_item")
    dynamodb = service.clients.dynamodb
    for number in range(6):
        failing = fail_at(number, {name: getattr(dynamodb, name) for name in calls})
        with monkeypatch.context() as patch, contextlib.suppress(ConnectionError):
            for name in calls:
                patch.setattr(dynamodb, name, failing(name), raising=False)
            assert forwarding.types() == []

    assert forwarding.types() == ["render.succeeded"] * 2


def test_idle_polls_cost_little(
    service: Service, forwarding: Forwarding, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        make_template(service, publish=True)
        service.render()
    service.clock.advance(minutes=1)
    forwarding.events.start()
    calls: Counter[str] = Counter()
    dynamodb = service.clients.dynamodb

    def counted(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def count(**options: Any) -> Any:
            calls[name] += 1
            return call(**options)

        return count

    for name in ("query", "batch_get_item", "get_item"):
        counting = counted(name, getattr(dynamodb, name))
        monkeypatch.setattr(dynamodb, name, counting, raising=False)
    for _ in range(60):
        service.clock.advance(seconds=1)
        assert forwarding.poll() == []

    # Three lists and the workspace each second, and the due files of 8 shards twice a minute.
    assert calls == {"query": 4 * 60 + 2 * 8, "batch_get_item": 60}


def fail_at(number: int, calls: dict[str, Callable[..., Any]]) -> Callable[[str], Any]:
    """Return calls of which the one with this number, and all after it, fail."""
    made = 0

    def failing(name: str) -> Any:
        def call(**options: Any) -> Any:
            nonlocal made
            made += 1
            if made > number:
                raise ConnectionError
            return calls[name](**options)

        return call

    return failing
