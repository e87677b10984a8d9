"""Files beside a document that it names by relative addresses, as `input.assets` sends them."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final, override
from urllib.parse import unquote, urlsplit

from infra.operator.output import CommandError

# Attributes that make a browser load a file, by element; links to other pages are none.
_LOADED: Final = {
    ("img", "src"),
    ("img", "srcset"),
    ("source", "src"),
    ("source", "srcset"),
    ("link", "href"),
    ("script", "src"),
    ("image", "href"),
    ("image", "xlink:href"),
    ("use", "href"),
    ("use", "xlink:href"),
    ("object", "data"),
    ("embed", "src"),
    ("iframe", "src"),
    ("input", "src"),
    ("video", "poster"),
    ("body", "background"),
}
_CSS_ADDRESS: Final = re.compile(
    r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^"')\s]+))\s*\)|@import\s+(?:"([^"]*)"|'([^']*)')"""
)


def referenced_files(folder: Path, texts: Iterable[str], css: Iterable[str] = ()) -> list[str]:
    """Return the paths, below the folder, of the files that HTML texts and style sheets name.

    A style sheet's own references count. What is not there is left out: the service warns of it.
    """
    found: dict[str, None] = {}
    waiting = [("", address) for text in texts for address in _html_addresses(text)]
    waiting += [("", address) for text in css for address in css_addresses(text)]
    while waiting:
        base, address = waiting.pop(0)
        path = _relative_path(base, address)
        if path is None or path in found or not (folder / path).is_file():
            continue
        found[path] = None
        if path.endswith(".css"):
            sheet = read_file(folder / path).decode("utf-8", "replace")
            base = posixpath.dirname(path)
            waiting += [(base, each) for each in css_addresses(sheet)]
    return list(found)


def read_file(path: Path) -> bytes:
    """Return the content of a file; raises CommandError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandError("file_unreadable", f"{path}: {error.strerror}") from error


def css_addresses(text: str) -> Iterator[str]:
    """Yield the addresses in a style sheet."""
    for groups in _CSS_ADDRESS.findall(text):
        yield from filter(None, groups)


def _html_addresses(text: str) -> Iterator[str]:
    reader = _AddressReader()
    reader.feed(text)
    reader.close()
    yield from reader.addresses


def _relative_path(base: str, address: str) -> str | None:
    """Return the path of a relative address below the document's folder, or None for others."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return None
    if parts.scheme or parts.netloc or not parts.path or parts.path.startswith("/"):
        return None
    path = posixpath.normpath(posixpath.join(base, unquote(parts.path)))
    return None if path.startswith("..") or "\0" in path else path


class _AddressReader(HTMLParser):
    """Reader of the addresses in a document, its style sheets and style attributes included."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self._is_style = False

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_style = tag == "style"
        for name, value in attrs:
            if value and name == "style":
                self.addresses += css_addresses(value)
            elif value and name == "srcset":
                self.addresses += [each.split()[0] for each in value.split(",") if each.split()]
            elif value and (tag, name) in _LOADED:
                self.addresses.append(value)

    @override
    def handle_endtag(self, tag: str) -> None:
        self._is_style = False

    @override
    def handle_data(self, data: str) -> None:
        if self._is_style:
            self.addresses += css_addresses(data)
