"""Text format of API keys: `plt_<mode>_<24 characters: id>_<34: secret><6: checksum>`, base62.

The checksum is the CRC-32 of everything before it, so a mistyped or shortened key, a key of another
service and a swapped mode are recognised without a read of the table. Scanners for leaked secrets
can tell a key from a random text.
"""

import hashlib
import re
import secrets
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from chalicelib.features.workspaces.model import Mode

_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_LENGTH: Final = 24
_RANDOM_LENGTH: Final = 34
_CHECKSUM_LENGTH: Final = 6
_FORMAT: Final = re.compile(r"plt_(live|test)_([0-9A-Za-z]{24})_([0-9A-Za-z]{40})")


@dataclass(frozen=True, slots=True)
class GeneratedKey:
    """New key; its text is shown once, and only the hash of its secret is stored."""

    text: str
    key_id: str
    sha256_hex: str


@dataclass(frozen=True, slots=True)
class ParsedKey:
    """Parts of a well-formed key."""

    mode: Mode
    key_id: str
    sha256_hex: str


def generate(
    mode: Mode,
    *,
    key_id: str | None = None,
    random_below: Callable[[int], int] = secrets.randbelow,
) -> GeneratedKey:
    """Generate a key, or a new secret for the key `key_id`; `random_below(n)` returns 0..n-1."""
    key_id = key_id or _random_characters(_ID_LENGTH, random_below)
    body = f"plt_{mode}_{key_id}_{_random_characters(_RANDOM_LENGTH, random_below)}"
    text = body + checksum(body)
    return GeneratedKey(text, key_id, _secret_hash(text))


def parse(text: str) -> ParsedKey | None:
    """Parse a key; return None if the format or the checksum is wrong."""
    match = _FORMAT.fullmatch(text)
    if match is None or checksum(text[:-_CHECKSUM_LENGTH]) != text[-_CHECKSUM_LENGTH:]:
        return None
    return ParsedKey("live" if match[1] == "live" else "test", match[2], _secret_hash(text))


def checksum(body: str) -> str:
    """Return the CRC-32 of the text in base62, six digits."""
    rest = zlib.crc32(body.encode())
    digits = []
    for _ in range(_CHECKSUM_LENGTH):
        rest, digit = divmod(rest, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


def _random_characters(count: int, random_below: Callable[[int], int]) -> str:
    return "".join(_ALPHABET[random_below(len(_ALPHABET))] for _ in range(count))


def _secret_hash(text: str) -> str:
    return hashlib.sha256(text.rpartition("_")[2].encode()).hexdigest()
