"""Invoices of every kind that EN 16931 knows, each correct."""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal as D  # noqa: N817 - these are tables of numbers
from types import MappingProxyType
from typing import Any, Final

from chalicelib.engine.einvoice.model import (
    DeliveryInformation,
    DirectDebit,
    DocumentAdjustment,
    Identifier,
    Invoice,
    Payee,
    PaymentCard,
    PaymentInstructions,
    Period,
    PostalAddress,
    PrecedingInvoice,
    PriceDetails,
    Vat,
    VatExemption,
)
from tests.builders.invoices.models import (
    BUYER,
    REDUCED,
    REPRESENTATIVE,
    SELLER,
    STANDARD,
    full,
    line,
    minimal,
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
        buyer=replace(BUYER, vat_id="ATU12345678"),
        delivery=DeliveryInformation(
            address=PostalAddress(city="Wien", postcode="1010", country="AT"),
            date=dt.date(2026, 11, 19),
        ),
    )


def _out_of_scope() -> Invoice:
    seller = replace(
        SELLER,
        vat_id=None,
        tax_number="22/815/0815/4",
        legal_registration=Identifier(id="HRB 123"),
    )
    return _exempt("O", "VATEX-EU-O", seller=seller)


def _out_of_scope_adjusted() -> Invoice:
    vat = Vat(category="O")
    return replace(
        _out_of_scope(),
        allowances=(DocumentAdjustment(amount=D("1.00"), reason="Rabatt", vat=vat),),
        charges=(DocumentAdjustment(amount=D("2.00"), reason="Fracht", vat=vat),),
    )


def _exempt_adjusted() -> Invoice:
    vat = Vat(category="E")
    return replace(
        _exempt("E", None),
        allowances=(
            DocumentAdjustment(percent=D("33.3333"), base_amount=D(10), vat=vat, reason="R"),
        ),
        tax_representative=REPRESENTATIVE,
    )


def _islands() -> Invoice:
    return minimal(
        lines=(line(1, Vat(category="L", rate=D(7))), line(2, Vat(category="M", rate=D("0.5"))))
    )


def _open_periods() -> Invoice:
    day = dt.date(2026, 11, 1)
    return minimal(
        invoice_period=Period(start=day),
        lines=(line(1, period=Period(start=day)), line(2, period=Period(end=day))),
        delivery=DeliveryInformation(location=Identifier(id="L-1")),
    )


def _debit_for_a_payee() -> Invoice:
    return replace(_direct_debit(), payee=Payee(name="Factoring AG"), payment_terms="Einzug")


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
        debited_account="DE02120300000000202051",
    )
    return minimal(payment=PaymentInstructions(means_code="59", direct_debit=debit))


def _card() -> Invoice:
    card = PaymentCard(primary_account_number="123456", holder_name="Max Muster")
    return minimal(
        payment=PaymentInstructions(means_code="48", card=card, remittance_information="Beleg 7")
    )


def _gross_prices() -> Invoice:
    return minimal(
        lines=(
            line(1, price=PriceDetails(net=D("9.99"), gross=D("10.99"), discount=D(1))),
            line(2, price=PriceDetails(net=D("9.99"), gross=D("9.99"), discount=D(0))),
            line(3, price=PriceDetails(net=D("9.99"), gross=D("9.99"))),
            line(4, price=PriceDetails(net=D("0.123456"), base_quantity=D(1000))),
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


INVOICE_KINDS: Final[Mapping[str, Callable[[], Invoice]]] = MappingProxyType(
    {
        "minimal": minimal,
        "full": full,
        "credit note": _credit_note,
        "bare credit note": lambda: minimal(type_code="381", payment_terms="Netto"),
        "correction": _correction,
        "self-billed": lambda: minimal(type_code="389"),
        "mixed rates": _mixed,
        "E": lambda: _exempt("E", "VATEX-EU-132"),
        "AE": lambda: _exempt("AE", "VATEX-EU-AE", buyer=replace(BUYER, vat_id="ATU12345678")),
        "K": _intra_community,
        "G": lambda: _exempt("G", "VATEX-EU-G"),
        "Z": lambda: minimal(lines=(line(1, Vat(category="Z", rate=D("0.00"))),)),
        "O": _out_of_scope,
        "O adjusted": _out_of_scope_adjusted,
        "E adjusted": _exempt_adjusted,
        "L and M": _islands,
        "open periods": _open_periods,
        "debit for a payee": _debit_for_a_payee,
        "prepayment": lambda: minimal(type_code="386", prepaid_amount=D("119.00")),
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
