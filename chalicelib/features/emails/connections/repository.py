"""Repository of email connections: `WS#<ws>#EMC`.

One row each, `META` with their number, and `TEST` while a test of one runs (workspaces/trials).
The rows of email rules lie beside them (rules/repository.py).
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.query_all import query_all
from chalicelib.adapters.aws.table import ConditionFailed, Row, Table, Write
from chalicelib.core.errors import Conflict, NotFound, ServiceError
from chalicelib.core.ids import WorkspaceId, is_id
from chalicelib.core.json import JsonObject
from chalicelib.features.emails.connections.model import EmailConnection

DUE_CREDENTIALS: Final = DueKind("email_credentials")
MAX_CONNECTIONS: Final = 50
_MAX_TRIES: Final = 10


class EmailConnections(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Connections of all workspaces."""

    table: Table

    def all(self, workspace_id: WorkspaceId) -> list[EmailConnection]:
        """Return the connections of a workspace, the oldest first."""
        rows = query_all(
            self.table,
            "PK = :pk AND begins_with(SK, :connections)",
            {":pk": connections_partition(workspace_id), ":connections": "emc_"},
            consistent=True,
        )
        return [connection_of(row) for row in rows]

    def one(self, workspace_id: WorkspaceId, connection_id: str) -> EmailConnection:
        """Return a connection; raises `not_found`."""
        row = None
        if is_id("emc", connection_id):
            row = self.table.get(connections_partition(workspace_id), connection_id)
        if row is None:
            raise _not_found(connection_id)
        return connection_of(row)

    def create(self, connection: EmailConnection, also: Sequence[Write] = ()) -> None:
        """Store a new connection and do `also`; raises `conflict` beyond MAX_CONNECTIONS."""
        row = Write(self.table, item=_row(connection), condition="attribute_not_exists(PK)")
        for _ in range(_MAX_TRIES):
            seen = self._meta(connection.workspace_id)
            if seen.get("connection_count", 0) >= MAX_CONNECTIONS:
                detail = f"There are {MAX_CONNECTIONS} email connections: delete one first."
                raise Conflict("conflict", detail)
            try:
                self.table.transact([self._count(connection.workspace_id, seen, 1), row, *also])
            except ConditionFailed:
                continue
            return
        raise contention_error()

    def replace(
        self, connection: EmailConnection, also: Sequence[Write] = ()
    ) -> EmailConnection | None:
        """Store a changed connection with `also`; return it, or None if it has changed before."""
        try:
            self.table.transact([self.replacement(connection), *also])
        except ConditionFailed:
            return None
        return connection._replace(changes=connection.changes + 1)

    def replacement(self, connection: EmailConnection) -> Write:
        """Return the write of a changed connection; refused if it was changed meanwhile."""
        return Write(
            self.table,
            item=_row(connection._replace(changes=connection.changes + 1)),
            condition="changes = :changes",
            values={":changes": connection.changes},
        )

    def delete(self, connection: EmailConnection) -> None:
        """Delete a connection with its credentials.

        Raises `not_found`, `email_connection_in_use` and `conflict`.
        """
        removal = Write(
            self.table,
            key=_key(connection),
            condition="attribute_exists(PK) AND "
            "(attribute_not_exists(rule_count) OR rule_count = :none)",
            values={":none": 0},
        )
        for _ in range(_MAX_TRIES):
            seen = self._meta(connection.workspace_id)
            try:
                self.table.transact([removal, self._count(connection.workspace_id, seen, -1)])
            except ConditionFailed as conflict:
                if conflict.index == 0:
                    raise _refused_deletion(connection, conflict.item) from conflict
                continue
            return
        raise contention_error()

    def record_trial(
        self,
        tested: EmailConnection,
        at: str,
        *,
        ok: bool,
        error: JsonObject | None,
        senders: tuple[JsonObject, ...],
    ) -> None:
        """Store the result of a test, and the error that makes the connection failing.

        The result is of no use where the tested settings or credentials were replaced meanwhile.
        """
        current = tested
        for _ in range(_MAX_TRIES):
            after = current._replace(
                last_test_at=at,
                last_test_status="succeeded" if ok else "failed",
                last_error=None if ok else error or current.last_error,
                senders=senders,
            )
            if self.replace(after) is not None:
                return
            try:
                current = self.one(tested.workspace_id, tested.id)
            except NotFound:
                return
            if _tested_part(current) != _tested_part(tested):
                return
        raise contention_error()

    def note_outcome(self, used: EmailConnection, error: JsonObject | None) -> None:
        """Store the error of an email of a connection, or with None that emails are sent again.

        Nothing is stored if settings or credentials were replaced meanwhile.
        """
        current = used
        while current.last_error != error and _tested_part(current) == _tested_part(used):
            if self.replace(current._replace(last_error=error)) is not None:
                return
            try:
                current = self.one(used.workspace_id, used.id)
            except NotFound:
                return

    def note_registration(self, used: EmailConnection, result: str) -> None:
        """Store whether the provider sends events; of no use where credentials were replaced."""
        current = used
        while (
            current.event_registration != result
            and current.sealed_credentials == used.sealed_credentials
        ):
            if self.replace(current._replace(event_registration=result)) is not None:
                return
            try:
                current = self.one(used.workspace_id, used.id)
            except NotFound:
                return

    def erase(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase all of a workspace; yield after each step."""
        return self.table.delete_partition_in_steps(connections_partition(workspace_id))

    def _meta(self, workspace_id: WorkspaceId) -> Row:
        return self.table.get(connections_partition(workspace_id)) or {}

    def _count(self, workspace_id: WorkspaceId, seen: Row, more: int) -> Write:
        """Return the write of `META` as it was seen, with connections more or fewer."""
        return Write(
            self.table,
            item={
                "PK": connections_partition(workspace_id),
                "SK": "META",
                "connection_count": seen.get("connection_count", 0) + more,
                "changes": seen.get("changes", 0) + 1,
            },
            condition="changes = :changes" if seen else "attribute_not_exists(PK)",
            values={":changes": seen["changes"]} if seen else {},
        )


def contention_error() -> Conflict:
    """Return the error of a change that others overtake again and again."""
    return Conflict("conflict", "Others change these email connections all the time; try again.")


def _refused_deletion(connection: EmailConnection, item: Row | None) -> ServiceError:
    if item is None:
        return _not_found(connection.id)
    detail = (
        f"{item['rule_count']} email rules use the connection {connection.id}: give them another "
        "one, or delete them."
    )
    return Conflict("email_connection_in_use", detail)


def _not_found(connection_id: str) -> NotFound:
    return NotFound("not_found", f"There is no email connection {connection_id[:64]}.")


def _tested_part(connection: EmailConnection) -> tuple[JsonObject, str | None]:
    return connection.config, connection.sealed_credentials


def connections_partition(workspace_id: WorkspaceId) -> str:
    """Return the partition of a workspace's connections."""
    return f"WS#{workspace_id}#EMC"


def _key(connection: EmailConnection) -> Row:
    return {"PK": connections_partition(connection.workspace_id), "SK": connection.id}


def _row(connection: EmailConnection) -> Row:
    due: Row = {}
    if connection.credentials_delete_at is not None:
        dpk = DUE_CREDENTIALS.partition(connection.id)
        due = {"due_at": connection.credentials_delete_at, "DPK": dpk}
    return _key(connection) | connection._asdict() | due


def connection_of(row: Row) -> EmailConnection:
    """Return the connection of a row."""
    # Rows of earlier releases lack the result of a test.
    return EmailConnection(**{name: row[name] for name in EmailConnection._fields if name in row})
