"""Faults of a mail server, as its tenant reads them; they repeat nothing that it has said."""

import re
import smtplib
from typing import Final

# RFC 3463 2.
_ENHANCED_STATUS: Final = re.compile(rb"[245]\.[0-9]{1,3}\.[0-9]{1,3}(?= |$)")


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
