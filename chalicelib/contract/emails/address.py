"""Texts of header fields: addresses, names, and lines."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from chalicelib.core.mailbox import is_address, is_one_line


def check_line(text: str) -> str:
    """Return the text of a header field; raise ValueError if it could end the field."""
    if not is_one_line(text):
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
    if not is_address(text):
        message = "an email address such as ada@example.com is expected"
        raise ValueError(message)
    return text


MailAddress = Annotated[str, StringConstraints(max_length=254), AfterValidator(check_address)]
