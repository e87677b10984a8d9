"""Item of each workspace that is updated under conditions on its last known state."""

from collections.abc import Callable
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Row, Table, Throttled, Write
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.limits.item.update import LimitsUpdate
from chalicelib.features.workspaces.limits.model import RateState, limits_partition
from chalicelib.features.workspaces.limits.rate import RateLimited

_MAX_TRIES: Final = 12
# Cached items are only guesses: a dropped one costs a read.
_MAX_CACHED_ITEMS: Final = 256

type BuildUpdate = Callable[[Row], LimitsUpdate | None]


class ConditionalItem:
    """The item with one sort key in the limits of every workspace (decision 2)."""

    def __init__(self, table: Table, sort_key: str) -> None:
        """Update the items `sort_key` in `table`."""
        self._table = table
        self._sort_key = sort_key
        self._cached_items: dict[WorkspaceId, Row] = {}

    def find(self, workspace_id: WorkspaceId) -> Row | None:
        """Return the item, or None if there is no such workspace."""
        return self._table.get(limits_partition(workspace_id), self._sort_key)

    def get(self, workspace_id: WorkspaceId) -> Row:
        """Return the item of an existing workspace."""
        item = self.find(workspace_id)
        assert item is not None, workspace_id
        return item

    def last_seen(self, workspace_id: WorkspaceId) -> Row | None:
        """Return the item as this process last saw it; nothing is read."""
        return self._cached_items.get(workspace_id)

    def apply_or_throttle(
        self, workspace_id: WorkspaceId, build_update: BuildUpdate, guess: Row | None = None
    ) -> Row:
        """Write as `apply` does; raise Throttled under too much contention."""
        try:
            return self.apply(workspace_id, build_update, guess)
        except ServiceError as contention:
            raise Throttled from contention

    def apply(
        self,
        workspace_id: WorkspaceId,
        build_update: BuildUpdate,
        guess: Row | None = None,
    ) -> Row:
        """Write the update that `build_update` returns; return the item as it is afterwards.

        The first try uses a guess. An error that results from a guess is not raised: the item is
        read and the update built again. Raise RateLimited under too much contention.
        """
        seen, is_guess = guess or self.last_seen(workspace_id), True
        for _ in range(_MAX_TRIES):
            if seen is None:
                seen, is_guess = self.get(workspace_id), False
            try:
                update = build_update(seen)
            except ServiceError:
                if not is_guess:
                    self._cache(workspace_id, seen)
                    raise
                update = None
            if update is None and not is_guess:
                return seen
            if update is None:
                seen = None
                continue
            seen, written = self._write(workspace_id, update)
            if written:
                return seen
            is_guess = False
        raise RateLimited("Too many requests at once.", 1, RateState(0, 0, 1))

    def _write(self, workspace_id: WorkspaceId, update: LimitsUpdate) -> tuple[Row, bool]:
        """Return the current item, and whether the update was written."""
        write = Write(
            self._table,
            key={"PK": limits_partition(workspace_id), "SK": self._sort_key},
            update=update.update,
            condition=update.condition,
            names=update.names,
            values=update.values,
        )
        try:
            item = self._table.write(write)
        except ConditionFailed as failure:
            return failure.existing_item, False
        assert item is not None
        self._cache(workspace_id, item)
        return item, True

    def _cache(self, workspace_id: WorkspaceId, item: Row) -> None:
        if len(self._cached_items) >= _MAX_CACHED_ITEMS:
            self._cached_items.clear()
        self._cached_items[workspace_id] = item
