"""Titles of the outline with the blanks of their headings.

The browser joins the drawn lines of a heading, and draws neither a blank at the end of a line nor a
line break. The letters of a title, such as those of `text-transform`, are the browser's; the blanks
between them are the document's.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from chalicelib.engine.pdf.text.printed_objects import (
    TEXT_STRING,
    PrintedObjects,
    string_of_text,
    text_of_string,
)

_TITLE: Final = re.compile(rb"<</Title (%b)" % TEXT_STRING, re.DOTALL)
_REFERENCE: Final = re.compile(rb"\n/(First|Next) ([0-9]+) 0 R")
# Hyphens too: the browser draws those of divided words.
_GAP: Final = re.compile("[\\s\u00ad\u2010-]+")
_SOFT_HYPHEN: Final = "\u00ad"
# Headings that are not in the outline: what is hidden, or drawn as a picture.
_MAX_SKIPPED: Final = 20


class _Letter(NamedTuple):
    """Letter of a text, the gap before it, its place in the key of the text, and its end."""

    letter: str
    gap: str
    place: int
    end: int


def titled_objects(
    objects: PrintedObjects, root: int, headings: Sequence[str]
) -> Mapping[int, bytes]:
    """Return the new texts of outline entries whose titles lack blanks; `root` is the outline."""
    entries = list(_entries(objects, root))
    old = [text_of_string(match[1]) for _, match in entries]
    changed = dict[int, bytes]()
    for (number, match), before, after in zip(entries, old, titles(old, headings), strict=True):
        if after != before:
            text = match.string
            changed[number] = text[: match.start(1)] + string_of_text(after) + text[match.end(1) :]
    return changed


def titles(drawn: Sequence[str], headings: Sequence[str]) -> list[str]:
    """Return the titles with the gaps of the headings, which come in the same order."""
    keys, places = [_key(heading) for heading in headings], defaultdict[str, list[int]](list)
    for place, key in enumerate(keys):
        places[key].append(place)
    result, begin = list[str](), 0
    for title in drawn:
        key = _key(title)
        equal = places.get(key, [])
        after = bisect_left(equal, begin)
        near = range(begin, min(begin + _MAX_SKIPPED, len(keys)))
        within = (each for each in near if keys[each] and keys[each] in key)
        found = next(chain(equal[after : after + 1], within), None)
        if found is None or not key:
            result.append(title)
            continue
        begin = found + 1
        result.append(_with_gaps(title, headings[found], key.index(keys[found])))
    return result


def _with_gaps(title: str, heading: str, offset: int) -> str:
    """Return the title, from a place of its key on, with the gaps of the heading."""
    letters, own = list(_letters(title)), list(_letters(heading))
    gaps = {each.place + offset: each.gap for each in own}
    # What stands before the heading is generated, and so is the gap after it.
    gaps.pop(offset, None)
    parts = [gaps.get(each.place, each.gap) + each.letter for each in letters]
    return _clean("".join(parts) + title[letters[-1].end :])


def _letters(text: str) -> Iterator[_Letter]:
    place = end = 0
    for found in re.finditer("[^\\s\u00ad\u2010-]", text):
        yield _Letter(found[0], text[end : found.start()], place, found.end())
        place += len(found[0].upper())
        end = found.end()


def _key(text: str) -> str:
    return _GAP.sub("", text).upper()


def _clean(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace(_SOFT_HYPHEN, "")).strip()


def _entries(objects: PrintedObjects, root: int) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Yield numbers and titles of the entries, in the order of the document."""
    waiting, visited = [root], set[int]()
    while waiting:
        number = waiting.pop()
        if number in visited:
            continue
        visited.add(number)
        text = objects.text_of(number)
        title = _TITLE.match(text)
        if title is not None:
            yield number, title
        references = dict(_REFERENCE.findall(text, title.end() if title else 0))
        waiting += [int(references[key]) for key in (b"Next", b"First") if key in references]
