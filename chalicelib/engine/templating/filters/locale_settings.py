"""Locale and time zone that a run's filters format by."""

from itertools import islice
from typing import Final
from zoneinfo import ZoneInfo

from babel import Locale
from jinja2.exceptions import FilterArgumentError

from chalicelib.engine.templating.filters.locale_data import (
    DEFAULT_LOCALE,
    find_locale,
    find_time_zone,
)
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults, page_language
from chalicelib.engine.templating.value_description import value_description

# The page's language is in one of the first parts of the output.
_MAX_HEAD_PARTS: Final = 200


class LocaleSettings:
    """The output's locale and time zone, or the page's; one object serves run after run."""

    def __init__(self) -> None:
        """Start without defaults."""
        self.begin_run("", LocaleDefaults())

    def begin_run(self, source: str, defaults: LocaleDefaults) -> list[str]:
        """Begin another run; return the list to which the renderer appends its output."""
        self._source = source
        self._defaults = defaults
        self._locale: Locale | None = None
        self._output_parts: list[str] = []
        return self._output_parts

    def locale(self, tag: object) -> Locale:
        """Return the locale that a filter names, or else the run's."""
        if tag is None:
            if self._locale is None:
                self._locale = self._run_locale()
            return self._locale
        known = find_locale(tag) if isinstance(tag, str) else None
        if known is None:
            raise FilterArgumentError(
                f"locale: {value_description(tag)} is not known. Use a BCP 47 tag such as 'de-CH'."
            )
        return known

    def time_zone(self, name: object) -> ZoneInfo | None:
        """Return the time zone that a filter names, or else the output's, or None."""
        if name is None:
            default_name = self._defaults.timezone
            return None if default_name is None else find_time_zone(default_name)
        known = find_time_zone(name) if isinstance(name, str) else None
        if known is None:
            raise FilterArgumentError(
                f"timezone: {value_description(name)} is not known. "
                "Use a name such as 'Europe/Berlin'."
            )
        return known

    def _run_locale(self) -> Locale:
        # The output comes before the source: its language may come from the data.
        output_head = "".join(islice(self._output_parts, _MAX_HEAD_PARTS))
        tag = self._defaults.locale or page_language(output_head) or page_language(self._source)
        known = find_locale(tag or DEFAULT_LOCALE) or find_locale(DEFAULT_LOCALE)
        assert known is not None
        return known
