"""Redrive of dead letters: their messages go to their queue again."""

from collections.abc import Mapping

import msgspec

from chalicelib.adapters.aws.messages import PoisonMessageError, parse_message, text_fields
from chalicelib.adapters.aws.queues import Queue
from chalicelib.features.dead_letters.repository import DeadLetter, DeadLetters


class RedriveDeadLetters(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Redrive command; a message that fails again becomes a dead letter again."""

    letters: DeadLetters
    queues: Mapping[str, Queue]

    def __call__(self, queue: str) -> list[DeadLetter]:
        """Send every letter of a queue again, delete it, and return all of them."""
        letters = list(self.letters.of_queue(queue))
        # Sent first, deleted second: a crash in between sends a message twice and loses none.
        for letter in letters:
            self.queues[queue].send_body(letter.body, group=_message_group(letter.body))
            self.letters.delete(letter)
        return letters


def _message_group(body: str) -> str:
    try:
        (workspace_id,) = text_fields(parse_message(body), workspace_id="[!-~]{1,100}")
    except PoisonMessageError:
        return "redriven"
    return workspace_id
