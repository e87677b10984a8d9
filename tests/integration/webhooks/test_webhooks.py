"""Webhooks of the whole service: an event reaches a receiver, and survives killed functions."""

import time
from collections.abc import Callable, Iterator

import pytest
from standardwebhooks.webhooks import Webhook

from infra.local.running_stack import running_stack
from tests.builders.stack.api_client import ApiClient
from tests.fakes.webhook_receiver import WebhookReceiver, webhook_receiver

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as running:
        yield running


@pytest.fixture(scope="module")
def live(receiver: WebhookReceiver) -> Iterator[ApiClient]:
    with (
        running_stack(PLATEN_EGRESS_ALLOW=f"127.0.0.1/32:{receiver.port}") as running,
        ApiClient(running, running.live_key) as client,
    ):
        yield client


def wait_until(is_done: Callable[[], bool], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not is_done():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_render_is_told_to_a_receiver_that_fails_once(
    live: ApiClient, receiver: WebhookReceiver
) -> None:
    receiver.statuses = [503]
    endpoint = live.http.post("/webhook-endpoints", json={"url": receiver.url}).json()
    render = live.render(input={"type": "html", "html": "<p>Told"}, mode="async").json()

    # The second attempt comes after five seconds; on a busy machine later.
    wait_until(lambda: len(receiver.received) == 2)

    first, second = receiver.received
    for received in (first, second):
        body = Webhook(endpoint["secret"]).verify(received.body.decode(), received.headers)
        assert body["type"] == "render.succeeded"
        assert body["data"]["object"]["id"] == render["id"]
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    seconds = int(second.headers["webhook-timestamp"]) - int(first.headers["webhook-timestamp"])
    assert seconds >= 4

    def delivery() -> dict[str, object]:
        (row,) = live.http.get("/webhook-deliveries").json()["data"]
        found: dict[str, object] = live.http.get(f"/webhook-deliveries/{row['id']}").json()
        return found

    wait_until(lambda: delivery()["status"] == "succeeded")
    attempts = delivery()["attempts"]
    assert isinstance(attempts, list)
    assert [attempt["status_code"] for attempt in attempts] == [503, 200]
