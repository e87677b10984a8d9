"""Consumers of queue messages: process, retry later, or send to the dead-letter queue."""

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final, NamedTuple, NotRequired, TypedDict

from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.transient_errors import is_transient
from chalicelib.adapters.json_logs import bind, log_context
from chalicelib.core.json import JsonObject
from chalicelib.core.message_version import UnknownVersion
from chalicelib.core.tracebacks import exception_kind, raise_location

log = logging.getLogger(__name__)

# `maxReceiveCount` of every queue in infra/resources.yaml: after this delivery the platform itself
# would move the message, without a reason (decision 11).
MAX_RECEIVE_COUNT: Final = 8
# Five deliveries take half a minute; by then the deployment has replaced the other release.
UNKNOWN_VERSION_RECEIVES: Final = 5
# Other errors do not go away with time, so they get fewer deliveries.
_ERROR_RECEIVES: Final = 4


class _MessageAttribute(TypedDict):
    stringValue: NotRequired[str]


class QueueRecord(TypedDict):
    """Record of a Lambda event: the message as SQS delivered it."""

    messageId: str
    receiptHandle: str
    body: str
    eventSourceARN: str
    attributes: Mapping[str, str]
    messageAttributes: NotRequired[Mapping[str, _MessageAttribute]]


class QueueEvent(TypedDict):
    """Lambda event with a batch of messages of one queue."""

    Records: Sequence[QueueRecord]


class BatchItemFailure(TypedDict):
    """Message of a batch that failed and is to come again."""

    itemIdentifier: str


class BatchResponse(TypedDict):
    """Answer to a batch; the platform deletes the messages that it does not name."""

    batchItemFailures: Sequence[BatchItemFailure]


class PoisonMessageError(Exception):
    """The message can never be processed; the text says why."""


class ReceivedMessage(NamedTuple):
    """One delivery of a message; `id` stays the same over all its deliveries."""

    id: str
    body: JsonObject
    receive_count: int


type HandleTogether = Callable[[Sequence[ReceivedMessage]], Mapping[str, Exception]]


class QueueConsumer:
    """Consumer of one queue; a message that fails does not affect the others of its batch."""

    def __init__(self, queue: Queue, dead_letters: Queue) -> None:
        """Consume `queue`; send messages that are given up to `dead_letters`."""
        self._queue = queue
        self._dead_letters = dead_letters

    @property
    def name(self) -> str:
        """Return the name of the queue."""
        return self._queue.name

    def process_batch(
        self, records: Sequence[QueueRecord], handle: Callable[[ReceivedMessage], None]
    ) -> BatchResponse:
        """Pass each record of a Lambda event to `handle`; return the `batchItemFailures`."""
        failed = []
        for record in records:
            with log_context(message_id=record["messageId"]):
                if not self._process(record, handle):
                    failed.append(record["messageId"])
        return _batch_item_failures(failed)

    def process_concurrently(
        self, records: Sequence[QueueRecord], handle: Callable[[ReceivedMessage], None]
    ) -> BatchResponse:
        """Pass each record of a Lambda event to `handle` at once; return the `batchItemFailures`.

        A message that is done is deleted before the others are: its group can go on (decision 34).
        """
        if len(records) <= 1:
            return self.process_batch(records, handle)
        with ThreadPoolExecutor(len(records), thread_name_prefix="message") as pool:
            answers = [
                pool.submit(copy_context().run, self._process_and_delete, record, handle)
                for record in records
            ]
        failures = [failure for answer in answers for failure in answer.result()]
        return {"batchItemFailures": failures}

    def _process_and_delete(
        self, record: QueueRecord, handle: Callable[[ReceivedMessage], None]
    ) -> Sequence[BatchItemFailure]:
        answer = self.process_batch([record], handle)
        if not answer["batchItemFailures"]:
            self._queue.delete(record["receiptHandle"])
        return answer["batchItemFailures"]

    def process_together(
        self, records: Sequence[QueueRecord], handle: HandleTogether
    ) -> BatchResponse:
        """Pass all records of a Lambda event to `handle` in one call; return the failed ones.

        `handle` returns the errors by the id of their message.
        """
        messages, errors = [], dict[str, Exception]()
        for record in records:
            try:
                messages.append(_received_message(record))
            except PoisonMessageError as poison:
                errors[record["messageId"]] = poison
        errors |= handle(messages)
        request_ids = {message.id: request_id_of(message.body) for message in messages}
        failed = []
        for record in records:
            message_id = record["messageId"]
            with log_context(message_id=message_id, request_id=request_ids.get(message_id)):
                if message_id in errors and not self._give_up(record, errors[message_id]):
                    failed.append(message_id)
        return _batch_item_failures(failed)

    def _process(self, record: QueueRecord, handle: Callable[[ReceivedMessage], None]) -> bool:
        try:
            message = _received_message(record)
            bind(request_id=request_id_of(message.body))
            handle(message)
        except Exception as error:  # noqa: BLE001 -- it is logged there
            return self._give_up(record, error)
        return True

    def _give_up(self, record: QueueRecord, error: Exception) -> bool:
        """Send a failed message to the dead-letter queue; return False if it is to come again."""
        delivery = _delivery_number(record)
        # No later delivery parses better, so it goes at once (decision 11).
        if isinstance(error, PoisonMessageError):
            reason, transient = str(error), False
        else:
            log.error("message failed", exc_info=error, extra={"delivery": delivery})
            # 2, 4, … 128 s make four minutes of eight deliveries, and half a minute of five
            # (decision 11).
            if delivery < _max_receives(error):
                return self._retry_later(record, 2**delivery if is_retryable(error) else delivery)
            reason, transient = _failure_reason(error), is_transient(error)
        # Without its dead letter the message is the only trace, so it must come again.
        is_sent = self._send_dead_letter(record, reason, transient=transient)
        return is_sent or self._retry_later(record, delivery)

    def _retry_later(self, record: QueueRecord, after_s: int) -> bool:
        """Shorten the visibility timeout, which is sized for functions that died."""
        self._queue.change_visibility(record["receiptHandle"], timeout_s=after_s)
        return False

    def _send_dead_letter(self, record: QueueRecord, reason: str, *, transient: bool) -> bool:
        log.error("dead letter", extra={"reason": reason})
        return self._dead_letters.send_dead_letter(
            record["body"], reason=reason, transient=transient
        )


