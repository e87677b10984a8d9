"""Message of an email (RFC 5322, MIME), for an SMTP server."""

from collections.abc import Callable
from email.message import EmailMessage, Message
from email.policy import SMTP, SMTPUTF8
from email.utils import format_datetime
from typing import Final

import idna

from chalicelib.core.mail_headers import (
    WrittenHeader,
    address_header,
    disposition_header,
    text_header,
    type_header,
)
from chalicelib.core.mailbox import Mailbox
from chalicelib.features.emails.outgoing import AttachedFile, OutgoingEmail

# Without 8BITMIME (RFC 6152) a server may lose the eighth bit.
_SEVEN_BITS: Final = SMTP.clone(cte_type="7bit")


def compose_message(email: OutgoingEmail, *, is_utf8: bool) -> bytes:
    """Return the message; `is_utf8`: its addresses may be beyond ASCII. Bcc is in no header."""
    message = EmailMessage(policy=SMTPUTF8 if is_utf8 else _SEVEN_BITS)
    message["From"] = _addresses("From", email.sender)
    message["To"] = _addresses("To", *email.to)
    if email.cc:
        message["Cc"] = _addresses("Cc", *email.cc)
    if email.reply_to is not None:
        message["Reply-To"] = _addresses("Reply-To", email.reply_to)
    message["Subject"] = text_header("Subject", _plain(email.subject))
    message["Date"] = format_datetime(email.date)
    message["Message-ID"] = WrittenHeader("Message-ID", email.message_id)
    if email.text is not None or email.html is None:
        _set_text(message.set_content, email.text or "", "plain")
        if email.html is not None:
            _set_text(message.add_alternative, email.html, "html")
    else:
        _set_text(message.set_content, email.html, "html")
    for file in email.files:
        _attach(message, file)
    return message.as_bytes()


def ascii_domain(address: str) -> str:
    """Return a checked address whose domain is written in A-labels (RFC 5890)."""
    local, _, domain = address.rpartition("@")
    try:
        # Python's codec follows RFC 3490, which makes another domain of one with a sharp s.
        encoded = idna.encode(domain, uts46=True)
    except idna.IDNAError:
        # RFC 5891 has no symbols, and there are domains with them.
        encoded = domain.encode("idna")
    return f"{local}@{encoded.decode()}"


def _set_text(set_content: Callable[..., None], text: str, subtype: str) -> None:
    # NUL may not be sent (RFC 5321 2.3.8), and means nothing in a text.
    set_content(text.replace("\0", ""), subtype=subtype)


def _attach(message: EmailMessage, file: AttachedFile) -> None:
    kind = Message()
    kind["Content-Type"] = file.content_type
    part = EmailMessage(policy=message.policy)
    part.set_content(
        file.content,
        maintype=kind.get_content_maintype(),
        subtype=kind.get_content_subtype(),
        params=dict(kind.get_params([])[1:]),
    )
    filename = _plain(file.filename)
    content_type = type_header(str(part["Content-Type"]), filename)
    part.replace_header("Content-Type", content_type)
    part["Content-Disposition"] = disposition_header(filename)
    del part["MIME-Version"]
    if message.get_content_type() != "multipart/mixed":
        message.make_mixed()
    message.attach(part)


def _addresses(name: str, *mailboxes: Mailbox) -> WrittenHeader:
    plain = [Mailbox(ascii_domain(each.email), _plain(each.name or "")) for each in mailboxes]
    return address_header(name, plain)


def _plain(text: str) -> str:
    """Return a text in which no reader finds encoded words (RFC 2047): a blank divides them."""
    return text.replace("=?", "= ?")
