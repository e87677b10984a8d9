"""The letter: its date in each language."""

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from babel.dates import format_date

from tests.builders.gallery import A4

PAGES: Final = 1
SIZE: Final = A4
# Text from right to left and in columns is extracted in another order.
_LOCALES: Final = {"en": "en_GB", "el": "el", "uk": "uk", "hi": "hi", "zh-Hans": "zh", "ko": "ko"}


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield the date of each language that is written from left to right, and its greeting."""
    day = date.fromisoformat(data["opening"])
    for letter in data["letters"]:
        if locale := _LOCALES.get(letter["lang"]):
            yield format_date(day, "long", locale=locale)
            yield letter["greeting"]
