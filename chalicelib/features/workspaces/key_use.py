"""When keys were last used: written beside the answer, at most once an hour a key."""

import datetime as dt
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final

from chalicelib.adapters.aws.faults import passes
from chalicelib.features.workspaces.model import ApiKey
from chalicelib.features.workspaces.repository import Keys

log = logging.getLogger(__name__)

_EVERY: Final = dt.timedelta(hours=1)
_UNUSED_AFTER: Final = dt.timedelta(days=90)


class NoteKeyUse:
    """Notes that keys are used; where AWS has no room for that, the next use is noted."""

    def __init__(self, keys: Keys) -> None:
        """Note it with the keys."""
        self._keys = keys
        self._beside = ThreadPoolExecutor(1)

    def __call__(self, key: ApiKey, now: dt.datetime) -> Callable[[], object]:
        """Begin to note a use, and return what waits for the end of that; mostly it is nothing."""
        if key.last_used_at is not None and now < key.last_used_at + _EVERY:
            return lambda: None
        return self._beside.submit(copy_context().run, self._note, key, now).result

    def _note(self, key: ApiKey, now: dt.datetime) -> None:
        try:
            self._keys.used(key, now, since=now - _EVERY)
        except Exception as fault:
            if passes(fault):
                log.warning("use of a key not noted", extra={"fault": type(fault).__name__})
            else:
                log.exception("use of a key not noted")


def is_unused(key: ApiKey, now: dt.datetime) -> bool:
    """Tell whether a key that could be used has not been used for 90 days."""
    ended = key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= now)
    return not ended and now >= (key.last_used_at or key.made_at) + _UNUSED_AFTER
