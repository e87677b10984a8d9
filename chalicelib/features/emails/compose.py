"""Message of an email (RFC 5322, MIME): what an SMTP server gets."""

from collections.abc import Callable
from email.headerregistry import Address
from email.message import EmailMessage, Message
from email.policy import SMTP, SMTPUTF8
from email.utils import format_datetime
from typing import Final

import idna

from chalicelib.core.mailbox import Mailbox
from chalicelib.features.emails.outgoing import AttachedFile, OutgoingEmail

# Without 8BITMIME (RFC 6152) a server may lose the eighth bit.
_SEVEN_BITS: Final = SMTP.clone(cte_type="7bit")


def compose_message(email: OutgoingEmail, *, is_utf8: bool) -> bytes:
    """Return the message; `is_utf8`: its addresses may be beyond ASCII. Bcc is in no header."""
    message = EmailMessage(policy=SMTPUTF8 if is_utf8 else _SEVEN_BITS)
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
    message.add_attachment(
        file.content,
        maintype=kind.get_content_maintype(),
        subtype=kind.get_content_subtype(),
        params=dict(kind.get_params([])[1:]),
        filename=_plain(file.filename),
    )


def _address(mailbox: Mailbox) -> Address:
    # Objects, since texts of headers would be read as encoded words.
    return Address(_plain(mailbox.name or ""), addr_spec=ascii_domain(mailbox.email))


def _plain(text: str) -> str:
    """Return a text in which no reader finds encoded words (RFC 2047): a blank divides them."""
    return text.replace("=?", "= ?")
