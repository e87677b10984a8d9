"""Sessions with providers during one invocation: one carries all emails of its connection."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Self

from chalicelib.adapters.aws.sealing import SealBrokenError, SecretSealer
from chalicelib.core import json
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.outgoing import (
    HandOver,
    OpenSession,
    OutgoingEmail,
    ProviderSession,
)


class EmailSessions:
    """Sessions by connection as it is, opened when their first email goes."""

    def __init__(self, *, sealer: SecretSealer, openers: Mapping[str, OpenSession]) -> None:
        """Open sessions with the provider of a connection by `openers`."""
        self._sealer = sealer
        self._openers = openers
        self._stack = ExitStack()
        self._sessions: dict[tuple[str, int], ProviderSession] = {}

    def __enter__(self) -> Self:
        """Return the sessions."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close all sessions."""
        self._stack.close()

    def __call__(self, connection: EmailConnection) -> ProviderSession:
        """Return the session of a connection; raises KeyUnavailableError."""
        key = connection.id, connection.changes
        if key not in self._sessions:
            self._sessions[key] = self._open(connection)
        return self._sessions[key]

    def _open(self, connection: EmailConnection) -> ProviderSession:
        if connection.sealed_credentials is None:
            return _NoCredentials()
        try:
            opened = self._sealer.open(connection.sealed_credentials, connection.credentials_place)
        except SealBrokenError:
            return _NoCredentials()
        session = self._openers[connection.provider](connection, json.loads_own(opened))
        return self._stack.enter_context(session)


class _NoCredentials:
    """Session of a connection that cannot send."""

    def send(self, _email: OutgoingEmail, _before_acceptance: Callable[[], None]) -> HandOver:
        return HandOver(
            "rejected",
            "email_credentials_removed",
            "The email connection has no credentials: change it with some.",
        )
