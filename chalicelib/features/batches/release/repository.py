"""Repository of the leases of releasers: one function at a time releases items of its batches.

The row `WS#<ws>#BAT` has `fence`, which grows with each lease, `claimed_until`, and `wakes`: a
function that finds the lease taken adds one, and its holder then looks again. It is due while a
batch is active.
"""

import datetime as dt
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.table import ConditionFailed, Row, Table, Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.batches.rows import DUE_RELEASE, releaser_partition

# Longer than a function goes on without a write.
_LEASE: Final = dt.timedelta(seconds=60)
_DUE_AFTER: Final = dt.timedelta(minutes=1)
_PAST: Final = format_rfc3339(dt.datetime.fromtimestamp(0, dt.UTC))


class ReleaserLease(NamedTuple):
    """Lease of one function; `wakes` counts the messages that it has seen in the row."""

    workspace_id: WorkspaceId
    fence: int
    wakes: int


class ReleaserLeases(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Leases of all workspaces."""

    table: Table
    clock: Clock

    def activation(self, workspace_id: WorkspaceId) -> Write:
        """Return the write that makes the releaser due soon, for a batch that gets work."""
        return Write(
            self.table,
            key=_key(workspace_id),
            update="SET due_at = :due, DPK = :dpk, "
            "claimed_until = if_not_exists(claimed_until, :due) ADD wakes :one",
            values={
                ":due": self._due_at(),
                ":dpk": DUE_RELEASE.partition(workspace_id),
                ":one": 1,
            },
        )

    def take_lease(self, workspace_id: WorkspaceId) -> ReleaserLease | None:
        """Take the lease, or return None; its owner then looks again because of this call."""
        while True:
            now = self.clock.now()
            try:
                row = self.table.write(
                    Write(
                        self.table,
                        key=_key(workspace_id),
                        update="SET claimed_until = :until ADD fence :one",
                        condition="attribute_exists(due_at) AND (attribute_not_exists(fence) "
                        "OR claimed_until < :now)",
                        values={
                            ":until": format_rfc3339(now + _LEASE),
                            ":now": format_rfc3339(now),
                            ":one": 1,
                        },
                    )
                )
            except ConditionFailed as taken:
                if taken.item is None or "due_at" not in taken.item:
                    return None
                if self._wake_holder(workspace_id, taken.item):
                    return None
                continue
            assert row is not None
            return ReleaserLease(workspace_id, row["fence"], row["wakes"])

    def renewal(self, lease: ReleaserLease) -> Write:
        """Return the write that prolongs a lease; refused if another function has taken it."""
        return Write(
            self.table,
            key=_key(lease.workspace_id),
            update="SET claimed_until = :until",
            condition="fence = :fence",
            values={
                ":until": format_rfc3339(self.clock.now() + _LEASE),
                ":fence": lease.fence,
            },
        )

    def refresh(self, lease: ReleaserLease) -> ReleaserLease | None:
        """Prolong the lease and return it with its present wakes, or None if it is lost."""
        try:
            row = self.table.write(self.renewal(lease))
        except ConditionFailed:
            return None
        assert row is not None
        return lease._replace(wakes=row["wakes"])

    def give_back(self, lease: ReleaserLease, *, is_done: bool) -> bool:
        """End a lease; False: another look is needed since it was seen.

        With `is_done` no batch is active, and the releaser is not due any more.
        """
        due = "REMOVE due_at, DPK" if is_done else ", due_at = :due"
        write = Write(
            self.table,
            key=_key(lease.workspace_id),
            update=f"SET claimed_until = :past {due}",
            condition="fence = :fence AND wakes = :wakes",
            values={
                ":past": _PAST,
                ":fence": lease.fence,
                ":wakes": lease.wakes,
                **({} if is_done else {":due": self._due_at()}),
            },
        )
        try:
            self.table.write(write)
        except ConditionFailed as refused:
            return refused.item is None or refused.item.get("fence") != lease.fence
        return True

    def abandon(self, lease: ReleaserLease) -> None:
        """End the lease of a function that has failed, so that the next one need not wait."""
        write = Write(
            self.table,
            key=_key(lease.workspace_id),
            update="SET claimed_until = :past",
            condition="fence = :fence",
            values={":past": _PAST, ":fence": lease.fence},
        )
        with suppress(ConditionFailed):
            self.table.write(write)

    def _wake_holder(self, workspace_id: WorkspaceId, seen: Row) -> bool:
        """Tell the holder to look again; False: it has ended meanwhile.

        If it is dead, the tick has another function look as soon as the lease has expired.
        """
        write = Write(
            self.table,
            key=_key(workspace_id),
            update="SET due_at = :until ADD wakes :one",
            condition="claimed_until = :until OR claimed_until >= :now",
            values={
                ":one": 1,
                ":until": seen["claimed_until"],
                ":now": format_rfc3339(self.clock.now()),
            },
        )
        try:
            self.table.write(write)
        except ConditionFailed:
            return False
        return True

    def _due_at(self) -> str:
        return format_rfc3339(self.clock.now() + _DUE_AFTER)


def release_item(workspace_id: WorkspaceId) -> DueItem:
    """Return the message that a workspace's releaser is to look at its batches."""
    return DueItem(DUE_RELEASE.name, releaser_partition(workspace_id))


def _key(workspace_id: WorkspaceId) -> Row:
    return {"PK": releaser_partition(workspace_id), "SK": "META"}
