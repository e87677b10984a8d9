"""Passwords of PDFs, as ISO 32000-2, 7.6.4.3.3 prepares them: by SASLprep (RFC 4013)."""

import stringprep
import unicodedata
from collections.abc import Callable, Iterator
from typing import Final

# RFC 4013, 2.3, without unassigned characters: those who type a password may know newer ones.
_FORBIDDEN: Final[tuple[Callable[[str], bool], ...]] = (
    stringprep.in_table_c12,
    stringprep.in_table_c21_c22,
    stringprep.in_table_c3,
    stringprep.in_table_c4,
    stringprep.in_table_c5,
    stringprep.in_table_c6,
    stringprep.in_table_c7,
    stringprep.in_table_c8,
    stringprep.in_table_c9,
)


def prepare_password(text: str) -> str:
    """Return a password as readers prepare it.

    Raises ValueError, which says what to change and never shows the password, if that is
    impossible.
    """
    prepared = _normalize(text)
    if not prepared:
        message = "has no character that counts: it would open the document for everybody"
        raise ValueError(message)
    forbidden = next((each for each in prepared if _is_forbidden(each)), None)
    if forbidden is not None:
        message = f"has a character that PDF passwords must not have: U+{ord(forbidden):04X}"
        raise ValueError(message)
    if any(map(stringprep.in_table_d1, prepared)) and not _is_right_to_left(prepared):
        message = (
            "mixes writing from the right with writing from the left: letters must all be of one "
            "direction, and those from the right at both ends"
        )
        raise ValueError(message)
    return prepared


def spellings_of_password(text: str, older_alphabet: str) -> Iterator[bytes]:
    """Yield the bytes that writers of PDFs make of a password, the standard's first, each once."""
    spellings = [
        each.encode(errors="surrogatepass")
        for each in (
            *(_normalize(text), text),
            *(unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)),
        )
    ]
    # Before AES-256 passwords had the bytes of one alphabet.
    spellings.append(unicodedata.normalize("NFC", text).encode(older_alphabet, "replace"))
    yield from dict.fromkeys(spellings)


def _normalize(text: str) -> str:
    mapped = (
        " " if stringprep.in_table_c12(character) else character
        for character in text
        if not stringprep.in_table_b1(character)
    )
    return unicodedata.normalize("NFKC", "".join(mapped))


def _is_forbidden(character: str) -> bool:
    return any(has_character(character) for has_character in _FORBIDDEN)


def _is_right_to_left(text: str) -> bool:
    """Tell whether text conforms to RFC 3454, 6."""
    ends = stringprep.in_table_d1(text[0]) and stringprep.in_table_d1(text[-1])
    return ends and not any(map(stringprep.in_table_d2, text))
