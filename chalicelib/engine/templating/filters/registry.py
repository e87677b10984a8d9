"""The document filters by the names that templates know them by."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from jinja2.runtime import Undefined

from chalicelib.engine.templating.filters.conventions import Conventions
from chalicelib.engine.templating.filters.dates import Dates
from chalicelib.engine.templating.filters.drawn import Drawn
from chalicelib.engine.templating.filters.numbers import Numbers
from chalicelib.engine.templating.filters.prose import Prose
from chalicelib.engine.templating.fuel import Meter

type _Filter = Callable[..., Any]


def document_filters(conventions: Conventions, meter: Meter) -> Mapping[str, _Filter]:
    """Return the filters that Jinja2 does not have."""
    numbers, dates = Numbers(conventions), Dates(conventions)
    drawn, prose = Drawn(meter), Prose(meter)
    filters: tuple[_Filter, ...] = (
        numbers.money,
        numbers.number,
        numbers.percent,
        dates.date,
        dates.datetime,
        drawn.qrcode,
        drawn.barcode,
        prose.markdown,
        prose.nl2br,
    )
    return {function.__name__: _of_defined(function) for function in filters}


def _of_defined(function: _Filter) -> _Filter:
    """Let nothing become nothing, and an argument that is undefined be none; strictly, neither."""

    @functools.wraps(function)
    def filtered(value: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(value, Undefined):
            return str(value)
        return function(
            value,
            *map(_given, args),
            **{name: _given(argument) for name, argument in kwargs.items()},
        )

    return filtered


def _given(argument: Any) -> Any:
    if isinstance(argument, Undefined):
        str(argument)  # Raises where undefined values are errors.
        return None
    return argument
