"""Documents of the benchmarks: an e-invoice with its page, and an invoice of two pages."""

import io
import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pikepdf
from jinja2 import Environment

_INVOICE: Final = Path(__file__).parent / "invoice"
_LINES: Final = 10
_ITEMS: Final = (
    ("Printing paper, A4, 80 g", "Box of 2 500 sheets, FSC", "XBX", "24.90", "19"),
    ("Professional book", "Paperback, 412 pages", "H87", "39.00", "7"),
    ("Consulting", "On site in Köln, travel included", "HUR", "118.50", "19"),
)
_STYLE: Final = (
    "body { font: 14px/1.4 sans-serif } address { font-style: normal }"
    "table { border-collapse: collapse; width: 100% } th { background: #eef; text-align: left }"
    "th, td { border-bottom: 1px solid #ccc; padding: 6px } .n { text-align: right }"
    ".terms { break-before: page }"
)
_INCH_MM: Final = 25.4
# Options of `Page.printToPDF` (CDP) that are the service's defaults.
PRINT_OPTIONS: Final[Mapping[str, Any]] = {
    "paperWidth": 210 / _INCH_MM,
    "paperHeight": 297 / _INCH_MM,
    **{f"margin{side}": 10 / _INCH_MM for side in ("Top", "Right", "Bottom", "Left")},
    "printBackground": True,
    "preferCSSPageSize": True,
    "generateTaggedPDF": True,
}
_TABLE_HEADINGS: Final = ("No.", "Item", "Quantity", "Price", "VAT", "Net")
_TERMS: Final = (
    "Goods remain our property until they are paid in full. Complaints are taken in writing, "
    "within eight days of delivery. "
) * 2


def invoice_json() -> dict[str, Any]:
    """Return the e-invoice in the JSON of the API: ten lines at two VAT rates."""
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
            "remittance_information": "2026-0042",
            "credit_transfers": [
                {"account_id": "DE02120300000000202051", "account_name": "Nordwind Handels GmbH"}
            ],
        },
        "lines": [_invoice_line(number) for number in range(_LINES)],
    }


def _address(line: str, postcode: str, city: str) -> dict[str, str]:
    return {"line1": line, "postcode": postcode, "city": city, "country": "DE"}


def _invoice_line(number: int) -> dict[str, Any]:
    name, description, unit, price, rate = _ITEMS[number % len(_ITEMS)]
    return {
        "quantity": f"{number + 1}.5",
        "unit": unit,
        "price": {"net": price},
        "vat": {"category": "S", "rate": rate},
        "item": {"name": name, "description": description, "seller_id": f"A-{number:04}"},
    }


def invoice_page() -> str:
    """Return the HTML of the e-invoice on two pages: the lines and the terms."""
    invoice = invoice_json()
    seller, buyer = invoice["seller"], invoice["buyer"]
    head = "".join(f"<th scope=col>{name}" for name in _TABLE_HEADINGS)
    rows = "".join(_table_row(number, line) for number, line in enumerate(invoice["lines"], 1))
    mail = seller["contact"]["email"]
    return (
        f"<!doctype html><html lang=en><title>Invoice {invoice['number']}</title>"
        f"<style>{_STYLE}</style><h1>Invoice {invoice['number']}</h1><address>{_postal(seller)}"
        f"</address><p>To {_postal(buyer)}</p><table><thead><tr>{head}</thead>{rows}</table>"
        f"<p><strong>Payable until {invoice['due_date']}</strong></p><section class=terms>"
        f"<h2>Terms</h2><ol>{f'<li>{_TERMS}' * 3}</ol><p>Questions: "
        f'<a href="mailto:{mail}">{mail}</a></p></section>'
    )


def _postal(party: dict[str, Any]) -> str:
    address = party["address"]
    name = party["name"].replace("&", "&amp;")
    return f"{name}<br>{address['line1']}<br>{address['postcode']} {address['city']}"


def _table_row(number: int, line: dict[str, Any]) -> str:
    item, net = line["item"], Decimal(line["quantity"]) * Decimal(line["price"]["net"])
    cells = (f"{line['quantity']} {line['unit']}", line["price"]["net"], line["vat"]["rate"])
    return (
        f"<tr><td>{number}<td><b>{item['name']}</b><br>{item['description']}"
        f"{''.join(f'<td class=n>{cell}' for cell in (*cells, f'{net:.2f}'))}"
    )


def invoice_request() -> dict[str, Any]:
    """Return the body of `POST /v1/renders` for the invoice of two pages and its data."""

    def text(name: str) -> str:
        return (_INVOICE / name).read_text(encoding="utf-8")

    body: dict[str, Any] = json.loads(text("request.json"))
    body["input"]["html"] = text("template.html")
    body["data"] = json.loads(text("data.json"))
    for part in ("header", "footer"):
        body["output"]["pdf"][part]["html"] = text(f"{part}.html")
    return body


def render_request() -> dict[str, Any]:
    """Return the body of `POST /v1/renders` for the same invoice without its template, binary."""
    body = invoice_request()
    source = body["input"]["html"]
    html = Environment(autoescape=True).from_string(source).render(body.pop("data"))
    body["input"] = {"type": "html", "html": html}
    body["delivery"] = {"type": "binary"}
    return body


def print_options(body: dict[str, Any]) -> dict[str, Any]:
    """Return the same options for `Page.printToPDF` (CDP)."""
    pdf = body["output"]["pdf"]
    return {
        **PRINT_OPTIONS,
        "displayHeaderFooter": True,
        "headerTemplate": pdf["header"]["html"],
        "footerTemplate": pdf["footer"]["html"],
    }


def page_count(pdf: bytes) -> int:
    """Return the number of pages of a PDF."""
    with pikepdf.open(io.BytesIO(pdf)) as document:
        return len(document.pages)
