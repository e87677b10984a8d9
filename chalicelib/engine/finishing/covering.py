"""Where a content stream paints without a tag (ISO 32000-1, 14.6), and how that is covered.

Written for streams as browsers write them: no inline pictures, no property lists by name.
"""

import re
from collections.abc import Callable
from typing import Final

# How that is drawn whose name stands before a `Do`: as an artifact under that name or another, or,
# as None tells, as it is.
type Drawn = Callable[[bytes], bytes | None]

_STRING: Final = rb"\((?:[^()\\]|\\.)*\)|<[0-9A-Fa-f\s]*>"
# A tag as the browser opens it is one word: most of a page is tagged.
_WORD: Final = re.compile(
    rb"(?P<tag>/\w+ <</MCID \d+ >>BDC(?!\w))|/[^\s/<>\[\]()]*|[A-Za-z'\"][A-Za-z0-9*]*|" + _STRING,
    re.DOTALL,
)
_BRACKET: Final = re.compile(rb"(?<![\w/])(?:B[MD]C|EMC|BT|ET)(?!\w)|" + _STRING, re.DOTALL)
_END: Final = b"\nEMC\n"
_COVER: Final = b"\n/Artifact BMC\n%s\nEMC\n"


def covered(content: bytes, drawn: Drawn) -> bytes:
    """Return content in which all that is painted without a tag is an artifact."""
    return _Reading(content, drawn).result()


class _Reading:
    """One reading of a stream, operator by operator; what has a tag is passed over at once."""

    def __init__(self, content: bytes, drawn: Drawn) -> None:
        self._content = content
        self._drawn = drawn
        # Without strings, and marks without properties, ends of marks are where they seem to be.
        self._flat = b"(" not in content and b"BMC" not in content
        self._edits: list[tuple[int, int, bytes]] = []
        self._names: list[bytes] = []
        # Where the operator before ends, and where a path and a text begin that are not yet done.
        self._end = 0
        self._path: int | None = None
        self._text = 0
        self._text_has_tags = False
        self._shown: list[tuple[int, int]] = []

    def result(self) -> bytes:
        """Return the stream with all covers."""
        position = 0
        while word := _WORD.search(self._content, position):
            position = word.end()
            if word.lastgroup == "tag":
                self._end = position = self._after_marked(position)
            elif word[0].startswith(b"/"):
                self._names.append(word[0][1:])
            elif not word[0].startswith((b"(", b"<")):
                act = _ACTS.get(word[0])
                if act is not None:
                    position = act(self, word.start(), position) or position
                self._names.clear()
                self._end = position
        return self._edited()

    def open(self, _start: int, end: int) -> int | None:
        """Pass over marked content that is a tag's or an artifact."""
        if self._names[0] != b"Artifact" and b"MCID" not in self._names:
            return None
        return self._after_marked(end)

    def _after_marked(self, start: int) -> int:
        """Return where marked content ends that has begun before `start`."""
        self._text_has_tags = True
        end = self._content.find(_END, start)
        if end >= 0 and self._flat and _is_plain(self._content[start:end]):
            return end + len(_END) - 1
        depth = 1
        for bracket in _BRACKET.finditer(self._content, start):
            match bracket[0]:
                case b"BDC" | b"BMC":
                    depth += 1
                case b"EMC":
                    depth -= 1
                case b"BT":
                    self.begin_text(bracket.start(), bracket.end())
                    self._text_has_tags = True
                case b"ET":
                    self.end_text(bracket.start(), bracket.end())
            if not depth:
                return bracket.end()
        return len(self._content)

    def begin_path(self, _start: int, _end: int) -> None:
        """Remember where a path begins: nothing may stand between that and its painting."""
        if self._path is None:
            self._path = self._end

    def paint_path(self, _start: int, end: int) -> None:
        """Cover a path."""
        if self._path is not None:
            self._cover(self._path, end)
        self._path = None

    def end_path(self, _start: int, _end: int) -> None:
        """Forget a path that is not painted."""
        self._path = None

    def begin_text(self, start: int, _end: int) -> None:
        """Remember where a text begins."""
        self._text = start
        self._text_has_tags = False

    def show(self, _start: int, end: int) -> None:
        """Remember what a text shows."""
        self._shown.append((self._end, end))

    def end_text(self, _start: int, end: int) -> None:
        """Cover a text: as a whole, or what it shows, where there are tags in it."""
        if self._shown and not self._text_has_tags:
            self._shown = [(self._text, end)]
        for shown in self._shown:
            self._cover(*shown)
        self._shown = []

    def draw(self, _start: int, end: int) -> None:
        """Cover what is drawn by its name."""
        name = self._drawn(self._names[-1])
        if name is not None:
            self._edits.append((self._end, end, _COVER % (b"/%s Do" % name)))

    def shade(self, _start: int, end: int) -> None:
        """Cover a gradient."""
        self._cover(self._end, end)

    def _cover(self, start: int, end: int) -> None:
        self._edits.append((start, end, _COVER % self._content[start:end].strip()))

    def _edited(self) -> bytes:
        pieces, kept = [], 0
        for start, end, text in self._edits:
            pieces += [self._content[kept:start], text]
            kept = end
        return b"".join([*pieces, self._content[kept:]])


def _is_plain(marked: bytes) -> bool:
    """Tell whether nothing else is marked in it, and its texts begin and end in it."""
    if b"BDC" in marked:
        return False
    if b"T" not in marked:
        return True
    first, last = marked.find(b"BT"), marked.rfind(b"ET")
    whole = first <= marked.find(b"ET") and marked.rfind(b"BT") <= last
    return whole and marked.count(b"BT") == marked.count(b"ET")


_ACTS: Final[dict[bytes, Callable[[_Reading, int, int], int | None]]] = {
    **dict.fromkeys([b"BDC", b"BMC"], _Reading.open),
    **dict.fromkeys([b"m", b"re"], _Reading.begin_path),
    **dict.fromkeys([b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*", b"s", b"S"], _Reading.paint_path),
    b"n": _Reading.end_path,
    b"BT": _Reading.begin_text,
    b"ET": _Reading.end_text,
    **dict.fromkeys([b"Tj", b"TJ", b"'", b'"'], _Reading.show),
    b"Do": _Reading.draw,
    b"sh": _Reading.shade,
}
