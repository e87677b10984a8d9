"""Bury a message that was given up: what it stands for is ended, and a record is kept of it."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.aws.messages import Poison, UnknownVersion, read_body, request_id_of
from chalicelib.adapters.aws.queues import DEAD_BODY_CHARS, sendable
from chalicelib.adapters.json_logs import about
from chalicelib.adapters.metrics import Metrics
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.features.dead_letters.model import DeadLetter
from chalicelib.features.dead_letters.repository import DeadLetters

log = logging.getLogger(__name__)

# The platform moves a message whose function never answered, and says nothing about it.
_FUNCTION_DIED: Final = "its function died, or ran out of time, at every delivery"

_STAYS_DUE: Final = "it stays due: the tick tries again, since AWS's trouble passes"


@dataclass(frozen=True, slots=True)
class DeadMessage:
    """A message as it lies in a dead-letter queue; without a reason the platform put it there."""

    id: str
    body: str
    sent_at: str
    reason: str | None
    passing: bool


type End = Callable[[Mapping[str, Any]], str]


class BuryMessage:
    """Ends what dead messages stand for; `ends` does it by queue, and says what it did."""

    def __init__(
        self, *, letters: DeadLetters, ends: Mapping[str, End], metrics: Metrics, clock: Clock
    ) -> None:
        """Keep records here."""
        self._letters = letters
        self._ends = ends
        self._metrics = metrics
        self._clock = clock

    def __call__(self, queue: str, message: DeadMessage, *, last_try: bool = False) -> DeadLetter:
        """Bury one message of a queue; repeatable.

        On its `last_try` it is recorded also where what it stands for could not be ended.
        """
        if message.passing:
            outcome = _STAYS_DUE
        else:
            outcome = self._end(queue, message.body, last_try=last_try)
        here(CrashPoint.DEAD_LETTERS_ENDED)
        letter = DeadLetter(
            queue=queue,
            id=message.id,
            body=sendable(message.body, DEAD_BODY_CHARS),
            reason=message.reason or _FUNCTION_DIED,
            outcome=outcome,
            sent_at=message.sent_at,
            buried_at=rfc3339(self._clock.now()),
        )
        self._letters.keep(letter)
        here(CrashPoint.DEAD_LETTERS_RECORDED)
        self._metrics.count("DeadLetters", queue=queue)
        told = {"queue": queue, "reason": letter.reason, "outcome": outcome}
        log.error("message buried", extra=told)
        return letter

    def _end(self, queue: str, body: str, *, last_try: bool) -> str:
        try:
            message = read_body(body)
            about(request_id=request_id_of(message))
            return self._ends[queue](message)
        except (Poison, UnknownVersion) as unreadable:
            return f"nothing could be ended: {unreadable}"
        except Exception as failure:
            if not last_try:
                raise
            log.exception("what a dead letter stands for was not ended")
            return f"it could not be ended: {type(failure).__name__}"
