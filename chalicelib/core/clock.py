"""Time: the one place that reads the clock, and one wire format (RFC 3339, UTC, milliseconds)."""

import datetime as dt
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> dt.datetime:
        """Return the current time, aware, in UTC."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> dt.datetime:
        """Return the current time, aware, in UTC."""
        return dt.datetime.now(dt.UTC)  # noqa: TID251 -- the one place


def format_rfc3339(moment: dt.datetime) -> str:
    """Write a moment as `2026-01-31T09:30:00.000Z`; such strings sort as the moments do."""
    return moment.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_rfc3339(text: str) -> dt.datetime:
    """Read an RFC 3339 time with its offset; raises ValueError for anything else."""
    moment = dt.datetime.fromisoformat(text)
    if moment.tzinfo is None:
        message = "a time needs its offset, such as Z"
        raise ValueError(message)
    return moment.astimezone(dt.UTC)


def epoch_ms(moment: dt.datetime) -> int:
    """Return the moment as whole milliseconds since 1970."""
    return int(moment.timestamp() * 1000)
