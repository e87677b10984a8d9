"""Where documents that came as text stand: each at an https origin of its own, asked by nobody.

A page is made ready before its document is known, at an origin made by chance. Where a document
could tell its place to anybody, it is moved to one made of its text: the same request gives the
same bytes. All stand below one name, so that the move needs no other process.
"""

import hashlib
import re
import secrets
from typing import Final

# Of a name that never exists (RFC 6761).
_SITE: Final = "document.invalid"
_LABEL_DIGITS: Final = 24
# In lower case: what runs scripts, and what is asked for with the header `Origin`. A search begins
# with letters, which is fast.
_ORIGIN_REVEALING: Final = (
    re.compile(r"<(?:script|i?frame|object|embed|link|base)"),
    re.compile(r"on(?<=\Won)[a-z]{3,30}\s*="),
    re.compile(r"@import"),
    re.compile(r"url\([^)]{0,12}//"),
    re.compile(r"crossorigin"),
)


def new_origin() -> str:
    """Return an origin that no document had before."""
    return _origin(secrets.token_hex(_LABEL_DIGITS // 2))


def document_origin(html: str) -> str:
    """Return the origin that is this document's and no other's."""
    return _origin(hashlib.sha256(html.encode(errors="replace")).hexdigest()[:_LABEL_DIGITS])


def can_reveal_origin(html: str) -> bool:
    """Tell whether a document could show, or tell somebody, where it stands."""
    text = html.lower()
    return any(form.search(text) is not None for form in _ORIGIN_REVEALING)


def _origin(label: str) -> str:
    return f"https://{label}.{_SITE}"
