"""Poison messages among good ones: recorded with a reason, and nothing else is blocked."""

import hashlib
import json
import time
from collections.abc import Callable
from typing import Any, Final

import pytest

from chalicelib.adapters.aws.messages import UNKNOWN_VERSION_RECEIVES
from chalicelib.features.dead_letters.repository import DeadLetter
from tests.builders.batches import batch_at, make_batch, statuses_at
from tests.builders.hostile_texts import HOSTILE_TEXTS
from tests.builders.service import Service
from tests.builders.webhooks import deliveries, make_endpoint

WS: Final = "ws_" + "0" * 26
RND: Final = "rnd_" + "0" * 26
QUEUES: Final = ("Renders", "Events", "Maintenance", "Webhooks", "Batches", "Combine")
NEWER: Final = json.dumps({"v": 2, "render": RND})
# Bodies that no queue accepts, and the beginning of the reason.
UNREADABLE: Final = {
    "}{": "not JSON: Expecting value",
    " ": "not JSON: Expecting value",
    "<Message/>": "not JSON",
    '{"v": 1': "not JSON",
    "[" * 100_000: "not JSON: maximum recursion depth",
    '{"a":' * 50_000: "not JSON: maximum recursion depth",
    "1" * 5_000: "not JSON: Exceeds the limit",
    "x" * 250_000: "not JSON: Expecting value",
    "[1, 2]": "a JSON object is expected, not list",
    "null": "a JSON object is expected, not NoneType",
    '"text"': "a JSON object is expected, not str",
    "NaN": "a JSON object is expected, not float",
}


def misshapen_due_items(kind: str, pk: str) -> list[dict[str, Any]]:
    """Return messages of due items whose texts are not those of a key."""
    return [
        {},
        {"pk": pk, "sk": "META"},
        {"kind": kind.title(), "pk": pk, "sk": "META"},
        {"kind": [kind], "pk": pk, "sk": "META"},
        {"kind": kind, "pk": "", "sk": "META"},
        {"kind": kind, "pk": pk, "sk": None},
        {"kind": kind, "pk": {"S": "WS#"}, "sk": "META"},
        {"kind": kind, "pk": "x" * 100_000, "sk": "META"},
        *({"kind": kind, "pk": text, "sk": "META"} for text in HOSTILE_TEXTS),
    ]


MISSHAPEN: Final[dict[str, list[dict[str, Any]]]] = {
    "Renders": [
        {},
        {"workspace_id": 7, "render_id": RND, "request_id": "r"},
        {"workspace_id": WS, "render_id": None, "request_id": "r"},
        {"workspace_id": WS, "render_id": RND + "#META", "request_id": "r"},
        {"workspace_id": WS, "render_id": RND, "request_id": ["r"]},
        {"workspace_id": WS, "render_id": "x" * 100_000, "request_id": "r"},
        *({"workspace_id": WS, "render_id": text, "request_id": "r"} for text in HOSTILE_TEXTS),
    ],
    "Events": [
        {},
        {"subject": 1, "sort_key": "EVENT#evt_1"},
        {"subject": f"WS#{WS}#RND#{RND}"},
        {"subject": f"WS#{WS}#RND#{RND}", "sort_key": "META"},
        {"subject": "x" * 100_000, "sort_key": "EVENT#evt_1"},
        *({"subject": text, "sort_key": "EVENT#evt_1"} for text in HOSTILE_TEXTS),
    ],
    "Maintenance": misshapen_due_items("render", f"WS#{WS}#RND#{RND}"),
    "Batches": misshapen_due_items("release", f"WS#{WS}#BAT"),
    "Combine": misshapen_due_items("combine", f"WS#{WS}#BAT#bat_1"),
    "Webhooks": [
        {},
        {"workspace_id": WS},
        {"workspace_id": WS, "delivery_id": None},
        {"workspace_id": WS, "delivery_id": RND},
        *({"workspace_id": WS, "delivery_id": text} for text in HOSTILE_TEXTS),
    ],
}
UNKNOWN: Final = {
    "Renders": (
        {"workspace_id": WS, "render_id": RND, "request_id": "r"},
        f"there is no render {RND} of {WS}",
    ),
    "Events": (
        {"subject": f"WS#{WS}#RND#{RND}", "sort_key": "EVENT#evt_1"},
        f"there is no event EVENT#evt_1 of WS#{WS}#RND#{RND}",
    ),
    "Maintenance": ({"kind": "key", "pk": "KEY#0", "sk": "META"}, "there is no key 0"),
    "Batches": ({"kind": "release", "pk": "KEY#0", "sk": "META"}, "there is no WS# in the key"),
    "Combine": ({"kind": "combine", "pk": f"WS#{WS}", "sk": "META"}, "there is no BAT# in the"),
    # A delivery that is gone was erased with its log.
    "Webhooks": ({"workspace_id": RND, "delivery_id": "whd"}, "these texts are expected"),
}


