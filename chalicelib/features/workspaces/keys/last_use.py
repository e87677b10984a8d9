"""Last use of API keys: written in parallel with the response, at most once an hour per key."""

import datetime as dt
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final

from chalicelib.adapters.aws.transient_errors import is_transient
from chalicelib.features.workspaces.model import ApiKey
from chalicelib.features.workspaces.repository import ApiKeys

log = logging.getLogger(__name__)

_RECORD_INTERVAL: Final = dt.timedelta(hours=1)
_UNUSED_AFTER: Final = dt.timedelta(days=90)


class RecordKeyUse:
    """Recorder of key use; after a transient error the next use is recorded instead."""

    def __init__(self, keys: ApiKeys) -> None:
        """Store the repository and start one writing thread."""
        self._keys = keys
        self._executor = ThreadPoolExecutor(1)

    def __call__(self, key: ApiKey, now: dt.datetime) -> Callable[[], object]:
        """Start to record a use; return a function that waits for the end of the write.

        Mostly there is nothing to write: the last use is less than an hour old.
        """
        if key.last_used_at is not None and now < key.last_used_at + _RECORD_INTERVAL:
            return lambda: None
        return self._executor.submit(copy_context().run, self._record, key, now).result

    def _record(self, key: ApiKey, now: dt.datetime) -> None:
        try:
            self._keys.mark_used(key, now, since=now - _RECORD_INTERVAL)
        except Exception as fault:
            if is_transient(fault):
                log.warning("key use not recorded", extra={"fault": type(fault).__name__})
            else:
                log.exception("key use not recorded")


def is_unused(key: ApiKey, now: dt.datetime) -> bool:
    """Return whether a valid key has not been used for 90 days."""
    ended = key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= now)
    return not ended and now >= (key.last_used_at or key.created_datetime) + _UNUSED_AFTER
