"""Binary operators that check the size of their result before they build it."""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from jinja2.exceptions import TemplateRuntimeError
from jinja2.runtime import markup_join, str_join

from chalicelib.engine.templating import limits
from chalicelib.engine.templating.fuel import FuelError, FuelMeter

OPERATORS: Final[Mapping[str, Callable[[object, object], object]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "**": operator.pow,
    "%": operator.mod,
}

_NUMBER: Final = re.compile(r"\d+")


def apply_operator(meter: FuelMeter, symbol: str, left: object, right: object) -> object:
    """Return `left <symbol> right`, charged by its size; raises FuelError if it is too large."""
    # A result with a float operand is small; only text that formats a float may be large.
    is_float_result = type(left) is float or (type(left) is int and type(right) is float)
    if not is_float_result and (check := _CHECKS.get(symbol)) is not None:
        check(left, right)
    result = meter.charge_result(OPERATORS[symbol](left, right))
    if type(result) is complex:
        message = "A negative number has no real power of this kind."
        raise TemplateRuntimeError(message)
    return result


def check_field_widths(specification: str) -> None:
    """Raise FuelError for field widths and precisions that would fill memory."""
    for number in _NUMBER.findall(specification):
        if len(number) > len(str(limits.OUTPUT_BYTES)) or int(number) > limits.OUTPUT_BYTES:
            _refuse("A field width in a format string is too large.")


def metered_joins(meter: FuelMeter) -> Mapping[str, Callable[[Iterable[object]], object]]:
    """Return the functions behind `~`, charged by the text they build.

    Jinja2 compiles `~` into calls of these functions, past `call_binop`.
    """
    return {
        "markup_join": lambda parts: meter.charge_result(markup_join(parts)),
        "str_join": lambda parts: meter.charge_result(str_join(parts)),
    }


def _check_product(left: object, right: object) -> None:
    if isinstance(left, int) and isinstance(right, int):
        _check_bits(left.bit_length() + right.bit_length())
    else:
        _check_repetition(left, right)
        _check_repetition(right, left)


def _check_repetition(sequence: object, times: object) -> None:
    if (
        isinstance(sequence, str | list | tuple)
        and isinstance(times, int)
        and len(sequence) * times > limits.OUTPUT_BYTES
    ):
        _refuse("A repetition is too large.")


def _check_exponentiation(base: object, exponent: object) -> None:
    if isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1:
        _check_bits(base.bit_length() * exponent)


def _check_format(template: object, values: object) -> None:
    if isinstance(template, str):
        check_field_widths(template)
        if "*" in template:
            for value in values if isinstance(values, tuple) else (values,):
                if isinstance(value, int) and abs(value) > limits.OUTPUT_BYTES:
                    _refuse("A field width in a format string is too large.")


def _check_bits(bits: int) -> None:
    if bits > limits.INTEGER_BITS:
        _refuse(f"A number would have more than {limits.INTEGER_BITS:,} bits.")


def _refuse(message: str) -> None:
    raise FuelError(message)


_CHECKS: Final[Mapping[str, Callable[[object, object], None]]] = {
    "*": _check_product,
    "**": _check_exponentiation,
    "%": _check_format,
}
