"""Days that are added to dates, and the days between two dates."""

import datetime as dt
import re
from decimal import Decimal
from typing import Final

from jinja2.exceptions import TemplateRuntimeError

from chalicelib.engine.templating.number import Number, to_number

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.+\-Z]{2,29})?")
_DATE_CHARACTERS: Final = 10
_DAY: Final = dt.timedelta(days=1)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
_MAX_DAYS: Final = 4_000_000


def date_result(symbol: str, left: object, right: object) -> str | int | Number | None:
    """Return the result of `+` or `-` with a date; None where neither is applied to one.

    Raises TemplateRuntimeError.
    """
    day = _read_date(left)
    if symbol == "-" and day is not None:
        other = _read_date(right)
        if other is not None:
            return _difference(day, other)
        days = to_number(right)
        return None if days is None else _move(str(left), day, -days)
    if symbol == "+":
        if day is None:
            left, right, day = right, left, _read_date(right)
        days = to_number(right)
        if day is not None and days is not None:
            return _move(str(left), day, days)
    return None


def _read_date(value: object) -> dt.datetime | None:
    if not isinstance(value, str) or _DATE.fullmatch(value) is None:
        return None
    try:
        return dt.datetime.fromisoformat(value)
    except ValueError:
        return None


def _move(text: str, day: dt.datetime, days: int | Number) -> str:
    whole_days = int(days)
    if whole_days != days:
        message = f"Whole days are added to a date; this is {days}."
        raise TemplateRuntimeError(message)
    if not -_MAX_DAYS <= whole_days <= _MAX_DAYS:
        raise _range_error()
    try:
        moved = day.date() + whole_days * _DAY
    except OverflowError:
        raise _range_error() from None
    return moved.isoformat() + text[_DATE_CHARACTERS:]


def _difference(day: dt.datetime, other: dt.datetime) -> int | Number:
    if (day.tzinfo is None) != (other.tzinfo is None):
        message = "Of two times that are subtracted both or neither have a time zone."
        raise TemplateRuntimeError(message)
    difference = day - other
    if not difference % _DAY:
        return difference // _DAY
    return Number(Decimal(difference // _MICROSECOND) / Decimal(_DAY // _MICROSECOND))


def _range_error() -> TemplateRuntimeError:
    return TemplateRuntimeError("The years of dates are 1 to 9999.")
