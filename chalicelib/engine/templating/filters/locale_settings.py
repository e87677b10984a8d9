"""Whose conventions a run writes by: its locale and its time zone."""

from itertools import islice
from typing import Any, Final
from zoneinfo import ZoneInfo

from babel import Locale
from jinja2.exceptions import FilterArgumentError

from chalicelib.engine.templating.filters.locale_data import (
    DEFAULT_LOCALE,
    find_locale,
    find_time_zone,
)
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults, page_language
from chalicelib.engine.templating.filters.value_description import value_description

# The page's tag stands at the beginning of what is written.
_MAX_HEAD_PARTS: Final = 200


class LocaleSettings:
    """The output's locale and zone, or the page's; one serves a process, run after run."""

    def __init__(self) -> None:
        """Begin with nothing asked for."""
        self.begin_run("", LocaleDefaults())

    def begin_run(self, source: str, defaults: LocaleDefaults) -> list[str]:
        """Begin another run; returns the list that its text is to be put in, part by part."""
        self._source = source
        self._defaults = defaults
        self._locale: Locale | None = None
        self._output_parts: list[str] = []
        return self._output_parts

    def locale(self, tag: Any) -> Locale:
        """Return the locale that a filter names, else the run's."""
        if tag is None:
            if self._locale is None:
                self._locale = self._run_locale()
            return self._locale
        found = find_locale(tag) if isinstance(tag, str) else None
        if found is None:
            raise FilterArgumentError(
                f"locale: {value_description(tag)} is not known. Use a BCP 47 tag such as 'de-CH'."
            )
        return found

    def time_zone(self, name: Any) -> ZoneInfo | None:
        """Return the time zone that a filter names, else the output's, or None."""
        if name is None:
            asked = self._defaults.timezone
            return None if asked is None else find_time_zone(asked)
        found = find_time_zone(name) if isinstance(name, str) else None
        if found is None:
            raise FilterArgumentError(
                f"timezone: {value_description(name)} is not known. "
                "Use a name such as 'Europe/Berlin'."
            )
        return found

    def _run_locale(self) -> Locale:
        # What the template wrote comes first: its tag may be filled in from the data.
        written = "".join(islice(self._output_parts, _MAX_HEAD_PARTS))
        tag = self._defaults.locale or page_language(written) or page_language(self._source)
        found = find_locale(tag or DEFAULT_LOCALE) or find_locale(DEFAULT_LOCALE)
        assert found is not None
        return found
