"""JSON writer of invoices and their totals: for answers, `render.invoice` and templates."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from chalicelib.core.json import Json
from chalicelib.engine.einvoice.model import Invoice
from chalicelib.engine.einvoice.totals import InvoiceTotals

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def invoice_json(invoice: Invoice) -> dict[str, Json]:
    """Return an invoice in the contract's model, without absent fields."""
    return _object_json(invoice)


def totals_json(totals: InvoiceTotals) -> dict[str, Json]:
    """Return the totals and the VAT breakdown in the form of `render.invoice`."""
    members = _object_json(totals)
    del members["line_net_amounts"]
    return members


def completed_json(source: Json, invoice: Invoice, totals: InvoiceTotals) -> dict[str, Json]:
    """Return the invoice as the caller sent it, completed with the computed amounts.

    The source is copied, not rebuilt from the model: templates see the caller's own texts.
    """
    # `invoice` was read from `source`: it is an object, and its lines are too.
    assert isinstance(source, Mapping)
    sent_lines, nets = source["lines"], totals.line_net_amounts
    assert isinstance(sent_lines, list)
    lines = [
        {**sent, "id": line.id, "net_amount": _value_json(net)}
        for sent, line, net in zip(sent_lines, invoice.lines, nets, strict=True)
    ]
    return {**source, "lines": lines, **totals_json(totals)}


def _object_json(value: "DataclassInstance") -> dict[str, Json]:
    members = ((each.name, getattr(value, each.name)) for each in fields(value))
    return {name: _value_json(member) for name, member in members if member not in (None, (), {})}


def _value_json(value: object) -> Json:
    match value:
        case Decimal():
            return f"{value:f}"
        case dt.date():
            return value.isoformat()
        case tuple():
            return [_value_json(each) for each in value]
        case Mapping():
            return {key: _value_json(each) for key, each in value.items()}
        case str() | bool() | None:
            return value
        case _:
            assert is_dataclass(value), type(value)
            assert not isinstance(value, type), value
            return _object_json(value)
