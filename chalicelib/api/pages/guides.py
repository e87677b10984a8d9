"""Guides: the site of docs/, which the set-up builds into files (decision 72)."""

import re
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from chalicelib.api.pages.built_files import BuiltFiles
from chalicelib.api.pages.content import Content, content_of
from chalicelib.api.pages.html_page import HTML_TYPE

PREFIX: Final = "/guides"
HOME: Final = "index"
_UNKNOWN: Final = "404.html"
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": HTML_TYPE,
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
# Sent as they are: they are compressed already.
_PACKED_TYPES: Final = {
    ".gif": "image/gif",
    ".jpg": "image/jpeg",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".webp": "image/webp",
}
# An address in a tag that begins at the root of the host; in a text there is no bare `<`.
_ROOTED: Final = re.compile(rb'(<[a-z][^<>]*\b(?:href|src)=")/')


class GuidesMissingError(Exception):
    """The site is not built; the text names the command."""


class Guides:
    """Files of the site by their path in it."""

    def __init__(self, folder: Path, base_path: str) -> None:
        """List the files; `base_path` is that of the API's host. Raises GuidesMissingError."""
        self._base = base_path.encode()
        self._files = BuiltFiles(folder, _TYPES | _PACKED_TYPES, self._read)
        unknown = self._files.find(_UNKNOWN)
        if unknown is None or f"{HOME}.html" not in self._files:
            message = f"{folder} has no guides: they come with the layer `guides`; run: make setup"
            raise GuidesMissingError(message)
        self.unknown: Final = unknown

    def find(self, path: str) -> Content | None:
        """Return the page at a path below the prefix, or the file; None if there is neither.

        Pages have no suffix in their address.
        """
        page = self._files.find(f"{path}.html")
        if page is not None or path.endswith(".html"):
            return page
        return self._files.find(path)

    def page_of(self, path: str) -> str | None:
        """Return the address of the page that another spelling of it means, or None.

        People add a slash, or the suffix that the page has as a file.
        """
        name = path.rstrip("/").removesuffix(".html")
        if name == path or f"{name}.html" not in self._files:
            return None
        return PREFIX if name == HOME else f"{PREFIX}/{name}"

    def _read(self, path: Path) -> Content:
        plain = path.read_bytes()
        if path.suffix in _PACKED_TYPES:
            return content_of(plain, _PACKED_TYPES[path.suffix], is_packed=True)
        if path.suffix == ".html" and self._base:
            plain = _ROOTED.sub(rb"\g<1>" + self._base + b"/", plain)
        return content_of(plain, _TYPES[path.suffix])


@cache
def guides(folder: str, base_path: str) -> Guides:
    """Return the site of this process; `folder` is that of the layer."""
    return Guides(Path(folder), base_path)


def base_path_of(api_host: str) -> str:
    """Return the path of the API's URL; it is empty if the API has a domain."""
    return urlsplit(api_host).path
