"""Registration of a connection for the events of its provider, and the token of their address."""

import datetime as dt
from collections.abc import Callable
from typing import Final

import msgspec

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.sealing import KeyUnavailableError, SecretSealer
from chalicelib.core import json
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import WorkspaceId, sha256_hex
from chalicelib.core.json import JsonObject
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.connections.repository import EmailConnections
from chalicelib.features.emails.registrations.repository import Registrations, registered_connection

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


class RegisterForEvents(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Use case: make the provider of a connection send its events, in the function with secrets.

    Addresses begin with `base_url`.
    """

    connections: EmailConnections
    registrations: Registrations
    sealer: SecretSealer
    register: Callable[[JsonObject, str], bool]
    base_url: str
    clock: Clock

    def __call__(self, item: DueItem) -> None:
        """Try a registration that is due, and record the result."""
        workspace_id = WorkspaceId(item.id("WS"))
        job = self.registrations.waiting(workspace_id, registered_connection(item))
        now = self.clock.now()
        if job is None or parse_rfc3339(job.next_at) > now:
            return
        try:
            connection = self.connections.one(workspace_id, job.connection_id)
        except NotFound:
            self.registrations.end(job, now)
            return
        is_registered = connection.event_registration == "registered" or self._try(connection)
        crash_if_armed(CrashPoint.EMAIL_EVENTS_REGISTERED)
        self.connections.note_registration(connection, "registered" if is_registered else "failed")
        if is_registered or job.tries >= len(_PAUSES):
            self.registrations.end(job, now)
        else:
            at = self.clock.now() + _PAUSES[job.tries]
            self.registrations.postpone(job, format_rfc3339(at))

    def _try(self, connection: EmailConnection) -> bool:
        token = event_token(connection)
        if token is None or connection.sealed_credentials is None:
            return False
        try:
            opened = self.sealer.open(connection.sealed_credentials, connection.credentials_place)
        except KeyUnavailableError:
            return False
        address = f"{self.base_url}/provider-events/{connection.id}/{token}"
        return self.register(json.loads_own(opened), address)


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
