"""Jinja2's filters that meet numbers or nulls, over the decimals of this language."""

from collections.abc import Callable, Iterable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from operator import index
from typing import Final, SupportsIndex

from jinja2.environment import Environment
from jinja2.exceptions import FilterArgumentError
from jinja2.filters import do_int, do_join, make_attrgetter
from jinja2.nodes import EvalContext
from jinja2.runtime import Undefined
from jinja2.utils import pass_eval_context

from chalicelib.engine.templating.number import Number, parse_number, to_number
from chalicelib.engine.templating.operators import Operators
from chalicelib.engine.templating.unprintable import PrintNull
from chalicelib.engine.templating.value_description import value_description

type _Filter = Callable[..., object]

_ROUNDINGS: Final[Mapping[str, str]] = {
    "common": ROUND_HALF_UP,
    "ceil": ROUND_CEILING,
    "floor": ROUND_FLOOR,
}
_MAX_PLACES: Final = 400
_DECIMAL: Final = 10
# Of numbers and texts before they are rounded.
_EXACT: Final = Context(prec=3 * _MAX_PLACES)

TEXT_FILTERS: Final = frozenset(
    [
        *("capitalize", "center", "e", "escape", "forceescape", "indent", "lower", "replace"),
        *("safe", "string", "striptags", "title", "trim", "truncate", "upper", "urlencode"),
        *("urlize", "wordcount", "wordwrap"),
    ]
)
"""Filters that make text of their value."""


def value_filters(
    environment: Environment, operators: Operators, print_null: PrintNull
) -> Mapping[str, _Filter]:
    """Return the filters that this language has in place of those of Jinja2."""

    def add_up(
        values: Iterable[object], attribute: str | int | None = None, start: object = 0
    ) -> object:
        if attribute is not None:
            values = map(make_attrgetter(environment, attribute), values)
        return operators.add_up(values, start)

    @pass_eval_context
    def join(
        eval_context: EvalContext,
        values: Iterable[object],
        d: str = "",
        attribute: str | int | None = None,
    ) -> str:
        if attribute is not None:
            values = map(make_attrgetter(environment, attribute), values)
        text: str = do_join(eval_context, map(print_null, values), d)
        return text

    def format_text(value: object, *args: object, **kwargs: object) -> str:
        if args and kwargs:
            message = "Positional and named values cannot be mixed in one format."
            raise FilterArgumentError(message)
        text = value if isinstance(value, str) else str(print_null(value))
        return operators.format(text, kwargs or args)

    return {
        "float": to_decimal,
        "format": format_text,
        "int": to_integer,
        "join": join,
        "round": _round,
        "sum": add_up,
    }


def _round(value: object, precision: SupportsIndex = 0, method: str = "common") -> int | Number:
    """Round a number or decimal text, half away from zero, as `money` does."""
    if isinstance(value, Undefined):
        value._fail_with_undefined_error()  # noqa: SLF001 -- as its operators do
    number = to_number(value)
    if number is None:
        raise FilterArgumentError(
            "round takes a number or a decimal text such as '12.50'; this is "
            f"{value_description(value)}."
        )
    if method not in _ROUNDINGS:
        raise FilterArgumentError(f"method must be one of {', '.join(_ROUNDINGS)}.")
    places = index(precision)
    if abs(places) > _MAX_PLACES:
        raise FilterArgumentError(f"precision must be a whole number up to {_MAX_PLACES}.")
    if isinstance(number, int) and places >= 0:
        return number
    unit = Decimal((0, (1,), -places))
    return Number(Decimal(number).quantize(unit, _ROUNDINGS[method], _EXACT))


def to_decimal(value: object, default: object = 0) -> object:
    """Return a value as a number, or `default` where it is none."""
    number = parse_number(value) if isinstance(value, str) else to_number(value)
    return default if number is None else Number(number)


def to_integer(value: object, default: int = 0, base: int = _DECIMAL) -> int:
    """Return a value as a whole number without its decimal places, or `default`."""
    if isinstance(value, str) and base == _DECIMAL:
        number = parse_number(value)
        return default if number is None else int(number)
    return do_int(value, default, base)


def is_float(value: object) -> bool:
    """Tell whether a value is a number with a fraction, if only of zeros."""
    return isinstance(value, Number)


def json_number(value: object) -> int | float:
    """Return a number for JSON: its text has the 17 digits that its readers keep."""
    if isinstance(value, Number):
        return int(value) if value == value.to_integral_value() else float(value)
    message = f"{value_description(value)} cannot be written as JSON."
    raise TypeError(message)
