"""State of a merged PDF between two items, and the numbers in it packed as bytes."""

from collections.abc import Iterable, Iterator
from struct import Struct as BinaryStruct
from typing import Final

import msgspec

# Numbers of the objects that others refer to before `finish` writes them.
CATALOG: Final = 1
INFO: Final = 2
STRUCTURE_ROOT: Final = 3
OUTLINE_ROOT: Final = 4
_FIRST_FREE: Final = 5
# Pages of one leaf of the page tree.
PAGES_PER_LEAF: Final = 64

NUMBER: Final = BinaryStruct("<I")
RUN: Final = BinaryStruct("<IHIH")
"""Objects in an object stream: first number, count, the stream's number, index of the first."""
OFFSET: Final = BinaryStruct("<II")
"""Object that stands by itself: number, offset in the file."""
PARENT_LEAF: Final = BinaryStruct("<III")
"""Leaf of the parent tree: object number, first key, last key."""
_NAME_LEAF: Final = BinaryStruct("<IHH")


class MergeState(msgspec.Struct):
    """Everything that the next item and the end of the file need of the items before.

    A few dozen bytes for each item: all that can be written is written with its item. It is
    serialised by msgspec.
    """

    next_number: int = _FIRST_FREE
    size: int = 0
    digest: bytes = b""
    last_index: int = -1
    version: str = "1.7"
    lang: str | None = None
    is_tagged: bool = True
    runs: list[bytearray] = []
    """Objects in object streams: few lists, each in order of the numbers."""
    offsets: bytearray = msgspec.field(default_factory=bytearray)
    shared: dict[bytes, int] = {}
    """Numbers of objects that later items may share, by digest."""
    pages: bytearray = msgspec.field(default_factory=bytearray)
    page_leaves: bytearray = msgspec.field(default_factory=bytearray)
    documents: bytearray = msgspec.field(default_factory=bytearray)
    parent_leaves: bytearray = msgspec.field(default_factory=bytearray)
    next_struct_parent: int = 0
    roles: dict[bytes, bytes] = {}
    classes: dict[str, int] = {}
    namespaces: list[int] = []
    names: dict[str, bytearray] = {}
    """Leaves of the name trees: number and limits, by key of the tree."""
    first_entry: int = 0
    last_entry: int = 0
    entry_count: int = 0
    entry: bytes = b""
    """Last entry of the outline: it is written once the next one has a number."""
    fields: bytearray = msgspec.field(default_factory=bytearray)
    field_names: list[str] = []
    fonts: dict[str, int] = {}
    """Default resources of the form."""
    layers: bytearray = msgspec.field(default_factory=bytearray)
    hidden_layers: bytearray = msgspec.field(default_factory=bytearray)

    @property
    def page_count(self) -> int:
        """Return the number of pages written so far."""
        return len(self.pages) // NUMBER.size

    def take_number(self) -> int:
        """Return the number of a new object."""
        self.next_number += 1
        return self.next_number - 1


def pack_numbers(numbers: Iterable[int]) -> bytes:
    """Return object numbers as bytes of the state."""
    return b"".join(map(NUMBER.pack, numbers))


def unpack_numbers(packed: bytearray) -> list[int]:
    """Return the object numbers that the state keeps as bytes."""
    return [number for (number,) in NUMBER.iter_unpack(packed)]


def pack_name_leaf(number: int, low: bytes, high: bytes) -> bytes:
    """Return a leaf of a name tree as bytes of the state."""
    return _NAME_LEAF.pack(number, len(low), len(high)) + low + high


def unpack_name_leaves(packed: bytearray) -> Iterator[tuple[bytes, bytes, int]]:
    """Yield the leaves of a name tree: lowest name, highest name, object number."""
    at = 0
    while at < len(packed):
        number, low_size, high_size = _NAME_LEAF.unpack_from(packed, at)
        at += _NAME_LEAF.size
        middle, end = at + low_size, at + low_size + high_size
        yield bytes(packed[at:middle]), bytes(packed[middle:end]), number
        at = end
