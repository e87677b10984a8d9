"""Names in content streams: the resources that a content may use.

Content is searched, not parsed: readers differ in damaged content, and a name too many does no
harm.
"""

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from pikepdf import Array, Dictionary, Object, Stream

from chalicelib.engine.pdf.document.stream_content import lossless_content

if TYPE_CHECKING:
    from chalicelib.engine.pdf.trees.parent_tree import ObjectId

# White space and delimiters end a name (ISO 32000-1, 7.2.2). A stream may end before the operator.
_NAME: Final = re.compile(
    rb"/([^\x00\t\n\f\r ()<>\[\]{}/%]*+)"
    rb"((?:[\x00\t\n\f\r ]++|%[^\r\n]{0,80}+[\r\n])*+(?:Do(?![^\x00\t\n\f\r ()<>\[\]{}/%])|\Z))?+"
)
_CODE: Final = re.compile(rb"#([0-9A-Fa-f]{2})")


class Names(NamedTuple):
    """Names of a content, and those of them that are drawn as XObjects, without slash."""

    all: frozenset[str]
    drawn: frozenset[str]


class ContentNames:
    """Names of the contents of a document: each stream, array of streams and font is read once."""

    def __init__(self) -> None:
        """Begin without names."""
        self._read: dict[ObjectId, Names | None] = {}

    def of(self, content: Object) -> Names | None:
        """Return the names of a stream, an indirect array of streams, or the glyphs of a font.

        None is the answer for content that cannot be read.
        """
        if content.objgen not in self._read:
            self._read[content.objgen] = self._names_of(content)
        return self._read[content.objgen]

    def _names_of(self, content: Object) -> Names | None:
        if isinstance(content, Stream):
            plain = lossless_content(content)
            return None if plain is None else content_names(plain)
        if isinstance(content, Array):
            listed: list[object] = list(content.as_list())
        else:
            glyphs = content.get("/CharProcs")
            listed = list(glyphs.as_dict().values()) if isinstance(glyphs, Dictionary) else []
        parts = [self.of(each) for each in listed if isinstance(each, Stream)]
        readable = [each for each in parts if each is not None]
        if len(readable) < len(parts):
            return None
        return Names(
            frozenset().union(*(each.all for each in readable)),
            frozenset().union(*(each.drawn for each in readable)),
        )


def content_names(content: bytes) -> Names:
    """Return the names of content as bytes."""
    found = {(each[1], each[2] is not None) for each in _NAME.finditer(content)}
    return Names(
        frozenset(_decode(name) for name, _ in found),
        frozenset(_decode(name) for name, is_drawn in found if is_drawn),
    )


def _decode(name: bytes) -> str:
    plain = _CODE.sub(lambda code: bytes([int(code[1], 16)]), name)
    return plain.decode(errors="surrogateescape")
