"""Last use of API keys: written in parallel with the response, at most once an hour per key."""

import datetime as dt
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Final

from chalicelib.adapters.aws.transient_errors import is_transient
from chalicelib.features.workspaces.keys.model import ApiKey
from chalicelib.features.workspaces.keys.repository import ApiKeys

log = logging.getLogger(__name__)

_RECORD_INTERVAL: Final = dt.timedelta(hours=1)
_UNUSED_AFTER: Final = dt.timedelta(days=90)
# A thread starts when it is needed; one slow write must not hold up the requests of other keys.
_MAX_WRITES: Final = 32


class RecordKeyUse:
    """Recorder of key use; after a transient error the next use is recorded instead."""

    def __init__(self, keys: ApiKeys) -> None:
        """Store the repository."""
        self._keys = keys
        self._executor = ThreadPoolExecutor(_MAX_WRITES)
        self._lock = threading.Lock()
        self._writes: dict[str, Future[None]] = {}

    def __call__(self, key: ApiKey, now: dt.datetime) -> Callable[[], object]:
        """Start to record a use; return a function that waits for the end of the write.

        Mostly there is nothing to write: the last use is less than an hour old. Requests that come
        at once with one key wait for the same write.
        """
        if key.last_used_at is not None and now < key.last_used_at + _RECORD_INTERVAL:
            return lambda: None
        with self._lock:
            write = self._writes.get(key.id)
            if write is None:
                write = self._executor.submit(copy_context().run, self._record, key, now)
                self._writes[key.id] = write
                write.add_done_callback(lambda _: self._writes.pop(key.id))
        return write.result

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
