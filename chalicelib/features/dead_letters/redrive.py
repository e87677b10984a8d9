"""Send the dead letters of a queue to it once more."""

from collections.abc import Mapping
from typing import Final

from chalicelib.adapters.aws.messages import PoisonMessage, parse_message, text_fields
from chalicelib.adapters.aws.queues import Queue
from chalicelib.features.dead_letters.repository import DeadLetter, DeadLetters

QUEUES: Final = ("renders", "events", "upkeep")


class RedriveDeadLetters:
    """Redrives a queue; what cannot be worked off comes back with its reason."""

    def __init__(self, *, letters: DeadLetters, queues: Mapping[str, Queue]) -> None:
        """Send to these queues, by name."""
        self._letters = letters
        self._queues = queues

    def __call__(self, queue: str) -> list[DeadLetter]:
        """Send every letter of a queue again and forget it; return them."""
        letters = list(self._letters.of_queue(queue))
        for letter in letters:
            self._queues[queue].send_body(letter.body, group=_message_group(letter.body))
            self._letters.delete(letter)
        return letters


def _message_group(body: str) -> str:
    try:
        (workspace_id,) = text_fields(parse_message(body), workspace_id="[!-~]{1,100}")
    except PoisonMessage:
        return "redriven"
    return workspace_id
