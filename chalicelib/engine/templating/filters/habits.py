"""What a run's filters write by where they are not told otherwise."""

from typing import Any, NamedTuple


class Habits(NamedTuple):
    """The output's or the page's locale (a BCP 47 tag), and the output's IANA time zone."""

    locale: str | None = None
    timezone: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the form in which they travel."""
        return self._asdict()
