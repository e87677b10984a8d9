"""Message of an email (RFC 5322, MIME): what an SMTP server gets."""

from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from email.utils import format_datetime
from typing import Final

from chalicelib.core.mailbox import Mailbox
from chalicelib.features.emails.outgoing import OutgoingEmail

_BINARY: Final = ("application", "octet-stream")


def compose_message(email: OutgoingEmail, *, is_utf8: bool) -> bytes:
    """Return the message; `is_utf8`: its addresses may be beyond ASCII. Bcc is in no header."""
    message = EmailMessage(policy=SMTPUTF8 if is_utf8 else SMTP)
    message["From"] = _address(email.sender)
    message["To"] = [_address(mailbox) for mailbox in email.to]
    if email.cc:
        message["Cc"] = [_address(mailbox) for mailbox in email.cc]
    if email.reply_to is not None:
        message["Reply-To"] = _address(email.reply_to)
    message["Subject"] = _plain(email.subject)
    message["Date"] = format_datetime(email.date)
    message["Message-ID"] = email.message_id
    if email.text is not None or email.html is None:
        message.set_content(email.text or "")
        if email.html is not None:
            message.add_alternative(email.html, subtype="html")
    else:
        message.set_content(email.html, subtype="html")
    for file in email.files:
        main, _, sub = file.content_type.partition(";")[0].partition("/")
        maintype, subtype = (main, sub) if main and sub and main != "text" else _BINARY
        message.add_attachment(
            file.content, maintype=maintype, subtype=subtype, filename=_plain(file.filename)
        )
    return message.as_bytes()


def ascii_domain(address: str) -> str:
    """Return an address whose domain is written in A-labels (RFC 5890)."""
    local, _, domain = address.rpartition("@")
    return f"{local}@{domain.encode('idna').decode()}"


def _address(mailbox: Mailbox) -> Address:
    # Objects, since texts of headers would be read as encoded words.
    return Address(_plain(mailbox.name or ""), addr_spec=ascii_domain(mailbox.email))


def _plain(text: str) -> str:
    """Return a text in which no reader finds encoded words (RFC 2047): a blank divides them."""
    return text.replace("=?", "= ?")
