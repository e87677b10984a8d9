"""SMTP: submission command by command, so that the stage of a fault is known."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final, cast

from chalicelib.adapters.net.submission import Submission, SubmissionFailedError
from chalicelib.adapters.net.transport import Connector
from chalicelib.core.json import JsonObject
from chalicelib.features.emails.compose import ascii_domain, compose_message
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.outgoing import (
    Check,
    CheckedSession,
    CheckFailedError,
    HandOver,
    OpenSession,
    OutgoingEmail,
)

# From the connection on, or for one message on an open one.
_MESSAGE_S: Final = 15.0
# RFC 5321 4.5.3.2.6 asks for ten minutes, which no function has.
_ANSWER_S: Final = 120.0
# RFC 5321 4.2.1: 4yz is not done this time, 5yz never.
_TRANSIENT_FAILURE: Final = 400
_PERMANENT_FAILURE: Final = 500


def open_smtp(connect: Connector, hello: str) -> OpenSession:
    """Return the opening of sessions through `connect`; `hello` is the service's own name."""

    @contextmanager
    def open_session(
        connection: EmailConnection, credentials: JsonObject, timeout_s: float | None = None
    ) -> Iterator[CheckedSession]:
        session = _SmtpSession(connect, hello, connection, str(credentials["password"]), timeout_s)
        try:
            yield session
        finally:
            session.close()

    return open_session


class _SmtpSession:
    def __init__(
        self,
        connect: Connector,
        hello: str,
        connection: EmailConnection,
        password: str,
        timeout_s: float | None,
    ) -> None:
        self._connect = connect
        self._hello = hello
        self._config = connection.config
        self._password = password
        self._timeout_s = timeout_s
        self._stack = ExitStack()
        self._open: Submission | None = None

    def close(self) -> None:
        self._open = None
        self._stack.close()

    def checks(self, _sample: OutgoingEmail) -> Sequence[Check]:
        session = self._new_session()

        def step(name: str, run: Callable[[], None]) -> Check:
            def run_readably() -> Sequence[JsonObject]:
                try:
                    run()
                except SubmissionFailedError as failure:
                    self.close()
                    raise CheckFailedError(str(failure), _outcome(failure).code) from failure
                return ()

            return Check(name, run_readably)

        def log_in() -> None:
            self._log_in(session)

        return (
            step("connect", session.connect),
            step("starttls", session.start_tls),
            step("smtp_auth", log_in),
        )

    def send(self, email: OutgoingEmail, before_acceptance: Callable[[], None]) -> HandOver:
        recipients = [ascii_domain(mailbox.email) for mailbox in (*email.to, *email.cc, *email.bcc)]
        sender = ascii_domain(email.sender.email)
        shown = () if email.reply_to is None else (ascii_domain(email.reply_to.email),)
        is_utf8 = not all(address.isascii() for address in (sender, *recipients, *shown))
        try:
            session = self._session()
            if is_utf8 and not session.takes_utf8:
                message = "The server takes no addresses beyond ASCII."
                return HandOver("rejected", "email_address_invalid", message)
            content = compose_message(email, is_utf8=is_utf8)
            refused_count = session.begin_message(sender, recipients, content, is_utf8=is_utf8)
            self._hand_over(session, before_acceptance)
        except SubmissionFailedError as failure:
            # The next message begins a new session.
            self.close()
            return _outcome(failure)
        return HandOver(
            "accepted", provider_message_id=email.message_id, refused_count=refused_count
        )

    def _hand_over(self, session: Submission, before_acceptance: Callable[[], None]) -> None:
        try:
            before_acceptance()
        except BaseException:
            # Without its last line the server forgets the message.
            self.close()
            raise
        session.end_message(_ANSWER_S if self._timeout_s is None else None)

    def _session(self) -> Submission:
        """Return the open session for another message, or a new one."""
        if self._open is not None:
            try:
                if self._timeout_s is None:
                    self._open.restart_clock(_MESSAGE_S)
                self._open.reset()
            except SubmissionFailedError:
                self.close()
            else:
                return self._open
        session = self._new_session()
        session.connect()
        session.start_tls()
        self._log_in(session)
        return session

    def _new_session(self) -> Submission:
        return self._stack.enter_context(
            Submission(
                self._connect,
                str(self._config["host"]),
                cast("int", self._config["port"]),
                hello=self._hello,
                timeout_s=_MESSAGE_S if self._timeout_s is None else self._timeout_s,
            )
        )

    def _log_in(self, session: Submission) -> None:
        session.log_in(str(self._config["username"]), self._password)
        self._open = session


def _outcome(failure: SubmissionFailedError) -> HandOver:
    code, message = failure.reply_code, f"The mail server {failure}."
    if failure.is_login_refused:
        return HandOver("rejected", "email_provider_auth_failed", message, provider_status=code)
    if code is not None and code >= _PERMANENT_FAILURE:
        return HandOver("rejected", "email_provider_rejected", message, provider_status=code)
    # Only a refusal says that the server has not taken the message.
    if failure.is_handed_over and (code is None or code < _TRANSIENT_FAILURE):
        return HandOver("unknown", "email_outcome_unknown", message)
    return HandOver("retry", "email_provider_unavailable", message, provider_status=code)
