"""Identifiers `<prefix>_<ULID>`: random for new objects, derived for repeatable effects."""

import datetime as dt
import hashlib
import re
import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple, NewType, Protocol

from chalicelib.core.clock import epoch_ms

WorkspaceId = NewType("WorkspaceId", str)
RenderId = NewType("RenderId", str)
FileId = NewType("FileId", str)
UploadId = NewType("UploadId", str)
TemplateId = NewType("TemplateId", str)
DatasetId = NewType("DatasetId", str)
KeyId = NewType("KeyId", str)
EndpointId = NewType("EndpointId", str)
DeliveryId = NewType("DeliveryId", str)
BatchId = NewType("BatchId", str)
ConnectionId = NewType("ConnectionId", str)
SendId = NewType("SendId", str)
EmailRuleId = NewType("EmailRuleId", str)
DestinationId = NewType("DestinationId", str)
LinkId = NewType("LinkId", str)
StorageUploadId = NewType("StorageUploadId", str)

# Base 32 without I, L, O and U (ULID specification).
_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID: Final = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_RANDOM_BITS: Final = 80


class IdGenerator(Protocol):
    """Source of new identifiers, injected wherever code needs them."""

    def new(self, prefix: str, moment: dt.datetime) -> str:
        """Return a fresh `<prefix>_<ULID>` that sorts by `moment`."""
        ...


class RandomIdGenerator:
    """Generator of identifiers with 80 random bits."""

    def new(self, prefix: str, moment: dt.datetime) -> str:
        """Return a fresh `<prefix>_<ULID>` that sorts by `moment`."""
        return f"{prefix}_{_ulid(epoch_ms(moment), secrets.randbits(_RANDOM_BITS))}"


class IdSeed(NamedTuple):
    """Source of the ids of all objects that one request makes."""

    text: str
    moment: dt.datetime

    def id(self, prefix: str, number: int = 0) -> str:
        """Return the id of the object with this number among those of the prefix."""
        return derived_id(prefix, self.moment, self.text, str(number))


class _Given(NamedTuple):
    seed: IdSeed
    counts: Counter[str]


_GIVEN: Final[ContextVar[_Given | None]] = ContextVar("given", default=None)


@contextmanager
def repeatable_ids(seed: IdSeed) -> Iterator[None]:
    """Derive the ids that RepeatableIds gives inside: a repeat gets the same ones."""
    token = _GIVEN.set(_Given(seed, Counter()))
    try:
        yield
    finally:
        _GIVEN.reset(token)


class RepeatableIds:
    """Generator whose ids a repeated request gets again, of the prefixes of objects that stay."""

    def __init__(self, ids: IdGenerator, prefixes: frozenset[str]) -> None:
        """Take all other ids from `ids`."""
        self._ids = ids
        self._prefixes = prefixes

    def new(self, prefix: str, moment: dt.datetime) -> str:
        """Return an id of the seed of the request, or a fresh one."""
        given = _GIVEN.get()
        if given is None or prefix not in self._prefixes:
            return self._ids.new(prefix, moment)
        # The n-th id of a prefix: a repeat asks for them in the same order (decision 62).
        number = given.counts[prefix]
        given.counts[prefix] += 1
        return given.seed.id(prefix, number)


def derived_id(prefix: str, moment: dt.datetime, *parts: str) -> str:
    """Return the id that the same `moment` and `parts` always give.

    Its random part is 80 bits of the SHA-256 of prefix and parts: a repeated attempt writes the
    same object again instead of a second one.
    """
    # The separator keeps `a`, `bc` and `ab`, `c` apart.
    digest = hashlib.sha256("\0".join((prefix, *parts)).encode()).digest()
    return f"{prefix}_{_ulid(epoch_ms(moment), int.from_bytes(digest[:10]))}"


def lowest_id(prefix: str, milliseconds: int) -> str:
    """Return the lowest id of a moment (milliseconds since 1970), as a bound for range reads."""
    return f"{prefix}_{_ulid(max(0, milliseconds), 0)}"


def id_created_at(text: str) -> dt.datetime:
    """Return the moment at which an id was made, to the millisecond."""
    milliseconds = 0
    for digit in text.partition("_")[2][:10]:
        milliseconds = milliseconds * 32 + _CROCKFORD.index(digit)
    return dt.datetime.fromtimestamp(milliseconds / 1000, dt.UTC)


def is_id(prefix: str, text: str) -> bool:
    """Tell whether `text` has the form `<prefix>_<ULID>`."""
    head, _, tail = text.partition("_")
    return head == prefix and _ULID.fullmatch(tail) is not None


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of the data in lower-case hex."""
    return hashlib.sha256(data).hexdigest()


def _ulid(milliseconds: int, randomness: int) -> str:
    value = (milliseconds << _RANDOM_BITS) | randomness
    return "".join(_CROCKFORD[(value >> shift) & 31] for shift in range(125, -1, -5))
