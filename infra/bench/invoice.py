"""The e-invoice that is measured: ten lines at two rates of VAT, as callers send it."""

from typing import Any, Final

_LINES: Final = 10
_ITEMS: Final = (
    ("Printing paper, A4, 80 g", "Box of 2 500 sheets, FSC", "XBX", "24.90", "19"),
    ("Professional book", "Paperback, 412 pages", "H87", "39.00", "7"),
    ("Consulting", "On site in Köln, travel included", "HUR", "118.50", "19"),
)


def invoice() -> dict[str, Any]:
    """Return the invoice in the contract's model."""
    return {
        "number": "2026-0042",
        "issue_date": "2026-03-01",
        "due_date": "2026-03-31",
        "currency": "EUR",
        "buyer_reference": "04011000-12345-03",
        "order_reference": "B-7781",
        "payment_terms": "30 days net",
        "notes": [{"subject_code": "AAI", "text": "Thank you for your order."}],
        "delivery": {"date": "2026-02-27"},
        "seller": {
            "name": "Nordwind Handels GmbH",
            "vat_id": "DE123456789",
            "legal_registration": {"id": "HRB 4711"},
            "address": _address("Hafenstraße 1", "20457", "Hamburg"),
            "contact": {
                "name": "Ute Beispiel",
                "phone": "+49 40 1234567",
                "email": "ute@nordwind.example",
            },
            "electronic_address": {"id": "rechnung@nordwind.example", "scheme": "EM"},
        },
        "buyer": {
            "name": "Süd & West AG",
            "vat_id": "DE987654321",
            "address": _address("Marktplatz 9", "80331", "München"),
            "electronic_address": {"id": "eingang@suedwest.example", "scheme": "EM"},
        },
        "payment": {
            "means_code": "58",
            "reference": "2026-0042",
            "credit_transfers": [
                {"iban": "DE02120300000000202051", "account_name": "Nordwind Handels GmbH"}
            ],
        },
        "lines": [_line(number) for number in range(_LINES)],
    }


def _address(line: str, postcode: str, city: str) -> dict[str, str]:
    return {"line1": line, "postcode": postcode, "city": city, "country": "DE"}


def _line(number: int) -> dict[str, Any]:
    name, description, unit, price, rate = _ITEMS[number % len(_ITEMS)]
    return {
        "quantity": f"{number + 1}.5",
        "unit": unit,
        "price": {"net": price},
        "vat": {"category": "S", "rate": rate},
        "item": {"name": name, "description": description, "seller_id": f"A-{number:04}"},
    }
