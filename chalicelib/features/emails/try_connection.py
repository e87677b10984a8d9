"""Test of an email connection, in the function that sends: it alone may open credentials."""

from collections.abc import Callable
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid
from typing import Final, cast

from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.net.submission import Submission, SubmissionFailed
from chalicelib.adapters.net.transport import Connector
from chalicelib.core import json
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.json import JsonObject
from chalicelib.features.emails.compose import ascii_domain
from chalicelib.features.emails.connections import EmailConnection, EmailConnections
from chalicelib.features.emails.request_trial import ConnectionTrial

# The gateway answers within 29 s; the rest is for two functions.
TIMEOUT_S: Final = 15.0


class TryConnection:
    """Use case: go through the steps of a provider until one fails, and record the result."""

    def __init__(
        self,
        *,
        connections: EmailConnections,
        sealer: SecretSealer,
        connect: Connector,
        hello: str,
        clock: Clock,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        """Connect with `connect` of the guarded egress; `hello` is the service's own name."""
        self._connections = connections
        self._sealer = sealer
        self._connect = connect
        self._hello = hello
        self._clock = clock
        self._timeout_s = timeout_s

    def __call__(self, trial: ConnectionTrial) -> list[JsonObject]:
        """Return the steps of an SMTP connection as the API shows them; raises `not_found`."""
        connection = self._connections.one(trial.workspace_id, trial.connection_id)
        steps = _Steps()
        with Submission(
            self._connect,
            str(connection.config["host"]),
            cast("int", connection.config["port"]),
            hello=self._hello,
            timeout_s=self._timeout_s,
        ) as session:
            steps.go("connect", session.connect)
            steps.go("starttls", session.start_tls)
            steps.go("smtp_auth", lambda: self._log_in(session, connection))
            send_to = trial.send_to
            if send_to is not None:
                steps.go("send", lambda: session.send(self._message(connection, send_to)))
        at = format_rfc3339(self._clock.now())
        error = steps.error and {"at": at, **steps.error}
        self._connections.record_test(connection, at, ok=steps.are_good, error=error)
        return steps.shown

    def _log_in(self, session: Submission, connection: EmailConnection) -> None:
        if connection.sealed_credentials is None:
            raise _NoCredentials("the connection has no credentials: change it with some")
        opened = self._sealer.open(connection.sealed_credentials, connection.credentials_place)
        credentials: dict[str, str] = json.loads_own(opened)
        session.log_in(str(connection.config["username"]), credentials["password"])

    def _message(self, connection: EmailConnection, send_to: str) -> EmailMessage:
        sender = ascii_domain(str(connection.default_from["email"]))
        # Address objects, since texts of headers would be read as encoded words.
        name = cast("str | None", connection.default_from["name"])
        message = EmailMessage(policy=SMTP)
        message["From"] = Address(name or "", addr_spec=sender)
        message["To"] = Address(addr_spec=ascii_domain(send_to))
        if connection.reply_to is not None:
            message["Reply-To"] = Address(addr_spec=ascii_domain(connection.reply_to))
        message["Subject"] = "Test of an email connection"
        message["Date"] = format_datetime(self._clock.now())
        message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        message.set_content("This email was sent by a test of the connection. It works.\n")
        return message


class _NoCredentials(SubmissionFailed):
    pass


class _Steps:
    """Steps until the first that fails."""

    def __init__(self) -> None:
        self.shown: list[JsonObject] = []
        self.are_good = True
        self.error: JsonObject | None = None

    def go(self, name: str, step: Callable[[], None]) -> None:
        if not self.are_good:
            return
        try:
            step()
        except SubmissionFailed as failure:
            self.are_good = False
            self.shown.append({"name": name, "ok": False, "detail": str(failure)})
            if isinstance(failure, _NoCredentials):
                code = "email_credentials_removed"
                self.error = {"code": code, "message": str(failure)}
            elif failure.is_login_refused:
                self.error = {"code": "email_provider_auth_failed", "message": str(failure)}
        else:
            self.shown.append({"name": name, "ok": True, "detail": None})