def bad_bodies(queue: str) -> dict[str, str]:
    """Return every bad body of a queue with the beginning of its expected reason."""
    unknown, why = UNKNOWN[queue]
    return {
        **UNREADABLE,
        **{json.dumps({"v": 1} | body): "these texts are expected" for body in MISSHAPEN[queue]},
        json.dumps({"v": 1} | unknown): why,
    }


def work(service: Service, queue: str) -> Callable[[], list[str]]:
    """Return the function that processes a queue."""
    return {
        "Renders": service.run_queued,
        "Events": service.relay_events,
        "Maintenance": service.run_maintenance,
        "Webhooks": service.deliver_webhooks,
        "Batches": service.release_batches,
        "Combine": service.combine_batches,
    }[queue]


def message_count(service: Service, queue: str) -> int:
    """Return the number of messages in a queue, received or not."""
    told = service.clients.sqs.get_queue_attributes(
        QueueUrl=service.resources[queue]["Ref"], AttributeNames=["All"]
    )["Attributes"]
    visible = told["ApproximateNumberOfMessages"]
    return int(visible) + int(told["ApproximateNumberOfMessagesNotVisible"])


def record_all(service: Service, queue: str) -> list[DeadLetter]:
    """Record the dead letters of a queue and return the records."""
    while message_count(service, f"{queue}DeadLetters"):
        assert service.record_dead_letters(queue) == []
    return service.dead_letters(queue)


def good_message(service: Service, queue: str) -> Callable[[], bool]:
    """Put one good message into a queue; return a check that it was processed."""
    if queue == "Renders":
        render_id = service.render(mode="async").json["id"]
        return lambda: service.call("GET", f"/v1/renders/{render_id}").json["status"] == "succeeded"
    if queue == "Webhooks":
        make_endpoint(service, "https://receiver.invalid:8443/")
        service.render()
        service.relay_events()
        return lambda: deliveries(service)[0]["status"] == "retrying"
    if queue == "Batches":
        path = make_batch(service)
        return lambda: statuses_at(service, path) == ["queued"]
    if queue == "Combine":
        path = make_batch(service, combine={"zip": True})
        service.release_batches()
        service.run_queued("BatchItems")
        service.relay_events()
        service.release_batches()
        return lambda: batch_at(service, path)["status"] == "completed"
    if queue == "Events":
        service.render()
        return lambda: service.usage() == {"live_succeeded": 1, "billed": 1}
    service.render(mode="async")
    service.clock.advance(minutes=5)
    assert service.tick() == 2, "the render and the limits"
    return lambda: message_count(service, "RendersQueue") == 2


@pytest.mark.parametrize("queue", QUEUES)
def test_bad_messages_reach_the_dead_letter_queue_with_a_reason_and_block_no_other(
    service: Service, queue: str
) -> None:
    bad = bad_bodies(queue)
    done = good_message(service, queue)
    for body in bad:
        service.send(queue, body)

    while message_count(service, f"{queue}Queue"):
        assert work(service, queue)() == []

    assert done()
    letters = record_all(service, queue)
    assert len(letters) == len(bad)
    for body, reason in bad.items():
        (letter,) = [letter for letter in letters if letter.body == body[:50_000]]
        assert letter.reason.startswith(reason), letter
        assert len(letter.reason) <= 500
        assert letter.outcome


@pytest.mark.parametrize("queue", QUEUES)
def test_dead_letter_of_a_killed_function_is_recorded_with_any_body(
    service: Service, queue: str
) -> None:
    # The platform moves messages unchanged, without a reason.
    for body in bad_bodies(queue):
        service.clients.sqs.send_message(
            QueueUrl=service.resources[f"{queue}DeadLetters"]["Ref"], MessageBody=body
        )

    letters = record_all(service, queue)

    assert {letter.body for letter in letters} == {body[:50_000] for body in bad_bodies(queue)}
    assert {letter.reason for letter in letters} == {
        "its function died, or ran out of time, at every delivery"
    }


