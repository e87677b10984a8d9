"""Cached properties that threads share: each is computed once for its object."""

import threading
from functools import cached_property
from typing import override


class LockedCachedProperty[Value](cached_property[Value]):
    """Cached property that is computed once, also when several threads need it first.

    All such properties of one object share a lock, which a thread takes several times: one property
    may need another. A lock is taken only until the value is there. An object may need properties
    of objects that it was given, never the other way round.
    """

    @override
    def __get__(  # type: ignore[override]  # it is read on instances only
        self, instance: object, owner: type[object] | None = None
    ) -> Value:
        with creation_lock(instance):
            return super().__get__(instance, owner)


def creation_lock(instance: object) -> threading.RLock:
    """Return the lock of the locked properties of an object."""
    # One step, also where several threads take it first.
    lock: threading.RLock = vars(instance).setdefault("_creation_lock", threading.RLock())
    return lock
