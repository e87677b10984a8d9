"""Where a content stream paints without a tag (ISO 32000-1, 14.6), and how that is covered.

Written for streams as browsers write them: no inline pictures, no property lists by name.
"""

import re
from collections.abc import Callable
from typing import Final

# How that is drawn whose name stands before a `Do`: as an artifact under that name or another, or,
# as None tells, as it is.
type ResolveXObject = Callable[[bytes], bytes | None]

_STRING: Final = rb"\((?:[^()\\]|\\.)*\)|<[0-9A-Fa-f\s]*>"
# A tag as the browser opens it is one word: most of a page is tagged.
_TOKEN: Final = re.compile(
    rb"(?P<tag>/\w+ <</MCID \d+ >>BDC(?!\w))|/[^\s/<>\[\]()]*|[A-Za-z'\"][A-Za-z0-9*]*|" + _STRING,
    re.DOTALL,
)
_MARKED_CONTENT_OPERATOR: Final = re.compile(
    rb"(?<![\w/])(?:B[MD]C|EMC|BT|ET)(?!\w)|" + _STRING, re.DOTALL
)
_END_MARKED_CONTENT: Final = b"\nEMC\n"
_AS_ARTIFACT: Final = b"\n/Artifact BMC\n%s\nEMC\n"


def mark_untagged_as_artifact(content: bytes, resolve: ResolveXObject) -> bytes:
    """Return content in which all that is painted without a tag is an artifact."""
    return _ContentStreamScanner(content, resolve).marked_content()


class _ContentStreamScanner:
    """One reading of a stream, operator by operator; what has a tag is passed over at once."""

    def __init__(self, content: bytes, resolve: ResolveXObject) -> None:
        self._content = content
        self._resolve = resolve
        # Without strings, and marks without properties, ends of marks are where they seem to be.
        self._has_simple_marks = b"(" not in content and b"BMC" not in content
        self._edits: list[tuple[int, int, bytes]] = []
        self._names: list[bytes] = []
        # Where the operator before ends, and where a path and a text begin that are not yet done.
        self._end = 0
        self._path: int | None = None
        self._text = 0
        self._text_has_tags = False
        self._shown_ranges: list[tuple[int, int]] = []

    def marked_content(self) -> bytes:
        """Return the stream with all covers."""
        position = 0
        while word := _TOKEN.search(self._content, position):
            position = word.end()
            if word.lastgroup == "tag":
                self._end = position = self._end_of_marked_content(position)
            elif word[0].startswith(b"/"):
                self._names.append(word[0][1:])
            elif not word[0].startswith((b"(", b"<")):
                act = _OPERATOR_HANDLERS.get(word[0])
                if act is not None:
                    position = act(self, word.start(), position) or position
                self._names.clear()
                self._end = position
        return self._edited_content()

    def skip_tagged_content(self, _start: int, end: int) -> int | None:
        """Pass over marked content that is a tag's or an artifact."""
        if self._names[0] != b"Artifact" and b"MCID" not in self._names:
            return None
        return self._end_of_marked_content(end)

    def _end_of_marked_content(self, start: int) -> int:
        """Return where marked content ends that has begun before `start`."""
        self._text_has_tags = True
        end = self._content.find(_END_MARKED_CONTENT, start)
        if end >= 0 and self._has_simple_marks and _is_self_contained(self._content[start:end]):
            return end + len(_END_MARKED_CONTENT) - 1
        depth = 1
        for bracket in _MARKED_CONTENT_OPERATOR.finditer(self._content, start):
            match bracket[0]:
                case b"BDC" | b"BMC":
                    depth += 1
                case b"EMC":
                    depth -= 1
                case b"BT":
                    self.begin_text(bracket.start(), bracket.end())
                    self._text_has_tags = True
                case b"ET":
                    self.cover_text(bracket.start(), bracket.end())
            if not depth:
                return bracket.end()
        return len(self._content)

    def begin_path(self, _start: int, _end: int) -> None:
        """Remember where a path begins: nothing may stand between that and its painting."""
        if self._path is None:
            self._path = self._end

    def cover_path(self, _start: int, end: int) -> None:
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

    def record_shown_text(self, _start: int, end: int) -> None:
        """Remember what a text shows."""
        self._shown_ranges.append((self._end, end))

    def cover_text(self, _start: int, end: int) -> None:
        """Cover a text: as a whole, or what it shows, where there are tags in it."""
        if self._shown_ranges and not self._text_has_tags:
            self._shown_ranges = [(self._text, end)]
        for shown in self._shown_ranges:
            self._cover(*shown)
        self._shown_ranges = []

    def cover_xobject(self, _start: int, end: int) -> None:
        """Cover what is drawn by its name."""
        name = self._resolve(self._names[-1])
        if name is not None:
            self._edits.append((self._end, end, _AS_ARTIFACT % (b"/%s Do" % name)))

    def cover_shading(self, _start: int, end: int) -> None:
        """Cover a gradient."""
        self._cover(self._end, end)

    def _cover(self, start: int, end: int) -> None:
        self._edits.append((start, end, _AS_ARTIFACT % self._content[start:end].strip()))

    def _edited_content(self) -> bytes:
        pieces, kept = [], 0
        for start, end, text in self._edits:
            pieces += [self._content[kept:start], text]
            kept = end
        return b"".join([*pieces, self._content[kept:]])


def _is_self_contained(marked: bytes) -> bool:
    """Tell whether nothing else is marked in it, and its texts begin and end in it."""
    if b"BDC" in marked:
        return False
    if b"T" not in marked:
        return True
    first, last = marked.find(b"BT"), marked.rfind(b"ET")
    whole = first <= marked.find(b"ET") and marked.rfind(b"BT") <= last
    return whole and marked.count(b"BT") == marked.count(b"ET")


_OPERATOR_HANDLERS: Final[dict[bytes, Callable[[_ContentStreamScanner, int, int], int | None]]] = {
    **dict.fromkeys([b"BDC", b"BMC"], _ContentStreamScanner.skip_tagged_content),
    **dict.fromkeys([b"m", b"re"], _ContentStreamScanner.begin_path),
    **dict.fromkeys(
        [b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*", b"s", b"S"], _ContentStreamScanner.cover_path
    ),
    b"n": _ContentStreamScanner.end_path,
    b"BT": _ContentStreamScanner.begin_text,
    b"ET": _ContentStreamScanner.cover_text,
    **dict.fromkeys([b"Tj", b"TJ", b"'", b'"'], _ContentStreamScanner.record_shown_text),
    b"Do": _ContentStreamScanner.cover_xobject,
    b"sh": _ContentStreamScanner.cover_shading,
}
