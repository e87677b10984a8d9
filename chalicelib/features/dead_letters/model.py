"""A dead letter."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that was given up: where it was meant to go, why it was not worked off there,
    and what became of what it stood for.
    """  # noqa: D205 -- one sentence

    queue: str
    id: str
    body: str
    reason: str
    outcome: str
    sent_at: str
    buried_at: str
