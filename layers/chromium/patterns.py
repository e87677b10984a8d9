"""Hyphenation patterns of TeX (hyph-utf8), as modules of an npm package have them."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from layers.chromium.hyb_file import WORD_EDGE
from layers.npm import Package
from layers.running import LayerError

PATTERNS: Final = Package(
    "hyphen",
    "1.14.1",
    "sha512-kvL8xYl5QMTh+LwohVN72ciOxC0OEV79IPdJSTwEXok9y9QHebXGdFgrED4sWfiax/ODx++CAMk3hMy4XPJPOw==",
)
# The list that a module of the package exports.
_EXPORT: Final = re.compile(r"\}\)\(this, (\[.*\])\);\s*\Z", re.DOTALL)
_BARE_KEY: Final = re.compile(r'([{,]\s*)([^\s"{}\[\],:]+)\s*:')
# Values of exceptions: above all values of patterns, odd where the word breaks.
_NO_BREAK: Final = 10
_BREAK: Final = 11


def read_patterns(module: str) -> dict[str, list[int]]:
    """Return the patterns of a module of the package, exceptions among them; see `hyb_file`."""
    found = _EXPORT.search(module)
    if found is None:
        raise LayerError(f"a module of {PATTERNS.name} exports no list of patterns")
    table, trie, exceptions = json.loads(_BARE_KEY.sub(r'\1"\2":', found[1]))
    patterns = {text: _gaps(text, table[number]) for text, number in _pattern_numbers(trie)}
    return patterns | {
        f"{WORD_EDGE}{word}{WORD_EDGE}": _gaps_of_exception(word, hyphens)
        for word, hyphens in exceptions.items()
    }


# A node is the number of its pattern's values, its letters, or a list of both.
type _Trie = int | dict[str, _Trie] | list[_Trie]


def _pattern_numbers(trie: _Trie, text: str = "") -> Iterator[tuple[str, int]]:
    match trie:
        case int():
            yield text, trie
        case dict():
            for letter, below in trie.items():
                yield from _pattern_numbers(below, text + letter)
        case [letters, number]:
            yield from _pattern_numbers(number, text)
            yield from _pattern_numbers(letters, text)
        case _:
            raise LayerError(f"{PATTERNS.name} has no number of values for {text}")


def _gaps(text: str, values: Sequence[int]) -> list[int]:
    """Return the values of all gaps; those of the package begin at the first letter."""
    before = [0] if text.startswith(WORD_EDGE) else []
    return [*before, *values, *([0] * (len(text) + 1 - len(before) - len(values)))]


def _gaps_of_exception(word: str, hyphens: Sequence[int]) -> list[int]:
    """Return the values of all gaps; those of the package are places in "as-so-ciate"."""
    breaks = {place - before for before, place in enumerate(hyphens)}
    return [*(_BREAK if gap in breaks else _NO_BREAK for gap in range(1, len(word))), 0, 0]
