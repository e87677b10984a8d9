"""Binary operators that check the size of their result before they build it."""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

from jinja2.exceptions import TemplateRuntimeError
from jinja2.runtime import markup_join, str_join

from chalicelib.engine.templating import limits
from chalicelib.engine.templating.date_arithmetic import date_result
from chalicelib.engine.templating.fuel import FuelError, FuelMeter
from chalicelib.engine.templating.number import Number, to_number
from chalicelib.engine.templating.percent_format import format_percent
from chalicelib.engine.templating.unprintable import PrintNull
from chalicelib.engine.templating.value_description import value_description


def _power(base: object, exponent: object) -> object:
    try:
        return operator.pow(base, exponent)
    except InvalidOperation:
        message = "A negative number has no real power of this kind."
        raise TemplateRuntimeError(message) from None


def _floor_divide(left: object, right: object) -> object:
    """Return the quotient rounded down, which is not how decimals divide."""
    quotient = operator.floordiv(left, right)
    is_above = isinstance(quotient, Decimal) and _modulo(left, right) != operator.mod(left, right)
    return quotient - 1 if is_above else quotient


def _modulo(left: object, right: object) -> object:
    """Return the remainder with the sign of the divisor, which decimals do not do."""
    if not right:
        raise ZeroDivisionError
    remainder = operator.mod(left, right)
    if isinstance(remainder, Decimal) and isinstance(right, int | Decimal) and remainder:
        return remainder if (remainder < 0) == (right < 0) else remainder + right
    return remainder


OPERATORS: Final[Mapping[str, Callable[[object, object], object]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": _floor_divide,
    "**": _power,
    "%": _modulo,
}

REPETITION: Final = "repeat"
"""Operator `*` with a literal text: it is repeated unless it has decimal places."""

_NUMBER: Final = re.compile(r"\d+")


class Operators:
    """Binary operators of a run."""

    def __init__(self, meter: FuelMeter, print_null: PrintNull) -> None:
        """Charge `meter`; a null in formatted text is printed by a function."""
        self._meter = meter
        self._print_null = print_null

    def apply(self, symbol: str, left: object, right: object) -> object:
        """Return `left <symbol> right`, charged by its size; raises FuelError if it is too large.

        Texts that read as decimals count as numbers, and days are added to dates.
        """
        if isinstance(left, str) or isinstance(right, str):
            return self._meter.charge_result(self._apply_to_text(symbol, left, right))
        return self._meter.charge_result(_apply(symbol, left, right))

    def _apply_to_text(self, symbol: str, left: object, right: object) -> object:
        if symbol == "%" and isinstance(left, str):
            return self.format(left, right)
        if symbol == REPETITION:
            symbol = "*"
            if not any(isinstance(each, str) and "." in each for each in (left, right)):
                return _apply(symbol, left, right)
        date = date_result(symbol, left, right)
        return _apply(symbol, *_numbers(symbol, left, right)) if date is None else date

    def format[Text: str](self, template: Text, values: object) -> Text:
        """Return `template % values`; raises FuelError if its text would be too large."""
        _check_format(template, values)
        return format_percent(template, values, self._print_null)

    def joins(self) -> Mapping[str, Callable[[Iterable[object]], object]]:
        """Return the functions behind `~`, charged by the text they build.

        Jinja2 compiles `~` into calls of these functions, past `call_binop`.
        """
        charge, print_null = self._meter.charge_result, self._print_null
        return {
            "markup_join": lambda parts: charge(markup_join(map(print_null, parts))),
            "str_join": lambda parts: charge(str_join(map(print_null, parts))),
        }

    def add_up(self, values: Iterable[object], start: object) -> object:
        """Return the sum of values, decimal texts among them."""
        total = start
        for value in values:
            total = self.apply("+", total, value)
        return total


def _apply(symbol: str, left: object, right: object) -> object:
    if (check := _CHECKS.get(symbol)) is not None:
        check(left, right)
    if isinstance(left, int) and isinstance(right, int) and _has_fraction(symbol, right):
        left = Number(left)
    try:
        result = OPERATORS[symbol](left, right)
    except TypeError:
        unsuitable = [each for each in (left, right) if each is None or isinstance(each, str)]
        if unsuitable:
            raise _refusal(symbol, unsuitable[0]) from None
        raise
    return _to_template_number(result) if type(result) is Decimal else result


def _to_template_number(result: Decimal) -> Number:
    if not result.is_finite():
        raise ZeroDivisionError  # A power of zero; all else is trapped.
    return Number(result)


def _has_fraction(symbol: str, right: int) -> bool:
    return symbol == "/" or (symbol == "**" and right < 0)


def _numbers(symbol: str, left: object, right: object) -> tuple[object, object]:
    """Return the operands, with decimal texts as numbers where the operator is arithmetic."""
    numbers = to_number(left), to_number(right)
    if None in numbers:
        return left, right
    if symbol == "+" and isinstance(left, str) and isinstance(right, str):
        # Two texts of digits are joined as in Jinja2; amounts have decimal places.
        return numbers if "." in left + right else (left, right)
    return numbers


def _refusal(symbol: str, operand: object) -> TemplateRuntimeError:
    advice = " Texts are joined with ~." if symbol == "+" else ""
    return TemplateRuntimeError(
        f"{symbol} takes numbers or decimal texts such as '12.50'; this is "
        f"{value_description(operand)}.{advice}"
    )


def check_field_widths(specification: str) -> None:
    """Raise FuelError for field widths and precisions that would fill memory."""
    for number in _NUMBER.findall(specification):
        if len(number) > len(str(limits.OUTPUT_BYTES)) or int(number) > limits.OUTPUT_BYTES:
            _refuse("A field width in a format string is too large.")


def _check_product(left: object, right: object) -> None:
    if isinstance(left, int) and isinstance(right, int):
        _check_bits(left.bit_length() + right.bit_length())
    else:
        _check_repetition(left, right)
        _check_repetition(right, left)


def _check_repetition(sequence: object, times: object) -> None:
    if (
        isinstance(sequence, str | list | tuple)
        and isinstance(times, int | Number)
        and len(sequence) * times > limits.OUTPUT_BYTES
    ):
        _refuse("A repetition is too large.")


def _check_exponentiation(base: object, exponent: object) -> None:
    if isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1:
        _check_bits(base.bit_length() * exponent)


def _check_format(template: str, values: object) -> None:
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
}
