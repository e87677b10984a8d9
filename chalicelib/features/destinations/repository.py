"""Repository of storage destinations: `WS#<ws>#DST`.

One row each, and `META` with their number and the id of the default one, of which there is one at
most. The row of the workspace has that id as well: it is read with every request. `TEST` is there
while a test of one runs (workspaces/trials).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from chalicelib.adapters.aws.query_all import query_all
from chalicelib.adapters.aws.table import ConditionFailed, Row, RowValue, Table, Write
from chalicelib.core.errors import Conflict, NotFound
from chalicelib.core.ids import WorkspaceId, is_id
from chalicelib.core.json import JsonObject
from chalicelib.features.destinations.model import StorageDestination
from chalicelib.features.renders.accept.resolve_storage import KnownDestination
from chalicelib.features.workspaces.repository import workspace_key

MAX_DESTINATIONS: Final = 50
_MAX_TRIES: Final = 10


class Destinations(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Storage destinations of all workspaces."""

    table: Table

    def all(self, workspace_id: WorkspaceId) -> list[StorageDestination]:
        """Return the destinations of a workspace, the oldest first."""
        rows = query_all(
            self.table,
            "PK = :pk",
            {":pk": destinations_partition(workspace_id)},
            consistent=True,
        )
        by_key = {row["SK"]: row for row in rows}
        default_id = by_key.get("META", {}).get("default_id")
        return [
            destination_of(row, default_id) for key, row in by_key.items() if key.startswith("dst_")
        ]

    def of_renders(
        self, workspace_id: WorkspaceId, ids: Sequence[str]
    ) -> Mapping[str, KnownDestination]:
        """Return the parts of up to 100 destinations for renders, by id; some may be missing."""
        partition = destinations_partition(workspace_id)
        keys = [(partition, each) for each in ids if is_id("dst", each)]
        return {
            row["SK"]: KnownDestination(row["path_template"], row["keep_hosted_copy"])
            for row in self.table.get_many(keys)
        }

    def one(self, workspace_id: WorkspaceId, destination_id: str) -> StorageDestination:
        """Return a destination; raises `not_found`."""
        if is_id("dst", destination_id):
            partition = destinations_partition(workspace_id)
            keys = [(partition, destination_id), (partition, "META")]
            rows = self.table.get_many(keys)
            if rows and rows[0]["SK"] == destination_id:
                return destination_of(rows[0], rows[-1].get("default_id"))
        raise _not_found(destination_id)

    def create(self, destination: StorageDestination) -> None:
        """Store a new destination; raises `conflict` beyond MAX_DESTINATIONS."""
        row = Write(self.table, item=_row(destination), condition="attribute_not_exists(PK)")
        count = self._meta_update(
            destination,
            "SET destination_count = if_not_exists(destination_count, :none) + :one"
            + (", default_id = :id" if destination.is_default else ""),
            "attribute_not_exists(PK) OR destination_count < :most",
            {":none": 0, ":one": 1, ":most": MAX_DESTINATIONS}
            | ({":id": destination.id} if destination.is_default else {}),
        )
        defaults = [self._workspace_default(destination, is_default=True)]
        try:
            self.table.transact([count, row, *(defaults if destination.is_default else [])])
        except ConditionFailed as full:
            detail = f"There are {MAX_DESTINATIONS} storage destinations: delete one first."
            raise Conflict("conflict", detail) from full

    def replace(
        self, destination: StorageDestination, *, is_default: bool | None = None
    ) -> StorageDestination | None:
        """Store a changed destination and return it, or None if it has changed meanwhile.

        `is_default` makes it the default destination of its workspace, or no longer so; None
        changes nothing of that.
        """
        after = destination._replace(changes=destination.changes + 1)
        writes = [
            Write(
                self.table,
                item=_row(after),
                condition="changes = :changes",
                values={":changes": destination.changes},
            )
        ]
        ids: dict[str, RowValue] = {":id": destination.id}
        if is_default:
            writes.append(self._meta_update(destination, "SET default_id = :id", None, ids))
            writes.append(self._workspace_default(destination, is_default=True))
        elif is_default is False and destination.is_default:
            removal = self._meta_update(destination, "REMOVE default_id", "default_id = :id", ids)
            writes += [removal, self._workspace_default(destination, is_default=False)]
        try:
            self.table.transact(writes)
        except ConditionFailed:
            return None
        return after if is_default is None else after._replace(is_default=is_default)

    def delete(self, destination: StorageDestination) -> None:
        """Delete a destination with its credentials; raises `not_found` and `conflict`."""
        removal = Write(self.table, key=_key(destination), condition="attribute_exists(PK)")
        for _ in range(_MAX_TRIES):
            is_default = destination.is_default
            count = self._meta_update(
                destination,
                "SET destination_count = destination_count - :one"
                + (" REMOVE default_id" if is_default else ""),
                "default_id = :id" if is_default else "NOT default_id = :id",
                {":one": 1, ":id": destination.id},
            )
            try:
                defaults = [self._workspace_default(destination, is_default=False)]
                self.table.transact([removal, count, *(defaults if is_default else [])])
            except ConditionFailed as conflict:
                if conflict.index == 0:
                    raise _not_found(destination.id) from conflict
                # It has become the default one meanwhile, or is no longer.
                destination = self.one(destination.workspace_id, destination.id)
                continue
            return
        raise contention_error()

    def erase(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase all of a workspace; yield after each step."""
        return self.table.delete_partition_in_steps(destinations_partition(workspace_id))

    def record_trial(self, tested: StorageDestination, at: str, error: JsonObject | None) -> None:
        """Store the result of a test: None, or the error that makes the destination failing.

        The result is of no use where the tested settings or credentials were replaced meanwhile.
        """
        for current in self._while_used(tested):
            after = current._replace(
                last_test_at=at,
                last_test_status="failed" if error else "succeeded",
                last_error=error,
            )
            if self.replace(after) is not None:
                return

    def note_outcome(self, used: StorageDestination, error: JsonObject | None) -> None:
        """Store the error of an upload to a destination, or with None that uploads succeed again.

        Nothing is stored if settings or credentials were replaced meanwhile. An error that is known
        already keeps its time: many uploads to a store that fails need one write.
        """
        for current in self._while_used(used):
            is_known = _without_time(current.last_error) == _without_time(error)
            if is_known or self.replace(current._replace(last_error=error)) is not None:
                return

    def _while_used(self, used: StorageDestination) -> Iterator[StorageDestination]:
        """Yield a destination again and again, until it is another store than the one used."""
        current = used
        while _used_part(current) == _used_part(used):
            yield current
            try:
                current = self.one(used.workspace_id, used.id)
            except NotFound:
                return

    def _meta_update(
        self,
        destination: StorageDestination,
        update: str,
        condition: str | None,
        values: dict[str, RowValue],
    ) -> Write:
        partition = destinations_partition(destination.workspace_id)
        return Write(
            self.table,
            key={"PK": partition, "SK": "META"},
            update=update,
            condition=condition,
            values=values,
        )

    def _workspace_default(self, destination: StorageDestination, *, is_default: bool) -> Write:
        """Return the write of the default destination into the row of the workspace."""
        return Write(
            self.table,
            key=dict(workspace_key(destination.workspace_id)),
            update="SET default_destination_id = :id"
            if is_default
            else "REMOVE default_destination_id",
            condition="attribute_exists(PK)",
            values={":id": destination.id} if is_default else {},
        )


def contention_error() -> Conflict:
    """Return the error of a change that others overtake again and again."""
    return Conflict("conflict", "Others change this storage destination all the time; try again.")


def destinations_partition(workspace_id: WorkspaceId) -> str:
    """Return the partition of a workspace's destinations."""
    return f"WS#{workspace_id}#DST"


def _not_found(destination_id: str) -> NotFound:
    return NotFound("not_found", f"There is no storage destination {destination_id[:64]}.")


def _used_part(destination: StorageDestination) -> tuple[JsonObject, str | None, str]:
    return destination.config, destination.sealed_credentials, destination.path_template


def _without_time(error: JsonObject | None) -> JsonObject | None:
    return error and {name: value for name, value in error.items() if name != "at"}


def _key(destination: StorageDestination) -> Row:
    return {
        "PK": destinations_partition(destination.workspace_id),
        "SK": destination.id,
    }


def _row(destination: StorageDestination) -> Row:
    fields = destination._asdict()
    # `META` says which one is the default: so there are never two.
    del fields["is_default"]
    return _key(destination) | fields


def destination_of(row: Row, default_id: str | None = None) -> StorageDestination:
    """Return the destination of a row."""
    fields = {name: row[name] for name in StorageDestination._fields if name in row}
    return StorageDestination(**fields, is_default=row["SK"] == default_id)
