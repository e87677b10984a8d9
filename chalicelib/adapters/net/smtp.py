"""Mail through the operator's SMTP server, named by a URL.

`smtp://user:password@host:587?from=platen@example.com` (STARTTLS where the server offers it) or
`smtps://…` (TLS from the start).
"""

import ipaddress
import logging
import smtplib
import ssl
import time
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from chalicelib.core.mail_headers import text_header

log = logging.getLogger(__name__)

# Value in place of the URL where there is no mail server.
NO_SERVER: Final = "none"

_PORTS: Final = {"smtp": 587, "smtps": 465}
# Ten mails that each time out still fit into the timeout of the maintenance function.
_TIMEOUT_S: Final = 8.0
# After a failed connection further mails fail at once for this long, instead of after a timeout.
_UNREACHABLE_PAUSE_S: Final = 30.0
# RFC 5321 4.2.1: 4yz is transient, 5yz is permanent.
_PERMANENT_FAILURE: Final = 500


class MailFailedError(Exception):
    """The server did not take a mail, which may be retried.

    The server's text is left out, because it names email addresses.
    """

    def __init__(self, fault: Exception, code: int | None) -> None:
        """Carry the kind of the fault and the reply code."""
        super().__init__(f"{type(fault).__name__} {code or ''}".rstrip())


class SmtpMailer:
    """Sender of plain-text mail; raises transient failures, logs permanent ones."""

    def __init__(self, url: str) -> None:
        """Parse the URL; raises ValueError without the URL in its text, as it holds a password."""
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            message = "the mail server: smtp://[user:password@]host[:port][?from=address] expected"
            raise ValueError(message)
        self._is_tls = parts.scheme == "smtps"
        self._host = parts.hostname
        self._port = parts.port or _PORTS[parts.scheme]
        self._user = unquote(parts.username or "")
        self._password = unquote(parts.password or "")
        senders = parse_qs(parts.query).get("from", [])
        self._from = senders[0] if senders else _default_sender(self._user, parts.hostname)
        self._unreachable_until = 0.0

    def __call__(self, to: Sequence[str], subject: str, text: str) -> None:
        """Send one mail to all recipients; raises MailFailedError for a transient failure."""
        if time.monotonic() < self._unreachable_until:
            raise MailFailedError(ConnectionError(), None)
        message = EmailMessage()
        message["From"] = self._from
        message["To"] = ", ".join(to)
        message["Subject"] = text_header("Subject", subject)
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(domain=self._from.rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text)
        try:
            with self._connect() as server:
                server.send_message(message)
        except smtplib.SMTPRecipientsRefused as refused:
            codes = sorted(code for code, _ in refused.recipients.values())
            if codes[0] < _PERMANENT_FAILURE:
                raise MailFailedError(refused, codes[0]) from None
            # The server's text is not logged, because it names email addresses.
            log.error("mail refused", extra={"subject": subject, "codes": codes})  # noqa: TRY400
        except (smtplib.SMTPException, OSError) as fault:
            if not isinstance(fault, smtplib.SMTPException):
                self._unreachable_until = time.monotonic() + _UNREACHABLE_PAUSE_S
            raise MailFailedError(fault, getattr(fault, "smtp_code", None)) from None

    def _connect(self) -> smtplib.SMTP:
        context = ssl.create_default_context()
        server: smtplib.SMTP
        if self._is_tls:
            server = smtplib.SMTP_SSL(self._host, self._port, timeout=_TIMEOUT_S, context=context)
        else:
            server = smtplib.SMTP(self._host, self._port, timeout=_TIMEOUT_S)
        try:
            self._secure_and_log_in(server, context)
        except BaseException:
            server.close()
            raise
        return server

    def _secure_and_log_in(self, server: smtplib.SMTP, context: ssl.SSLContext) -> None:
        server.ehlo()
        is_safe = self._is_tls
        if not self._is_tls and server.has_extn("starttls"):
            server.starttls(context=context)
            server.ehlo()
            is_safe = True
        if not self._user:
            return
        if not (is_safe or _is_loopback(self._host)):
            message = "the mail server offers no TLS; a password is not sent without"
            raise smtplib.SMTPNotSupportedError(message)
        server.login(self._user, self._password)


class CurrentMailer:
    """Finder of the mailer of the URL that is configured at the time of a mail."""

    def __init__(self, read_url: Callable[[], str]) -> None:
        """Read the URL with `read_url`, for each mail."""
        self._read_url = read_url
        self._current: tuple[str, SmtpMailer | None] = (NO_SERVER, None)

    def __call__(self) -> SmtpMailer | None:
        """Return the mailer, None without a mail server; raises as SmtpMailer does."""
        url = self._read_url()
        if url != self._current[0]:
            self._current = url, None if url == NO_SERVER else SmtpMailer(url)
        return self._current[1]


def _default_sender(user: str, host: str) -> str:
    return user if "@" in user else f"platen@{host}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
