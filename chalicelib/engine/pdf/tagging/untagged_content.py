"""Scanner for painting operators outside of marked content (ISO 32000-1, 14.6).

Written for streams as browsers write them: without inline images and named property lists.
"""

import re
from collections.abc import Callable
from typing import Final

# Resolves the XObject name before a `Do`: returns the name to draw as an artifact, the same or
# another, or None to leave the drawing as it is.
type ResolveXObject = Callable[[bytes], bytes | None]

_STRING: Final = rb"\((?:[^()\\]|\\.)*\)|<[0-9A-Fa-f\s]*>"
# One token for a whole tag as the browser writes it: most of a page is tagged.
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
    """Return the content stream with everything painted outside of tags marked as artifact."""
    return _ContentStreamScanner(content, resolve).marked_content()


class _ContentStreamScanner:
    """One pass over a content stream, operator by operator; skips tagged content as a whole."""

    def __init__(self, content: bytes, resolve: ResolveXObject) -> None:
        self._content = content
        self._resolve = resolve
        # Without strings and without BMC, every `EMC` in the bytes is an operator that ends a BDC.
        self._has_simple_marks = b"(" not in content and b"BMC" not in content
        self._edits: list[tuple[int, int, bytes]] = []
        self._names: list[bytes] = []
        # End of the last operator, and start of the unfinished path and text.
        self._end = 0
        self._path: int | None = None
        self._text = 0
        self._text_has_tags = False
        self._shown_ranges: list[tuple[int, int]] = []

    def marked_content(self) -> bytes:
        """Return the stream with all artifact marks."""
        position = 0
        while token := _TOKEN.search(self._content, position):
            position = token.end()
            if token.lastgroup == "tag":
                self._end = position = self._end_of_marked_content(position)
            elif token[0].startswith(b"/"):
                self._names.append(token[0][1:])
            elif not token[0].startswith((b"(", b"<")):
                handler = _OPERATOR_HANDLERS.get(token[0])
                if handler is not None:
                    position = handler(self, token.start(), position) or position
                self._names.clear()
                self._end = position
        return self._edited_content()

    def skip_tagged_content(self, _start: int, end: int) -> int | None:
        """Return the end of marked content that is tagged or an artifact, else None."""
        if self._names[0] != b"Artifact" and b"MCID" not in self._names:
            return None
        return self._end_of_marked_content(end)

    def _end_of_marked_content(self, start: int) -> int:
        """Return the end of marked content whose body begins at `start`."""
        self._text_has_tags = True
        end = self._content.find(_END_MARKED_CONTENT, start)
        if end >= 0 and self._has_simple_marks and _is_self_contained(self._content[start:end]):
            return end + len(_END_MARKED_CONTENT) - 1
        depth = 1
        for operator in _MARKED_CONTENT_OPERATOR.finditer(self._content, start):
            match operator[0]:
                case b"BDC" | b"BMC":
                    depth += 1
                case b"EMC":
                    depth -= 1
                case b"BT":
                    self.begin_text(operator.start(), operator.end())
                    self._text_has_tags = True
                case b"ET":
                    self.cover_text(operator.start(), operator.end())
            if not depth:
                return operator.end()
        return len(self._content)

    def begin_path(self, _start: int, _end: int) -> None:
        """Record the start of a path.

        Only path operators may stand between it and its painting (ISO 32000-1, 8.2), so that the
        mark must begin before it.
        """
        if self._path is None:
            self._path = self._end

    def cover_path(self, _start: int, end: int) -> None:
        """Mark a painted path."""
        if self._path is not None:
            self._cover(self._path, end)
        self._path = None

    def end_path(self, _start: int, _end: int) -> None:
        """Forget a path that is not painted."""
        self._path = None

    def begin_text(self, start: int, _end: int) -> None:
        """Record the start of a text object."""
        self._text = start
        self._text_has_tags = False

    def record_shown_text(self, _start: int, end: int) -> None:
        """Record a range that shows text."""
        self._shown_ranges.append((self._end, end))

    def cover_text(self, _start: int, end: int) -> None:
        """Mark a text object as a whole, or only its untagged shown text where it contains tags."""
        if self._shown_ranges and not self._text_has_tags:
            self._shown_ranges = [(self._text, end)]
        for text_range in self._shown_ranges:
            self._cover(*text_range)
        self._shown_ranges = []

    def cover_xobject(self, _start: int, end: int) -> None:
        """Mark the drawing of an XObject."""
        name = self._resolve(self._names[-1])
        if name is not None:
            self._edits.append((self._end, end, _AS_ARTIFACT % (b"/%s Do" % name)))

    def cover_shading(self, _start: int, end: int) -> None:
        """Mark a gradient."""
        self._cover(self._end, end)

    def _cover(self, start: int, end: int) -> None:
        self._edits.append((start, end, _AS_ARTIFACT % self._content[start:end].strip()))

    def _edited_content(self) -> bytes:
        pieces, copied_to = [], 0
        for start, end, text in self._edits:
            pieces += [self._content[copied_to:start], text]
            copied_to = end
        return b"".join([*pieces, self._content[copied_to:]])


def _is_self_contained(marked: bytes) -> bool:
    """Tell whether `marked` has no inner marks and only complete text objects."""
    if b"BDC" in marked:
        return False
    if b"T" not in marked:
        return True
    first_begin, last_end = marked.find(b"BT"), marked.rfind(b"ET")
    is_balanced = first_begin <= marked.find(b"ET") and marked.rfind(b"BT") <= last_end
    return is_balanced and marked.count(b"BT") == marked.count(b"ET")


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
