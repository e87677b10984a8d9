"""Messages of a queue: worked off, received again, or put to the dead letters with a reason."""

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.transient_errors import is_transient
from chalicelib.adapters.json_logs import bind, log_context
from chalicelib.core.tracebacks import exception_kind, raise_location

log = logging.getLogger(__name__)

# `maxReceiveCount` of every queue: the platform would move the message after this delivery.
MAX_RECEIVE_COUNT: Final = 8
# Within half a minute of a deployment a function of the other release may get the message.
UNKNOWN_VERSION_RECEIVES: Final = 5
# What is neither AWS's fault nor a matter of releases does not pass with time.
_ERROR_RECEIVES: Final = 4
_MAX_VERSION_CHARS: Final = 40


class PoisonMessage(Exception):  # noqa: N818 -- what it is
    """A message that can never be worked off, and why."""


class UnknownVersion(Exception):  # noqa: N818 -- what it is
    """A message of another release; one that knows it may receive it next time."""


class ReceivedMessage(NamedTuple):
    """One delivery of a message; `id` stays the same over all its deliveries."""

    id: str
    body: Mapping[str, Any]
    receive_count: int


class QueueConsumer:
    """Works off batches of one queue; one bad message harms no other."""

    def __init__(self, queue: Queue, dead_letters: Queue) -> None:
        """Receive from this queue, and put what cannot be worked off there."""
        self._queue = queue
        self._dead_letters = dead_letters

    @property
    def name(self) -> str:
        """Return the name of the queue."""
        return self._queue.name

    def process_batch(
        self, records: Sequence[Mapping[str, Any]], handle: Callable[[ReceivedMessage], None]
    ) -> dict[str, Any]:
        """Hand over each record of a Lambda event; return its `batchItemFailures`."""
        failed = []
        for record in records:
            with log_context(message_id=record["messageId"]):
                if not self._process(record, handle):
                    failed.append(record["messageId"])
        return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}

    def _process(
        self, record: Mapping[str, Any], handle: Callable[[ReceivedMessage], None]
    ) -> bool:
        delivery = int(record.get("attributes", {}).get("ApproximateReceiveCount", 1))
        try:
            body = parse_message(record["body"])
            bind(request_id=request_id_of(body))
            handle(ReceivedMessage(record["messageId"], body, delivery))
        except PoisonMessage as poison:
            reason, passing = str(poison), False
        except Exception as error:
            log.exception("message failed", extra={"delivery": delivery})
            if delivery < _max_receives(error):
                return self._retry_later(record, 2**delivery if is_retryable(error) else delivery)
            reason, passing = _failure_reason(error), is_transient(error)
        else:
            return True
        buried = self._send_dead_letter(record, reason, transient=passing)
        return buried or self._retry_later(record, delivery)

    def _retry_later(self, record: Mapping[str, Any], after_s: int) -> bool:
        """Have a message come soon: the visibility timeout is for functions that died."""
        self._queue.change_visibility(record["receiptHandle"], timeout_s=after_s)
        return False

    def _send_dead_letter(self, record: Mapping[str, Any], reason: str, *, transient: bool) -> bool:
        log.error("dead letter", extra={"reason": reason})
        return self._dead_letters.send_dead_letter(
            record["body"], reason=reason, transient=transient
        )


class QueueConsumers:
    """Works off batches of several queues that one function takes from."""

    def __init__(self, consumers: Iterable[QueueConsumer]) -> None:
        """Find each by the name of its queue; the first is meant where a record names none."""
        self._by_name = {inbox.name: inbox for inbox in consumers}

    def process_batch(
        self, records: Sequence[Mapping[str, Any]], handle: Callable[[ReceivedMessage], None]
    ) -> dict[str, Any]:
        """Work off an event's records, which are of one queue, as Inbox does."""
        sources = (record.get("eventSourceARN", "") for record in records)
        name = next(sources, "").rpartition(":")[2]
        first = next(iter(self._by_name.values()))
        return self._by_name.get(name, first).process_batch(records, handle)


def is_retryable(error: Exception) -> bool:
    """Tell whether the same message may well be worked off later, or by another release."""
    return isinstance(error, UnknownVersion) or is_transient(error)


def _max_receives(error: Exception) -> int:
    """Return after how many deliveries a message is given up, which is four minutes at most."""
    if is_transient(error):
        return MAX_RECEIVE_COUNT
    return UNKNOWN_VERSION_RECEIVES if isinstance(error, UnknownVersion) else _ERROR_RECEIVES


def _failure_reason(error: Exception) -> str:
    # Other texts than our own may repeat what a tenant sent.
    told = str(error) if isinstance(error, UnknownVersion) else raise_location(error)
    return f"{exception_kind(error)}: {told}"


def request_id_of(message: Mapping[str, Any]) -> str | None:
    """Return the id of the request that caused a message, where it names one."""
    found = message.get("request_id")
    return found if isinstance(found, str) else None


def check_version(message: Mapping[str, Any], version: int, subject: str = "a message") -> None:
    """Raise UnknownVersion unless the message, or `what` it is, has this version."""
    if message.get("v") != version:
        # It goes into logs and records; a stranger's may be as long as a message.
        found = repr(message.get("v"))[:_MAX_VERSION_CHARS]
        reason = f"{subject} of version {version} is expected, not {found}"
        raise UnknownVersion(reason)


def text_fields(message: Mapping[str, Any], **patterns: str) -> list[str]:
    """Return members of a message; raises Poison unless each is a text of its form."""
    found = [message.get(name) for name in patterns]
    if not all(
        isinstance(text, str) and re.fullmatch(form, text)
        for text, form in zip(found, patterns.values(), strict=True)
    ):
        told = ", ".join(f"{name} {form}" for name, form in patterns.items())
        reason = f"these texts are expected: {told}"
        raise PoisonMessage(reason)
    return [str(text) for text in found]


def parse_message(body: str) -> Mapping[str, Any]:
    """Return what a queue's message says; raises Poison unless that is a JSON object."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        reason = f"not JSON: {error}"
        raise PoisonMessage(reason) from error
    if not isinstance(message, dict):
        reason = f"a JSON object is expected, not {type(message).__name__}"
        raise PoisonMessage(reason)
    return message
