"""Event sources: events of batches, and the messages that count as failed."""

import datetime as dt
import json
from types import SimpleNamespace
from typing import Any, cast

import pytest

from infra.local import event_sources
from infra.local.event_sources import (
    YIELD_PAUSE_S,
    QueuePoller,
    ScheduleTimer,
    failed_ids,
    scheduled_event,
    sqs_event,
)
from infra.local.functions import QueueSource, ScheduleRule
from infra.local.runner.invocation import Invocation
from infra.local.runner.pool import Throttled
from infra.local.runner.process import InvocationAnswer
from tests.builders.waiting import eventually
from tests.fakes.api_services import FixedClock

SENT = ["m1", "m2"]


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (None, set()),
        ({}, set()),
        ({"batchItemFailures": []}, set()),
        ({"batchItemFailures": None}, set()),
        ({"batchItemFailures": [{"itemIdentifier": "m2"}]}, {"m2"}),
        ({"batchItemFailures": [{"itemIdentifier": "unknown"}]}, {"m1", "m2"}),
        ({"batchItemFailures": [{"itemIdentifier": ""}]}, {"m1", "m2"}),
        ({"batchItemFailures": [{"other": "m1"}]}, {"m1", "m2"}),
        ({"batchItemFailures": "m1"}, {"m1", "m2"}),
        ("text", {"m1", "m2"}),
    ],
)
def test_an_answer_that_cannot_be_understood_fails_the_whole_batch(
    payload: Any, expected: set[str]
) -> None:
    assert (
        failed_ids(InvocationAnswer(json.dumps(payload).encode()), SENT, partial=True) == expected
    )


def test_an_error_fails_the_whole_batch() -> None:
    assert failed_ids(InvocationAnswer(b"{}", "Unhandled"), SENT, partial=True) == {"m1", "m2"}


def test_without_partial_failures_the_answer_does_not_matter() -> None:
    payload = json.dumps({"batchItemFailures": [{"itemIdentifier": "m1"}]}).encode()

    assert failed_ids(InvocationAnswer(payload), SENT, partial=False) == set()


def test_record_equals_a_lambda_record() -> None:
    message = {
        "MessageId": "m1",
        "ReceiptHandle": "r",
        "Body": "{}",
        "Attributes": {"ApproximateReceiveCount": "1"},
        "MessageAttributes": {"a": {"DataType": "String", "StringValue": "b"}},
        "MD5OfBody": "x",
    }

    (record,) = sqs_event([message], "arn:q")["Records"]

    assert record["messageId"] == "m1"
    assert record["attributes"] == {"ApproximateReceiveCount": "1"}
    assert record["messageAttributes"]["a"]["stringValue"] == "b"
    assert (record["eventSource"], record["eventSourceARN"]) == ("aws:sqs", "arn:q")


def test_rule_sends_an_eventbridge_event() -> None:
    event = scheduled_event("tick", dt.datetime(2026, 3, 4, 12, 0, tzinfo=dt.UTC))

    assert event["detail-type"] == "Scheduled Event"
    assert event["source"] == "aws.events"
    assert event["time"] == "2026-03-04T12:00:00Z"
    assert event["resources"] == ["arn:aws:events:us-east-1:000000000000:rule/tick"]


class BusyPool:
    """Pool that throttles every call that does not wait for a slot."""

    def invoke(self, invocation: Invocation) -> InvocationAnswer:
        if not invocation.waits_for_slot:
            raise Throttled
        return InvocationAnswer(b"{}")


class FaultyPool:
    """Pool whose first call fails."""

    def __init__(self) -> None:
        self.calls = 0

    def invoke(self, _invocation: Invocation) -> InvocationAnswer:
        self.calls += 1
        if self.calls == 1:
            raise RuntimeError("no room")
        return InvocationAnswer(b"{}")


def test_schedule_goes_on_after_a_fault() -> None:
    faulty, notes = FaultyPool(), list[str]()
    console = SimpleNamespace(note=notes.append)
    timer = ScheduleTimer(ScheduleRule("tick", 0), cast("Any", faulty), cast("Any", console))
    timer.start()
    eventually(lambda: faulty.calls >= 3)
    timer.stop()

    assert notes == ["schedule tick: no room"]


class OneMessage:
    """Queue with one message, beside others that hold `waiting`; records the calls."""

    def __init__(self, waiting: int = 0) -> None:
        self.calls: list[str] = []
        self.questions = 0
        self.waiting = waiting

    def get_queue_attributes(self, **_request: Any) -> dict[str, Any]:
        self.questions += 1
        return {"Attributes": {"ApproximateNumberOfMessages": str(self.waiting)}}

    def receive_message(self, **_request: Any) -> dict[str, Any]:
        return {"Messages": [{"MessageId": "m1", "ReceiptHandle": "r", "Body": "{}"}]}

    def delete_message_batch(self, **_request: Any) -> None:
        self.calls.append("delete")

    def change_message_visibility(self, **_request: Any) -> None:
        self.calls.append("retry")


def test_throttled_function_does_not_count_as_a_receive() -> None:
    sqs, pool = OneMessage(), cast("Any", BusyPool())
    source = QueueSource("arn:q", batch_size=1, concurrency=None, partial_failures=True)

    QueuePoller(source, {"arn:q": "url"}, pool, sqs, cast("Any", None))._poll()

    assert sqs.calls == ["delete"]


@pytest.mark.parametrize(("waiting", "calls"), [(0, ["delete"]), (1, [])])
def test_low_priority_queue_yields_while_another_has_messages(
    waiting: int, calls: list[str]
) -> None:
    sqs, pool = OneMessage(waiting), cast("Any", BusyPool())
    source = QueueSource(
        "arn:low", batch_size=1, concurrency=None, partial_failures=True, yields_to="arn:q"
    )

    QueuePoller(source, {"arn:q": "q", "arn:low": "low"}, pool, sqs, cast("Any", None))._poll()

    assert sqs.calls == calls


def test_empty_preferred_queue_is_asked_again_after_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = FixedClock()
    monotonic = lambda: clock.now().timestamp()  # noqa: E731
    monkeypatch.setattr(event_sources, "time", SimpleNamespace(monotonic=monotonic))
    sqs, pool = OneMessage(), cast("Any", BusyPool())
    source = QueueSource(
        "arn:low", batch_size=1, concurrency=None, partial_failures=True, yields_to="arn:q"
    )
    poller = QueuePoller(source, {"arn:q": "q", "arn:low": "low"}, pool, sqs, cast("Any", None))

    for _ in range(3):
        poller._poll()
    assert (sqs.questions, len(sqs.calls)) == (1, 3)
    clock.advance(seconds=YIELD_PAUSE_S)
    sqs.waiting = 1
    for _ in range(2):
        poller._poll()

    assert (sqs.questions, len(sqs.calls)) == (3, 3)
