"""Event sources of functions: queues and schedules, as Lambda and EventBridge run them."""

import datetime as dt
import json
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from infra.local.console import Console
from infra.local.functions import QueueSource, ScheduleRule
from infra.local.runner.environment import REGION
from infra.local.runner.invocation import Invocation
from infra.local.runner.pool import Throttled, WorkerPool
from infra.local.runner.process import InvocationAnswer

LONG_POLL_S: Final = 20
RETRY_DELAY_S: Final = 2
YIELD_PAUSE_S: Final = 0.25
_ACCOUNT: Final = "000000000000"


class QueuePoller:
    """Poller that feeds one function from one queue, up to the concurrency of both."""

    def __init__(
        self,
        source: QueueSource,
        urls: Mapping[str, str],
        pool: WorkerPool,
        sqs: Any,
        console: Console,
    ) -> None:
        """Poll `source` for the function of `pool`; `urls` has all queue URLs by ARN."""
        self._source = source
        self._queue_url = urls[source.arn]
        self._preferred_queue_url = urls[source.yields_to] if source.yields_to else None
        self._pool = pool
        self._sqs = sqs
        self._console = console
        self._stopping = threading.Event()
        self._preferred_empty_until = 0.0

    def start(self) -> None:
        """Start the polling threads; they end with the process or after `stop`."""
        limit = self._pool.function.concurrency
        for _ in range(min(self._source.concurrency or limit, limit)):
            threading.Thread(target=self._poll_until_stopped, daemon=True).start()

    def stop(self) -> None:
        """Stop receiving messages."""
        self._stopping.set()

    def _poll_until_stopped(self) -> None:
        while not self._stopping.is_set():
            try:
                self._poll()
            except Exception as error:  # noqa: BLE001 -- a poller survives any error of a queue
                if self._stopping.is_set():
                    return
                self._console.note(f"queue {self._source.arn}: {error}")
                time.sleep(1)

    def _poll(self) -> None:
        if self._must_yield():
            self._stopping.wait(YIELD_PAUSE_S)
            return
        response = self._sqs.receive_message(
            QueueUrl=self._queue_url,
            MaxNumberOfMessages=min(self._source.batch_size, 10),
            WaitTimeSeconds=LONG_POLL_S,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        messages = response.get("Messages", [])
        if not messages or self._stopping.is_set():
            return
        answer = self._invoke(messages)
        sent = [str(message["MessageId"]) for message in messages]
        failed = failed_ids(answer, sent, partial=self._source.partial_failures)
        if answer.error and not self._goes_on(answer):
            for message in messages:
                self._retry_soon(message)
        processed = [message for message in messages if message["MessageId"] not in failed]
        if processed:
            entries = _delete_entries(processed)
            self._sqs.delete_message_batch(QueueUrl=self._queue_url, Entries=entries)

    def _must_yield(self) -> bool:
        """Tell whether messages wait in the preferred queue.

        If none do, it is not asked again for YIELD_PAUSE_S.
        """
        url = self._preferred_queue_url
        if url is None or time.monotonic() < self._preferred_empty_until:
            return False
        name = "ApproximateNumberOfMessages"
        response = self._sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])
        if int(response["Attributes"][name]) > 0:
            return True
        self._preferred_empty_until = time.monotonic() + YIELD_PAUSE_S
        return False

    def _invoke(self, messages: Sequence[Mapping[str, Any]]) -> InvocationAnswer:
        event = sqs_event(messages, self._source.arn)
        # As an event source mapping with a maximum concurrency does: while the function is busy, a
        # message waits without using up a receive.
        return self._pool.invoke(Invocation(json.dumps(event).encode(), waits_for_slot=True))

    def _goes_on(self, answer: InvocationAnswer) -> bool:
        """Tell whether a thread goes on after its timeout: its message waits its queue's time."""
        return self._pool.function.serves_in_threads and answer.has_timed_out

    def _retry_soon(self, message: Mapping[str, Any]) -> None:
        # The function died. On AWS the message stays hidden for the queue's visibility timeout;
        # the local stack shortens it. A function that only failed shortens it itself.
        self._sqs.change_message_visibility(
            QueueUrl=self._queue_url,
            ReceiptHandle=message["ReceiptHandle"],
            VisibilityTimeout=RETRY_DELAY_S,
        )


def _delete_entries(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    return [
        {"Id": str(n), "ReceiptHandle": message["ReceiptHandle"]}
        for n, message in enumerate(messages)
    ]


def sqs_event(messages: Sequence[Mapping[str, Any]], arn: str) -> dict[str, Any]:
    """Return the Lambda event of received messages."""
    return {"Records": [_sqs_record(message, arn) for message in messages]}


def failed_ids(answer: InvocationAnswer, sent: Sequence[str], *, partial: bool) -> set[str]:
    """Return the ids of the messages that failed: all of them if the answer is malformed."""
    if answer.error:
        return set(sent)
    if not partial:
        return set()
    try:
        result = json.loads(answer.payload)
        rows = [] if result is None else (result.get("batchItemFailures") or [])
        failed = {row["itemIdentifier"] for row in rows}
    except (AttributeError, KeyError, TypeError, ValueError):
        return set(sent)
    # As Lambda does: an answer that names a message of no batch fails all of them.
    return failed if failed.issubset(sent) else set(sent)


def _sqs_record(message: Mapping[str, Any], arn: str) -> dict[str, Any]:
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message.get("Attributes", {}),
        "messageAttributes": {
            name: _message_attribute(value)
            for name, value in message.get("MessageAttributes", {}).items()
        },
        "md5OfBody": message.get("MD5OfBody", ""),
        "eventSource": "aws:sqs",
        "eventSourceARN": arn,
        "awsRegion": REGION,
    }


def _message_attribute(value: Mapping[str, Any]) -> dict[str, Any]:
    text: Callable[[str], Any] = value.get
    return {
        "dataType": text("DataType"),
        "stringValue": text("StringValue"),
        "stringListValues": [],
        "binaryListValues": [],
    }


class ScheduleTimer:
    """Timer of one schedule; it fires first after one period, as on AWS."""

    def __init__(self, schedule: ScheduleRule, pool: WorkerPool, console: Console) -> None:
        """Fire `schedule` for the function of `pool`; faults go to the console."""
        self._schedule = schedule
        self._pool = pool
        self._console = console
        self._stopping = threading.Event()

    def start(self) -> None:
        """Start the timer thread; it ends with the process or after `stop`."""
        threading.Thread(target=self._run, daemon=True).start()

    def stop(self) -> None:
        """Stop firing."""
        self._stopping.set()

    def fire(self) -> None:
        """Invoke the function now; a fault goes to the console."""
        moment = dt.datetime.now(dt.UTC)
        event = scheduled_event(self._schedule.name, moment)
        try:
            self._pool.invoke(Invocation(json.dumps(event).encode()))
        except Throttled:
            return
        except Exception as error:  # noqa: BLE001 -- the next event may find the machine calm
            self._console.note(f"schedule {self._schedule.name}: {error}")

    def _run(self) -> None:
        while not self._stopping.wait(self._schedule.every_s):
            self.fire()


def scheduled_event(rule: str, moment: dt.datetime) -> dict[str, Any]:
    """Return the EventBridge event of a rule that fires at `moment`."""
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": _ACCOUNT,
        "time": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": REGION,
        "resources": [f"arn:aws:events:{REGION}:{_ACCOUNT}:rule/{rule}"],
        "detail": {},
    }
