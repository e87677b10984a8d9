"""Times of attempts that are repeated for a day: emails, uploads."""

import datetime as dt
from random import Random
from typing import Final

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


def next_attempt_time(
    subject: str, attempts: int, now: dt.datetime, retry_after_s: float | None = None
) -> dt.datetime:
    """Return when a subject is tried again after `attempts` attempts, the last of which ends now.

    Not before the time of a Retry-After.
    """
    pause = _PAUSES[min(attempts, len(_PAUSES)) - 1]
    random = Random(f"{subject} {attempts}")  # noqa: S311 -- spreads load
    pause *= random.uniform(1 - _JITTER, 1 + _JITTER)
    return now + max(pause, dt.timedelta(seconds=retry_after_s or 0))
