"""`platen dlq`: what was given up and why, and the way back."""

import json
from typing import Any

import pytest

from chalicelib.adapters.aws.queues import Queue
from tests.builders.operator import OperatorTool
from tests.builders.service import Service


def give_up(service: Service, queue: str, body: str) -> None:
    """Let a queue's function refuse a message, and the record be made."""
    service.send(queue, body)
    work_off(service, queue)
    service.record_dead_letters(queue)


def work_off(service: Service, queue: str) -> None:
    {
        "Renders": service.run_queued,
        "Events": service.relay_events,
        "Maintenance": service.run_maintenance,
    }[queue]()


def listed(tool: OperatorTool, *queue: str) -> list[dict[str, Any]]:
    answer = tool.json("dlq", "list", *queue)
    rows: list[dict[str, Any]] = answer["data"]
    return rows


def test_nothing_was_given_up(tool: OperatorTool) -> None:
    answer = tool.json("dlq", "list")

    assert answer == {"unread": {"renders": 0, "events": 0, "upkeep": 0}, "data": []}
    assert tool.table("dlq", "list")[-1] == "none"


@pytest.mark.parametrize("queue", ["Renders", "Events", "Maintenance"])
def test_what_was_given_up_is_listed_with_its_reason(
    tool: OperatorTool, service: Service, queue: str
) -> None:
    give_up(service, queue, "not JSON")

    (row,) = listed(tool)
    assert row["queue"] == queue.lower()
    assert row["reason"].startswith("not JSON:")
    assert row["outcome"].startswith("nothing could be ended:")
    assert row["body"] == "not JSON"
    assert listed(tool, queue.lower()) == [row]
    (other,) = {"renders", "events"} - {queue.lower()} if queue != "Maintenance" else {"events"}
    assert listed(tool, other) == []
    assert any(row["id"] in line and row["reason"] in line for line in tool.table("dlq", "list"))


def test_what_is_not_recorded_yet_is_counted(tool: OperatorTool, service: Service) -> None:
    service.send("Events", "not JSON")
    service.relay_events()

    assert tool.json("dlq", "list")["unread"] == {"renders": 0, "events": 1, "upkeep": 0}
    assert tool.json("dlq", "list", "events")["unread"] == {"events": 1}


def test_a_fact_that_was_given_up_is_told_when_it_is_redriven(
    tool: OperatorTool, service: Service
) -> None:
    render = service.render().json
    (fact,) = service.events(render["id"])
    body = {"v": 1, "subject": fact["PK"], "sort_key": fact["SK"]}
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
    (fact,) = service.events(render["id"])
    assert fact["published_at"]
    assert service.usage() == {"live_succeeded": 1, "billed": 1}


def test_what_fails_again_comes_back_with_its_reason(tool: OperatorTool, service: Service) -> None:
    give_up(service, "Maintenance", '{"v": 1, "pk": "nobody", "sk": "META"}')
    (before,) = listed(tool)

    assert tool.json("dlq", "redrive", "upkeep")["redriven"] == 1
    assert listed(tool) == []
    work_off(service, "Maintenance")
    service.record_dead_letters("Maintenance")

    (after,) = listed(tool)
    assert after["reason"] == before["reason"] == "no handler for nobody META"
    assert after["id"] != before["id"]


def test_what_comes_back_at_once_is_not_forgotten(
    tool: OperatorTool, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_up(service, "Maintenance", '{"v": 1, "pk": "nobody", "sk": "META"}')
    (before,) = listed(tool)
    send = Queue.send_body

    def send_and_lose_at_once(queue: Queue, body: str, *, group: str) -> None:
        send(queue, body, group=group)
        work_off(service, "Maintenance")
        service.record_dead_letters("Maintenance")

    monkeypatch.setattr(Queue, "send_body", send_and_lose_at_once)

    # What the functions log goes to the same output.
    assert tool.run("dlq", "redrive", "upkeep").exit_code == 0

    (after,) = listed(tool)
    assert after["id"] != before["id"]


def test_only_the_named_queue_is_redriven(tool: OperatorTool, service: Service) -> None:
    give_up(service, "Renders", "not JSON")
    give_up(service, "Events", "not JSON")

    tool.json("dlq", "redrive", "renders")

    assert [row["queue"] for row in listed(tool)] == ["events"]


def test_a_body_is_shown_in_part_and_does_nothing_to_a_terminal(
    tool: OperatorTool, service: Service
) -> None:
    give_up(service, "Events", "\u2028\x85\r\n" + "x" * 10_000)

    (row,) = listed(tool)
    assert len(row["body"]) <= 200
    lines = [line for line in tool.table("dlq", "list") if row["id"] in line]
    assert len(lines) == 1
    assert lines[0].endswith("x")


def test_nothing_to_redrive(tool: OperatorTool) -> None:
    answer = {"queue": "renders", "redriven": 0, "data": []}
    assert tool.json("dlq", "redrive", "renders") == answer


@pytest.mark.parametrize(
    "arguments", [("list", "nothing"), ("redrive",), ("redrive", "all")], ids=" ".join
)
def test_wrong_use_exits_with_two(tool: OperatorTool, arguments: tuple[str, ...]) -> None:
    done = tool.run("dlq", *arguments)

    assert (done.exit_code, done.stdout) == (2, "")


def test_a_service_that_is_named_in_part_is_refused(tool: OperatorTool, service: Service) -> None:
    tool.use_service(service.settings.main_table)

    code, reason = tool.refusal("dlq", "list")

    assert code == "setting_missing"
    assert reason.startswith("PLATEN_TRANSIENT_TABLE")
