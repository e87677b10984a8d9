"""Redrive of dead letters: their messages go to their queue again."""

from collections.abc import Mapping

from chalicelib.adapters.aws.messages import PoisonMessageError, parse_message, text_fields
from chalicelib.adapters.aws.queues import Queue
from chalicelib.features.dead_letters.repository import DeadLetter, DeadLetters


class RedriveDeadLetters:
    """Redrive command; a message that fails again becomes a dead letter again."""

    def __init__(self, *, letters: DeadLetters, queues: Mapping[str, Queue]) -> None:
        """Store the repository and the queues by name."""
        self._letters = letters
        self._queues = queues

    def __call__(self, queue: str) -> list[DeadLetter]:
        """Send every letter of a queue again, delete it, and return all of them."""
        letters = list(self._letters.of_queue(queue))
        # Sent first, deleted second: a crash in between sends a message twice and loses none.
        for letter in letters:
            self._queues[queue].send_body(letter.body, group=_message_group(letter.body))
            self._letters.delete(letter)
        return letters


def _message_group(body: str) -> str:
    try:
        (workspace_id,) = text_fields(parse_message(body), workspace_id="[!-~]{1,100}")
    except PoisonMessageError:
        return "redriven"
    return workspace_id
