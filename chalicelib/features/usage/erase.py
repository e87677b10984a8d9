"""Erase the statistics of a workspace that is deleted."""

import datetime as dt
from collections.abc import Iterator
from typing import Final

from chalicelib.adapters.aws.table import Tables
from chalicelib.core.clock import Clock
from chalicelib.core.ids import WorkspaceId, made_at
from chalicelib.features.usage.count import partition

_MONTH: Final = dt.timedelta(days=28)


class EraseUsage:
    """Repeatable."""

    def __init__(self, *, tables: Tables, table: str, clock: Clock) -> None:
        """Delete from this table."""
        self._tables = tables
        self._table = table
        self._clock = clock

    def __call__(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase one month after the other, some days of a month at each step."""
        # A day to either side: clocks differ.
        day, end = made_at(workspace_id) - _MONTH, self._clock.now() + _MONTH
        months = set()
        while day <= end:
            months.add(f"{day:%Y-%m}")
            day += _MONTH
        for month in sorted(months):
            yield from self._tables.deletion(self._table, partition(workspace_id, month))
