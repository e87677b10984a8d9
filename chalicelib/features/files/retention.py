"""How long files are kept."""

import datetime as dt
from typing import Final

_LIVE_DAYS: Final = 30
_TEST: Final = dt.timedelta(hours=24)


def retention(*, test: bool, days: int | None = None) -> dt.timedelta:
    """Return how long a render's files are kept; `days` is for live renders only."""
    return _TEST if test else dt.timedelta(days=days or _LIVE_DAYS)
