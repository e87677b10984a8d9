"""Repository of jobs to register connections for the events of their providers.

A job is the row `REGISTRATION#<id>` beside the connection, due until it is done or given up.
"""

import datetime as dt
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.due_items import DueItem, DueKind
from chalicelib.adapters.aws.table import ConditionFailed, Row, Table, Write
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.connections.repository import connections_partition

DUE_REGISTRATION: Final = DueKind("email_registration")
_PREFIX: Final = "REGISTRATION#"


class RegistrationJob(NamedTuple):
    """Job to register a connection with the credentials that it had at `created_at`."""

    workspace_id: WorkspaceId
    connection_id: str
    created_at: str
    next_at: str
    tries: int


class Registrations(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Jobs of all workspaces."""

    table: Table

    def creation(self, connection: EmailConnection, at: str) -> list[Write]:
        """Return the write of the job of new credentials; it replaces the one of older ones."""
        if connection.provider != "brevo" or connection.sealed_credentials is None:
            return []
        row: Row = {
            **_key(connection.workspace_id, connection.id),
            "created_at": at,
            "next_at": at,
            "tries": 0,
            "due_at": at,
            "DPK": DUE_REGISTRATION.partition(connection.id),
        }
        return [Write(self.table, item=row)]

    def waiting(self, workspace_id: WorkspaceId, connection_id: str) -> RegistrationJob | None:
        """Return the job of a connection, or None if it has ended."""
        key = _key(workspace_id, connection_id)
        row = self.table.get(key["PK"], key["SK"])
        if row is None or "due_at" not in row:
            return None
        return RegistrationJob(
            workspace_id, connection_id, row["created_at"], row["next_at"], row["tries"]
        )

    def postpone(self, job: RegistrationJob, at: str) -> None:
        """Let the next try of a job wait, unless newer credentials have replaced it."""
        self._change(
            job,
            "SET tries = :tries, next_at = :at, due_at = :at",
            {":tries": job.tries + 1, ":at": at},
        )

    def end(self, job: RegistrationJob, now: dt.datetime) -> None:
        """End a job, unless newer credentials have replaced it; its row goes by itself."""
        self._change(job, "SET #ttl = :ttl REMOVE due_at, DPK", {":ttl": int(now.timestamp())})

    def _change(self, job: RegistrationJob, update: str, values: Row) -> None:
        write = Write(
            self.table,
            key=_key(job.workspace_id, job.connection_id),
            update=update,
            condition="created_at = :job AND tries = :before AND attribute_exists(due_at)",
            names={"#ttl": "ttl"} if "#ttl" in update else {},
            values={**values, ":job": job.created_at, ":before": job.tries},
        )
        try:
            self.table.write(write)
        except ConditionFailed:
            return


def registered_connection(item: DueItem) -> str:
    """Return the id of the connection that a due registration names."""
    return item.sk.removeprefix(_PREFIX)


def _key(workspace_id: WorkspaceId, connection_id: str) -> dict[str, str]:
    return {"PK": connections_partition(workspace_id), "SK": f"{_PREFIX}{connection_id}"}
