"""When warnings of a key's expiry are due."""

import datetime as dt
from typing import Final

from chalicelib.features.workspaces.model import ApiKey

DAYS: Final = (14, 1)


def next_warning(key: ApiKey, now: dt.datetime) -> dt.datetime | None:
    """Return when the owners are to be warned next; None: never again."""
    if key.expires_at is None or key.revoked_at is not None:
        return None
    moments = (key.expires_at - dt.timedelta(days=days) for days in DAYS)
    return next((moment for moment in moments if moment > now), None)
