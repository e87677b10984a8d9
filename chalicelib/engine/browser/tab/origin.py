"""Origins of HTML documents: one unique https origin each, never requested (decision 18).

A page is prepared at a random origin, before its document is known. A document that could reveal
its origin is moved to one derived from its text, so that the same request gives the same bytes. All
origins belong to one site, so that the move needs no new renderer process.
"""

import hashlib
import re
import secrets
from typing import Final

from chalicelib.engine.browser.markup_search import MarkupSearch

# `.invalid` never resolves (RFC 6761 6.4).
_SITE: Final = "document.invalid"
_LABEL_DIGITS: Final = 24
_INTERNAL_ORIGIN: Final = re.compile(
    rf"(blob:)?https://[0-9a-f]{{{_LABEL_DIGITS}}}\.{re.escape(_SITE)}(?=[/?#]|$)"
)
# Markup that runs scripts, or that causes requests with an `Origin` header.
_ORIGIN_REVEALING: Final = MarkupSearch(
    r"<(?:script|i?frame|object|embed|link|base)",
    r"on(?<=\Won)[a-z]{3,40}\s*=",
    "@import",
    r"url\([^)]{0,12}//",
    "crossorigin",
)


def new_origin() -> str:
    """Return a random origin that no document had before."""
    return _origin(secrets.token_hex(_LABEL_DIGITS // 2))


def document_origin(html: str) -> str:
    """Return the origin derived from a document's text (SHA-256)."""
    return _origin(hashlib.sha256(html.encode(errors="replace")).hexdigest()[:_LABEL_DIGITS])


def without_origin(url: str) -> str:
    """Return a URL without an internal origin: no output shows one."""
    match = _INTERNAL_ORIGIN.match(url)
    return url if match is None else f"{match[1] or ''}{url[match.end() :]}"


def can_reveal_origin(html: str) -> bool:
    """Tell whether a document could show its origin or send it to a server."""
    return _ORIGIN_REVEALING.finds(html.lower())


def _origin(label: str) -> str:
    return f"https://{label}.{_SITE}"
