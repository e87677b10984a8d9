"""Answers at a document's own origin: the document itself and its assets."""

from typing import Final
from urllib.parse import urlsplit

from pybase64 import b64encode

from chalicelib.contract.options.assets import plain_path
from chalicelib.core.json import Json
from chalicelib.engine.browser.pool.origin import document_origin
from chalicelib.engine.browser.pool.prepared_page import PreparedPage, document_response
from chalicelib.engine.inputs.assets import AssetFiles

_NO_ASSETS: Final = "a document that came as text has no address of its own to add this to"
_NO_SUCH_ASSET: Final = "no asset of the request has this path"


class OwnOrigin:
    """Origin of one document, and what it answers there."""

    def __init__(self, prepared_page: PreparedPage) -> None:
        """Answer nothing until a document is served."""
        self._prepared_page = prepared_page
        self._html: str | None = None
        self._assets: AssetFiles = {}

    def serve(self, html: str, assets: AssetFiles) -> str:
        """Serve a document at an origin derived from its text; return its URL."""
        self._prepared_page.origin, self._html = document_origin(html), html
        self._assets = assets
        return f"{self._prepared_page.origin}/"

    @property
    def missing_reason(self) -> str:
        """Return why the origin has no answer to an address."""
        return f"{_NO_SUCH_ASSET}: send it in input.assets" if self._assets else _NO_ASSETS

    def holds(self, url: str) -> bool:
        """Tell whether a URL is at this origin."""
        return url.startswith(f"{self._prepared_page.origin}/")

    def has_asset(self, url: str) -> bool:
        """Tell whether a URL at this origin is that of an asset."""
        return bool(self._assets) and _path_of(url) in self._assets

    def take_document(self, request: str) -> dict[str, Json] | None:
        """Return the response to the first request of the page itself, None for a later one."""
        html, self._html = self._html, None
        return None if html is None else document_response(request, html)

    def asset_response(self, request: str, url: str) -> dict[str, Json] | None:
        """Return the response with the asset of a URL, or None without one."""
        if not self._assets or not self.holds(url):
            return None
        asset = self._assets[_path_of(url)]
        # What a style sheet requests elsewhere must not name the origin either (decision 18).
        headers = {"Content-Type": asset.content_type, "Referrer-Policy": "no-referrer"}
        return {
            "requestId": request,
            "responseCode": 200,
            "responseHeaders": [{"name": name, "value": text} for name, text in headers.items()],
            "body": b64encode(asset.content).decode(),
        }


def _path_of(url: str) -> str:
    return plain_path(urlsplit(url).path.removeprefix("/"))
