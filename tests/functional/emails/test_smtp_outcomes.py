"""Emails over SMTP: what the server says, or does not, behind the end of the message."""

import socket
import ssl
from contextlib import ExitStack
from typing import Any

import msgspec
import pytest

from chalicelib.core.mailbox import Mailbox
from tests.builders.email_connections import SMTP
from tests.builders.email_sends import EMAIL, connect, render_with_emails, sends
from tests.builders.pages.certificates import Certificates
from tests.builders.service import Service
from tests.fakes.raw_server import Play, raw_server
from tests.fakes.submission_server import HOST, PORT, STARTTLS

pytestmark = pytest.mark.usefixtures("reachable")

CONFIG = {"host": HOST, "port": PORT, "username": "mailer", "max_per_second": 100}
LOGIN_OFFERED = b"250-mail\r\n250 AUTH PLAIN\r\n"


def mail_server(tls: ssl.SSLContext, answer: bytes, messages: list[bytes]) -> Play:
    """Return a play that keeps one message, answers its end so, and closes."""
    replies = {b"AUTH": b"235 OK\r\n", b"DATA": b"354 go\r\n", b"STAR": b"220 go\r\n"}

    def play(connection: socket.socket) -> None:
        with ExitStack() as opened:
            connection.sendall(b"220 mail\r\n")
            lines = opened.enter_context(connection.makefile("rb"))
            while command := lines.readline()[:4].upper():
                if command == b"EHLO":
                    is_secure = isinstance(connection, ssl.SSLSocket)
                    replies[command] = LOGIN_OFFERED if is_secure else STARTTLS
                connection.sendall(replies.get(command, b"250 OK\r\n"))
                if command == b"STAR":
                    connection = opened.enter_context(tls.wrap_socket(connection, server_side=True))
                    lines = opened.enter_context(connection.makefile("rb"))
                elif command == b"DATA":
                    messages.append(b"".join(iter(lines.readline, b".\r\n")))
                    connection.sendall(answer)
                    return

    return play


def deliver(
    service: Service, trusted: Certificates, answer: bytes, **email: Any
) -> tuple[dict[str, Any], list[bytes]]:
    """Send an email to such a server; return the send, and the messages that arrived."""
    messages: list[bytes] = []
    with raw_server(mail_server(trusted.server, answer, messages), address=(HOST, PORT)):
        connection = connect(service, credentials={"password": "p"}, config=SMTP | CONFIG)
        render_with_emails(service, connection, [msgspec.structs.replace(EMAIL, **email)])
        assert service.relay_events() == []
        assert service.send_emails() == []
    (send,) = sends(service)
    return send, messages


@pytest.mark.parametrize("answer", [b"", b"25", b"hello\r\n", b"251 done\r\n", b"354 go on\r\n"])
def test_end_that_was_not_refused_is_unknown(
    service: Service, trusted: Certificates, answer: bytes
) -> None:
    send, messages = deliver(service, trusted, answer)

    assert (send["status"], send["error"]["code"]) == ("unknown", "email_outcome_unknown")
    assert len(messages) == 1


def test_accepted_end_is_sent(service: Service, trusted: Certificates) -> None:
    send, messages = deliver(service, trusted, b"250 done\r\n", text="Grüße", html="<p>Grüße")

    assert send["status"] == "sent"
    # This server has not offered 8BITMIME.
    assert messages[0].isascii()


@pytest.mark.parametrize(
    "email",
    [
        {"to": (Mailbox("jürgen@example.com"),)},
        {"reply_to": Mailbox("jürgen@example.com")},
    ],
)
def test_address_that_the_server_does_not_take_is_named(
    service: Service, trusted: Certificates, email: dict[str, Any]
) -> None:
    send, messages = deliver(service, trusted, b"250 done\r\n", **email)

    assert (send["status"], send["error"]["code"]) == ("failed", "email_address_invalid")
    assert messages == []
