"""Changes of the text of two documents: of lines, or of words where lines are broken otherwise.

The documents are compared as a whole, so a text that only moves to another page is no change.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby, islice
from typing import Final, NamedTuple

from chalicelib.engine.pdf_tools.comparing.comparison import (
    MAX_TEXT_CHANGES,
    MAX_TEXT_CHARACTERS,
    TextChange,
)

# Of each document. The time of a comparison grows with their product.
MAX_LINES: Final = 5_000
# Of one stretch that differs, whose lines or words are compared with each other.
_MAX_PAIRS: Final = 10_000
_MAX_WORDS: Final = 2_000
# So few equal words between two changes are read as a part of one change.
_MAX_BETWEEN: Final = 2
# Shares of equal words: of a paragraph that is broken otherwise, and of a changed line.
_SAME_PARAGRAPH: Final = 0.8
_SAME_LINE: Final = 0.5
_PARAGRAPH_WORDS: Final = 10


class _Text(NamedTuple):
    """Line or word, and the number of its page."""

    page: int
    text: str


class _Difference(NamedTuple):
    """Stretches of the two documents where they differ; one of them may be empty."""

    before: Sequence[_Text]
    after: Sequence[_Text]


def text_changes(first: Sequence[str], second: Sequence[str]) -> tuple[TextChange, ...]:
    """Return the changes between two documents, given as the texts of their pages, in order.

    There are at most MAX_TEXT_CHANGES, of the first MAX_LINES lines.
    """
    differences = _differences(_Difference(_lines(first), _lines(second)))
    changes = (change for each in differences for change in _changes_of_lines(each))
    return tuple(islice(changes, MAX_TEXT_CHANGES))


def _lines(pages: Sequence[str]) -> list[_Text]:
    lines = (
        _Text(page, " ".join(line.split()))
        for page, text in enumerate(pages, 1)
        for line in text.splitlines()
    )
    return list(islice((line for line in lines if line.text), MAX_LINES))


def _differences(whole: _Difference, between: int = 0) -> Iterator[_Difference]:
    """Yield what differs; up to `between` equal texts between two differences belong to both."""
    before, after = whole
    begun: tuple[int, int] | None = None
    end = (0, 0)
    for kind, i1, i2, j1, j2 in _matcher(whole).get_opcodes():
        if kind != "equal":
            begun, end = begun or (i1, j1), (i2, j2)
        elif begun is not None and i2 - i1 > between:
            yield _Difference(before[begun[0] : end[0]], after[begun[1] : end[1]])
            begun = None
    if begun is not None:
        yield _Difference(before[begun[0] : end[0]], after[begun[1] : end[1]])


def _matcher(whole: _Difference) -> SequenceMatcher[str]:
    before, after = ([each.text for each in side] for side in whole)
    return SequenceMatcher(None, before, after)


def _changes_of_lines(lines: _Difference) -> Iterator[TextChange]:
    """Yield the changes of a stretch of lines."""
    words = _Difference(_words(lines.before), _words(lines.after))
    share = _matcher(words).ratio() if max(map(len, words)) <= _MAX_WORDS else 0
    if share == 1:
        # Only the breaks of the lines are others.
        return
    is_paragraph = min(map(len, words)) >= _PARAGRAPH_WORDS and len(lines.before) != len(
        lines.after
    )
    if is_paragraph and share >= _SAME_PARAGRAPH:
        for each in _differences(words, _MAX_BETWEEN):
            yield from _changes(each, " ")
    else:
        for each in _line_pairs(lines):
            yield from _changes(each, "\n")


def _words(lines: Sequence[_Text]) -> list[_Text]:
    return [_Text(line.page, word) for line in lines for word in line.text.split()]


def _line_pairs(lines: _Difference) -> Iterator[_Difference]:
    """Yield pairs of lines that have become each other, and between them what has no other."""
    before, after = lines
    i = j = 0
    for old, new in _pairs(lines):
        yield _Difference(before[i:old], ())
        yield _Difference((), after[j:new])
        yield _Difference([before[old]], [after[new]])
        i, j = old + 1, new + 1
    yield _Difference(before[i:], ())
    yield _Difference((), after[j:])


def _pairs(lines: _Difference) -> list[tuple[int, int]]:
    """Return the places of lines that have become each other: the most alike, in their order."""
    rows, columns = len(lines.before), len(lines.after)
    if rows == columns == 1:
        return [(0, 0)]
    if rows * columns > _MAX_PAIRS:
        return []
    old, new = ([Counter(line.text.split()) for line in side] for side in lines)
    # The best sum of likenesses from a place on, as for the longest common subsequence.
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in reversed(range(rows)):
        for j in reversed(range(columns)):
            likeness = _likeness(old[i], new[j])
            best[i][j] = max(
                best[i + 1][j],
                best[i][j + 1],
                best[i + 1][j + 1] + likeness if likeness >= _SAME_LINE else 0,
            )
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < rows and j < columns:
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            pairs.append((i, j))
            i, j = i + 1, j + 1
    return pairs


def _likeness(old: Counter[str], new: Counter[str]) -> float:
    return 2 * (old & new).total() / (old.total() + new.total())


def _changes(texts: _Difference, separator: str) -> Iterator[TextChange]:
    """Yield one change of texts of both sides; texts of one side page by page."""
    before, after = texts
    if before and after:
        old, new = _joined_text(before, separator), _joined_text(after, separator)
        yield TextChange(after[0].page, "changed", old, new)
        return
    for page, some in groupby(before, lambda text: text.page):
        yield TextChange(page, "removed", _joined_text(some, separator), None)
    for page, some in groupby(after, lambda text: text.page):
        yield TextChange(page, "added", None, _joined_text(some, separator))


def _joined_text(texts: Iterator[_Text] | Sequence[_Text], separator: str) -> str:
    text = separator.join(each.text for each in texts)
    return text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[: MAX_TEXT_CHARACTERS - 1]}…"
