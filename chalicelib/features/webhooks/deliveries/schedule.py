"""Times of the attempts of a delivery."""

import datetime as dt
import hashlib
from typing import Final

# From the start of the first attempt (interface, Delivery behaviour).
_OFFSETS: Final = (
    dt.timedelta(0),
    dt.timedelta(seconds=5),
    dt.timedelta(minutes=5),
    dt.timedelta(minutes=35),
    dt.timedelta(hours=2, minutes=35),
    dt.timedelta(hours=7, minutes=35),
    dt.timedelta(hours=17, minutes=35),
    dt.timedelta(hours=27, minutes=35),
)
MAX_ATTEMPTS: Final = len(_OFFSETS)
_JITTER: Final = 0.1
_MIN_WAIT: Final = dt.timedelta(seconds=2)
_MAX_WAIT: Final = dt.timedelta(minutes=10)
_WAIT_JITTER: Final = 0.3


def attempt_time(delivery_id: str, number: int, first_attempt_at: dt.datetime) -> dt.datetime:
    """Return when an attempt is due; number 1 is the first one.

    Each offset varies by up to a tenth of itself. The draw is derived from the delivery, so a
    repeated step gets the same time.
    """
    draw = _draw(f"{delivery_id}\0{number}")
    return first_attempt_at + _OFFSETS[number - 1] * (1 + _JITTER * draw)


def waiting_time(delivery_id: str, overdue: dt.timedelta) -> dt.timedelta:
    """Return how long an attempt without a lease waits: half as long again as it has waited.

    So the leases stay busy however many deliveries wait, and each of them asks rarely.
    """
    draw = _draw(f"{delivery_id}\0{overdue}")
    wait = max(_MIN_WAIT, overdue / 2) * (1 + _WAIT_JITTER * draw)
    return min(wait, _MAX_WAIT)


def _draw(seed: str) -> float:
    """Return a number between -1 and 1, the same for the same seed."""
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8]) / 2**63 - 1
