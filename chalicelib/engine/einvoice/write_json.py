"""JSON writer of invoices and their totals: for answers, `render.invoice` and templates."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any

from chalicelib.engine.einvoice.model import Invoice
from chalicelib.engine.einvoice.totals import InvoiceTotals


def invoice_json(invoice: Invoice) -> dict[str, Any]:
    """Return an invoice in the contract's model, without absent fields."""
    return _object_json(invoice)


def totals_json(totals: InvoiceTotals) -> dict[str, Any]:
    """Return the totals and the VAT breakdown in the form of `render.invoice`."""
    members = _object_json(totals)
    del members["line_net_amounts"]
    return members


def completed_json(
    source: Mapping[str, Any], invoice: Invoice, totals: InvoiceTotals
) -> dict[str, Any]:
    """Return the invoice as the caller sent it, completed with the computed amounts.

    The source is copied, not rebuilt from the model: templates see the caller's own texts.
    """
    nets = totals.line_net_amounts
    lines = [
        {**sent, "id": line.id, "net_amount": _value_json(net)}
        for sent, line, net in zip(source["lines"], invoice.lines, nets, strict=True)
    ]
    return {**source, "lines": lines, **totals_json(totals)}


def _object_json(value: Any) -> dict[str, Any]:
    members = ((each.name, getattr(value, each.name)) for each in fields(value))
    return {name: _value_json(member) for name, member in members if member not in (None, (), {})}


def _value_json(value: Any) -> Any:
    match value:
        case Decimal():
            return f"{value:f}"
        case dt.date():
            return value.isoformat()
        case tuple():
            return [_value_json(each) for each in value]
        case Mapping():
            return {key: _value_json(each) for key, each in value.items()}
        case _:
            return _object_json(value) if is_dataclass(value) else value
