"""Invoices of every kind that EN 16931 knows, each correct."""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal as D  # noqa: N817 - these are tables of numbers
from types import MappingProxyType
from typing import Any, Final

from chalicelib.engine.einvoice.model import (
    Address,
    Adjustment,
    Attribute,
    Buyer,
    Card,
    Classification,
    Contact,
    CreditTransfer,
    Delivery,
    DirectDebit,
    DocumentAdjustment,
    Identifier,
    Invoice,
    Item,
    Line,
    Note,
    Payee,
    Payment,
    Period,
    PrecedingInvoice,
    Price,
    Seller,
    SupportingDocument,
    TaxRepresentative,
    Vat,
    VatExemption,
)

STANDARD: Final = Vat(category="S", rate=D(19))
REDUCED: Final = Vat(category="S", rate=D("7.00"))

_SELLER: Final = Seller(
    name="Nordwind Handels GmbH",
    vat_id="DE123456789",
    electronic_address=Identifier(id="rechnung@nordwind.example", scheme="EM"),
    address=Address(line1="Hafenstraße 1", city="Hamburg", postcode="20457", country="DE"),
    contact=Contact(name="Ute Beispiel", phone="+49 40 1234567", email="ute@nordwind.example"),
)
_BUYER: Final = Buyer(
    name="Süd & West AG",
    electronic_address=Identifier(id="eingang@suedwest.example", scheme="EM"),
    address=Address(line1="Marktplatz 9", city="München", postcode="80331", country="DE"),
)
_TRANSFER: Final = CreditTransfer(iban="DE02120300000000202051")


def line(number: int = 1, vat: Vat = STANDARD, **changes: Any) -> Line:
    """Return a plain line."""
    plain = Line(
        id=str(number),
        quantity=D(2),
        unit="H87",
        price=Price(net=D("50.00")),
        vat=vat,
        item=Item(name=f"Ware {number}"),
    )
    return replace(plain, **changes)


def minimal(**changes: Any) -> Invoice:
    """Return an invoice with no more than XRechnung asks for."""
    plain = Invoice(
        number="RE-2026-001",
        issue_date=dt.date(2026, 11, 20),
        due_date=dt.date(2026, 12, 20),
        currency="EUR",
        buyer_reference="04011000-12345-34",
        seller=_SELLER,
        buyer=_BUYER,
        lines=(line(),),
        payment=Payment(means_code="58", credit_transfers=(_TRANSFER,)),
    )
    return replace(plain, **changes)


