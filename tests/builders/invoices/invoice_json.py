"""A valid invoice in the JSON of the API that every profile accepts, and changes to it."""

import copy
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

ABSENT: Final = object()
_STEP: Final = re.compile(r"[^.\[\]]+")
_INVOICE: Final[dict[str, Any]] = {
    "number": "2026-0042",
    "issue_date": "2026-03-01",
    "due_date": "2026-03-31",
    "currency": "EUR",
    "buyer_reference": "04011000-12345-03",
    "seller": {
        "name": "Muster GmbH",
        "vat_id": "DE123456789",
        "address": {"line1": "Weg 1", "city": "Berlin", "postcode": "10115", "country": "DE"},
        "contact": {"name": "Eva Muster", "phone": "+49 30 123456", "email": "eva@muster.example"},
        "electronic_address": {"id": "eva@muster.example", "scheme": "EM"},
    },
    "buyer": {
        "name": "Stadt Beispiel",
        "address": {"city": "Bonn", "postcode": "53111", "country": "DE"},
        "electronic_address": {"id": "04011000-12345-03", "scheme": "0204"},
    },
    "lines": [
        {
            "quantity": "3",
            "price": {"net": "19.99"},
            "vat": {"category": "S", "rate": "19"},
            "item": {"name": "Paper"},
        },
        {
            "quantity": 1.5,
            "unit": "HUR",
            "price": {"net": 80},
            "vat": {"category": "S", "rate": 19},
            "item": {"name": "Work"},
        },
    ],
    "payment": {
        "means_code": "58",
        "credit_transfers": [{"account_id": "DE02120300000000202051"}],
    },
}


def invoice_json(changes: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """Return a valid invoice with other values at some paths, such as `lines[0].vat.rate`.

    ABSENT removes the value at a path.
    """
    invoice = copy.deepcopy(_INVOICE)
    for path, value in changes.items():
        *steps, last = (int(s) if s.isdigit() else s for s in _STEP.findall(path))
        holder: Any = invoice
        for step in steps:
            holder = holder[step] if isinstance(step, int) else holder.setdefault(step, {})
        if value is ABSENT:
            holder.pop(last, None)
        else:
            holder[last] = copy.deepcopy(value)
    return invoice
