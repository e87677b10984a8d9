"""Registration of a connection for the events of its provider: its address, job and result.

The job is the row `REGISTRATION#<id>` beside the connection, due until it is done or given up.
"""

import datetime as dt
from collections.abc import Callable
from typing import Final, NamedTuple

from chalicelib.adapters.aws.due_items import DueItem, DueKind
from chalicelib.adapters.aws.sealing import KeyUnavailableError, SecretSealer
from chalicelib.adapters.aws.table import ConditionFailed, Row, Tables, Write
from chalicelib.core import json
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import WorkspaceId, sha256_hex
from chalicelib.core.json import JsonObject
from chalicelib.features.emails.connections import (
    EmailConnection,
    EmailConnections,
    connections_partition,
)

DUE_REGISTRATION: Final = DueKind("email_registration")
_PREFIX: Final = "REGISTRATION#"
# After each failed try; then the registration is given up.
_PAUSES: Final = (
    dt.timedelta(minutes=1),
    dt.timedelta(minutes=5),
    dt.timedelta(minutes=30),
    dt.timedelta(hours=2),
    dt.timedelta(hours=6),
    dt.timedelta(hours=12),
    dt.timedelta(hours=24),
)


class RegistrationJob(NamedTuple):
    """Job to register a connection with the credentials that it had at `created_at`."""

    workspace_id: WorkspaceId
    connection_id: str
    created_at: str
    next_at: str
    tries: int


class Registrations:
    """Jobs of all workspaces."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Store jobs in this table."""
        self._tables = tables
        self._table = table

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
        return [Write(self._table, item=row)]

    def waiting(self, workspace_id: WorkspaceId, connection_id: str) -> RegistrationJob | None:
        """Return the job of a connection, or None if it has ended."""
        key = _key(workspace_id, connection_id)
        row = self._tables.get(self._table, key["PK"], key["SK"])
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
            self._table,
            key=_key(job.workspace_id, job.connection_id),
            update=update,
            condition="created_at = :job AND tries = :before AND attribute_exists(due_at)",
            names={"#ttl": "ttl"} if "#ttl" in update else {},
            values={**values, ":job": job.created_at, ":before": job.tries},
        )
        try:
            self._tables.write(write)
        except ConditionFailed:
            return


class RegisterForEvents:
    """Use case: make the provider of a connection send its events, in the function with secrets."""

    def __init__(
        self,
        *,
        connections: EmailConnections,
        registrations: Registrations,
        sealer: SecretSealer,
        register: Callable[[JsonObject, str], bool],
        base_url: str,
        clock: Clock,
    ) -> None:
        """Register addresses below `base_url` with `register`."""
        self._connections = connections
        self._registrations = registrations
        self._sealer = sealer
        self._register = register
        self._base_url = base_url
        self._clock = clock

    def __call__(self, item: DueItem) -> None:
        """Try a registration that is due, and record the result."""
        workspace_id = WorkspaceId(item.id("WS"))
        job = self._registrations.waiting(workspace_id, item.sk.removeprefix(_PREFIX))
        now = self._clock.now()
        if job is None or parse_rfc3339(job.next_at) > now:
            return
        try:
            connection = self._connections.one(workspace_id, job.connection_id)
        except NotFound:
            self._registrations.end(job, now)
            return
        is_registered = connection.event_registration == "registered" or self._try(connection)
        crash_if_armed(CrashPoint.EMAIL_EVENTS_REGISTERED)
        self._connections.note_registration(connection, "registered" if is_registered else "failed")
        if is_registered or job.tries >= len(_PAUSES):
            self._registrations.end(job, now)
        else:
            at = self._clock.now() + _PAUSES[job.tries]
            self._registrations.postpone(job, format_rfc3339(at))

    def _try(self, connection: EmailConnection) -> bool:
        token = event_token(connection)
        if token is None or connection.sealed_credentials is None:
            return False
        try:
            opened = self._sealer.open(connection.sealed_credentials, connection.credentials_place)
        except KeyUnavailableError:
            return False
        address = f"{self._base_url}/provider-events/{connection.id}/{token}"
        return self._register(json.loads_own(opened), address)


def event_token(connection: EmailConnection) -> str | None:
    """Return the secret part of a connection's address for events, or None without one.

    It begins with the workspace's id, which the id of a connection does not tell. The sealed
    credentials are random and never shown, and change with the credentials (decision 46).
    """
    sealed = connection.sealed_credentials
    if connection.provider != "brevo" or sealed is None:
        return None
    digest = sha256_hex(f"provider-events\0{connection.id}\0{sealed}".encode())
    return f"{connection.workspace_id}-{digest}"


def _key(workspace_id: WorkspaceId, connection_id: str) -> dict[str, str]:
    return {"PK": connections_partition(workspace_id), "SK": f"{_PREFIX}{connection_id}"}