def full() -> Invoice:
    """Return an invoice with everything that may stand together."""
    return minimal(
        number="RE/2026-<&>-é",
        tax_point_date=dt.date(2026, 11, 19),
        buyer_accounting_reference="4711",
        contract_reference="V-1",
        despatch_advice_reference="L-1",
        order_reference="B-1",
        project_reference="P-1",
        receiving_advice_reference="W-1",
        sales_order_reference="A-1",
        tender_reference="T-1",
        process_id="urn:fdc:peppol.eu:2017:poacc:billing:01:1.0",
        payment_terms="#SKONTO#TAGE=14#PROZENT=2.00#\n#SKONTO#TAGE=21#PROZENT=1.00#",
        prepaid_amount=D("100.00"),
        invoiced_object=Identifier(id="Z-9", scheme="AAB"),
        invoice_period=Period(start=dt.date(2026, 11, 1), end=dt.date(2026, 11, 30)),
        notes=(Note(text="Danke."), Note(subject_code="REG", text="HRB 123")),
        preceding_invoices=(
            PrecedingInvoice(number="RE-1", issue_date=dt.date(2026, 1, 2)),
            PrecedingInvoice(number="RE-2"),
        ),
        supporting_documents=(
            SupportingDocument(id="D-1", description="Nachweis", url="https://nordwind.example/d"),
            SupportingDocument(id="D-2"),
        ),
        allowances=(
            DocumentAdjustment(
                percent=D("10.00"),
                base_amount=D("100.00"),
                reason="Rabatt",
                reason_code="95",
                vat=STANDARD,
            ),
        ),
        charges=(
            DocumentAdjustment(amount=D("5.50"), reason="Fracht", reason_code="FC", vat=REDUCED),
        ),
        lines=(_full_line(), line(2, REDUCED, quantity=D("1.5"))),
        delivery=Delivery(
            party_name="Lager",
            location=Identifier(id="4012345000009", scheme="0088"),
            address=Address(
                line1="Tor 3",
                line2="Rampe",
                line3="Links",
                city="Ulm",
                postcode="89073",
                country="DE",
                subdivision="BW",
            ),
            date=dt.date(2026, 11, 18),
        ),
        payee=Payee(
            name="Factoring AG",
            identifier=Identifier(id="P-7"),
            legal_registration=Identifier(id="HRB 7", scheme="0204"),
        ),
        tax_representative=TaxRepresentative(
            name="Fiskal GmbH",
            vat_id="DE987654321",
            address=Address(city="Köln", postcode="50667", country="DE"),
        ),
        seller=_full_seller(),
        buyer=_full_buyer(),
        payment=Payment(
            means_code="58",
            means_text="Überweisung",
            reference="RE-2026-002",
            credit_transfers=(
                CreditTransfer(
                    iban="DE02120300000000202051", account_name="Nordwind", bic="BYLADEM1001"
                ),
                CreditTransfer(iban="0000123456", account_name="Konto im Ausland"),
            ),
        ),
    )


def _full_seller() -> Seller:
    return replace(
        _SELLER,
        trading_name="Nordwind",
        identifiers=(
            Identifier(id="S-1"),
            Identifier(id="4012345000001", scheme="0088"),
        ),
        legal_registration=Identifier(id="HRB 123", scheme="0204"),
        tax_number="22/815/0815/4",
        legal_info="Geschäftsführerin: Ute Beispiel",
        address=replace(_SELLER.address, line2="Hof", line3="2. Stock", subdivision="HH"),
    )


def _full_buyer() -> Buyer:
    return replace(
        _BUYER,
        trading_name="SüdWest",
        identifier=Identifier(id="K-1"),
        legal_registration=Identifier(id="HRB 9", scheme="0204"),
        vat_id="DE111111125",
        contact=Contact(name="Max Muster", phone="+49 89 999", email="max@suedwest.example"),
    )


def _full_line() -> Line:
    return line(
        note="Zur Probe",
        object_identifier=Identifier(id="O-1", scheme="AAB"),
        quantity=D("12.500"),
        unit="KGM",
        order_line_reference="10",
        accounting_reference="4712",
        period=Period(start=dt.date(2026, 11, 1), end=dt.date(2026, 11, 15)),
        allowances=(
            Adjustment(percent=D(5), base_amount=D("40.00"), reason="Menge", reason_code="100"),
        ),
        charges=(Adjustment(amount=D("1.25"), reason="Verpackung"),),
        price=Price(
            net=D("9.5000"),
            gross=D("10.0000"),
            discount=D("0.5000"),
            base_quantity=D(2),
            base_unit="KGM",
        ),
        item=Item(
            name="Kaffee",
            description="Ganze Bohne\nnaturell",
            seller_id="K-100",
            buyer_id="X-7",
            standard_id=Identifier(id="4012345678901", scheme="0160"),
            classifications=(
                Classification(id="50201706", scheme="TST", version="19.05"),
                Classification(id="0901", scheme="HS"),
            ),
            origin_country="CO",
            attributes=(Attribute(name="Röstung", value="hell"), Attribute(name="Jahr", value="1")),
        ),
    )


def _exempt(category: str, reason_code: str | None, **changes: Any) -> Invoice:
    vat = Vat(category=category, rate=None if category == "O" else D(0))
    exemption = VatExemption(reason="Kein Ausweis von Steuer", reason_code=reason_code)
    return minimal(
        lines=(line(1, vat), line(2, vat)), vat_exemptions={category: exemption}, **changes
    )


