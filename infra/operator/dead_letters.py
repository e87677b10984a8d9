"""`platen dlq`."""

from typing import Any, Final

import click

from chalicelib.features.dead_letters.model import DeadLetter
from chalicelib.features.dead_letters.redrive import QUEUES
from infra.operator.connection import dead_letters
from infra.operator.output import answers

_QUEUE: Final = click.Choice(QUEUES)
# Bodies hold ids; one of a stranger may hold anything, of any length.
_BODY_CHARS: Final = 200


@click.group()
def dlq() -> None:
    """Messages that were given up."""


@dlq.command("list")
@click.argument("queue", type=_QUEUE, required=False)
@answers
def list_all(queue: str | None) -> dict[str, Any]:
    """List what was given up, why, and what became of it; `unread` waits to be recorded."""
    office = dead_letters()
    names = [queue] if queue else list(QUEUES)
    return {
        "unread": {name: office.unread[name].waiting() for name in names},
        "data": [_shown(letter) for name in names for letter in office.letters.of(name)],
    }


@dlq.command()
@click.argument("queue", type=_QUEUE)
@answers
def redrive(queue: str) -> dict[str, Any]:
    """Send all that a queue gave up to it once more; what fails again comes back."""
    letters = dead_letters().redrive(queue)
    return {"queue": queue, "redriven": len(letters), "data": [_shown(row) for row in letters]}


def _shown(letter: DeadLetter) -> dict[str, Any]:
    return {
        "queue": letter.queue,
        "buried_at": letter.buried_at,
        "id": letter.id,
        "reason": letter.reason,
        "outcome": letter.outcome,
        "body": letter.body[:_BODY_CHARS],
    }
