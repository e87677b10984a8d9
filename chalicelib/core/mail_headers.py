"""Header fields of mail as they are written (RFC 5322, RFC 2047, RFC 2231).

The standard library folds texts beyond ASCII against RFC 2047: readers lose or add blanks
(decision 61).
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from email.policy import Policy
from typing import Final, Self
from urllib.parse import quote

from chalicelib.core.mailbox import Mailbox

FOLD: Final = "\r\n "
# Of a line with encoded words (RFC 2047 2).
_LINE: Final = 76
_WORD: Final = 75
_WORD_EDGES: Final = len("=?utf-8?q??=")
_QUOTED_STRING: Final = 60
_PARAMETER: Final = 200
# Of 60 characters when all are escaped.
_SECTION_BYTES: Final = 20
# What an encoded word may hold as it is, wherever it is (RFC 2047 5).
_PLAIN_BYTES: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*+-/"
)
_BLANK: Final = 0x20
_PLAIN_TEXT: Final = re.compile(r"[!-~]+(?: [!-~]+)*")
_ATOMS: Final = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")


class WrittenHeader(str):
    """Value of a header field that the standard library takes over as it is, folded already."""

    __slots__ = ("name",)

    name: str

    def __new__(cls, name: str, value: str) -> Self:
        """Make the value of the field `name`."""
        made = super().__new__(cls, value)
        made.name = name
        return made

    def fold(self, *, policy: Policy) -> str:
        """Return the whole field; the library calls it."""
        return f"{self.name}: {self}".replace("\r\n", policy.linesep) + policy.linesep


def text_header(name: str, text: str) -> WrittenHeader:
    """Return a field of free text, such as `Subject`."""
    return WrittenHeader(name, _fold_text(text, len(name) + 2))


def address_header(name: str, mailboxes: Sequence[Mailbox]) -> WrittenHeader:
    """Return a field of addresses, whose domains are A-labels already; each has its line."""
    entries = (
        _fold_mailbox(each, len(name) + 2 if number == 0 else 1)
        for number, each in enumerate(mailboxes)
    )
    return WrittenHeader(name, f",{FOLD}".join(entries))


def mailbox_text(mailbox: Mailbox) -> str:
    """Return a mailbox as text of one line, in ASCII unless its address is beyond it."""
    return _fold_mailbox(mailbox, 0).replace(FOLD, " ")


def type_header(content_type: str, filename: str) -> WrittenHeader:
    """Return the type of an attachment, with its name for readers older than RFC 2231."""
    if _is_quotable(filename, _PARAMETER):
        name = _quoted_string(filename)
    else:
        # No RFC allows encoded words in a quoted string; all mail programs read them.
        name = f'"{FOLD.join(_encoded_words(filename, 7))}"'
    return WrittenHeader("Content-Type", f"{content_type};{FOLD}name={name}")


def disposition_header(filename: str) -> WrittenHeader:
    """Return the disposition of an attachment, with its name (RFC 2231)."""
    if _is_quotable(filename, _PARAMETER):
        parameters = [f"filename={_quoted_string(filename)}"]
    else:
        sections = list(_sections(filename))
        parameters = (
            [f"filename*=utf-8''{sections[0]}"]
            if len(sections) == 1
            else [
                f"filename*{number}*={'' if number else "utf-8''"}{section}"
                for number, section in enumerate(sections)
            ]
        )
    return WrittenHeader("Content-Disposition", f";{FOLD}".join(["attachment", *parameters]))


def _fold_text(text: str, column: int) -> str:
    if not text:
        return ""
    words = text.split(" ")
    longest = max(map(len, words))
    if _PLAIN_TEXT.fullmatch(text) and "=?" not in text and longest < _LINE - column:
        return _join_words(words, column)
    return FOLD.join(_encoded_words(text, column))


def _join_words(words: Iterable[str], column: int) -> str:
    """Return words with a blank between them, or a fold where a line would get too long."""
    parts: list[str] = []
    for word in words:
        if parts and column + 1 + len(word) > _LINE:
            parts.append(FOLD)
            column = 1
        elif parts:
            parts.append(" ")
            column += 1
        parts.append(word)
        column += len(word)
    return "".join(parts)


def _fold_mailbox(mailbox: Mailbox, column: int) -> str:
    if not mailbox.name:
        return mailbox.email
    name, address = mailbox.name, f"<{mailbox.email}>"
    if not _is_quotable(name, _QUOTED_STRING):
        words = list(_encoded_words(name, column))
    elif _ATOMS.fullmatch(name):
        words = [name]
    else:
        words = [_quoted_string(name)]
    if len(words) > 1:
        column = 1
    # A comma may follow.
    is_long = column + len(words[-1]) + 1 + len(address) >= _LINE
    return FOLD.join(words) + (FOLD if is_long else " ") + address


def _is_quotable(text: str, most: int) -> bool:
    """Tell whether a text can be a quoted string in which any reader finds just the text."""
    return len(text) <= most and _PLAIN_TEXT.fullmatch(text) is not None and "=?" not in text


def _quoted_string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _encoded_words(text: str, column: int) -> Iterator[str]:
    """Yield encoded words, one for each line; the first begins at `column` of its line.

    They carry the whole text, as readers drop only the white space between two.
    """
    # Character by character: an encoded word never holds a part of one (RFC 2047 5).
    encoded = [each.encode(errors="replace") for each in text]
    escapes = sum(byte not in _PLAIN_BYTES and byte != _BLANK for each in encoded for byte in each)
    bytes_in_all = sum(map(len, encoded))
    form: type[_QuotedForm | _Base64Form] = (
        _QuotedForm if bytes_in_all + 2 * escapes <= (bytes_in_all * 4) // 3 else _Base64Form
    )
    word, length = bytearray(), 0
    room = min(_WORD, _LINE - column) - _WORD_EDGES
    for each in encoded:
        size = form.size(each)
        if word and form.length(length + size) > room:
            yield f"=?utf-8?{form.write(bytes(word))}?="
            word, length = bytearray(), 0
            room = _WORD - _WORD_EDGES
        word += each
        length += size
    yield f"=?utf-8?{form.write(bytes(word))}?="


class _QuotedForm:
    """The form `q`: some bytes are written as they are."""

    @staticmethod
    def size(character: bytes) -> int:
        return sum(1 if byte in _PLAIN_BYTES or byte == _BLANK else 3 for byte in character)

    @staticmethod
    def length(size: int) -> int:
        return size

    @staticmethod
    def write(content: bytes) -> str:
        return "q?" + "".join(
            chr(byte) if byte in _PLAIN_BYTES else "_" if byte == _BLANK else f"={byte:02X}"
            for byte in content
        )


class _Base64Form:
    """The form `b`: four characters for three bytes."""

    @staticmethod
    def size(character: bytes) -> int:
        return len(character)

    @staticmethod
    def length(size: int) -> int:
        return -(-size // 3) * 4

    @staticmethod
    def write(content: bytes) -> str:
        return "b?" + b64encode(content).decode()


def _sections(text: str) -> Iterator[str]:
    """Yield a value in sections of RFC 2231, whose bytes beyond names of tokens are escaped."""
    section, size = "", 0
    for each in text:
        character = each.encode(errors="replace")
        if size + len(character) > _SECTION_BYTES:
            yield section
            section, size = "", 0
        section += quote(character, safe="")
        size += len(character)
    yield section
