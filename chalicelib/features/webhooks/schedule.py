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


def attempt_time(delivery_id: str, number: int, first_attempt_at: dt.datetime) -> dt.datetime:
    """Return when an attempt is due; number 1 is the first one.

    Each offset varies by up to a tenth of itself. The draw is derived from the delivery, so a
    repeated step gets the same time.
    """
    digest = hashlib.sha256(f"{delivery_id}\0{number}".encode()).digest()
    draw = int.from_bytes(digest[:8]) / 2**63 - 1
    return first_attempt_at + _OFFSETS[number - 1] * (1 + _JITTER * draw)
