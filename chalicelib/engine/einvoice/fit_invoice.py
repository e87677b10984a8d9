"""Fit of a received invoice into the contract's model: misfits are named, not refused."""

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache
from typing import Annotated, Final, get_args, get_origin, get_type_hints

from chalicelib.contract.invoice.constraints import MAX_ENTRIES, MAX_INTEGER_PLACES
from chalicelib.core.json import Json
from chalicelib.engine.einvoice import data_types as v
from chalicelib.engine.einvoice.located_values import MAX_MESSAGES, LocatedMessage, value_xpath
from chalicelib.engine.einvoice.model import Invoice

_LIMIT: Final = Decimal(10) ** MAX_INTEGER_PLACES
_EXACT: Final = Context(prec=120, rounding=ROUND_HALF_UP)
_NOTHING: Final[tuple[Json, ...]] = (None, "", [], {})
# Longer values are quoted up to here.
_MAX_QUOTE: Final = 40

# A fitter returns the value as JSON, None if there is none, and adds misfits.
type _Fitter = Callable[[object, str, list[LocatedMessage]], Json]


def fit_invoice(invoice: Invoice, root: str) -> tuple[dict[str, Json], list[LocatedMessage]]:
    """Return a received invoice as JSON, without absent fields, and a misfit on each change.

    The first changes have one, as many as a report can name.
    Zeros behind the point beyond the model's places say nothing. `root` is the JSON path of the
    invoice, which misfits name.
    """
    misfits: list[LocatedMessage] = []
    fitted = _object_fitter(Invoice)(invoice, root, misfits)
    assert isinstance(fitted, dict)
    return fitted, misfits


@cache
def _object_fitter(kind: type) -> _Fitter:
    hints = get_type_hints(kind, include_extras=True)
    members = {each.name: _annotation_fitter(hints[each.name]) for each in fields(kind)}

    def fit(value: object, path: str, misfits: list[LocatedMessage]) -> Json:
        fitted = {
            name: fit_member(getattr(value, name), f"{path}.{name}", misfits)
            for name, fit_member in members.items()
            if getattr(value, name) is not None
        }
        return {name: member for name, member in fitted.items() if member not in _NOTHING}

    return fit


def _annotation_fitter(hint: object) -> _Fitter:
    if type(None) in get_args(hint):
        hint = next(each for each in get_args(hint) if each is not type(None))
    bare_type, *constraints = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if get_origin(bare_type) is tuple:
        # The number of lines is left to the reader of JSON: an invoice without some is another one.
        limit = None if constraints else MAX_ENTRIES
        return _array_fitter(_annotation_fitter(get_args(bare_type)[0]), limit)
    if get_origin(bare_type) is Mapping:
        keys, entries = get_args(bare_type)
        return _mapping_fitter(keys.__metadata__[0].values, _annotation_fitter(entries))
    if constraints:
        return _value_fitter(constraints[0])
    return _fit_date if bare_type is dt.date else _object_fitter(bare_type)


def _value_fitter(
    constraint: v.TextConstraint | v.ChoiceConstraint | v.DecimalConstraint,
) -> _Fitter:
    match constraint:
        case v.TextConstraint():
            return _text_fitter(constraint)
        case v.ChoiceConstraint(values):
            return _choice_fitter(values)
        case v.DecimalConstraint():
            return _decimal_fitter(constraint)


def _fit_date(value: object, _path: str, _misfits: list[LocatedMessage]) -> Json:
    return str(value)


def _text_fitter(constraint: v.TextConstraint) -> _Fitter:
    def fit(value: object, path: str, misfits: list[LocatedMessage]) -> Json:
        text = str(value)
        if constraint.pattern:
            if re.fullmatch(constraint.pattern, text):
                return text
            return _leave_out(value, path, f"does not match {constraint.pattern}", misfits)
        if text.strip() and len(text) < constraint.min_length:
            return _leave_out(value, path, f"has under {constraint.min_length} characters", misfits)
        if len(text) <= constraint.max_length:
            return text
        cut = f"has {len(text)} characters, of which the first {constraint.max_length} are kept"
        _add_misfit(value, path, cut, misfits)
        return text[: constraint.max_length]

    return fit


def _choice_fitter(values: tuple[str, ...]) -> _Fitter:
    def fit(value: object, path: str, misfits: list[LocatedMessage]) -> Json:
        if value in values:
            return str(value)
        return _leave_out(value, path, f"is none of {', '.join(values)}", misfits)

    return fit


def _decimal_fitter(constraint: v.DecimalConstraint) -> _Fitter:
    step = Decimal(1).scaleb(-constraint.places)

    def fit(value: object, path: str, misfits: list[LocatedMessage]) -> Json:
        assert isinstance(value, Decimal)
        rounded = value.quantize(step, context=_EXACT)
        if abs(rounded) >= _LIMIT:
            message = f"has more than {MAX_INTEGER_PLACES} digits before the point"
            return _leave_out(value, path, message, misfits)
        if rounded != value:
            message = f"has more than {constraint.places} decimal places and is rounded"
            _add_misfit(value, path, message, misfits)
        # Zeros that fit are kept: an invoice that is sent back has the same texts.
        is_short = len(f"{value:f}".partition(".")[2]) <= constraint.places
        text = f"{value:f}" if is_short else _shortest(rounded)
        try:
            constraint.parse(text)
        except ValueError as error:
            return _leave_out(value, path, str(error), misfits)
        return text

    return fit


def _array_fitter(fit_entry: _Fitter, limit: int | None) -> _Fitter:
    def fit(value: object, path: str, misfits: list[LocatedMessage]) -> Json:
        assert isinstance(value, tuple)
        if limit is not None and len(value) > limit:
            _add_misfit(
                value, path, f"has {len(value)} entries, of which {limit} are kept", misfits
            )
        return [fit_entry(entry, f"{path}[{n}]", misfits) for n, entry in enumerate(value[:limit])]

    return fit


def _mapping_fitter(keys: tuple[str, ...], fit_entry: _Fitter) -> _Fitter:
    def fit(value: object, path: str, misfits: list[LocatedMessage]) -> Json:
        assert isinstance(value, Mapping)
        known = {key: entry for key, entry in value.items() if key in keys}
        for key in value.keys() - known.keys():
            _leave_out(key, path, f"is none of {', '.join(keys)}", misfits)
        return {
            str(key): fit_entry(entry, f"{path}.{key}", misfits) for key, entry in known.items()
        }

    return fit


def _shortest(number: Decimal) -> str:
    """Return a number without trailing zeros behind the point; never with an exponent."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _leave_out(value: object, path: str, reason: str, misfits: list[LocatedMessage]) -> Json:
    _add_misfit(value, path, f"{reason} and is left out", misfits)
    return None


def _add_misfit(value: object, path: str, reason: str, misfits: list[LocatedMessage]) -> None:
    if len(misfits) >= MAX_MESSAGES:
        return
    quoted = "" if isinstance(value, tuple) else f" ({str(value)[:_MAX_QUOTE]})"
    message = f"{path} {reason}{quoted}"
    misfits.append(LocatedMessage(location=_first_xpath(value), message=message, path=path))


def _first_xpath(value: object) -> str:
    """Return the XPath of a value, or of the first value in it that has one."""
    if isinstance(value, tuple):
        return next(filter(None, map(_first_xpath, value)), "")
    if hasattr(value, "__dataclass_fields__"):
        members = (getattr(value, name) for name in value.__dataclass_fields__)
        return next(filter(None, map(_first_xpath, members)), "")
    return value_xpath(value)
