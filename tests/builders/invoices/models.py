"""A minimal and a full invoice, and a line, for tests to change."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal as D  # noqa: N817 - these are tables of numbers
from typing import Any, Final

from chalicelib.engine.einvoice.model import (
    Adjustment,
    Buyer,
    Contact,
    CreditTransfer,
    DeliveryInformation,
    DocumentAdjustment,
    Identifier,
    Invoice,
    InvoiceItem,
    InvoiceLine,
    InvoiceNote,
    ItemAttribute,
    ItemClassification,
    Payee,
    PaymentInstructions,
    Period,
    PostalAddress,
    PrecedingInvoice,
    PriceDetails,
    Seller,
    SupportingDocument,
    TaxRepresentative,
    Vat,
)

STANDARD: Final = Vat(category="S", rate=D(19))
REDUCED: Final = Vat(category="S", rate=D("7.00"))

SELLER: Final = Seller(
    name="Nordwind Handels GmbH",
    vat_id="DE123456789",
    electronic_address=Identifier(id="rechnung@nordwind.example", scheme="EM"),
    address=PostalAddress(line1="Hafenstraße 1", city="Hamburg", postcode="20457", country="DE"),
    contact=Contact(name="Ute Beispiel", phone="+49 40 1234567", email="ute@nordwind.example"),
)
BUYER: Final = Buyer(
    name="Süd & West AG",
    electronic_address=Identifier(id="eingang@suedwest.example", scheme="EM"),
    address=PostalAddress(line1="Marktplatz 9", city="München", postcode="80331", country="DE"),
)
REPRESENTATIVE: Final = TaxRepresentative(
    name="Fiskal GmbH",
    vat_id="DE987654321",
    address=PostalAddress(city="Köln", postcode="50667", country="DE"),
)
_TRANSFER: Final = CreditTransfer(account_id="DE02120300000000202051")


def line(number: int = 1, vat: Vat = STANDARD, **changes: Any) -> InvoiceLine:
    """Return a minimal invoice line."""
    plain = InvoiceLine(
        id=str(number),
        quantity=D(2),
        unit="H87",
        price=PriceDetails(net=D("50.00")),
        vat=vat,
        item=InvoiceItem(name=f"Ware {number}"),
    )
    return replace(plain, **changes)


def minimal(**changes: Any) -> Invoice:
    """Return an invoice with the fields that XRechnung requires, and no others."""
    plain = Invoice(
        number="RE-2026-001",
        issue_date=dt.date(2026, 11, 20),
        due_date=dt.date(2026, 12, 20),
        currency="EUR",
        buyer_reference="04011000-12345-03",
        seller=SELLER,
        buyer=BUYER,
        lines=(line(),),
        payment=PaymentInstructions(means_code="58", credit_transfers=(_TRANSFER,)),
    )
    return replace(plain, **changes)


def full() -> Invoice:
    """Return an invoice with every field that may be combined."""
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
        notes=(InvoiceNote(text="Danke."), InvoiceNote(subject_code="REG", text="HRB 123")),
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
        delivery=DeliveryInformation(
            party_name="Lager",
            location=Identifier(id="4012345000009", scheme="0088"),
            address=PostalAddress(
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
        tax_representative=REPRESENTATIVE,
        seller=_full_seller(),
        buyer=_full_buyer(),
        payment=PaymentInstructions(
            means_code="58",
            means_text="Überweisung",
            remittance_information="RE-2026-002",
            credit_transfers=(
                CreditTransfer(
                    account_id="DE02120300000000202051", account_name="Nordwind", bic="BYLADEM1001"
                ),
                CreditTransfer(account_id="0000123456", account_name="Konto im Ausland"),
            ),
        ),
    )


def _full_seller() -> Seller:
    return replace(
        SELLER,
        trading_name="Nordwind",
        identifiers=(
            Identifier(id="S-1"),
            Identifier(id="4012345000001", scheme="0088"),
        ),
        legal_registration=Identifier(id="HRB 123", scheme="0204"),
        tax_number="22/815/0815/4",
        legal_info="Geschäftsführerin: Ute Beispiel",
        address=replace(SELLER.address, line2="Hof", line3="2. Stock", subdivision="HH"),
    )


def _full_buyer() -> Buyer:
    return replace(
        BUYER,
        trading_name="SüdWest",
        identifier=Identifier(id="K-1"),
        legal_registration=Identifier(id="HRB 9", scheme="0204"),
        vat_id="DE111111125",
        contact=Contact(name="Max Muster", phone="+49 89 999", email="max@suedwest.example"),
    )


def _full_line() -> InvoiceLine:
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
        price=PriceDetails(
            net=D("9.5000"),
            gross=D("10.0000"),
            discount=D("0.5000"),
            base_quantity=D(2),
            base_unit="KGM",
        ),
        item=InvoiceItem(
            name="Kaffee",
            description="Ganze Bohne\nnaturell",
            seller_id="K-100",
            buyer_id="X-7",
            standard_id=Identifier(id="4012345678901", scheme="0160"),
            classifications=(
                ItemClassification(id="50201706", scheme="TST", version="19.05"),
                ItemClassification(id="0901", scheme="HS"),
            ),
            origin_country="CO",
            attributes=(
                ItemAttribute(name="Röstung", value="hell"),
                ItemAttribute(name="Jahr", value="1"),
            ),
        ),
    )
