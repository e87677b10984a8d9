"""Formatting with `%`: numbers are formatted as decimals, never in binary."""

import re
from collections.abc import Mapping
from typing import Final

from chalicelib.engine.templating.number import Number, to_number
from chalicelib.engine.templating.unprintable import PrintNull

# Key, flags, width, precision and kind of a conversion.
_CONVERSION: Final = re.compile(
    r"%(?:\(([^()]*)\))?([#0\- +]*)(\*|[0-9]*)(?:\.(\*|[0-9]*))?[hlL]?([a-zA-Z%])"
)
_DEFAULT_PLACES: Final = 6


def format_percent[Text: str](template: Text, values: object, print_null: PrintNull) -> Text:
    """Return `template % values`; null is printed as nothing."""
    arguments = _Arguments(values, print_null)
    replaced = _CONVERSION.sub(arguments.fill_in, template)
    return type(template)(type(template)(replaced) % arguments.rest())


class _Arguments:
    """Values of a formatting: decimals and nulls are filled in, the rest is kept for Python."""

    def __init__(self, values: object, print_null: PrintNull) -> None:
        self._mapping = values if isinstance(values, Mapping) else None
        self._pending = [*values][::-1] if isinstance(values, tuple) else [values]
        self._kept: list[object] = []
        self._print_null = print_null

    def fill_in(self, match: re.Match[str]) -> str:
        """Return the text of a conversion, or the conversion itself where Python does it."""
        key, flags, width, places, kind = match.groups()
        if kind == "%":
            return match[0]
        if self._mapping is not None:
            if key not in self._mapping:
                return match[0]
            text = self._text(self._mapping[key], flags, width, places, kind)
            return match[0] if text is None else text
        stars = self._take((width, places).count("*"))
        sizes = iter(stars)
        width, places = (next(sizes, size) if size == "*" else size for size in (width, places))
        values = self._take(1)
        text = self._text(values[0], flags, width, places, kind) if values else None
        if text is None:
            self._kept += [*stars, *values]
        return match[0] if text is None else text

    def rest(self) -> object:
        """Return the values that Python formats."""
        return (*self._kept, *self._pending[::-1]) if self._mapping is None else self._mapping

    def _take(self, count: int) -> list[object]:
        return [self._pending.pop() for _ in range(min(count, len(self._pending)))]

    def _text(
        self, value: object, flags: str, width: object, places: object, kind: str
    ) -> str | None:
        if value is None and kind == "s":
            return str(self._print_null(value)).ljust(int(str(width or 0)))
        number = to_number(value) if kind in "fF" else None
        if number is None or not all(
            type(size) in {str, int, type(None)} for size in (width, places)
        ):
            return None
        return _format_decimal(number, flags, str(width), places)


def _format_decimal(number: int | Number, flags: str, width: str, places: object) -> str:
    sign = "+" if "+" in flags else " " if " " in flags else ""
    is_left = "-" in flags or width.startswith("-")
    align = f"<{sign}" if is_left else f"{sign}0" if "0" in flags else f">{sign}"
    places = _DEFAULT_PLACES if places is None else max(int(str(places) or 0), 0)
    width = width.lstrip("-")
    return format(Number(number), f"{align if width else sign}{width}.{places}f")
