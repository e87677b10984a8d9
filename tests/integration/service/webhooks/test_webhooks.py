"""Webhooks of the whole service: an event reaches a receiver over TLS, and is tried again."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually
from tests.fakes.raw_server import RawServer
from tests.fakes.webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.integration

HTML = {"type": "html", "html": "<p>Told"}


@pytest.fixture
def add_endpoint(live: ApiClient) -> Iterator[Callable[[str], dict[str, Any]]]:
    """Give what makes endpoints, which are deleted after the test."""
    made: list[str] = []

    def add(url: str) -> dict[str, Any]:
        answer = live.http.post("/webhook-endpoints", json={"url": url})
        assert answer.status_code == 201, answer.text
        endpoint: dict[str, Any] = answer.json()
        made.append(endpoint["id"])
        return endpoint

    yield add
    for endpoint_id in made:
        assert live.http.delete(f"/webhook-endpoints/{endpoint_id}").status_code == 204


def delivery_of(live: ApiClient, endpoint: dict[str, Any]) -> dict[str, Any]:
    """Return the only delivery of an endpoint, in full; empty before there is one."""
    query = f"/webhook-deliveries?endpoint_id={endpoint['id']}"
    rows = live.http.get(query).json()["data"]
    if not rows:
        return {"status": None, "attempts": []}
    (row,) = rows
    found: dict[str, Any] = live.http.get(f"/webhook-deliveries/{row['id']}").json()
    return found


def test_render_is_told_to_a_receiver_that_fails_once(
    live: ApiClient,
    receiver: WebhookReceiver,
    add_endpoint: Callable[[str], dict[str, Any]],
) -> None:
    receiver.statuses = [503]
    receiver.answer = b"a\0b\xff"
    endpoint = add_endpoint(receiver.url)
    known = len(receiver.received)
    render = live.render(input=HTML, mode="async", reference="Größe €").json()

    # The second attempt comes after five seconds; on a busy machine later.
    eventually(lambda: len(receiver.received) == known + 2)

    assert endpoint["url"].startswith("https://127.0.0.1:")
    first, second = receiver.received[known:]
    for received in (first, second):
        event = received.verified([endpoint["secret"]])
        assert event["type"] == "render.succeeded"
        assert event["data"]["object"]["id"] == render["id"]
        assert event["data"]["object"]["reference"] == "Größe €"
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    seconds = int(second.headers["webhook-timestamp"]) - int(first.headers["webhook-timestamp"])
    assert seconds >= 4

    eventually(lambda: delivery_of(live, endpoint)["status"] == "succeeded")
    attempts = delivery_of(live, endpoint)["attempts"]
    assert [attempt["status_code"] for attempt in attempts] == [503, 200]
    assert {attempt["response_excerpt"] for attempt in attempts} == {"a\ufffdb\ufffd"}


def test_name_of_a_receiver_is_looked_up(
    live: ApiClient,
    named_receiver: WebhookReceiver,
    add_endpoint: Callable[[str], dict[str, Any]],
) -> None:
    endpoint = add_endpoint(named_receiver.url)
    render = live.render(input=HTML).json()

    eventually(lambda: bool(named_receiver.received))

    assert endpoint["url"].startswith("https://localhost:")
    (received,) = named_receiver.received
    assert received.verified([endpoint["secret"]])["data"]["object"]["id"] == render["id"]


def test_certificate_of_an_unknown_authority_is_refused(
    live: ApiClient,
    stranger: WebhookReceiver,
    add_endpoint: Callable[[str], dict[str, Any]],
) -> None:
    endpoint = add_endpoint(stranger.url)
    live.render(input=HTML)

    eventually(lambda: delivery_of(live, endpoint)["status"] == "retrying")

    attempt = delivery_of(live, endpoint)["attempts"][0]
    assert attempt["status_code"] is None
    assert "has a certificate of an authority that is not trusted" in attempt["error"]
    assert stranger.received == []


@pytest.mark.breadth
def test_receiver_has_ten_seconds(
    live: ApiClient,
    slow: RawServer,
    add_endpoint: Callable[[str], dict[str, Any]],
) -> None:
    endpoint = add_endpoint(slow.url())
    live.render(input=HTML)

    eventually(lambda: delivery_of(live, endpoint)["status"] == "succeeded")

    late, timely = delivery_of(live, endpoint)["attempts"]
    assert late["status_code"] is None
    assert late["error"].endswith("took too long to answer: all of it must arrive within 10 s")
    assert 10_000 <= late["latency_ms"] < 11_500
    assert (timely["status_code"], timely["error"]) == (200, None)
    assert 8_000 <= timely["latency_ms"] < 10_000
    assert len(slow.requests) == 2
