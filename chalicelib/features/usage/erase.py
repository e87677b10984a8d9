"""Erasure of a workspace's statistics."""

import datetime as dt
from collections.abc import Iterator
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import Table
from chalicelib.core.clock import Clock
from chalicelib.core.ids import WorkspaceId, id_created_at
from chalicelib.features.usage.repository import usage_partition

# A step no longer than the shortest month, so that no month is skipped.
_MONTH: Final = dt.timedelta(days=28)


class EraseUsage(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Eraser of a workspace's statistics; idempotent."""

    table: Table
    clock: Clock

    def __call__(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase the counts month by month; yield after each step."""
        # One step more at each end, as clocks differ.
        day, end = id_created_at(workspace_id) - _MONTH, self.clock.now() + _MONTH
        months = set()
        while day <= end:
            months.add(f"{day:%Y-%m}")
            day += _MONTH
        for month in sorted(months):
            yield from self.table.delete_partition_in_steps(usage_partition(workspace_id, month))
