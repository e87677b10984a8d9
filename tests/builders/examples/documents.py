"""Documents, data and invoices that the examples share."""

import base64
import io
import textwrap
from typing import Any, Final

import pikepdf

HELLO_HTML: Final = "<h1>Invoice 2026-0042</h1><p>Acme GmbH, Berlin</p>"
INVOICE_HTML: Final = textwrap.dedent("""\
    <h1>Invoice {{ number }}</h1>
    <p>{{ customer.name }}<br>{{ customer.street }}<br>{{ customer.city }}</p>
    <table>
      {% for line in lines %}
      <tr><td>{{ line.text }}</td><td>{{ line.amount | money("EUR") }}</td></tr>
      {% endfor %}
    </table>
    <p>Total: {{ total | money("EUR") }}</p>
    """)
INVOICE_CSS: Final = "td:last-child { text-align: right }"
DATA: Final[dict[str, Any]] = {
    "number": "2026-0042",
    "customer": {
        "name": "Bäckerei Lindner",
        "street": "Lindenstraße 12",
        "city": "10969 Berlin",
        "email": "buchhaltung@lindner.example",
    },
    "lines": [
        {"text": "Hosting, March 2026", "amount": 49},
        {"text": "Support, 2 hours", "amount": 180},
    ],
    "total": 229,
}
OTHER_DATA: Final = DATA | {
    "number": "2026-0043",
    "customer": {
        "name": "Gasthof Krone",
        "street": "Marktplatz 3",
        "city": "88212 Ravensburg",
        "email": "info@krone.example",
    },
}
INVOICE: Final[dict[str, Any]] = {
    "number": "2026-0042",
    "issue_date": "2026-03-01",
    "due_date": "2026-03-31",
    "currency": "EUR",
    "buyer_reference": "04011000-12345-03",
    "seller": {
        "name": "Acme GmbH",
        "vat_id": "DE123456789",
        "address": {
            "line1": "Torstraße 1",
            "city": "Berlin",
            "postcode": "10119",
            "country": "DE",
        },
        "contact": {
            "name": "Eva Muster",
            "phone": "+49 30 123456",
            "email": "billing@acme.example",
        },
        "electronic_address": {"id": "billing@acme.example", "scheme": "EM"},
    },
    "buyer": {
        "name": "Stadt Beispielhausen",
        "address": {"city": "Bonn", "postcode": "53111", "country": "DE"},
        "electronic_address": {"id": "04011000-12345-03", "scheme": "0204"},
    },
    "lines": [
        {
            "item": {"name": "Support"},
            "quantity": "2",
            "unit": "HUR",
            "price": {"net": "90.00"},
            "vat": {"category": "S", "rate": "19"},
        }
    ],
    "payment": {
        "means_code": "58",
        "credit_transfers": [{"account_id": "DE02120300000000202051"}],
    },
}
LABEL_SCENE: Final[dict[str, Any]] = {
    "width": 800,
    "height": 500,
    "layers": [
        {
            "type": "text",
            "x": 40,
            "y": 40,
            "width": 720,
            "height": 160,
            "font_size": 40,
            "bind": "{{ name }}\n{{ street }}\n{{ city }}",
        },
        {
            "type": "barcode",
            "x": 40,
            "y": 260,
            "width": 720,
            "height": 180,
            "bind": "parcel",
            "required": True,
        },
    ],
}
LABEL_DATA: Final = {
    "name": "Bäckerei Lindner",
    "street": "Lindenstraße 12",
    "city": "10969 Berlin",
    "parcel": "JD014600003521",
}


def small_pdf(pages: int = 1, *, form: bool = False) -> str:
    """Return a PDF of A5 pages in base64, as few bytes as it takes."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(pages))
    field = f"{4 + 2 * pages} 0 R" if form else ""
    objects = [
        f"<</Type/Catalog/Pages 2 0 R{f'/AcroForm<</Fields[{field}]>>' if form else ''}>>",
        f"<</Type/Pages/Count {pages}/Kids[{kids}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number in range(pages):
        text = f"BT/F 24 Tf 40 500 Td(Page {number + 1})Tj ET"
        members = f"/Contents {5 + 2 * number} 0 R/Resources<</Font<</F 3 0 R>>>>"
        members += f"/Annots[{field}]" if form and number == 0 else ""
        objects += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 420 595]{members}>>",
            f"<</Length {len(text)}>>stream\n{text}\nendstream",
        ]
    if form:
        objects.append(
            "<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/F 4/DA(/F 12 Tf 0 g)/Rect[40 400 300 424]"
            "/DR<</Font<</F 3 0 R>>>>/P 4 0 R>>"
        )
    return base64.b64encode(_written(objects)).decode()


def text_pdf(text: str) -> bytes:
    """Return a PDF of one A5 page with a text."""
    content = f"BT/F 24 Tf 40 500 Td({text})Tj ET"
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 420 595]/Contents 5 0 R"
    return _written(
        [
            "<</Type/Catalog/Pages 2 0 R>>",
            "<</Type/Pages/Count 1/Kids[4 0 R]>>",
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
            f"{page}/Resources<</Font<</F 3 0 R>>>>>>",
            f"<</Length {len(content)}>>stream\n{content}\nendstream",
        ]
    )


def protected_pdf(password: str) -> str:
    """Return a PDF in base64 that opens with a password."""
    with pikepdf.open(io.BytesIO(base64.b64decode(small_pdf()))) as document:
        target = io.BytesIO()
        # An old cipher: the new ones take random numbers.
        cipher = pikepdf.Encryption(owner=password, user=password, R=3, aes=False, metadata=False)
        document.save(target, encryption=cipher, static_id=True)
    return base64.b64encode(target.getvalue()).decode()


def _written(objects: list[str]) -> bytes:
    """Return the file of these objects, the first of which is the catalog."""
    text, offsets = "%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(text))
        text += f"{number} 0 obj\n{content}\nendobj\n"
    rows = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    table = f"xref\n0 {size}\n0000000000 65535 f \n{rows}trailer<</Size {size}/Root 1 0 R>>\n"
    return f"{text}{table}startxref\n{len(text)}\n%%EOF\n".encode()
