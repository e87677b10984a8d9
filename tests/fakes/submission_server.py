"""Mail servers for submission on a loopback address of their own: a real one, and one by script."""

import os
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from email.policy import compat32
from typing import Any, Final

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

from tests.fakes.raw_server import Play

PORT: Final = 2525
# Ports of submission are few: each process of the tests has its own address.
HOST: Final = f"127.{64 + (os.getpid() >> 14) % 64}.{os.getpid() >> 7 & 127}.{os.getpid() & 127}"
EGRESS_ALLOW: Final = f"{HOST}/32:{PORT}"
STARTTLS: Final = b"250-mail\r\n250 STARTTLS\r\n"


@dataclass
class SubmissionServer:
    """Messages of a server; its login is mailer/p, and it refuses recipients in `refused`.

    While `is_busy` it refuses all of them, for the time being.
    """

    logins: list[tuple[str, str]] = field(default_factory=list)
    mails: list[tuple[list[str], Message]] = field(default_factory=list)
    contents: list[bytes] = field(default_factory=list)
    refused: Sequence[str] = ()
    is_busy: bool = False
    on_login: Callable[[], None] = lambda: None

    def authenticate(self, *call: Any) -> AuthResult:
        data = call[-1]
        login = (data.login.decode(), data.password.decode())
        self.logins.append(login)
        self.on_login()
        return AuthResult(success=login == ("mailer", "p"), handled=False)

    async def handle_RCPT(  # noqa: N802 -- as aiosmtpd calls it
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: Any
    ) -> str:
        if self.is_busy:
            return "451 4.3.2 try again later"
        if address in self.refused:
            return f"550 5.1.1 no {address} here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802
        self, _server: SMTP, _session: Session, envelope: Envelope
    ) -> str:
        assert isinstance(envelope.content, bytes)
        # Not the policy that wrote it.
        mail: Message = message_from_bytes(envelope.content, policy=compat32)
        self.mails.append((envelope.rcpt_tos, mail))
        self.contents.append(envelope.content)
        return "250 OK"


@contextmanager
def submission_server(tls: ssl.SSLContext | None, **options: Any) -> Iterator[SubmissionServer]:
    """Run a server; without `tls` it has no STARTTLS, and takes passwords in the clear."""
    server = SubmissionServer()
    controller = Controller(
        server,
        hostname=HOST,
        port=PORT,
        tls_context=tls,
        require_starttls=tls is not None,
        authenticator=server.authenticate,
        auth_required=True,
        auth_require_tls=tls is not None,
        **options,
    )
    controller.start()
    try:
        yield server
    finally:
        controller.stop()


def script(*replies: bytes, tls: ssl.SSLContext | None = None) -> Play:
    """Return a play that greets with the first reply, and gives one more to each command.

    With `tls` the connection is wrapped behind the reply to STARTTLS.
    """

    def play(connection: socket.socket) -> None:
        connection.sendall(replies[0])
        for reply in replies[1:]:
            command = connection.recv(1_024)
            connection.sendall(reply)
            if tls is not None and command.startswith(b"STARTTLS"):
                connection = tls.wrap_socket(connection, server_side=True)
        while connection.recv(1_024):
            pass

    return play
