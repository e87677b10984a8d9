"""Text of an HTML email for programs that show no HTML (decision 45)."""

import re
from html.parser import HTMLParser
from typing import Final, override

_HIDDEN: Final = frozenset({"script", "style", "head", "title", "template"})
_BLOCKS: Final = frozenset(
    {
        *("address", "article", "blockquote", "dd", "div", "dl", "dt", "fieldset", "figure"),
        *("footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main"),
        *("nav", "ol", "p", "pre", "section", "table", "tbody", "tfoot", "thead", "tr", "ul"),
    }
)
_CELLS: Final = frozenset({"td", "th"})
_SPACES: Final = re.compile(r"[ \t\r\n\f]+")
_BLANK_LINES: Final = re.compile(r"\n{3,}")


def plain_text(html: str) -> str:
    """Return what a document says, block by block; links are followed by their address."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = (line.strip() for line in "".join(reader.parts).split("\n"))
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()


class _Reader(HTMLParser):
    """Reader of the visible text; it never fails, however broken the markup is."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0
        self._links: list[tuple[str, int]] = []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in _HIDDEN:
            self._hidden += 1
        elif tag == "br":
            self.parts.append("\n")
        elif tag in _BLOCKS:
            self.parts.append("\n- " if tag == "li" else "\n")
        elif tag in _CELLS:
            self.parts.append(" ")
        elif tag == "a":
            self._links.append((values.get("href") or "", len(self.parts)))
        elif tag == "img" and not self._hidden:
            self.parts.append(values.get("alt") or "")

    @override
    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag in _BLOCKS:
            self.parts.append("\n\n" if tag in {"p", "table", "ul", "ol"} else "\n")
        elif tag == "a" and self._links:
            address, start = self._links.pop()
            if address and address not in "".join(self.parts[start:]):
                self.parts.append(f" ({address})")

    @override
    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(_SPACES.sub(" ", data))
