"""How long files are kept."""

import datetime as dt
from typing import Final

_LIVE: Final = dt.timedelta(days=30)
_TEST: Final = dt.timedelta(hours=24)


def retention(*, test: bool) -> dt.timedelta:
    """Return how long a render's files are kept."""
    return _TEST if test else _LIVE