def test_oversized_invalid_message_is_recorded_truncated(service: Service) -> None:
    body = "\x00\ud800\uffff" + "ä" * 1_000_000
    record = {"messageId": "m", "receiptHandle": "h", "body": body}

    assert service.serve({"Records": [record]}) == {"batchItemFailures": []}

    (letter,) = record_all(service, "Renders")
    assert letter.reason.startswith("not JSON")
    assert letter.body == "\ufffd\ufffd\ufffd" + "ä" * 49_997


@pytest.mark.parametrize("queue", QUEUES)
def test_message_of_a_newer_release_is_retried(service: Service, queue: str) -> None:
    service.send(queue, NEWER)

    assert len(work(service, queue)()) == 1

    assert message_count(service, f"{queue}Queue") == 1
    assert message_count(service, f"{queue}DeadLetters") == 0


@pytest.mark.parametrize("queue", QUEUES)
def test_message_of_a_newer_release_is_rejected_at_its_last_delivery(
    service: Service, queue: str
) -> None:
    service.send(queue, NEWER)
    for _ in range(UNKNOWN_VERSION_RECEIVES - 1):
        service.clients.sqs.receive_message(
            QueueUrl=service.resources[f"{queue}Queue"]["Ref"], VisibilityTimeout=0
        )
        time.sleep(0.002)

    assert work(service, queue)() == []

    (letter,) = record_all(service, queue)
    assert letter.reason == "UnknownVersion: a message of version 1 is expected, not 2"
    assert letter.outcome == "nothing could be ended: a message of version 1 is expected, not 2"
    assert letter.body == NEWER


def test_render_with_a_body_of_a_newer_release_fails_as_lost(service: Service) -> None:
    render_id = service.render(mode="async").json["id"]
    (key,) = service.objects()
    stored = json.loads(service.services.state.objects.get(key) or b"")
    newer = json.dumps(stored | {"v": stored["v"] + 1}).encode()
    digest = hashlib.sha256(newer).digest()
    service.services.state.objects.put(key, newer, content_type="application/json", sha256=digest)
    body = {"v": 1, "workspace_id": service.workspace, "render_id": render_id, "request_id": "r"}

    for delivery in range(1, UNKNOWN_VERSION_RECEIVES + 1):
        assert service.call("GET", f"/v1/renders/{render_id}").json["status"] != "failed"
        record = {"messageId": "m", "receiptHandle": "h", "body": json.dumps(body)}
        attributes = {"ApproximateReceiveCount": str(delivery)}
        service.serve({"Records": [record | {"attributes": attributes}]}, f"delivery-{delivery}")

    (letter,) = record_all(service, "Renders")
    told = f"a body of version {stored['v']} is expected, not {stored['v'] + 1}"
    assert letter.reason == f"UnknownVersion: {told}"
    assert letter.outcome == "the render ended as failed: render_lost"
    render = service.call("GET", f"/v1/renders/{render_id}").json
    assert (render["status"], render["error"]["code"]) == ("failed", "render_lost")
    service.relay_events()
    assert service.objects() == []
    assert service.limits()["holds"] == {}
    assert service.usage() == {"live_failed": 1, "billed": 0}


def test_render_with_a_dead_letter_fails_as_lost(service: Service) -> None:
    render_id = service.render(mode="async").json["id"]
    message = {"v": 1, "workspace_id": service.workspace, "render_id": render_id, "request_id": "r"}
    service.clients.sqs.send_message(
        QueueUrl=service.resources["RendersDeadLetters"]["Ref"], MessageBody=json.dumps(message)
    )

    (letter,) = record_all(service, "Renders")

    assert letter.outcome == "the render ended as failed: render_lost"
    service.relay_events()
    assert service.limits()["holds"] == {}
    assert service.usage() == {"live_failed": 1, "billed": 0}


def test_message_is_redelivered_when_its_dead_letter_cannot_be_sent(service: Service) -> None:
    gone = service.resources["RendersDeadLetters"]["Ref"]
    service.clients.sqs.delete_queue(QueueUrl=gone)
    render_id = service.render(mode="async").json["id"]
    service.send("Renders", "}{")

    failed = service.run_queued()

    assert len(failed) == 1
    assert service.call("GET", f"/v1/renders/{render_id}").json["status"] == "succeeded"
