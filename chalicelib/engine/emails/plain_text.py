"""Plain text of an HTML email, for programs that show no HTML (decision 45)."""

import html as html_entities
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

_HIDDEN_ELEMENTS: Final = frozenset(
    {"head", "title", "style", "script", "template", "noscript", "svg", "object", "iframe"}
)
# Their content is no markup.
_RAW_ELEMENTS: Final = frozenset({"title", "style", "script", "iframe", "noscript"})
_VOID_ELEMENTS: Final = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
)
_PARAGRAPHS: Final = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "dl", "blockquote", "pre", "hr"}
)
_LINES: Final = frozenset(
    {"div", "tr", "li", "dt", "dd", "section", "article", "header", "footer", "main", "body"}
    | {"center", "address", "form", "fieldset", "figure", "caption", "thead", "tbody", "tfoot"}
)
_CELLS: Final = frozenset({"td", "th"})
_LISTS: Final = frozenset({"ul", "ol"})
# As the HTML standard reads them; what is not closed ends with the text. So no part of a text is
# looked at twice, however it is made.
_MARKUP: Final = re.compile(
    r"<!--(?:>|->|.*?(?:--!?>|\Z))"
    r"|<[!?][^>]*(?:>|\Z)"
    r"|</(?:[^a-zA-Z][^>]*|\Z)(?:>|\Z)"
    r"|<(?P<end>/?)(?P<tag>[a-zA-Z][^\s/>]*+)"
    r"(?P<attributes>(?:[^>=]|=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))?)*+)(?:>|\Z)",
    re.DOTALL,
)
_ATTRIBUTE: Final = re.compile(
    r"([^\s=/]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"?|'([^']*+)'?|([^\s]*+)))?", re.DOTALL
)
_LINK: Final = re.compile(r"(?:https?://|mailto:|tel:)\S+", re.IGNORECASE)
_HIDDEN_STYLE: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
# With characters that have no width, which preview texts of emails are filled with.
_WHITE_SPACE: Final = re.compile(r"[ \t\n\r\f\u200b\u200c\u034f\u00ad]+")
_BLANK_LINES: Final = re.compile(r"\n{3,}")
_RULE: Final = "-" * 20
_MAX_INDENT: Final = 8


def plain_text(html: str) -> str:
    """Return the plain text of HTML: links as `text (address)`, lists and cells readable."""
    writer = _TextWriter()
    position = 0
    while (markup := _MARKUP.search(html, position)) is not None:
        writer.write_data(html[position : markup.start()])
        position = markup.end()
        tag = (markup["tag"] or "").lower()
        if tag and markup["end"]:
            writer.end(tag)
        elif tag:
            writer.begin(tag, markup["attributes"])
            if tag in _RAW_ELEMENTS:
                end = re.compile(f"</{tag}", re.IGNORECASE).search(html, position)
                position = len(html) if end is None else end.start()
    writer.write_data(html[position:])
    return writer.text()


class _TextWriter:
    """Writer of text as markup is read; it needs no tree, so nesting costs nothing."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        # The pieces of the line that is being written, and what stands before them.
        self._line: list[str] = []
        self._bullet = ""
        self._has_text = False
        self._hidden_by = ""
        self._hidden_depth = 0
        self._link: str | None = None
        self._link_text: list[str] = []
        # The next number of each open list; None: it has bullets.
        self._numbers: list[int | None] = []
        self._pre_depth = 0

    def text(self) -> str:
        """Return all that was written."""
        self._end_link()
        self._end_line()
        return _BLANK_LINES.sub("\n\n", "\n".join(self._lines)).strip("\n")

    def begin(self, tag: str, attributes: str) -> None:
        """Begin an element, whose attributes are as the source has them."""
        if self._hidden_by:
            self._hidden_depth += tag == self._hidden_by
            return
        values = _attributes(attributes)
        if tag in _HIDDEN_ELEMENTS or _is_hidden(values):
            if tag not in _VOID_ELEMENTS:
                self._hidden_by, self._hidden_depth = tag, 1
            return
        if tag in _CELLS and self._has_text:
            self._write(" | ")
        self._separate(tag)
        self._begin_shown(tag, values)

    def _begin_shown(  # noqa: C901 -- one for each element
        self, tag: str, attributes: Mapping[str, str]
    ) -> None:
        match tag:
            case "ul":
                self._numbers.append(None)
            case "ol":
                self._numbers.append(1)
            case "li":
                self._bullet = self._next_bullet()
            case "pre":
                self._pre_depth += 1
            case "br":
                self._end_line()
            case "hr":
                self._lines += [_RULE, ""]
            case "img":
                self.write_data(attributes.get("alt", ""))
            case "a":
                self._end_link()
                self._link, self._link_text = attributes.get("href", "").strip(), []

    def end(self, tag: str) -> None:
        """End an element."""
        if self._hidden_by:
            self._hidden_depth -= tag == self._hidden_by
            if not self._hidden_depth:
                self._hidden_by = ""
            return
        if tag == "a":
            self._end_link()
        self._separate(tag)
        if tag == "pre":
            self._pre_depth = max(self._pre_depth - 1, 0)
        elif tag in _LISTS and self._numbers:
            self._numbers.pop()

    def write_data(self, data: str) -> None:
        """Write text as the source has it, with its character references."""
        if self._hidden_by or not data:
            return
        # A number of thousands of digits is no character.
        with suppress(ValueError):
            data = html_entities.unescape(data)
        if not self._pre_depth:
            self._write(_WHITE_SPACE.sub(" ", data))
            return
        first, *others = data.split("\n")
        self._write(first)
        for line in others:
            self._end_line()
            self._write(line)

    def _next_bullet(self) -> str:
        indent = "  " * min(max(len(self._numbers) - 1, 0), _MAX_INDENT)
        number = self._numbers[-1] if self._numbers else None
        if number is None:
            return f"{indent}- "
        self._numbers[-1] = number + 1
        return f"{indent}{number}. "

    def _end_link(self) -> None:
        link, text = self._link, "".join(self._link_text).strip()
        self._link = None
        if link is None or _LINK.fullmatch(link) is None:
            return
        if link.lower().startswith(("mailto:", "tel:")):
            link = link.partition(":")[2].partition("?")[0]
        if text != link:
            self._write(f" ({link})" if text else link)

    def _separate(self, tag: str) -> None:
        """End the line at the border of a block; a paragraph also has an empty line around it."""
        is_paragraph = tag in _PARAGRAPHS
        if not is_paragraph and tag not in _LINES:
            return
        if self._has_text:
            self._end_line()
        else:
            self._line.clear()
        is_in_list = bool(self._numbers) and (tag not in _LISTS or len(self._numbers) > 1)
        if is_paragraph and not is_in_list and self._lines and self._lines[-1]:
            self._lines.append("")

    def _write(self, text: str) -> None:
        if self._link is not None:
            self._link_text.append(text)
        self._line.append(text)
        self._has_text = self._has_text or not text.isspace()

    def _end_line(self) -> None:
        line = "".join(self._line)
        if not self._pre_depth:
            line = _WHITE_SPACE.sub(" ", line).strip()
        self._lines.append(f"{self._bullet}{line}".rstrip())
        self._line.clear()
        self._bullet, self._has_text = "", False


def _attributes(source: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(source):
        value = match[2] or match[3] or match[4] or ""
        with suppress(ValueError):
            value = html_entities.unescape(value)
        found.setdefault(match[1].lower(), value)
    return found


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    style = attributes.get("style", "")
    return "hidden" in attributes or _HIDDEN_STYLE.search(style) is not None
