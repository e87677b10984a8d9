"""Messages that can never be worked off, among others that can."""

import hashlib
import json
import time
from collections.abc import Callable
from typing import Any, Final

import pytest

from chalicelib.adapters.aws.messages import UNKNOWN_VERSION_RECEIVES
from chalicelib.features.dead_letters.repository import DeadLetter
from tests.builders.hostile_texts import HOSTILE_TEXTS
from tests.builders.service import Service

WS: Final = "ws_" + "0" * 26
RND: Final = "rnd_" + "0" * 26
QUEUES: Final = ("Renders", "Events", "Maintenance")
NEWER: Final = json.dumps({"v": 2, "render": RND})
# What no queue can do anything with, and the beginning of the reason.
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
    "Maintenance": [
        {},
        {"pk": "", "sk": "META"},
        {"pk": f"WS#{WS}#RND#{RND}", "sk": None},
        {"pk": {"S": "WS#"}, "sk": "META"},
        {"pk": "x" * 100_000, "sk": "META"},
        *({"pk": text, "sk": "META"} for text in HOSTILE_TEXTS),
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
    "Maintenance": ({"pk": "KEY#0", "sk": "META"}, "no handler for KEY#0 META"),
}


def bodies(queue: str) -> dict[str, str]:
    """Return every bad body of a queue with the beginning of the reason that it is to have."""
    unknown, why = UNKNOWN[queue]
    return {
        **UNREADABLE,
        **{json.dumps({"v": 1} | body): "these texts are expected" for body in MISSHAPEN[queue]},
        json.dumps({"v": 1} | unknown): why,
    }


def work(service: Service, queue: str) -> Callable[[], list[str]]:
    """Return what works off a queue."""
    return {
        "Renders": service.run_queued,
        "Events": service.relay_events,
        "Maintenance": service.run_maintenance,
    }[queue]


def waiting(service: Service, queue: str) -> int:
    """Return how many messages a queue has, received or not."""
    told = service.clients.sqs.get_queue_attributes(
        QueueUrl=service.resources[queue]["Ref"], AttributeNames=["All"]
    )["Attributes"]
    visible = told["ApproximateNumberOfMessages"]
    return int(visible) + int(told["ApproximateNumberOfMessagesNotVisible"])


def bury_all(service: Service, queue: str) -> list[DeadLetter]:
    """Let the dead letters of a queue be buried, and return their records."""
    while waiting(service, f"{queue}DeadLetters"):
        assert service.record_dead_letters(queue) == []
    return service.dead_letters(queue)


def good_message(service: Service, queue: str) -> Callable[[], bool]:
    """Have one good message put into a queue; the answer tells whether it was worked off."""
    if queue == "Renders":
        render_id = service.render(mode="async").json["id"]
        return lambda: service.call("GET", f"/v1/renders/{render_id}").json["status"] == "succeeded"
    if queue == "Events":
        service.render()
        return lambda: service.usage() == {"live_succeeded": 1, "billed": 1}
    service.render(mode="async")
    service.clock.advance(minutes=2)
    assert service.tick() == 1
    return lambda: waiting(service, "RendersQueue") == 2


@pytest.mark.parametrize("queue", QUEUES)
def test_each_ends_with_its_reason_and_harms_no_other(service: Service, queue: str) -> None:
    bad = bodies(queue)
    done = good_message(service, queue)
    for body in bad:
        service.send(queue, body)

    while waiting(service, f"{queue}Queue"):
        assert work(service, queue)() == []

    assert done()
    letters = bury_all(service, queue)
    assert len(letters) == len(bad)
    for body, reason in bad.items():
        (letter,) = [letter for letter in letters if letter.body == body[:50_000]]
        assert letter.reason.startswith(reason), letter
        assert len(letter.reason) <= 500
        assert letter.outcome


@pytest.mark.parametrize("queue", QUEUES)
def test_letter_of_a_function_that_died_is_buried_whatever_it_holds(
    service: Service, queue: str
) -> None:
    # So the platform moves them: as they came, without a reason.
    for body in bodies(queue):
        service.clients.sqs.send_message(
            QueueUrl=service.resources[f"{queue}DeadLetters"]["Ref"], MessageBody=body
        )

    letters = bury_all(service, queue)

    assert {letter.body for letter in letters} == {body[:50_000] for body in bodies(queue)}
    assert {letter.reason for letter in letters} == {
        "its function died, or ran out of time, at every delivery"
    }


