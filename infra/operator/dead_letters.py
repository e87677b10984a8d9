"""`platen dlq`: commands for dead letters."""

from typing import Any, Final

import click

from chalicelib.bootstrap.work import DEAD_LETTER_QUEUES
from chalicelib.features.dead_letters.repository import DeadLetter
from infra.operator.connection import dead_letter_service
from infra.operator.output import print_answer

_QUEUE: Final = click.Choice(DEAD_LETTER_QUEUES)
# The service's own messages hold ids only; a foreign message may be of any length.
_BODY_CHARS: Final = 200


@click.group()
def dlq() -> None:
    """Inspect and redrive messages that were given up."""


@dlq.command("list", epilog="Example: platen dlq list renders")
@click.argument("queue", type=_QUEUE, required=False)
@print_answer
def list_all(queue: str | None) -> dict[str, Any]:
    """List given-up messages with reason and outcome; `unread` ones wait to be recorded."""
    service = dead_letter_service()
    names = [queue] if queue else list(DEAD_LETTER_QUEUES)
    return {
        "unread": {
            name: service.dead_letter_queues[name].approximate_message_count() for name in names
        },
        "data": [
            _dead_letter_row(letter) for name in names for letter in service.letters.of_queue(name)
        ],
    }


@dlq.command(epilog="Example: platen dlq redrive renders")
@click.argument("queue", type=_QUEUE)
@print_answer
def redrive(queue: str) -> dict[str, Any]:
    """Send all that a queue gave up to it once more; messages that fail again come back."""
    letters = dead_letter_service().redrive(queue)
    return {
        "queue": queue,
        "redriven": len(letters),
        "data": [_dead_letter_row(row) for row in letters],
    }


def _dead_letter_row(letter: DeadLetter) -> dict[str, Any]:
    return {
        "queue": letter.queue,
        "buried_at": letter.recorded_at,
        "id": letter.id,
        "reason": letter.reason,
        "outcome": letter.outcome,
        "body": letter.body[:_BODY_CHARS],
    }
