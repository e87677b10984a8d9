"""Test of an email connection, in the function that sends: it alone may open credentials."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, cast

import msgspec

from chalicelib.adapters.aws.sealing import SealBrokenError, SecretSealer
from chalicelib.core import json
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.json import JsonObject
from chalicelib.core.mailbox import Mailbox
from chalicelib.features.emails.compose import ascii_domain
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.connections.repository import EmailConnections
from chalicelib.features.emails.connections.request_trial import ConnectionTrial
from chalicelib.features.emails.outgoing import (
    Check,
    CheckedSession,
    CheckFailedError,
    OpenSession,
    OutgoingEmail,
    require_accepted,
)

# The gateway answers within 29 s; the rest is for two functions.
TIMEOUT_S: Final = 15.0
_SUBJECT: Final = "Test of an email connection"
_TEXT: Final = "This email was sent by a test of the connection. It works.\n"


class TrialResult(NamedTuple):
    """Steps and senders of a test, as the API shows them."""

    steps: Sequence[JsonObject]
    senders: Sequence[JsonObject]


class RunConnectionTrial(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Use case: go through the steps of a provider until one fails, and record the result."""

    connections: EmailConnections
    sealer: SecretSealer
    openers: Mapping[str, OpenSession]
    clock: Clock
    timeout_s: float = TIMEOUT_S

    def __call__(self, trial: ConnectionTrial) -> TrialResult:
        """Return the result of a test, which takes `timeout_s` at most; raises `not_found`.

        Nothing is connected to without credentials.
        """
        connection = self.connections.one(trial.workspace_id, trial.connection_id)
        steps = _Steps()
        credentials = self._credentials(connection)
        if credentials is None:
            name = "smtp_auth" if connection.provider == "smtp" else "credentials"
            steps.go(Check(name, _refuse_to_begin))
        else:
            opener = self.openers[connection.provider]
            with opener(connection, credentials, self.timeout_s) as session:
                self._go(session, connection, trial.send_to, steps)
        at = format_rfc3339(self.clock.now())
        error = steps.error and {"at": at, **steps.error}
        self.connections.record_trial(
            connection, at, ok=steps.are_good, error=error, senders=steps.senders
        )
        return TrialResult(steps.shown, steps.senders)

    def _go(
        self,
        session: CheckedSession,
        connection: EmailConnection,
        send_to: str | None,
        steps: "_Steps",
    ) -> None:
        for check in session.checks(self._email(connection, None)):
            steps.go(check)
        if send_to is not None:
            email = self._email(connection, send_to)
            steps.go(Check("send", _sending(session, email)))

    def _credentials(self, connection: EmailConnection) -> JsonObject | None:
        if connection.sealed_credentials is None:
            return None
        try:
            opened = self.sealer.open(connection.sealed_credentials, connection.credentials_place)
        except SealBrokenError:
            return None
        return cast("JsonObject", json.loads_own(opened))

    def _email(self, connection: EmailConnection, send_to: str | None) -> OutgoingEmail:
        """Return the email of a test, to its own sender without `send_to`."""
        now = self.clock.now()
        address, name = connection.default_from["email"], connection.default_from["name"]
        sender = Mailbox(str(address), cast("str | None", name))
        kind = "sample" if send_to is None else "test"
        send_id = f"{connection.id}.{now:%Y%m%d%H%M%S%f}.{kind}"
        domain = ascii_domain(sender.email).rpartition("@")[2]
        return OutgoingEmail(
            send_id=send_id,
            message_id=f"<{send_id.lower()}@{domain}>",
            date=now,
            sender=sender,
            reply_to=None if connection.reply_to is None else Mailbox(connection.reply_to),
            to=(Mailbox(sender.email if send_to is None else send_to),),
            cc=(),
            bcc=(),
            subject=_SUBJECT,
            html=None,
            text=_TEXT,
        )


class _Steps:
    """Steps until the first that fails, and the senders that they have found."""

    def __init__(self) -> None:
        self.shown: list[JsonObject] = []
        self.senders: tuple[JsonObject, ...] = ()
        self.are_good = True
        self.error: JsonObject | None = None

    def go(self, check: Check) -> None:
        if not self.are_good:
            return
        try:
            self.senders += tuple(check.run())
        except CheckFailedError as failure:
            self.are_good = False
            self.shown.append({"name": check.name, "ok": False, "detail": str(failure)})
            if failure.code is not None:
                self.error = {"code": failure.code, "message": str(failure)}
        else:
            self.shown.append({"name": check.name, "ok": True, "detail": None})


def _refuse_to_begin() -> Sequence[JsonObject]:
    message = "The connection has no credentials: change it with some."
    raise CheckFailedError(message, "email_credentials_removed")


def _sending(session: CheckedSession, email: OutgoingEmail) -> Callable[[], Sequence[JsonObject]]:
    def run() -> Sequence[JsonObject]:
        require_accepted(session.send(email, lambda: None))
        return ()

    return run
