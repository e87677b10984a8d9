"""The language that an HTML document says it is in."""

import re
from typing import Final

# Bounded, so that a hostile text is not looked at again and again.
_LANGUAGE: Final = re.compile(
    r"""<html\s[^>]{0,1000}?(?<=\s)lang\s{0,9}=\s{0,9}["']?\s{0,9}([A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,4})""",
    re.IGNORECASE,
)
_LOOKED_AT: Final = 100_000


def page_language(html: str) -> str | None:
    """Return the tag in `<html lang="…">`, or None; it may be of a language that nobody knows."""
    found = _LANGUAGE.search(html, 0, _LOOKED_AT)
    return None if found is None else found[1]
