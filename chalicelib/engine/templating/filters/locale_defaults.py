"""What a run's filters write by where they are not told otherwise."""

import re
from typing import Any, Final, NamedTuple


class LocaleDefaults(NamedTuple):
    """The output's or the page's locale (a BCP 47 tag), and the output's IANA time zone."""

    locale: str | None = None
    timezone: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the form in which they travel."""
        return self._asdict()


# Only the first tag counts, and of it so much, so that a hostile text is looked at once.
_HTML_TAG: Final = re.compile(r"<html(\s[^>]{0,1000})", re.IGNORECASE)
_LANG_ATTRIBUTE: Final = re.compile(
    r"""\slang\s*=\s*["']?\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,4})""", re.IGNORECASE
)
_MAX_SEARCHED_CHARACTERS: Final = 100_000


def page_language(html: str) -> str | None:
    """Return the tag in `<html lang="…">`, or None; it may be of a language that nobody knows."""
    tag = _HTML_TAG.search(html, 0, _MAX_SEARCHED_CHARACTERS)
    found = None if tag is None else _LANG_ATTRIBUTE.search(tag[1])
    return None if found is None else found[1]
