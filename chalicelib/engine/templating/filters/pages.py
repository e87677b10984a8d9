"""The language that an HTML document says it is in."""

import re
from typing import Final

# Only the first tag counts, and of it so much, so that a hostile text is looked at once.
_TAG: Final = re.compile(r"<html(\s[^>]{0,1000})", re.IGNORECASE)
_LANGUAGE: Final = re.compile(
    r"""\slang\s*=\s*["']?\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,4})""", re.IGNORECASE
)
_LOOKED_AT: Final = 100_000


def page_language(html: str) -> str | None:
    """Return the tag in `<html lang="…">`, or None; it may be of a language that nobody knows."""
    tag = _TAG.search(html, 0, _LOOKED_AT)
    found = None if tag is None else _LANGUAGE.search(tag[1])
    return None if found is None else found[1]
