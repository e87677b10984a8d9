"""Numbers of templates: decimals, as data and literals write them (decision 63)."""

import re
from decimal import (
    ROUND_HALF_UP,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)
from functools import lru_cache
from typing import Final, override

_DIGITS: Final = 28
# Of the largest and of the smallest numbers that JSON and other languages hold in 64 bits.
_MAX_EXPONENT: Final = 308
_MIN_EXPONENT: Final = -324
_MAX_CACHED_LITERALS: Final = 1_024
_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,400}(?:\.[0-9]{1,400})?")
_WRITTEN: Final = re.compile(
    r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,3})?"
)

CONTEXT: Final = Context(
    prec=_DIGITS,
    rounding=ROUND_HALF_UP,
    Emin=_MIN_EXPONENT,
    Emax=_MAX_EXPONENT,
    traps=[DivisionByZero, InvalidOperation, Overflow],
)
"""Context of a run: it rounds half away from zero, as `money` does; no result is infinite."""


class Number(Decimal):
    """Number with a fraction; its text has no exponent and no zeros at its end."""

    __slots__ = ()

    @override
    def __str__(self) -> str:
        text = Decimal.__format__(self, "f")
        if "." in text:
            text = text.rstrip("0").rstrip(".")
        return "0" if text == "-0" else text

    __repr__ = __str__

    @override
    def __format__(self, specification: str, context: Context | None = None, /) -> str:
        if not specification:
            return str(self)
        return Decimal.__format__(Decimal(str(self)), specification)

    @override
    def __neg__(self) -> "Number":
        return Number(Decimal.__neg__(self))

    @override
    def __pos__(self) -> "Number":
        return self

    @override
    def __abs__(self) -> "Number":
        return Number(Decimal.__abs__(self))

    def __index__(self) -> int:
        """Return a whole number, for indices, repetitions and ranges."""
        if self != self.to_integral_value():
            message = f"A whole number is needed here; this is {self}."
            raise TypeError(message)
        return int(self)


@lru_cache(_MAX_CACHED_LITERALS)
def literal(text: str) -> Number:
    """Return the number of a literal that 64 bits could hold, with 28 digits."""
    try:
        return Number(CONTEXT.create_decimal(text))
    except InvalidOperation:  # An exponent that no decimal has: the number is as good as zero.
        return Number(0)


def to_number(value: object) -> int | Number | None:
    """Return a number, or that of a text as invoices carry them, such as `12.50`; else None."""
    if isinstance(value, int | Number):
        return value
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        return Number(value)
    return None


def parse_number(text: str) -> Number | None:
    """Return the number of a text in any usual form, with an exponent too; else None."""
    written = text.strip()
    if _WRITTEN.fullmatch(written) is None:
        return None
    number = Number(written)
    return number if _MIN_EXPONENT <= number.adjusted() <= _MAX_EXPONENT else None
