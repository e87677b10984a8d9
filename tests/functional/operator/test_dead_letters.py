"""`platen dlq`: list, show and redrive dead letters."""

import json
from typing import Any

import pytest

from chalicelib.adapters.aws.queues import Queue
from chalicelib.bootstrap.work import DEAD_LETTER_QUEUES
from tests.builders.operator import OperatorTool
from tests.builders.service import Service


def reject_message(service: Service, queue: str, body: str) -> None:
    """Make the function of a queue refuse a message, and record the dead letter."""
    service.send(queue, body)
    process(service, queue)
    service.record_dead_letters(queue)


def process(service: Service, queue: str) -> None:
    {
        "Renders": service.run_queued,
        "Events": service.relay_events,
        "Maintenance": service.run_maintenance,
    }[queue]()


def listed(tool: OperatorTool, *queue: str) -> list[dict[str, Any]]:
    answer = tool.json("dlq", "list", *queue)
    rows: list[dict[str, Any]] = answer["data"]
    return rows


def test_no_dead_letters_are_listed_when_there_are_none(tool: OperatorTool) -> None:
    answer = tool.json("dlq", "list")

    assert answer == {
        "unread": dict.fromkeys(DEAD_LETTER_QUEUES, 0),
        "data": [],
    }
    assert tool.table("dlq", "list")[-1] == "none"


@pytest.mark.parametrize("queue", ["Renders", "Events", "Maintenance"])
def test_dead_letters_are_listed_with_their_reason(
    tool: OperatorTool, service: Service, queue: str
) -> None:
    reject_message(service, queue, "not JSON")

    (row,) = listed(tool)
    assert row["queue"] == queue.lower()
    assert row["reason"].startswith("not JSON:")
    assert row["outcome"].startswith("nothing could be ended:")
    assert row["body"] == "not JSON"
    assert listed(tool, queue.lower()) == [row]
    (other,) = {"renders", "events"} - {queue.lower()} if queue != "Maintenance" else {"events"}
    assert listed(tool, other) == []
    table = tool.table("dlq", "list")
    assert any(row["id"] in line for line in table)
    # A text is wrapped in its column or below its row.
    assert set(row["reason"].split()) <= {word for line in table for word in line.split()}


def test_unrecorded_dead_letters_are_counted(tool: OperatorTool, service: Service) -> None:
    service.send("Events", "not JSON")
    service.relay_events()

    unread = tool.json("dlq", "list")["unread"]
    assert unread == {**dict.fromkeys(DEAD_LETTER_QUEUES, 0), "events": 1}
    assert tool.json("dlq", "list", "events")["unread"] == {"events": 1}


def test_redriven_event_is_published(tool: OperatorTool, service: Service) -> None:
    render = service.render().json
    (event,) = service.events(render["id"])
    body = {"v": 1, "subject": event["PK"], "sort_key": event["SK"]}
    dead = service.resources["EventsDeadLetters"]["Ref"]
    service.run_batch("Events", lambda _event: {"batchItemFailures": []})
    service.clients.sqs.send_message(QueueUrl=dead, MessageBody=json.dumps(body))
    service.record_dead_letters("Events")
    (row,) = listed(tool)
    assert row["outcome"].startswith("tried again at ")

    answer = tool.json("dlq", "redrive", "events")

    assert (answer["queue"], answer["redriven"], answer["data"]) == ("events", 1, [row])
    assert listed(tool) == []
    service.relay_events()
    (event,) = service.events(render["id"])
    assert event["published_at"]
    assert service.usage() == {"live_succeeded": 1, "billed": 1}


def test_message_that_fails_again_is_recorded_with_its_reason(
    tool: OperatorTool, service: Service
) -> None:
    reject_message(
        service, "Maintenance", '{"v": 1, "kind": "key", "pk": "KEY#nobody", "sk": "META"}'
    )
    (before,) = listed(tool)

    assert tool.json("dlq", "redrive", "maintenance")["redriven"] == 1
    assert listed(tool) == []
    process(service, "Maintenance")
    service.record_dead_letters("Maintenance")

    (after,) = listed(tool)
    assert after["reason"] == before["reason"] == "there is no key nobody"
    assert after["id"] != before["id"]


def test_message_that_fails_at_once_after_redrive_is_not_lost(
    tool: OperatorTool, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    reject_message(
        service, "Maintenance", '{"v": 1, "kind": "key", "pk": "KEY#nobody", "sk": "META"}'
    )
    (before,) = listed(tool)
    send = Queue.send_body

    def send_and_fail_at_once(queue: Queue, body: str, *, group: str) -> None:
        send(queue, body, group=group)
        process(service, "Maintenance")
        service.record_dead_letters("Maintenance")

    monkeypatch.setattr(Queue, "send_body", send_and_fail_at_once)

    # The functions log to the same output.
    assert tool.run("dlq", "redrive", "maintenance").exit_code == 0

    (after,) = listed(tool)
    assert after["id"] != before["id"]


def test_only_the_named_queue_is_redriven(tool: OperatorTool, service: Service) -> None:
    reject_message(service, "Renders", "not JSON")
    reject_message(service, "Events", "not JSON")

    tool.json("dlq", "redrive", "renders")

    assert [row["queue"] for row in listed(tool)] == ["events"]


def test_body_is_shown_truncated_and_escaped(tool: OperatorTool, service: Service) -> None:
    reject_message(service, "Events", "\u2028\x85\r\n" + "x" * 10_000)

    (row,) = listed(tool)
    assert len(row["body"]) <= 200
    lines = [line for line in tool.table("dlq", "list") if row["id"] in line]
    assert len(lines) == 1
    below = [line for line in tool.table("dlq", "list") if line.startswith(" ")]
    assert below[-1].endswith("x")
    assert r"\u2028" in "".join(below)


def test_redrive_of_an_empty_queue_does_nothing(tool: OperatorTool) -> None:
    answer = {"queue": "renders", "redriven": 0, "data": []}
    assert tool.json("dlq", "redrive", "renders") == answer


@pytest.mark.parametrize(
    "arguments", [("list", "nothing"), ("redrive",), ("redrive", "all")], ids=" ".join
)
def test_wrong_use_exits_with_two(tool: OperatorTool, arguments: tuple[str, ...]) -> None:
    done = tool.run("dlq", *arguments)

    assert (done.exit_code, done.stdout) == (2, "")


def test_incompletely_configured_service_is_refused(tool: OperatorTool, service: Service) -> None:
    tool.use_service(service.settings.main_table)

    code, reason = tool.refusal("dlq", "list")

    assert code == "setting_missing"
    assert reason.startswith("PLATEN_TRANSIENT_TABLE")
