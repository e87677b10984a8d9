"""Lost answers and late requests of DynamoDB: an attempt is made once, at its time."""

from typing import Any, cast

import pytest

from chalicelib.features.webhooks.leases.repository import FAST_QUEUE, SLOW_QUEUE
from tests.builders.service import Service
from tests.builders.webhooks import deliver, deliveries, leases_held, make_endpoint
from tests.fakes.webhook_receiver import WebhookReceiver
from tests.functional.faults.test_late_requests import DelayingClient
from tests.functional.faults.test_lost_responses import RepeatingClient
from tests.functional.webhooks.test_leases import Holder


@pytest.fixture
def repeating(service: Service) -> Service:
    service.clients.dynamodb = cast("Any", RepeatingClient(service.clients.dynamodb))
    return service


@pytest.fixture
def delaying(service: Service) -> DelayingClient:
    client = DelayingClient(service.clients.dynamodb)
    service.clients.dynamodb = cast("Any", client)
    return client


def waiting_messages(service: Service, queue: str) -> int:
    """Return how many messages a queue has, delayed ones included."""
    answer = service.clients.sqs.get_queue_attributes(
        QueueUrl=service.resources[f"{queue}Queue"]["Ref"], AttributeNames=["All"]
    )
    counts = answer["Attributes"]
    waiting = int(counts["ApproximateNumberOfMessages"])
    return waiting + int(counts["ApproximateNumberOfMessagesDelayed"])


def test_attempt_is_made_at_once_although_answers_are_lost(
    repeating: Service, receiver: WebhookReceiver
) -> None:
    receiver.statuses = [500]
    make_endpoint(repeating, receiver.url)
    repeating.render(webhook={"url": f"{receiver.url}/own"})

    deliver(repeating)
    repeating.clock.advance(seconds=6)
    repeating.tick()
    repeating.deliver_webhooks()

    assert len(receiver.received) == 3
    assert {row["status"] for row in deliveries(repeating)} == {"succeeded"}
    assert leases_held(repeating) == []


def test_last_place_of_a_receiver_is_taken_although_its_answer_is_lost(repeating: Service) -> None:
    holder = Holder(repeating)

    assert [holder.take("whe_1", proven=False) for _ in range(3)] == [True, True, False]


def test_message_of_a_postponed_attempt_is_sent_although_its_answer_is_lost(
    repeating: Service, receiver: WebhookReceiver
) -> None:
    endpoint, holder = make_endpoint(repeating, receiver.url), Holder(repeating)
    for delivery_queue in (FAST_QUEUE, SLOW_QUEUE):
        while holder.take(endpoint["id"], delivery_queue):
            pass
    repeating.render()

    deliver(repeating)

    assert receiver.received == []
    assert waiting_messages(repeating, "WebhooksSlow") == 1


@pytest.mark.parametrize("statuses", [[200], [500]], ids=["succeeded", "retrying"])
def test_late_requests_change_no_attempt(
    service: Service, receiver: WebhookReceiver, delaying: DelayingClient, statuses: list[int]
) -> None:
    receiver.statuses = list(statuses)
    make_endpoint(service, receiver.url)
    service.render()
    deliver(service)
    (before,) = deliveries(service)

    delaying.deliver()

    (after,) = deliveries(service)
    assert after == before
    service.clock.advance(seconds=41)
    service.tick()
    service.deliver_webhooks()
    (row,) = deliveries(service)
    assert row["status"] == "succeeded"
    assert len(row["attempts"]) == len(receiver.received)
    # A lease that came late runs out by itself.
    assert leases_held(service) == []
