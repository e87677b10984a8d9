"""Whose conventions a run writes by: its locale and its time zone."""

from itertools import islice
from typing import Any, Final
from zoneinfo import ZoneInfo

from babel import Locale
from jinja2.exceptions import FilterArgumentError

from chalicelib.engine.templating.filters.faults import shown
from chalicelib.engine.templating.filters.habits import Habits
from chalicelib.engine.templating.filters.locales import DEFAULT, find_locale
from chalicelib.engine.templating.filters.pages import page_language
from chalicelib.engine.templating.filters.zones import find_zone

# The page's tag stands at the beginning of what is written.
_FIRST_PARTS: Final = 200


class Conventions:
    """The output's locale and zone, or the page's; one serves a process, run after run."""

    def __init__(self) -> None:
        """Begin with nothing asked for."""
        self.begin("", Habits())

    def begin(self, source: str, habits: Habits) -> list[str]:
        """Begin another run; returns the list that its text is to be put in, part by part."""
        self._source = source
        self._habits = habits
        self._found: Locale | None = None
        self._written: list[str] = []
        return self._written

    def locale(self, own: Any) -> Locale:
        """Return the locale that a filter names, else the run's."""
        if own is None:
            if self._found is None:
                self._found = self._of_run()
            return self._found
        found = find_locale(own) if isinstance(own, str) else None
        if found is None:
            raise FilterArgumentError(
                f"locale: {shown(own)} is not known. Use a BCP 47 tag such as 'de-CH'."
            )
        return found

    def zone(self, own: Any) -> ZoneInfo | None:
        """Return the time zone that a filter names, else the output's, or None."""
        if own is None:
            asked = self._habits.timezone
            return None if asked is None else find_zone(asked)
        found = find_zone(own) if isinstance(own, str) else None
        if found is None:
            raise FilterArgumentError(
                f"timezone: {shown(own)} is not known. Use a name such as 'Europe/Berlin'."
            )
        return found

    def _of_run(self) -> Locale:
        # What the template wrote comes first: its tag may be filled in from the data.
        written = "".join(islice(self._written, _FIRST_PARTS))
        tag = self._habits.locale or page_language(written) or page_language(self._source)
        found = find_locale(tag or DEFAULT) or find_locale(DEFAULT)
        assert found is not None
        return found
