"""Times of the attempts of an email."""

import datetime as dt
from random import Random
from typing import Final

from chalicelib.features.emails.sends.rate import LONGEST_WAIT

LIFE: Final = dt.timedelta(hours=24)
# After each attempt, the last one again and again.
_PAUSES: Final = (
    dt.timedelta(seconds=30),
    dt.timedelta(minutes=2),
    dt.timedelta(minutes=8),
    dt.timedelta(minutes=30),
    dt.timedelta(hours=1),
    dt.timedelta(hours=2),
    dt.timedelta(hours=4),
)
_JITTER: Final = 0.1


def next_attempt_time(send_id: str, attempts: int, now: dt.datetime) -> dt.datetime:
    """Return when a send is tried again after `attempts` attempts, the last of which ends now."""
    pause = _PAUSES[min(attempts, len(_PAUSES)) - 1]
    random = Random(f"{send_id} {attempts}")  # noqa: S311 -- spreads load
    return now + pause * random.uniform(1 - _JITTER, 1 + _JITTER)


def next_look(send_id: str) -> dt.timedelta:
    """Return how long an email waits for which there is no slot in sight: about that long."""
    random = Random(send_id)  # noqa: S311 -- spreads load
    return LONGEST_WAIT * random.uniform(0.5, 1)
