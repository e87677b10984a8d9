"""The smallest profile of Factur-X whose XML has a field of an invoice.

It is found by the writer itself: an invoice with all fields is written twice, once with another
value of the field. Where the two files differ, the profile has the field.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from functools import cache, partial
from itertools import count
from types import NoneType, UnionType
from typing import Any, Final, Union, cast, get_args, get_origin, get_type_hints

from chalicelib.engine.einvoice.model import Invoice
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.einvoice.totals import InvoiceTotals, compute_totals
from chalicelib.engine.einvoice.write_cii.document import write_cii

type _Change = Callable[[Any], Any]

_PROFILES: Final = ("MINIMUM", "BASIC_WL", "BASIC", "EN16931")
_FIRST_DAY: Final = dt.date(2001, 1, 1)
# Codes of BT-8: the writer knows three of them.
_TAX_POINT: Final = "3"
_OTHER_TAX_POINT: Final = "35"


@cache
def smallest_profiles() -> Mapping[str, str]:
    """Return the smallest profile by path of a field, such as `lines[].item.name`."""
    invoice = _whole_invoice()
    totals = compute_totals(invoice)
    found = {path: _first(_of_totals(change)) for path, change in _changes(totals, "")}
    for path, change in _changes(invoice, ""):
        # Of the reasons of an exemption the writer has those of the totals.
        makes_totals = path.startswith("vat_exemptions")
        profile = _first(_of_invoice(change, makes_totals=makes_totals))
        found[path] = profile or found.get(path, "")
    found["lines[].net_amount"] = found.pop("line_net_amounts[]")
    return found


def smallest_profile(path: str) -> str:
    """Return the smallest profile that has a field, or one of the fields of a group."""
    found = smallest_profiles()
    profiles = {
        profile
        for each, profile in found.items()
        if each == path or each.startswith((f"{path}.", f"{path}[]"))
    }
    return next(profile for profile in _PROFILES if profile in profiles)


def _first(differs: Callable[[str], bool]) -> str:
    return next(filter(differs, _PROFILES), "")


def _of_totals(change: _Change) -> Callable[[str], bool]:
    invoice = _whole_invoice()
    totals = compute_totals(invoice)
    return lambda profile: (
        _write(invoice, totals, profile) != _write(invoice, change(totals), profile)
    )


def _of_invoice(change: _Change, *, makes_totals: bool) -> Callable[[str], bool]:
    """Tell whether a change of an invoice is seen in a profile.

    The totals stay: a quantity would show in them, also where a profile has no lines.
    """
    invoice = _whole_invoice()
    totals, changed = compute_totals(invoice), change(invoice)
    new = compute_totals(changed) if makes_totals else totals
    return lambda profile: _write(invoice, totals, profile) != _write(changed, new, profile)


def _write(invoice: Invoice, totals: InvoiceTotals, profile: str) -> bytes:
    uploads = {each.upload_id or "": each.upload_id or "" for each in invoice.supporting_documents}
    return write_cii(invoice, totals, PROFILES[profile], uploads)


@cache
def _whole_invoice() -> Invoice:
    """Return an invoice with all fields, whose exemption is that of the line's category."""
    invoice = _fill(Invoice, count(1))
    (exemption,) = invoice.vat_exemptions.values()
    exemptions = {invoice.lines[0].vat.category: exemption}
    return replace(invoice, vat_exemptions=exemptions, tax_point_date_code=_TAX_POINT)


def _fill[T](kind: type[T], numbers: Iterator[int]) -> T:
    """Return an object with a value in each field."""
    hints = get_type_hints(kind)
    values = {each.name: _value(hints[each.name], numbers) for each in fields(cast("Any", kind))}
    return kind(**values)


def _value(kind: Any, numbers: Iterator[int]) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        return _value(next(each for each in arguments if each is not NoneType), numbers)
    if origin is tuple:
        return (_value(arguments[0], numbers),)
    if origin is not None and issubclass(origin, Mapping):
        return {"": _value(arguments[1], numbers)}
    if is_dataclass(kind):
        return _fill(cast("type", kind), numbers)
    number = next(numbers)
    if kind is Decimal:
        return Decimal(number)
    return _FIRST_DAY + dt.timedelta(number) if kind is dt.date else f"T{number}"


def _changes(value: Any, prefix: str) -> Iterator[tuple[str, _Change]]:
    """Yield the path of each value inside an object, with a function that changes it there."""
    for each in fields(value):
        name = each.name
        entry, suffix, wrap = _entry(getattr(value, name))
        path = f"{prefix}{name}{suffix}"
        inner = _changes(entry, f"{path}.") if is_dataclass(entry) else iter([(path, _another)])
        for inner_path, change in inner:
            yield inner_path, partial(_put, name, wrap(change))


def _put(name: str, change: _Change, whole: Any) -> Any:
    return replace(whole, **{name: change(getattr(whole, name))})


def _entry(member: Any) -> tuple[Any, str, Callable[[_Change], _Change]]:
    """Return the one entry of a list or mapping, how a path names it, and how to change it."""
    if isinstance(member, tuple):
        return member[0], "[]", lambda change: lambda whole: (change(whole[0]), *whole[1:])
    if isinstance(member, Mapping):
        ((key, entry),) = member.items()
        return entry, ".*", lambda change: lambda whole: {key: change(whole[key])}
    return member, "", lambda change: change


def _another(value: Any) -> Any:
    if isinstance(value, Decimal):
        return value + 1000
    if isinstance(value, dt.date):
        return value + dt.timedelta(1000)
    return _OTHER_TAX_POINT if value == _TAX_POINT else f"{value}x"