def _intra_community() -> Invoice:
    return _exempt(
        "K",
        "VATEX-EU-IC",
        buyer=replace(_BUYER, vat_id="ATU12345678"),
        delivery=Delivery(
            address=Address(city="Wien", postcode="1010", country="AT"),
            date=dt.date(2026, 11, 19),
        ),
    )


def _out_of_scope() -> Invoice:
    seller = replace(
        _SELLER,
        vat_id=None,
        tax_number="22/815/0815/4",
        legal_registration=Identifier(id="HRB 123"),
    )
    return _exempt("O", "VATEX-EU-O", seller=seller)


def _mixed() -> Invoice:
    exempt = Vat(category="E", rate=D(0))
    return minimal(
        lines=(
            line(1, Vat(category="S", rate=D("19.00"))),
            line(2, STANDARD),
            line(3, REDUCED),
            line(4, exempt),
            line(5, Vat(category="Z", rate=D(0))),
        ),
        vat_exemptions={"E": VatExemption(reason="Bildung", reason_code="VATEX-EU-132")},
        allowances=(DocumentAdjustment(amount=D("3.33"), reason="Treue", vat=exempt),),
    )


def _direct_debit() -> Invoice:
    debit = DirectDebit(
        mandate_reference="M-1",
        creditor_id="DE98ZZZ09999999999",
        debited_iban="DE02120300000000202051",
    )
    return minimal(payment=Payment(means_code="59", direct_debit=debit))


def _card() -> Invoice:
    card = Card(primary_account_number="123456", holder_name="Max Muster")
    return minimal(payment=Payment(means_code="48", card=card, reference="Beleg 7"))


def _gross_prices() -> Invoice:
    return minimal(
        lines=(
            line(1, price=Price(net=D("9.99"), gross=D("10.99"), discount=D(1))),
            line(2, price=Price(net=D("9.99"), gross=D("9.99"), discount=D(0))),
            line(3, price=Price(net=D("9.99"), gross=D("9.99"))),
            line(4, price=Price(net=D("0.123456"), base_quantity=D(1000))),
        )
    )


def _tax_currency() -> Invoice:
    return minimal(currency="SEK", tax_currency="EUR", tax_total_in_tax_currency=D("1.70"))


def _negative() -> Invoice:
    return minimal(
        lines=(line(1), line(2, quantity=D(-3)), line(3, quantity=D("0.333"))),
        prepaid_amount=D("-1.00"),
    )


def _credit_note() -> Invoice:
    return replace(full(), type_code="381")


def _correction() -> Invoice:
    return minimal(type_code="384", preceding_invoices=(PrecedingInvoice(number="RE-0"),))


SHAPES: Final[Mapping[str, Callable[[], Invoice]]] = MappingProxyType(
    {
        "minimal": minimal,
        "full": full,
        "credit note": _credit_note,
        "bare credit note": lambda: minimal(type_code="381", payment_terms="Netto"),
        "correction": _correction,
        "self-billed": lambda: minimal(type_code="389"),
        "mixed rates": _mixed,
        "E": lambda: _exempt("E", "VATEX-EU-132"),
        "AE": lambda: _exempt("AE", "VATEX-EU-AE", buyer=replace(_BUYER, vat_id="ATU12345678")),
        "K": _intra_community,
        "G": lambda: _exempt("G", "VATEX-EU-G"),
        "Z": lambda: minimal(lines=(line(1, Vat(category="Z", rate=D("0.00"))),)),
        "O": _out_of_scope,
        "direct debit": _direct_debit,
        "card": _card,
        "gross prices": _gross_prices,
        "tax currency": _tax_currency,
        "tax point code": lambda: minimal(tax_point_date_code="432"),
        "sales order only": lambda: minimal(sales_order_reference="A-1"),
        "negative": _negative,
        "rounding": lambda: minimal(rounding_amount=D("-0.01"), prepaid_amount=D("0.00")),
    }
)
