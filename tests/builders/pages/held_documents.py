"""Documents that are not ready before the test lets them be."""

import uuid
from base64 import b64decode
from http.server import BaseHTTPRequestHandler
from threading import Event
from typing import Any, Final

from tests.builders.pages.canvas import PICTURE
from tests.builders.pages.web_site import Site
from tests.builders.waiting import PATIENCE_S

_HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: image/gif\r\nConnection: close\r\n\r\n"


class HeldDocument:
    """Document with a picture of a site that its page may reach; the site holds it back."""

    def __init__(self, site: Site) -> None:
        """Add the picture to the site."""
        self._site = site
        self._path = f"/{uuid.uuid4().hex}.gif"
        self._may_come = Event()
        site.pages[self._path] = self._answer

    @property
    def fields(self) -> dict[str, Any]:
        """Return the document and how long a page waits for it, for `ApiClient.render`."""
        html = f"<!doctype html><title>x</title><img src='{self._site.url(self._path)}'>"
        return {"html": html, "output": {"wait": {"timeout_ms": 60_000}}}

    def load_count(self) -> int:
        """Return how many pages have begun to load it."""
        return self._site.paths.count(self._path)

    def finish(self) -> None:
        """Let the pages that load it be ready, and all later ones."""
        self._may_come.set()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        self._may_come.wait(2 * PATIENCE_S)
        handler.wfile.write(_HEAD + b64decode(PICTURE.partition(",")[2]))
