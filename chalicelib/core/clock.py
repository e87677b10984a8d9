"""Clock port and the wire format of times: RFC 3339, UTC, milliseconds."""

import datetime as dt
from typing import Protocol


class Clock(Protocol):
    """Source of the current time, injected wherever code needs it."""

    def now(self) -> dt.datetime:
        """Return the current time, aware, in UTC."""
        ...


class SystemClock:
    """Clock of the machine."""

    def now(self) -> dt.datetime:
        """Return the current time, aware, in UTC."""
        return dt.datetime.now(dt.UTC)  # noqa: TID251 -- the only place that reads the clock


def format_rfc3339(moment: dt.datetime) -> str:
    """Format a moment as `2026-01-31T09:30:00.000Z`; such strings sort by time."""
    return moment.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_rfc3339(text: str) -> dt.datetime:
    """Parse an RFC 3339 time with its offset into UTC; raise ValueError for anything else."""
    moment = dt.datetime.fromisoformat(text)
    if moment.tzinfo is None:
        message = "a time needs its offset, such as Z"
        raise ValueError(message)
    return moment.astimezone(dt.UTC)


def epoch_ms(moment: dt.datetime) -> int:
    """Return the moment in whole milliseconds since 1970."""
    return int(moment.timestamp() * 1000)
