"""Submission of mail to a server that a tenant names: STARTTLS and AUTH over a checked socket."""

import contextlib
import re
import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO, Final, Self, override

from chalicelib.adapters.net.connections import tls_fault
from chalicelib.adapters.net.transport import Connector
from chalicelib.core.egress_policy import SUBMISSION_PORTS
from chalicelib.engine.ports import EgressError

# More than all replies of a session; without it a server could fill the memory.
_MAX_REPLY_BYTES: Final = 256 * 1024
# RFC 5321 4.2.1: 5yz is permanent.
_PERMANENT_FAILURE: Final = 500
# RFC 5321 3.3: 251 forwards.
_RECIPIENT_ACCEPTED: Final = (250, 251)
# RFC 3463 2.
_ENHANCED_STATUS: Final = re.compile(rb"[245]\.[0-9]{1,3}\.[0-9]{1,3}(?= |$)")


class SubmissionFailedError(Exception):
    """A step failed; the text is for the tenant, and repeats nothing that the server has said.

    `reply_code` is that of the server's reply, None without one. With `is_handed_over` the server
    may have accepted the message. `is_login_refused`: it has refused the credentials for good.
    """

    def __init__(
        self,
        detail: str,
        *,
        reply_code: int | None = None,
        is_handed_over: bool = False,
        is_login_refused: bool = False,
    ) -> None:
        """Carry the fault in words."""
        super().__init__(detail)
        self.reply_code = reply_code
        self.is_handed_over = is_handed_over
        self.is_login_refused = is_login_refused


class Submission:
    """One session with a server; its commands are called in order and raise SubmissionFailedError.

    All of it ends after `timeout_s`, however slowly the server answers; `restart_clock` gives it
    that time again.
    """

    def __init__(
        self, connect: Connector, host: str, port: int, *, hello: str, timeout_s: float
    ) -> None:
        """Open nothing yet; `hello` is the name that the service gives itself."""
        self._connect = connect
        self._host = host
        self._port = port
        self._hello = hello
        self._timeout_s = timeout_s
        self._ends_at = time.monotonic() + timeout_s
        self._watch: _Watch | None = None
        self._server: _CheckedSmtp | None = None

    def __enter__(self) -> Self:
        """Return the session."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection; whether the server still answers is of no interest."""
        if self._server is not None:
            with contextlib.suppress(OSError):
                self._server.putcmd("QUIT")
            self._server.close()
        if self._watch is not None:
            self._watch.close()

    def connect(self) -> None:
        """Connect to a checked address of the server, and read its greeting."""
        with self._readable_errors():
            self._server = _CheckedSmtp(
                self._open, self._host, self._port, hello=self._hello, timeout_s=self._timeout_s
            )

    def start_tls(self) -> None:
        """Agree on TLS; the certificate must be valid for the host.

        Earlier answers of the server are forgotten: anyone on the way could have written them.
        """
        with self._readable_errors():
            # It trusts the system's authorities, or those of SSL_CERT_FILE.
            self._client.starttls(context=ssl.create_default_context())
            # RFC 3207, 4.2: extensions that were named before TLS count no more.
            self._client.ehlo()

    def log_in(self, username: str, password: str) -> None:
        """Log in."""
        # smtplib encodes both as ASCII, and would raise in the middle of the exchange.
        if not (username + password).isascii():
            message = "user name and password must be ASCII"
            raise SubmissionFailedError(message, is_login_refused=True)
        with self._readable_errors():
            self._client.login(username, password)

    def restart_clock(self, timeout_s: float) -> None:
        """Let the steps from now on end after `timeout_s`."""
        self._timeout_s = timeout_s
        self._ends_at = time.monotonic() + timeout_s
        if self._watch is not None:
            self._watch.restart(timeout_s)
            assert self._client.sock is not None
            self._client.sock.settimeout(timeout_s)

    def reset(self) -> None:
        """Forget the message before; fails where the server has ended the session."""
        with self._readable_errors():
            _expect(self._client.docmd("RSET"), 250)

    @property
    def takes_utf8(self) -> bool:
        """Tell whether the server takes addresses beyond ASCII (RFC 6531)."""
        return self._client.has_extn("smtputf8")

    def begin_message(
        self, sender: str, recipients: Sequence[str], content: bytes, *, is_utf8: bool
    ) -> int:
        """Send a message up to before its last line; return how many recipients were refused."""
        options = ["SMTPUTF8", "BODY=8BITMIME"] if is_utf8 else []
        with self._readable_errors():
            _expect(self._client.mail(sender, options), 250)
            replies = [self._client.rcpt(recipient) for recipient in recipients]
            refused = [reply for reply in replies if reply[0] not in _RECIPIENT_ACCEPTED]
            if len(refused) == len(recipients):
                # A recipient who is refused for now keeps the others from being refused for good.
                _expect(min(refused), 250)
            _expect(self._client.docmd("DATA"), 354)
            self._client.send(_with_stuffed_dots(content))
        return len(refused)

    def end_message(self, timeout_s: float | None) -> None:
        """Send the last line, the dot; from then on the server may have accepted the message.

        Its reply has `timeout_s`, by default the time that the commands before have left.
        """
        if timeout_s is not None:
            self.restart_clock(timeout_s)
        try:
            with self._readable_errors():
                _expect(self._client.docmd("."), 250)
        except SubmissionFailedError as failure:
            # Its answer may be lost only: the email must not be sent again (decision 44).
            failure.is_handed_over = True
            raise

    @property
    def _client(self) -> "_CheckedSmtp":
        assert self._server is not None
        return self._server

    def _open(self) -> socket.socket:
        connection = self._connect(
            self._host,
            self._port,
            timeout_s=self._timeout_s,
            ports=SUBMISSION_PORTS,
            exempt_only=False,
        )
        left_s = max(self._ends_at - time.monotonic(), 0.001)
        connection.settimeout(left_s)
        self._watch = _Watch(connection, left_s)
        return connection

    @contextlib.contextmanager
    def _readable_errors(self) -> Iterator[None]:
        try:
            yield
        except EgressError as error:
            raise SubmissionFailedError(str(error)) from error
        # smtplib's errors are OSErrors; a host that no certificate can name raises ValueError.
        except (OSError, ValueError) as error:
            code = error.smtp_code if isinstance(error, smtplib.SMTPResponseException) else None
            is_login = isinstance(error, smtplib.SMTPAuthenticationError)
            raise SubmissionFailedError(
                f"{self._host} {self._fault(error)}",
                reply_code=code if code is not None and code > 0 else None,
                is_login_refused=is_login and code is not None and code >= _PERMANENT_FAILURE,
            ) from error

    def _fault(self, error: Exception) -> str:
        """Return the fault in words that follow the name of the host."""
        is_over = self._watch is not None and self._watch.is_over
        # smtplib makes an ended connection of a socket's timeout, which may come before the watch.
        if is_over or isinstance(error, TimeoutError) or time.monotonic() >= self._ends_at:
            return f"took too long: all of it must be done within {self._timeout_s:g} s"
        if isinstance(error, smtplib.SMTPException):
            is_secure = self._server is not None and isinstance(self._server.sock, ssl.SSLSocket)
            return smtp_fault(error, is_secure=is_secure)
        return tls_fault(error)


