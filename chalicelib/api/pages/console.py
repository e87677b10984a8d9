"""Console: the application of console/, which the set-up builds into files (decision 82)."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from chalicelib.api.pages.built_files import BuiltFiles
from chalicelib.api.pages.content import Content, content_of
from chalicelib.api.pages.html_page import HTML_TYPE

PREFIX: Final = "/console"
# Files whose names have a digest of their content; all other paths are views.
ASSETS: Final = "assets/"
# The document around an email (decision 91).
MAIL: Final = "mail"
_PAGE: Final = "index.html"
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
# What the build writes in its page for an address below that of the console.
_RELATIVE: Final = re.compile(rb'(<[a-z][^<>]*\b(?:href|src)=")\./')
# Documents are pictures that scripts draw; styles are set by scripts, never written into markup.
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data: blob:; connect-src {hosts}; frame-src 'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
# What is in it has this policy too: an email may have styles and the pictures that it carries.
MAIL_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
_MAIL_PAGE: Final = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Email</title>
<style>
html, body { height: 100%; margin: 0; overflow: hidden; }
iframe { display: block; width: 100%; height: 100%; border: 0; }
</style>
"""


class ConsoleMissingError(Exception):
    """The console is not built; the text names the command."""


class Console:
    """The page and the files that it loads."""

    def __init__(self, folder: Path, base_path: str) -> None:
        """Read the page, and list the files; `base_path` is that of the API's host.

        Raises ConsoleMissingError.
        """
        if not (folder / _PAGE).is_file():
            message = f"{folder} has no console: it comes with the layer `console`; run: make setup"
            raise ConsoleMissingError(message)
        self._files = BuiltFiles(folder, _TYPES, _read)
        prefix = f"{base_path}{PREFIX}/".encode()
        plain = _RELATIVE.sub(rb"\g<1>" + prefix, (folder / _PAGE).read_bytes())
        self.page: Final = content_of(plain, HTML_TYPE)

    def find(self, path: str) -> Content | None:
        """Return the file at a path below the prefix, or None if there is none."""
        return self._files.find(path)


@cache
def mail_page() -> Content:
    """Return the document in which the console shows an email; it has no script."""
    return content_of(_MAIL_PAGE, HTML_TYPE)


def console_policy(file_hosts: Iterable[str]) -> str:
    """Return the policy of what the console may load; it reads files at these hosts."""
    origins = sorted({f"{url.scheme}://{url.netloc}" for url in map(urlsplit, file_hosts)})
    return _POLICY.format(hosts=" ".join(["'self'", *origins]))


@cache
def console(folder: str, base_path: str) -> Console:
    """Return the console of this process; `folder` is that of the layer."""
    return Console(Path(folder), base_path)


def _read(path: Path) -> Content:
    """Return a file, with the Brotli file that the build writes where it saves bytes."""
    packed = path.with_name(f"{path.name}.br")
    is_packed = not packed.is_file()
    content = content_of(path.read_bytes(), _TYPES[path.suffix], is_packed=is_packed)
    return content if is_packed else content._replace(brotli=packed.read_bytes())
