"""Record of dead messages: each message is resolved, then kept as a row (decision 11)."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib.adapters.aws.messages import (
    PoisonMessageError,
    parse_message,
    request_id_of,
)
from chalicelib.adapters.aws.queues import MAX_DEAD_LETTER_CHARS, sendable_text
from chalicelib.adapters.json_logs import bind
from chalicelib.adapters.metrics import Metrics
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.json import JsonObject
from chalicelib.core.message_version import UnknownVersion
from chalicelib.features.dead_letters.repository import DeadLetter, DeadLetters

log = logging.getLogger(__name__)

# The platform moves a message whose function never answered, and gives no reason.
_FUNCTION_DIED: Final = "its function died, or ran out of time, at every delivery"

_STAYS_DUE: Final = "what was due of it stays due: the tick tries again, since AWS's trouble passes"


@dataclass(frozen=True, slots=True)
class DeadLetterMessage:
    """Message in a dead-letter queue.

    `reason` is None if the platform moved the message, not a worker. `is_transient` means that
    a transient error of AWS was the reason.
    """

    id: str
    body: str
    sent_at: str
    reason: str | None
    is_transient: bool


type ResolveMessage = Callable[[JsonObject], str]


class RecordDeadLetter(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Service that resolves dead messages and saves them as dead letters.

    `resolutions` maps a queue to the function that returns the outcome.
    """

    letters: DeadLetters
    resolutions: Mapping[str, ResolveMessage]
    metrics: Metrics
    clock: Clock

    def __call__(
        self, queue: str, message: DeadLetterMessage, *, is_last_try: bool = False
    ) -> DeadLetter:
        """Resolve and record one message of a queue; idempotent.

        If `is_last_try`, the message is recorded even if it cannot be resolved. Otherwise the
        error is raised, and the message comes again.
        """
        # The outage was AWS's, not the message's: the render may still succeed (decision 11).
        if message.is_transient:
            outcome = _STAYS_DUE
        else:
            outcome = self._resolve(queue, message.body, is_last_try=is_last_try)
        crash_if_armed(CrashPoint.DEAD_LETTERS_ENDED)
        letter = DeadLetter(
            queue=queue,
            id=message.id,
            body=sendable_text(message.body, MAX_DEAD_LETTER_CHARS),
            reason=message.reason or _FUNCTION_DIED,
            outcome=outcome,
            sent_at=message.sent_at,
            recorded_at=format_rfc3339(self.clock.now()),
        )
        self.letters.save(letter)
        crash_if_armed(CrashPoint.DEAD_LETTERS_RECORDED)
        self.metrics.count("DeadLetters", queue=queue)
        details = {"queue": queue, "reason": letter.reason, "outcome": outcome}
        log.error("dead letter recorded", extra=details)
        return letter

    def _resolve(self, queue: str, body: str, *, is_last_try: bool) -> str:
        """Return the outcome of a message."""
        try:
            message = parse_message(body)
            bind(request_id=request_id_of(message))
            return self.resolutions[queue](message)
        except (PoisonMessageError, UnknownVersion) as unreadable:
            return f"nothing could be ended: {unreadable}"
        except Exception as failure:
            if not is_last_try:
                raise
            log.exception("a dead letter was not resolved")
            return f"it could not be ended: {type(failure).__name__}"