class QueueConsumers:
    """Consumers of the several queues of one function."""

    def __init__(self, consumers: Iterable[QueueConsumer]) -> None:
        """Index consumers by queue name; the first one takes records that name no known queue."""
        self._by_name = {consumer.name: consumer for consumer in consumers}

    def process_concurrently(
        self, records: Sequence[QueueRecord], handle: Callable[[ReceivedMessage], None]
    ) -> BatchResponse:
        """Process the records of a Lambda event, all of one queue, with that queue's consumer."""
        return self.consumer_of(records).process_concurrently(records, handle)

    def consumer_of(self, records: Sequence[QueueRecord]) -> QueueConsumer:
        """Return the consumer of the queue that records of a Lambda event come from."""
        sources = (record.get("eventSourceARN", "") for record in records)
        name = next(sources, "").rpartition(":")[2]
        first = next(iter(self._by_name.values()))
        return self._by_name.get(name, first)


def _received_message(record: QueueRecord) -> ReceivedMessage:
    return ReceivedMessage(
        record["messageId"], parse_message(record["body"]), _delivery_number(record)
    )


def _delivery_number(record: QueueRecord) -> int:
    return int(record.get("attributes", {}).get("ApproximateReceiveCount", 1))


def _batch_item_failures(message_ids: Iterable[str]) -> BatchResponse:
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in message_ids]}


def is_retryable(error: Exception) -> bool:
    """Tell whether processing may succeed later, or in a function of another release."""
    return isinstance(error, UnknownVersion) or is_transient(error)


def _max_receives(error: Exception) -> int:
    """Return the number of deliveries after which a message is given up (decision 11)."""
    if is_transient(error):
        return MAX_RECEIVE_COUNT
    return UNKNOWN_VERSION_RECEIVES if isinstance(error, UnknownVersion) else _ERROR_RECEIVES


def _failure_reason(error: Exception) -> str:
    # The text of any other exception may repeat tenant data.
    detail = str(error) if isinstance(error, UnknownVersion) else raise_location(error)
    return f"{exception_kind(error)}: {detail}"


def request_id_of(message: JsonObject) -> str | None:
    """Return the id of the request that caused a message, or None."""
    request_id = message.get("request_id")
    return request_id if isinstance(request_id, str) else None


def text_fields(message: JsonObject, **patterns: str) -> list[str]:
    """Return text members of a message.

    Raises PoisonMessageError unless each matches its pattern.
    """
    texts = [message.get(name) for name in patterns]
    if not all(
        isinstance(text, str) and re.fullmatch(pattern, text)
        for text, pattern in zip(texts, patterns.values(), strict=True)
    ):
        expected = ", ".join(f"{name} {pattern}" for name, pattern in patterns.items())
        reason = f"these texts are expected: {expected}"
        raise PoisonMessageError(reason)
    return [str(text) for text in texts]


def parse_message(body: str) -> JsonObject:
    """Parse the body of a message; raises PoisonMessageError unless it is a JSON object."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        reason = f"not JSON: {error}"
        raise PoisonMessageError(reason) from error
    if not isinstance(message, dict):
        reason = f"a JSON object is expected, not {type(message).__name__}"
        raise PoisonMessageError(reason)
    return message
