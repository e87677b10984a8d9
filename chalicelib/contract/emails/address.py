"""Texts of header fields: addresses, names, and lines."""

import re
import unicodedata
from email.errors import HeaderParseError
from email.headerregistry import Address
from typing import Annotated, Final

from pydantic import AfterValidator, StringConstraints

# Controls, and what some software takes for the end of a line.
_LINE_BREAKING: Final = ("Cc", "Zl", "Zp")
_DOMAIN: Final = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")


def check_line(text: str) -> str:
    """Return the text of a header field; raise ValueError if it could end the field."""
    if any(unicodedata.category(each) in _LINE_BREAKING for each in text):
        message = "must be one line without control characters"
        raise ValueError(message)
    return text


def check_name(text: str) -> str:
    """Return a name; raise ValueError if a mail program could read other text in it."""
    if "=?" in text:
        message = "must be plain text: encoded words (=?…?=) are made of it by the service"
        raise ValueError(message)
    return check_line(text)


def check_address(text: str) -> str:
    """Return one address (RFC 5322 3.4.1, without a quoted local part); raise ValueError."""
    try:
        address = Address(addr_spec=text)
        domain = address.domain.encode("idna").decode()
        is_one = address.addr_spec == text and _DOMAIN.fullmatch(domain) is not None
    except (HeaderParseError, ValueError, IndexError):
        is_one = False
    if not is_one or '"' in text or not text.isprintable():
        message = "an email address such as ada@example.com is expected"
        raise ValueError(message)
    return text


MailAddress = Annotated[str, StringConstraints(max_length=254), AfterValidator(check_address)]