class _CheckedSmtp(smtplib.SMTP):
    """Client of smtplib over a socket that egress has checked."""

    def __init__(
        self,
        open_socket: Callable[[], socket.socket],
        host: str,
        port: int,
        *,
        hello: str,
        timeout_s: float,
    ) -> None:
        self._open_socket = open_socket
        super().__init__(host, port, local_hostname=hello, timeout=timeout_s)

    # smtplib's own way to another kind of socket, as its SMTP_SSL uses it.
    def _get_socket(self, *_: object) -> socket.socket:
        return self._open_socket()

    @override
    def getreply(self) -> tuple[int, bytes]:
        if self.file is None and self.sock is not None:
            self.file = _ReplyReader(self.sock.makefile("rb"))
        return super().getreply()


class _ReplyReader:
    """Reader of replies that ends a session with too many bytes of them."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._left = _MAX_REPLY_BYTES

    def readline(self, limit: int) -> bytes:
        line = self._source.readline(limit)
        self._left -= len(line)
        if self._left < 0:
            message = "too many replies"
            raise OSError(message)
        return line

    def close(self) -> None:
        self._source.close()


class _Watch:
    """Shutter of a connection at a time; a timeout of the socket would begin with each byte."""

    def __init__(self, connection: socket.socket, timeout_s: float) -> None:
        # The copy stays the same connection while TLS wraps the original.
        self._connection = connection.dup()
        self.is_over = False
        self._timer = self._started_timer(timeout_s)

    def restart(self, timeout_s: float) -> None:
        """Begin anew."""
        self._timer.cancel()
        self._timer = self._started_timer(timeout_s)

    def close(self) -> None:
        self._timer.cancel()
        self._connection.close()

    def _started_timer(self, timeout_s: float) -> threading.Timer:
        timer = threading.Timer(timeout_s, self._end)
        timer.daemon = True
        timer.start()
        return timer

    def _end(self) -> None:
        self.is_over = True
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)


def _expect(reply: tuple[int, bytes], code: int) -> None:
    """Raise SMTPResponseException for another reply."""
    if reply[0] != code:
        raise smtplib.SMTPResponseException(*reply)


def _with_stuffed_dots(content: bytes) -> bytes:
    """Return a message whose lines end with CRLF and whose leading dots are doubled."""
    lines = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").rstrip(b"\n").split(b"\n")
    return b"".join((b"." if line.startswith(b".") else b"") + line + b"\r\n" for line in lines)


def smtp_fault(error: smtplib.SMTPException, *, is_secure: bool) -> str:
    """Return the fault in words that follow the name of the host; `is_secure`: over TLS."""
    if isinstance(error, smtplib.SMTPResponseException):
        return _reply_text(error.smtp_code, error.smtp_error)
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return _reply_text(*next(iter(error.recipients.values())))
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return "offers no log-in (AUTH)" if is_secure else "offers no STARTTLS"
    if isinstance(error, smtplib.SMTPServerDisconnected):
        return "ended the connection, or did not speak SMTP"
    return "offers no log-in by PLAIN, LOGIN or CRAM-MD5"


def _reply_text(code: int, reply: bytes | str) -> str:
    """Return the code of a reply and its enhanced status, without its text."""
    if code < 0:
        return "does not speak SMTP"
    text = reply.encode() if isinstance(reply, str) else reply
    status = _ENHANCED_STATUS.match(text)
    return f"answered {code}" + (f" {status[0].decode()}" if status else "")
