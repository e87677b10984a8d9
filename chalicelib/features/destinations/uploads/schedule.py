"""Times of the attempts of uploads, and the time that one of them may take."""

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
_CONNECTING_S: Final = 20.0
_BYTES_PER_S: Final = 500_000


def next_attempt_time(
    subject: str, attempts: int, now: dt.datetime, retry_after_s: float | None
) -> dt.datetime:
    """Return when uploads are tried again after `attempts` rounds, the last of which ends now.

    Not before the time of a Retry-After of the store.
    """
    pause = _PAUSES[min(attempts, len(_PAUSES)) - 1]
    random = Random(f"{subject} {attempts}")  # noqa: S311 -- spreads load
    pause *= random.uniform(1 - _JITTER, 1 + _JITTER)
    return now + max(pause, dt.timedelta(seconds=retry_after_s or 0))


def upload_timeout_s(size: int) -> float:
    """Return how many seconds an upload of so many bytes may take."""
    return _CONNECTING_S + size / _BYTES_PER_S
