"""Email addresses (RFC 5322 3.4), and texts that may stand in a header field."""

import re
import unicodedata
from typing import Final, NamedTuple

MAX_ADDRESS_CHARACTERS: Final = 254
# Controls, and what some software takes for the end of a line.
_LINE_BREAKING: Final = ("Cc", "Zl", "Zp")
# RFC 5322 3.2.3 with the characters of RFC 6532 3.2.
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010FFFF-]+"
_LOCAL: Final = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")
_DOMAIN: Final = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
# Quotes may hold angle brackets (RFC 5322 3.2.4); possessive, so that no text makes it backtrack.
_NAME_AND_ADDRESS: Final = re.compile(
    r'(?P<name>(?>"(?:[^"\\]|\\.)*"|[^<>])*+)<(?P<address>[^<>]*)>'
)
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')


class Mailbox(NamedTuple):
    """Email address, and the name of its owner."""

    email: str
    name: str | None = None


def is_one_line(text: str) -> bool:
    """Tell whether a text cannot end the header field in which it stands."""
    return all(unicodedata.category(each) not in _LINE_BREAKING for each in text)


def is_address(text: str) -> bool:
    """Tell whether a text is one address, without a quoted local part.

    The local part may be beyond ASCII (RFC 6531): whether it can be sent to is for the server.
    """
    local, _, domain = text.rpartition("@")
    if len(text) > MAX_ADDRESS_CHARACTERS or not text.isprintable() or "=?" in text:
        return False
    if _LOCAL.fullmatch(local) is None:
        return False
    try:
        encoded = domain.encode("idna").decode()
    except ValueError:
        return False
    return _DOMAIN.fullmatch(encoded) is not None


def parse_mailbox(text: str) -> Mailbox | None:
    """Return the mailbox of an address, or of `Name <address>`; None for anything else."""
    text = text.strip()
    if not is_one_line(text):
        return None
    named = _NAME_AND_ADDRESS.fullmatch(text)
    address = text if named is None else named["address"].strip()
    if not is_address(address):
        return None
    return Mailbox(address, _plain_name(named["name"].strip()) if named else None)


def split_mailboxes(text: str) -> list[str]:
    """Return the entries of a list: commas, semicolons and line ends divide them, except in quotes.

    Empty entries are left out.
    """
    entries, entry, is_quoted, is_escaped = [], "", False, False
    for each in text:
        if is_escaped:
            is_escaped = False
        elif is_quoted and each == "\\":
            is_escaped = True
        elif each == '"':
            is_quoted = not is_quoted
        elif each in "\r\n" or (each in ",;" and not is_quoted):
            entries.append(entry)
            entry, is_quoted = "", False
            continue
        entry += each
    return [stripped for each in [*entries, entry] if (stripped := each.strip())]


def _plain_name(name: str) -> str | None:
    quoted = _QUOTED.fullmatch(name)
    if quoted is not None:
        name = re.sub(r"\\(.)", r"\1", quoted[1])
    return name or None
