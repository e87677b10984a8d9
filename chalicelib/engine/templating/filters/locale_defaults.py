"""Defaults for the locale and time zone of a run's filters."""

import re
from typing import Final, NamedTuple

# Only the first 1 000 characters of the first tag count, so that a hostile text takes linear time.
_HTML_TAG: Final = re.compile(r"<html(\s[^>]{0,1000})", re.IGNORECASE)
_LANG_ATTRIBUTE: Final = re.compile(
    r"""\slang\s*=\s*["']?\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,4})""", re.IGNORECASE
)
_MAX_SEARCHED_CHARACTERS: Final = 100_000


class LocaleDefaults(NamedTuple):
    """The output's or the page's locale (a BCP 47 tag), and the output's IANA time zone."""

    locale: str | None = None
    timezone: str | None = None

    def to_json(self) -> dict[str, str | None]:
        """Return the JSON form, for the child process."""
        return self._asdict()


def page_language(html: str) -> str | None:
    """Return the tag in `<html lang="…">`, or None; the language may be unknown."""
    tag = _HTML_TAG.search(html, 0, _MAX_SEARCHED_CHARACTERS)
    match = None if tag is None else _LANG_ATTRIBUTE.search(tag[1])
    return None if match is None else match[1]
