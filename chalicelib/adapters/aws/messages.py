"""Messages of a queue: worked off, received again, or put to the dead letters with a reason."""

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from chalicelib.adapters.aws.faults import passes
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.json_logs import about, scope
from chalicelib.core.traces import kind_of, place_of

log = logging.getLogger(__name__)

# `maxReceiveCount` of every queue: the platform would move the message after this delivery.
LAST_DELIVERY: Final = 8
# Within half a minute of a deployment a function of the other release may get the message.
VERSION_TRIES: Final = 5
# What is neither AWS's fault nor a matter of releases does not pass with time.
_TRIES: Final = 4
_SHOWN_CHARS: Final = 40


class Poison(Exception):  # noqa: N818 -- what it is
    """A message that can never be worked off, and why."""


class UnknownVersion(Exception):  # noqa: N818 -- what it is
    """A message of another release; one that knows it may receive it next time."""


class Message(NamedTuple):
    """One delivery of a message; `id` stays the same over all its deliveries."""

    id: str
    body: Mapping[str, Any]
    delivery: int


class Inbox:
    """Works off batches of one queue; one bad message harms no other."""

    def __init__(self, queue: Queue, dead_letters: Queue) -> None:
        """Receive from this queue, and put what cannot be worked off there."""
        self._queue = queue
        self._dead_letters = dead_letters

    @property
    def name(self) -> str:
        """Return the name of the queue."""
        return self._queue.name

    def work_off(
        self, records: Sequence[Mapping[str, Any]], handle: Callable[[Message], None]
    ) -> dict[str, Any]:
        """Hand over each record of a Lambda event; return its `batchItemFailures`."""
        failed = []
        for record in records:
            with scope(message_id=record["messageId"]):
                if not self._done(record, handle):
                    failed.append(record["messageId"])
        return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}

    def _done(self, record: Mapping[str, Any], handle: Callable[[Message], None]) -> bool:
        delivery = int(record.get("attributes", {}).get("ApproximateReceiveCount", 1))
        try:
            body = read_body(record["body"])
            about(request_id=request_id_of(body))
            handle(Message(record["messageId"], body, delivery))
        except Poison as poison:
            reason, passing = str(poison), False
        except Exception as error:
            log.exception("message failed", extra={"delivery": delivery})
            if delivery < _tries(error):
                return self._again(record, 2**delivery if may_pass(error) else delivery)
            reason, passing = _reason(error), passes(error)
        else:
            return True
        buried = self._bury(record, reason, passing=passing)
        return buried or self._again(record, delivery)

    def _again(self, record: Mapping[str, Any], after_s: int) -> bool:
        """Have a message come soon: the visibility timeout is for functions that died."""
        self._queue.show_again(record["receiptHandle"], after_s=after_s)
        return False

    def _bury(self, record: Mapping[str, Any], reason: str, *, passing: bool) -> bool:
        log.error("dead letter", extra={"reason": reason})
        return self._dead_letters.bury(record["body"], reason=reason, passing=passing)


class Inboxes:
    """Works off batches of several queues that one function takes from."""

    def __init__(self, inboxes: Iterable[Inbox]) -> None:
        """Find each by the name of its queue; the first is meant where a record names none."""
        self._by_name = {inbox.name: inbox for inbox in inboxes}

    def work_off(
        self, records: Sequence[Mapping[str, Any]], handle: Callable[[Message], None]
    ) -> dict[str, Any]:
        """Work off an event's records, which are of one queue, as Inbox does."""
        sources = (record.get("eventSourceARN", "") for record in records)
        name = next(sources, "").rpartition(":")[2]
        first = next(iter(self._by_name.values()))
        return self._by_name.get(name, first).work_off(records, handle)


def may_pass(error: Exception) -> bool:
    """Tell whether the same message may well be worked off later, or by another release."""
    return isinstance(error, UnknownVersion) or passes(error)


def _tries(error: Exception) -> int:
    """Return after how many deliveries a message is given up, which is four minutes at most."""
    if passes(error):
        return LAST_DELIVERY
    return VERSION_TRIES if isinstance(error, UnknownVersion) else _TRIES


def _reason(error: Exception) -> str:
    # Other texts than our own may repeat what a tenant sent.
    told = str(error) if isinstance(error, UnknownVersion) else place_of(error)
    return f"{kind_of(error)}: {told}"


def request_id_of(message: Mapping[str, Any]) -> str | None:
    """Return the id of the request that caused a message, where it names one."""
    found = message.get("request_id")
    return found if isinstance(found, str) else None


def check_version(message: Mapping[str, Any], version: int, what: str = "a message") -> None:
    """Raise UnknownVersion unless the message, or `what` it is, has this version."""
    if message.get("v") != version:
        # It goes into logs and records; a stranger's may be as long as a message.
        found = repr(message.get("v"))[:_SHOWN_CHARS]
        reason = f"{what} of version {version} is expected, not {found}"
        raise UnknownVersion(reason)


def texts(message: Mapping[str, Any], **forms: str) -> list[str]:
    """Return members of a message; raises Poison unless each is a text of its form."""
    found = [message.get(name) for name in forms]
    if not all(
        isinstance(text, str) and re.fullmatch(form, text)
        for text, form in zip(found, forms.values(), strict=True)
    ):
        told = ", ".join(f"{name} {form}" for name, form in forms.items())
        reason = f"these texts are expected: {told}"
        raise Poison(reason)
    return [str(text) for text in found]


def read_body(body: str) -> Mapping[str, Any]:
    """Return what a queue's message says; raises Poison unless that is a JSON object."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        reason = f"not JSON: {error}"
        raise Poison(reason) from error
    if not isinstance(message, dict):
        reason = f"a JSON object is expected, not {type(message).__name__}"
        raise Poison(reason)
    return message
