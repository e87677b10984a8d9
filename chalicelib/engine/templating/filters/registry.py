"""Registry of the document filters, by their names in templates."""

import functools
from collections.abc import Callable, Mapping

from jinja2.runtime import Undefined

from chalicelib.engine.templating.filters.dates import Dates
from chalicelib.engine.templating.filters.locale_settings import LocaleSettings
from chalicelib.engine.templating.filters.markup import Drawn, Prose
from chalicelib.engine.templating.filters.numbers import Numbers
from chalicelib.engine.templating.fuel import FuelMeter
from chalicelib.engine.templating.unprintable import PrintNull

type _Filter = Callable[..., object]


def document_filters(
    locale_settings: LocaleSettings, meter: FuelMeter, print_null: PrintNull
) -> Mapping[str, _Filter]:
    """Return the filters that this language adds to Jinja2's."""
    numbers, dates = Numbers(locale_settings), Dates(locale_settings)
    codes, prose = Drawn(meter), Prose(meter)
    filters: tuple[_Filter, ...] = (
        numbers.money,
        numbers.number,
        numbers.percent,
        dates.date,
        dates.datetime,
        codes.qrcode,
        codes.barcode,
        prose.markdown,
        prose.nl2br,
    )
    return {function.__name__: _skip_undefined(function, print_null) for function in filters}


def _skip_undefined(function: _Filter, print_null: PrintNull) -> _Filter:
    """Wrap a filter for undefined values and nulls.

    Either becomes an empty text, an undefined argument None; in the strict language an undefined
    value raises.
    """

    @functools.wraps(function)
    def call_defined(value: object, *args: object, **kwargs: object) -> object:
        if isinstance(value, Undefined):
            return str(value)
        if value is None:
            return print_null(value)
        return function(
            value,
            *map(_defined_or_none, args),
            **{name: _defined_or_none(argument) for name, argument in kwargs.items()},
        )

    return call_defined


def _defined_or_none(argument: object) -> object:
    if isinstance(argument, Undefined):
        str(argument)  # Raises where undefined values are errors.
        return None
    return argument
