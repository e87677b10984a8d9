"""State of the service, set by the operator: `SERVICE#STATE` says if it takes new renders.

Authentication reads it together with the key, in the same call and only every few seconds.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Final, Literal

from chalicelib.adapters.aws.table import Row, Table, Write
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.errors import ServiceError, validation_error

type State = Literal["normal", "degraded", "maintenance"]

STATES: Final[tuple[State, ...]] = ("normal", "degraded", "maintenance")
STATE_KEY: Final = ("SERVICE#STATE", "META")
_REFRESH_AFTER: Final = dt.timedelta(seconds=3)
# Longer than the refresh: a state that was fresh at the start of a request is valid until its end.
_CACHE_LIFETIME: Final = dt.timedelta(seconds=10)
_MAX_RETRY_AFTER_S: Final = 86_400


@dataclass(frozen=True, slots=True)
class ServiceState:
    """State, time of its change, and the Retry-After of refused requests in seconds."""

    state: State = "normal"
    retry_after_s: int = 30
    since: dt.datetime | None = None


_NORMAL: Final = ServiceState()


class ServiceStates:
    """Repository of the state, with a cache of some seconds."""

    def __init__(self, table: Table, clock: Clock) -> None:
        """Read and write this table."""
        self._table = table
        self._clock = clock
        # One tuple: a thread never sees the time of one read with the state of another.
        self._cached: tuple[ServiceState, dt.datetime | None] = _NORMAL, None

    @property
    def is_fresh(self) -> bool:
        """Return whether the cached state needs no refresh."""
        return self._is_younger_than(_REFRESH_AFTER)

    def cache_item(self, item: Row | None) -> None:
        """Cache the item that was just read; None means that no state was ever set."""
        self._cached = _state_of(item) if item else _NORMAL, self._clock.now()

    def get(self) -> ServiceState:
        """Return the cached state, or read it if the cache is too old."""
        if not self._is_younger_than(_CACHE_LIFETIME):
            self.cache_item(self._table.get(*STATE_KEY))
        return self._cached[0]

    def set(self, state: State, *, retry_after_s: int | None = None) -> ServiceState:
        """Set the state; raise `validation_error`."""
        if state not in STATES:
            raise validation_error("/state", f"one of {', '.join(STATES)} is expected")
        if retry_after_s is None:
            retry_after_s = _NORMAL.retry_after_s
        if not 1 <= retry_after_s <= _MAX_RETRY_AFTER_S:
            raise validation_error(
                "/retry_after", f"1 to {_MAX_RETRY_AFTER_S} seconds are expected"
            )
        item: Row = {
            "PK": STATE_KEY[0],
            "SK": STATE_KEY[1],
            "state": state,
            "retry_after_s": retry_after_s,
            "since": format_rfc3339(self._clock.now()),
        }
        # A transaction: a late write would undo a newer state.
        self._table.transact([Write(self._table, item=item)])
        self.cache_item(item)
        return self._cached[0]

    def require_normal(self) -> None:
        """Raise `region_degraded` or `maintenance` unless the state is normal."""
        current = self.get()
        headers = {"Retry-After": str(current.retry_after_s)}
        if current.state == "degraded":
            detail = "This region takes no new renders for the moment; send it again later."
            raise ServiceError("region_degraded", detail, headers=headers)
        if current.state == "maintenance":
            detail = "The service is being maintained and takes no new renders meanwhile."
            raise ServiceError("maintenance", detail, headers=headers)

    def _is_younger_than(self, age: dt.timedelta) -> bool:
        now, (_, read_at) = self._clock.now(), self._cached
        return read_at is not None and read_at <= now < read_at + age


def _state_of(item: Row) -> ServiceState:
    return ServiceState(item["state"], item["retry_after_s"], parse_rfc3339(item["since"]))
