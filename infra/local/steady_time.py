"""Time of the queues: that of the start, and from then on as the monotonic clock goes.

If a machine's clock is set back by hours, a message must not wait until it is where it was.
"""

import time
from typing import Final

_OFFSET_S: Final = time.time() - time.monotonic()


def steady_time() -> float:
    """Return seconds since 1970, which no change of the machine's clock moves."""
    return _OFFSET_S + time.monotonic()
