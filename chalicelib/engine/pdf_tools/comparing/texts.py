"""Changes of the text of two documents: of lines, and of words where lines are broken anew.

The documents are compared as a whole, so a text that only moves to another page is no change.
"""

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
_MAX_WORDS: Final = 2_000
# So few equal words between two changes are read as a part of one change.
_MAX_BETWEEN: Final = 2


class _Text(NamedTuple):
    """Line or word, and the number of its page."""

    page: int
    text: str


class _Difference(NamedTuple):
    """Stretches that stand for each other; one of them may be empty."""

    before: Sequence[_Text]
    after: Sequence[_Text]


def text_changes(first: Sequence[str], second: Sequence[str]) -> tuple[TextChange, ...]:
    """Return the changes between two documents, given as the texts of their pages, in order.

    There are at most MAX_TEXT_CHANGES, of the first MAX_LINES lines.
    """
    differences = _differences(_lines(first), _lines(second), between=0)
    changes = (change for each in differences for change in _changes(each))
    return tuple(islice(changes, MAX_TEXT_CHANGES))


def _lines(pages: Sequence[str]) -> list[_Text]:
    lines = (
        _Text(page, " ".join(line.split()))
        for page, text in enumerate(pages, 1)
        for line in text.splitlines()
    )
    return list(islice((line for line in lines if line.text), MAX_LINES))


def _differences(
    before: Sequence[_Text], after: Sequence[_Text], *, between: int
) -> Iterator[_Difference]:
    """Yield what differs; up to `between` equal texts between two differences belong to both."""
    matcher = SequenceMatcher(
        None, [each.text for each in before], [each.text for each in after], autojunk=between == 0
    )
    begun: tuple[int, int] | None = None
    end = (0, 0)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind != "equal":
            begun, end = begun or (i1, j1), (i2, j2)
        elif begun is not None and i2 - i1 > between:
            yield _Difference(before[begun[0] : end[0]], after[begun[1] : end[1]])
            begun = None
    if begun is not None:
        yield _Difference(before[begun[0] : end[0]], after[begun[1] : end[1]])


def _changes(lines: _Difference) -> Iterator[TextChange]:
    """Yield the changes of a stretch of lines."""
    before, after = lines
    if not before or not after:
        yield from _one_sided(lines)
        return
    old_words, new_words = _words(before), _words(after)
    if [word.text for word in old_words] == [word.text for word in new_words]:
        return
    if len(before) == len(after):
        for old, new in zip(before, after, strict=True):
            yield TextChange(new.page, "changed", _cut(old.text), _cut(new.text))
    else:
        yield from _changed_words(old_words, new_words)


def _one_sided(lines: _Difference) -> Iterator[TextChange]:
    """Yield the lines that only one document has, page by page."""
    for page, some in groupby(lines.before, lambda line: line.page):
        yield TextChange(page, "removed", _joined(list(some), "\n"), None)
    for page, some in groupby(lines.after, lambda line: line.page):
        yield TextChange(page, "added", None, _joined(list(some), "\n"))


def _changed_words(before: Sequence[_Text], after: Sequence[_Text]) -> Iterator[TextChange]:
    """Yield the words that differ in lines that are broken otherwise."""
    if max(len(before), len(after)) > _MAX_WORDS:
        yield TextChange(after[0].page, "changed", _joined(before, " "), _joined(after, " "))
        return
    for old, new in _differences(before, after, between=_MAX_BETWEEN):
        if old and new:
            yield TextChange(new[0].page, "changed", _joined(old, " "), _joined(new, " "))
        elif old:
            yield TextChange(old[0].page, "removed", _joined(old, " "), None)
        else:
            yield TextChange(new[0].page, "added", None, _joined(new, " "))


def _words(lines: Sequence[_Text]) -> list[_Text]:
    return [_Text(line.page, word) for line in lines for word in line.text.split()]


def _joined(texts: Sequence[_Text], separator: str) -> str:
    return _cut(separator.join(each.text for each in texts))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[: MAX_TEXT_CHARACTERS - 1]}…"
