"""Read usage statistics of a workspace: by day, by template, by format."""

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import Row, Table
from chalicelib.core.errors import validation_error
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.usage.repository import day_rows, usage_partition

MAX_DAYS: Final = 366
_MAX_TEMPLATES: Final = 1_000
_KINDS: Final = ("live", "test", "failed")
_DAY_KINDS: Final = {
    "live_succeeded": "live",
    "test_succeeded": "test",
    "live_failed": "failed",
    "test_failed": "failed",
}

type Counts = Counter[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class DayRange:
    """A range of days in UTC, both ends included."""

    first: dt.date
    last: dt.date

    def __iter__(self) -> Iterator[dt.date]:
        """Yield every day."""
        for n in range((self.last - self.first).days + 1):
            yield self.first + dt.timedelta(days=n)


@dataclass(slots=True)
class UsageStatistics:
    """Counts of renders, each by subject (day, template or format) and kind."""

    days: Counts = field(default_factory=Counter)
    templates: Counts = field(default_factory=Counter)
    formats: Counts = field(default_factory=Counter)

    def add(self, row: Row) -> None:
        """Add the counters of one item."""
        day = row["SK"].split("#")[1]
        for name, count in row.items():
            group, _, rest = name.partition("#")
            subject, _, kind = rest.rpartition("#")
            if group == "t":
                self.templates[subject, kind] += count
            elif group == "f":
                self.formats[subject, kind] += count
            elif name in _DAY_KINDS:
                self.days[day, _DAY_KINDS[name]] += count


class ReadUsage(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reader of the statistics that `CountUsage` writes, up to 366 days at once.

    Each day has a few items, and a few more for each template that was used.
    """

    table: Table

    def __call__(self, workspace_id: WorkspaceId, days: DayRange) -> dict[str, Json]:
        """Return the lists `days`, `by_template` and `by_format` of a range."""
        statistics = UsageStatistics()
        for row in self._rows(workspace_id, days):
            statistics.add(row)
        by_day: list[JsonObject] = [
            {"date": f"{day}", **_counts_by_kind(statistics.days, f"{day}")} for day in days
        ]
        return {
            "days": by_day,
            "by_template": _sorted_by_count("template_id", statistics.templates)[:_MAX_TEMPLATES],
            "by_format": _sorted_by_count("format", statistics.formats),
        }

    def _rows(self, workspace_id: WorkspaceId, days: DayRange) -> Iterator[Row]:
        for month in sorted({f"{day:%Y-%m}" for day in days}):
            yield from day_rows(
                self.table,
                usage_partition(workspace_id, month),
                days.first,
                days.last,
            )


def requested_days(
    first: dt.date | None, last: dt.date | None, cycle_start: str, now: dt.datetime
) -> DayRange:
    """Return the requested days, by default the cycle up to today.

    Raises `validation_error` for a range that ends before it begins or is too long.
    """
    last = last or now.date()
    first = first or min(last, dt.date.fromisoformat(cycle_start[:10]))
    if first > last:
        raise validation_error("/query/from", f"must not be after to ({last})", "out_of_range")
    if (last - first).days >= MAX_DAYS:
        message = f"must be less than {MAX_DAYS} days before to ({last})"
        raise validation_error("/query/from", message, "out_of_range")
    return DayRange(first, last)


def _sorted_by_count(name: str, counts: Counts) -> list[JsonObject]:
    by_kind = {
        subject: _counts_by_kind(counts, subject) for subject in {each for each, _ in counts}
    }
    subjects = sorted(by_kind, key=lambda subject: (-sum(by_kind[subject].values()), subject))
    return [{name: subject, **by_kind[subject]} for subject in subjects]


def _counts_by_kind(counts: Counts, subject: str) -> dict[str, int]:
    return {kind: counts[subject, kind] for kind in _KINDS}
