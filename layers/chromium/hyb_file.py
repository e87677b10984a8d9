"""Hyphenation dictionary as Chromium reads it: the format of Android's minikin, "hyb".

The file is a trie of the patterns' letters in one array. Node and edge are places of the array: an
edge of node N with the letter C stands at N + C. So nodes may overlap as long as no two share a
number and no two edges a place.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from layers.running import LayerError

# Values of the gaps of each pattern, which end with the gap after its last letter. Those at the
# beginning may be missing. A word breaks where the highest value of all patterns is odd.
type Patterns = Mapping[str, Sequence[int]]

# Letter of a pattern before the first letter of a word and after the last.
WORD_EDGE: Final = "."
_MAGIC: Final = 0x62AD7968
_HEADER_BYTES: Final = 24
# Bounds of the table that is indexed by the character. The other is a sorted list.
_MAX_TABLE: Final = 1_024
_MAX_BYTE_CODE: Final = 255
_ENTRY_BITS: Final = 32
# Of languages that have it the capital of "i" has a dot.
_DOTLESS_I: Final = "\N{LATIN SMALL LETTER DOTLESS I}"
_MAX_VALUES: Final = 63


@dataclass(slots=True)
class _Node:
    """Node of the trie; equal subtrees become one node."""

    values: bytes = b""
    edges: dict[int, "_Node"] = field(default_factory=dict)
    number: int = 0


def hyb_file(patterns: Patterns) -> bytes:
    """Return the file of a language's patterns; raises LayerError when they do not fit."""
    codes = _letter_codes(patterns)
    root = _merge_equal(_trie(patterns, codes), {})
    nodes = list(_nodes_below(root))
    size = _place(nodes, len(codes))
    values = sorted({b"", *(node.values for node in nodes)})
    parts = [_alphabet(codes), _array(nodes, size, len(codes), values), _value_table(values)]
    offsets = [_HEADER_BYTES]
    for part in parts:
        offsets.append(offsets[-1] + len(part))
    return struct.pack("<6I", _MAGIC, 0, *offsets) + b"".join(parts)


def _letter_codes(patterns: Patterns) -> dict[str, int]:
    """Return the code of each letter; the edge of a word has 0."""
    letters = sorted({letter for text in patterns for letter in text} - {WORD_EDGE})
    return {WORD_EDGE: 0} | {letter: code for code, letter in enumerate(letters, start=1)}


def _trie(patterns: Patterns, codes: Mapping[str, int]) -> _Node:
    root = _Node()
    for text, values in patterns.items():
        node = root
        for letter in text:
            node = node.edges.setdefault(codes[letter], _Node())
        node.values = bytes(values).lstrip(b"\0")
    return root


def _merge_equal(node: _Node, known: dict[tuple[object, ...], _Node]) -> _Node:
    """Return the node whose subtree equals this one's: the first of them."""
    node.edges = {code: _merge_equal(below, known) for code, below in sorted(node.edges.items())}
    key = (node.values, *((code, id(each)) for code, each in node.edges.items()))
    return known.setdefault(key, node)


def _nodes_below(root: _Node) -> Iterator[_Node]:
    """Yield each node once, the root first."""
    seen = {id(root)}
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        for below in node.edges.values():
            if id(below) not in seen:
                seen.add(id(below))
                pending.append(below)


def _place(nodes: Sequence[_Node], letters: int) -> int:
    """Give each node its number, the root 0; return the length of the array.

    Nodes with many edges come first, while there is room; those with few fill the gaps.
    """
    root, *others = nodes
    numbers, places = {0}, set(root.edges)
    starts: dict[int, int] = {}
    for node in sorted(others, key=lambda each: -len(each.edges)):
        number = starts.get(len(node.edges), 0)
        while number in numbers or any(number + code in places for code in node.edges):
            number += 1
        node.number = starts[len(node.edges)] = number
        numbers.add(number)
        places.update(number + code for code in node.edges)
    # A look-up of any letter at the last node stays inside.
    return max(numbers) + letters


def _alphabet(codes: Mapping[str, int]) -> bytes:
    """Return the table of characters, capitals with the code of their small letter."""
    letters = {letter: code for letter, code in codes.items() if letter != WORD_EDGE}
    is_turkic = _DOTLESS_I in letters
    capitals = {_capital(letter, is_turkic=is_turkic): code for letter, code in letters.items()}
    # A capital of several characters ("SS") is none.
    table = {ord(each): code for each, code in (capitals | letters).items() if len(each) == 1}
    first, end = min(table), max(table) + 1
    if end - first <= _MAX_TABLE and len(codes) <= _MAX_BYTE_CODE:
        dense = bytes(table.get(character, 0) for character in range(first, end))
        return struct.pack("<3I", 0, first, end) + dense + b"\0" * (-len(dense) % 4)
    entries = [character << 11 | code for character, code in sorted(table.items())]
    return struct.pack(f"<2I{len(entries)}I", 1, len(entries), *entries)


def _capital(letter: str, *, is_turkic: bool) -> str:
    if letter == "ß":
        return "ẞ"
    return "İ" if letter == "i" and is_turkic else letter.upper()


def _array(nodes: Sequence[_Node], size: int, letters: int, values: Sequence[bytes]) -> bytes:
    link_shift = (letters - 1).bit_length()
    values_shift = link_shift + (size - 1).bit_length()
    if values_shift + (len(values) - 1).bit_length() > _ENTRY_BITS:
        raise LayerError(f"{size} places with {letters} letters and {len(values)} values")
    array = [0] * size
    numbers = {value: number for number, value in enumerate(values)}
    for node in nodes:
        array[node.number] |= numbers[node.values] << values_shift
        for code, below in node.edges.items():
            array[node.number + code] |= below.number << link_shift | code
    link_mask = (1 << values_shift) - (1 << link_shift)
    head = (0, (1 << link_shift) - 1, link_shift, link_mask, values_shift, size)
    return struct.pack(f"<6I{size}I", *head, *array)


def _value_table(values: Sequence[bytes]) -> bytes:
    """Return the values of the patterns: length, number of zeros at the end, place in a pool."""
    pool = b""
    entries = []
    for value in values:
        kept = value.rstrip(b"\0")
        if len(value) > _MAX_VALUES:
            raise LayerError(f"a pattern has {len(value)} letters")
        place = pool.find(kept)
        if place < 0:
            place, pool = len(pool), pool + kept
        entries.append(len(kept) << 26 | (len(value) - len(kept)) << 20 | place)
    start = 16 + 4 * len(entries)
    return struct.pack(f"<4I{len(entries)}I", 0, len(entries), start, len(pool), *entries) + pool
