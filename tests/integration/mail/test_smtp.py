"""Mail to owners over a real SMTP server: plain, with STARTTLS, with TLS from the start."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

from chalicelib.adapters.net import smtp
from chalicelib.adapters.net.smtp import MailFailedError, SmtpMailer
from infra.local.paths import free_port
from tests.builders.pages.certificates import certificates

pytestmark = [
    pytest.mark.integration,
    # aiosmtpd warns about the options that these tests set.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]

TO = ["ada@example.com", "bob@example.com"]


@dataclass
class Inbox:
    """Messages that a server has accepted, and the refusal of all recipients if it is set."""

    messages: list[tuple[list[str], EmailMessage]] = field(default_factory=list)
    refusal: str | None = None

    async def handle_RCPT(  # noqa: N802 -- as aiosmtpd calls it
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: Any
    ) -> str:
        if self.refusal:
            return f"{self.refusal} {address}"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802
        self, _server: SMTP, _session: Session, envelope: Envelope
    ) -> str:
        assert isinstance(envelope.content, bytes)
        message: Any = message_from_bytes(envelope.content, policy=default)
        self.messages.append((envelope.rcpt_tos, message))
        return "250 OK"


@contextmanager
def serving(inbox: Inbox, *, port: int | None = None, **options: Any) -> Iterator[int]:
    # The controller connects to its own server by this port, so it cannot be 0.
    port = port or free_port()
    controller = Controller(inbox, hostname="127.0.0.1", port=port, **options)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


def test_every_owner_gets_a_plain_text_mail() -> None:
    inbox = Inbox()
    with serving(inbox) as port:
        mail = SmtpMailer(f"smtp://127.0.0.1:{port}?from=service%40platen.example")

        mail(TO, "80 % of your renders are used", "Größe: 1\n.\n2")

    ((recipients, message),) = inbox.messages
    assert recipients == TO
    assert (message["From"], message["To"]) == ("service@platen.example", ", ".join(TO))
    assert message["Subject"] == "80 % of your renders are used"
    assert message["Message-ID"].endswith("@platen.example>")
    assert message["Auto-Submitted"] == "auto-generated"
    assert message.get_content().splitlines() == ["Größe: 1", ".", "2"]


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_password_is_sent_through_tls_to_a_trusted_server(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox, context, logins = Inbox(), _context(tmp_path, monkeypatch), []

    def check(_server: Any, _session: Any, _envelope: Any, mechanism: str, data: Any) -> AuthResult:
        logins.append((mechanism, data.login, data.password))
        return AuthResult(success=True)

    # aiosmtpd regards only STARTTLS as TLS.
    options: dict[str, Any] = {"ssl_context": context, "auth_require_tls": False}
    if scheme == "smtp":
        options = {"tls_context": context, "require_starttls": True}
    with serving(inbox, authenticator=check, auth_required=True, **options) as port:
        mail = SmtpMailer(f"{scheme}://platen:p%40ss%2F@127.0.0.1:{port}?from=a@example.com")

        mail(TO, "Subject", "Text")

    assert [(login, password) for _, login, password in logins] == [(b"platen", b"p@ss/")]
    assert len(inbox.messages) == 1


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_server_with_an_untrusted_certificate_gets_nothing(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox, context = Inbox(), _context(tmp_path, monkeypatch)
    monkeypatch.delenv("SSL_CERT_FILE")
    options: dict[str, Any] = {"tls_context" if scheme == "smtp" else "ssl_context": context}
    with serving(inbox, **options) as port:
        mail = SmtpMailer(f"{scheme}://127.0.0.1:{port}?from=a@example.com")

        with pytest.raises(MailFailedError, match="SSLCertVerificationError"):
            mail(TO, "Subject", "Text")

    assert inbox.messages == []


def test_unreachable_server_is_not_contacted_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inbox, now, port = Inbox(), [1000.0], free_port()
    monkeypatch.setattr(smtp, "time", SimpleNamespace(monotonic=lambda: now[0]))
    mail = SmtpMailer(f"smtp://127.0.0.1:{port}?from=a@example.com")
    with pytest.raises(MailFailedError, match="ConnectionRefusedError"):
        mail(TO, "Subject", "Text")

    with serving(inbox, port=port):
        with pytest.raises(MailFailedError, match="ConnectionError"):
            mail(TO, "Subject", "Text")
        assert inbox.messages == []
        now[0] += 31
        mail(TO, "Subject", "Text")

    assert len(inbox.messages) == 1


def test_temporary_refusal_raises_without_the_email_addresses() -> None:
    with serving(Inbox(refusal="451 try later")) as port:
        mail = SmtpMailer(f"smtp://127.0.0.1:{port}?from=a@example.com")

        with pytest.raises(MailFailedError) as failed:
            mail(TO, "Subject", "Text")

    assert "example.com" not in repr(failed.value)
    assert failed.value.__cause__ is None


def test_permanent_refusal_is_logged_without_the_email_addresses(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with serving(Inbox(refusal="550 nobody here:")) as port:
        mail = SmtpMailer(f"smtp://127.0.0.1:{port}?from=a@example.com")

        mail(TO, "Subject", "Text")

    (record,) = caplog.records
    assert record.message == "mail refused"
    assert "example.com" not in str(record.__dict__)


def test_unreachable_server_raises_mail_failed() -> None:
    with serving(Inbox()) as port:
        mail = SmtpMailer(f"smtp://127.0.0.1:{port}")

    with pytest.raises(MailFailedError, match="ConnectionRefusedError"):
        mail(TO, "Subject", "Text")


@pytest.mark.parametrize("url", ["127.0.0.1:25", "http://mail.test", "smtp://", "smtp:///x"])
def test_invalid_smtp_url_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ValueError, match="the mail server: smtp://") as refused:
        SmtpMailer(url)

    assert url not in str(refused.value).replace("smtp://[", "")


def _context(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """Return the TLS context of a server that this process trusts."""
    made = certificates(folder)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.ca_file))
    return made.server
