"""Functions that die over a delivery: the schedule stays, and no delivery is tried for ever."""

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chalicelib.adapters.aws.messages import MAX_RECEIVE_COUNT
from chalicelib.core.crash_points import CrashPoint as P
from chalicelib.features.webhooks.deliveries.repository import RETENTION
from infra.template import load_template
from tests.builders.service import Service
from tests.builders.webhooks import (
    DELIVERIES_PATH,
    ENDPOINTS_PATH,
    deliver,
    deliveries,
    make_endpoint,
)
from tests.fakes.mortal_functions import MortalFunctions, mortal_functions
from tests.fakes.webhook_receiver import WebhookReceiver


@pytest.fixture
def mortal(service: Service, tmp_path: Path) -> Iterator[MortalFunctions]:
    with mortal_functions(service, tmp_path) as functions:
        yield functions


def begin(service: Service, receiver: WebhookReceiver) -> None:
    """Queue the first attempt of one delivery."""
    make_endpoint(service, receiver.url)
    service.render()
    service.relay_events()


def go_on(service: Service) -> None:
    """Let the claim of a dead function run out, and send the message of its delivery."""
    service.clock.advance(seconds=41)
    assert service.tick() > 0


def give_up(service: Service, delivery: dict[str, Any]) -> str:
    """Record the dead letter of a delivery's message; return its outcome."""
    message = {"v": 1, "workspace_id": service.workspace, "delivery_id": delivery["id"]}
    service.clients.sqs.send_message(
        QueueUrl=service.resources["WebhooksDeadLetters"]["Ref"],
        MessageBody=json.dumps(message | {"request_id": service.workspace}),
    )
    assert service.record_dead_letters("Webhooks") == []
    return service.dead_letters("Webhooks")[-1].outcome


def test_schedule_counts_from_the_first_attempt_in_the_log(
    service: Service, receiver: WebhookReceiver, mortal: MortalFunctions
) -> None:
    receiver.status = 500
    begin(service, receiver)
    mortal.run(service.deliver_webhooks, P.WEBHOOK_CLAIMED)
    go_on(service)
    service.deliver_webhooks()

    (row,) = deliveries(service)
    (attempt,) = row["attempts"]
    at, next_at = map(dt.datetime.fromisoformat, (attempt["at"], row["next_attempt_at"]))
    assert 4.5 <= (next_at - at).total_seconds() <= 5.5


@pytest.mark.parametrize("point", [P.WEBHOOK_CLAIMED, P.WEBHOOK_SENT], ids=lambda of: of.name)
def test_delivery_that_kills_every_function_ends(
    service: Service, receiver: WebhookReceiver, mortal: MortalFunctions, point: P
) -> None:
    begin(service, receiver)
    for _ in range(MAX_RECEIVE_COUNT):
        mortal.run(service.deliver_webhooks, point)
        go_on(service)
    (row,) = deliveries(service)
    assert (row["status"], row["attempts"]) == ("pending", [])

    service.deliver_webhooks()

    (row,) = deliveries(service)
    assert (row["status"], row["next_attempt_at"], row["attempts"]) == ("failed", None, [])
    assert len(receiver.received) == (MAX_RECEIVE_COUNT if point is P.WEBHOOK_SENT else 0)
    # The cause may be gone; a replay has as many tries.
    assert service.call("POST", f"{DELIVERIES_PATH}/{row['id']}/replay").status == 202
    mortal.run(service.deliver_webhooks, point)
    go_on(service)
    service.deliver_webhooks()
    (row,) = deliveries(service)
    assert (row["status"], len(row["attempts"])) == ("succeeded", 1)


def test_function_that_outlives_its_claim_changes_nothing(
    service: Service, receiver: WebhookReceiver
) -> None:
    begin(service, receiver)
    # The other function is answered first.
    receiver.statuses = [200, 500]

    def outlast() -> None:
        go_on(service)
        service.deliver_webhooks()

    receiver.before_answer = outlast
    service.deliver_webhooks()

    (row,) = deliveries(service)
    assert (row["status"], row["next_attempt_at"]) == ("succeeded", None)
    assert [attempt["status_code"] for attempt in row["attempts"]] == [200]
    assert len(receiver.received) == 2


def test_dead_letter_ends_a_delivery_that_no_function_has(
    service: Service, receiver: WebhookReceiver, mortal: MortalFunctions
) -> None:
    begin(service, receiver)
    mortal.run(service.deliver_webhooks, P.WEBHOOK_CLAIMED)
    (row,) = deliveries(service)
    assert give_up(service, row).startswith("the delivery had ended, or goes on")
    assert deliveries(service)[0]["status"] == "pending"

    service.clock.advance(seconds=41)

    assert give_up(service, row) == "the delivery ended as failed"
    assert deliveries(service)[0]["status"] == "failed"
    service.tick()
    service.deliver_webhooks()
    assert receiver.received == []


def test_dead_letter_of_an_earlier_attempt_leaves_the_next_one(
    service: Service, receiver: WebhookReceiver
) -> None:
    receiver.statuses = [500]
    make_endpoint(service, receiver.url)
    service.render()
    deliver(service)
    (row,) = deliveries(service)

    assert give_up(service, row).startswith("the delivery had ended, or goes on")

    service.clock.advance(seconds=6)
    service.tick()
    service.deliver_webhooks()
    assert deliveries(service)[0]["status"] == "succeeded"


def test_payload_that_no_delivery_names_goes_by_itself(
    service: Service, receiver: WebhookReceiver, mortal: MortalFunctions
) -> None:
    endpoint = make_endpoint(service, receiver.url)
    service.render(metadata={f"k{n}": "x" * 490 for n in range(40)})
    mortal.run(service.relay_events, P.WEBHOOK_PAYLOAD_STORED)
    service.call("DELETE", f"{ENDPOINTS_PATH}/{endpoint['id']}")
    service.clock.advance(minutes=7)
    service.process_due()

    assert deliveries(service) == []
    (key,) = (key for key in service.objects() if "/webhooks/" in key)
    bucket = load_template()["Resources"]["FilesBucket"]["Properties"]
    rules = bucket["LifecycleConfiguration"]["Rules"]
    days = [rule["ExpirationInDays"] for rule in rules if key.startswith(rule.get("Prefix", "-"))]
    # It is stored after its event, from which the log counts.
    assert days == [32]
    assert dt.timedelta(days=days[0]) > RETENTION + dt.timedelta(days=1)