def test_million_bytes_that_are_no_message_are_a_letter_that_fits(service: Service) -> None:
    body = "\x00\ud800\uffff" + "ä" * 1_000_000
    record = {"messageId": "m", "receiptHandle": "h", "body": body}

    assert service.serve({"Records": [record]}) == {"batchItemFailures": []}

    (letter,) = bury_all(service, "Renders")
    assert letter.reason.startswith("not JSON")
    assert letter.body == "\ufffd\ufffd\ufffd" + "ä" * 49_997


@pytest.mark.parametrize("queue", QUEUES)
def test_message_of_a_newer_release_may_meet_a_function_of_it(service: Service, queue: str) -> None:
    service.send(queue, NEWER)

    assert len(work(service, queue)()) == 1

    assert waiting(service, f"{queue}Queue") == 1
    assert waiting(service, f"{queue}DeadLetters") == 0


@pytest.mark.parametrize("queue", QUEUES)
def test_message_of_a_newer_release_is_given_up_at_its_last_delivery(
    service: Service, queue: str
) -> None:
    service.send(queue, NEWER)
    for _ in range(UNKNOWN_VERSION_RECEIVES - 1):
        service.clients.sqs.receive_message(
            QueueUrl=service.resources[f"{queue}Queue"]["Ref"], VisibilityTimeout=0
        )
        time.sleep(0.002)

    assert work(service, queue)() == []

    (letter,) = bury_all(service, queue)
    assert letter.reason == "UnknownVersion: a message of version 1 is expected, not 2"
    assert letter.outcome == "nothing could be ended: a message of version 1 is expected, not 2"
    assert letter.body == NEWER


def test_render_whose_body_a_newer_release_kept_ends_as_lost(service: Service) -> None:
    render_id = service.render(mode="async").json["id"]
    (key,) = service.objects()
    kept = json.loads(service.services.objects.get(key) or b"")
    newer = json.dumps(kept | {"v": kept["v"] + 1}).encode()
    digest = hashlib.sha256(newer).digest()
    service.services.objects.put(key, newer, content_type="application/json", sha256=digest)
    body = {"v": 1, "workspace_id": service.workspace, "render_id": render_id, "request_id": "r"}

    for delivery in range(1, UNKNOWN_VERSION_RECEIVES + 1):
        assert service.call("GET", f"/v1/renders/{render_id}").json["status"] != "failed"
        record = {"messageId": "m", "receiptHandle": "h", "body": json.dumps(body)}
        attributes = {"ApproximateReceiveCount": str(delivery)}
        service.serve({"Records": [record | {"attributes": attributes}]}, f"delivery-{delivery}")

    (letter,) = bury_all(service, "Renders")
    told = f"a body of version {kept['v']} is expected, not {kept['v'] + 1}"
    assert letter.reason == f"UnknownVersion: {told}"
    assert letter.outcome == "the render ended as failed: render_lost"
    render = service.call("GET", f"/v1/renders/{render_id}").json
    assert (render["status"], render["error"]["code"]) == ("failed", "render_lost")
    service.relay_events()
    assert service.objects() == []
    assert service.limits()["holds"] == {}
    assert service.usage() == {"live_failed": 1, "billed": 0}


def test_render_whose_message_was_given_up_ends_as_lost(service: Service) -> None:
    render_id = service.render(mode="async").json["id"]
    message = {"v": 1, "workspace_id": service.workspace, "render_id": render_id, "request_id": "r"}
    service.clients.sqs.send_message(
        QueueUrl=service.resources["RendersDeadLetters"]["Ref"], MessageBody=json.dumps(message)
    )

    (letter,) = bury_all(service, "Renders")

    assert letter.outcome == "the render ended as failed: render_lost"
    service.relay_events()
    assert service.limits()["holds"] == {}
    assert service.usage() == {"live_failed": 1, "billed": 0}


def test_letter_that_cannot_be_sent_comes_again(service: Service) -> None:
    gone = service.resources["RendersDeadLetters"]["Ref"]
    service.clients.sqs.delete_queue(QueueUrl=gone)
    render_id = service.render(mode="async").json["id"]
    service.send("Renders", "}{")

    failed = service.run_queued()

    assert len(failed) == 1
    assert service.call("GET", f"/v1/renders/{render_id}").json["status"] == "succeeded"
