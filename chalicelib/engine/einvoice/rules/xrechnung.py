"""Rules of XRechnung beyond those of EN 16931 (KoSIT's BR-DE rules and Peppol's)."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from chalicelib.engine.einvoice.model import (
    Adjustment,
    Invoice,
    InvoiceLine,
    PaymentInstructions,
)
from chalicelib.engine.einvoice.profiles import Syntax
from chalicelib.engine.einvoice.rules.lines import RuleViolation
from chalicelib.engine.einvoice.rules.payment_terms import discount_fault
from chalicelib.engine.einvoice.totals import InvoiceTotals

# A field is required if the object that contains it is present.
_REQUIRED_FIELDS: Final = (
    ("BR-DE-15", "buyer_reference"),
    ("BR-DE-1", "payment"),
    ("BR-DE-2", "seller.contact"),
    ("BR-DE-5", "seller.contact.name"),
    ("BR-DE-6", "seller.contact.phone"),
    ("BR-DE-7", "seller.contact.email"),
    ("BR-DE-3", "seller.address.city"),
    ("BR-DE-4", "seller.address.postcode"),
    ("BR-DE-8", "buyer.address.city"),
    ("BR-DE-9", "buyer.address.postcode"),
    ("BR-DE-10", "delivery.address.city"),
    ("BR-DE-11", "delivery.address.postcode"),
    ("PEPPOL-EN16931-R020", "seller.electronic_address"),
    ("PEPPOL-EN16931-R010", "buyer.electronic_address"),
    ("BR-DE-30", "payment.direct_debit.creditor_id"),
    ("BR-DE-31", "payment.direct_debit.debited_account"),
)
# By payment means code: number of the BR-DE rule, required field, and forbidden fields.
_PAYMENT_MEANS_RULES: Final = {
    **dict.fromkeys(("30", "58"), ("23", "credit_transfers", ("card", "direct_debit"))),
    **dict.fromkeys(("48", "54", "55"), ("24", "card", ("credit_transfers", "direct_debit"))),
    "59": ("25", "direct_debit", ("credit_transfers", "card")),
}
_URL_SCHEME: Final = re.compile("[a-zA-Z][a-zA-Z0-9+.-]+:")
# KoSIT tolerates this difference between an amount and its percentage.
_AMOUNT_TOLERANCE: Final = Decimal("0.02")


def xrechnung_violations(
    invoice: Invoice, totals: InvoiceTotals, syntax: Syntax
) -> Iterator[RuleViolation]:
    """Yield the violations of XRechnung."""
    for rule, path in _REQUIRED_FIELDS:
        holder, _, name = path.rpartition(".")
        value = _value_at(invoice, holder) if holder else invoice
        if value is not None and not getattr(value, name):
            yield rule, path, "is required in XRECHNUNG"
    fault = discount_fault(invoice.payment_terms or "")
    if fault is not None:
        yield "BR-DE-18", "payment_terms", fault
    yield from _tax_total(invoice, totals, syntax)
    yield from _supporting_documents(invoice)
    if invoice.payment:
        yield from _payment(invoice.payment)
    yield from _percentages("", invoice.allowances, invoice.charges)
    yield from _lines(invoice)


def _value_at(invoice: Invoice, path: str) -> object:
    value: object = invoice
    for name in path.split("."):
        value = getattr(value, name, None)
    return value


def _tax_total(invoice: Invoice, totals: InvoiceTotals, syntax: Syntax) -> Iterator[RuleViolation]:
    tax_total = invoice.tax_total_in_tax_currency
    if tax_total is not None and _signs_differ(tax_total, totals.tax_total, syntax):
        message = "must have the sign of the VAT in the invoice's currency"
        yield "PEPPOL-EN16931-R055", "tax_total_in_tax_currency", message


def _supporting_documents(invoice: Invoice) -> Iterator[RuleViolation]:
    filenames: set[str] = set()
    for n, document in enumerate(invoice.supporting_documents):
        if document.upload_id and document.filename:
            if document.filename in filenames:
                message = "must be another one than those of the documents before it"
                yield "BR-DE-22", f"supporting_documents[{n}].filename", message
            filenames.add(document.filename)
        if document.url and not _URL_SCHEME.match(document.url):
            message = "must be a whole URL, with its scheme"
            yield "BR-TMP-2", f"supporting_documents[{n}].url", message


def _signs_differ(first: Decimal, second: Decimal, syntax: Syntax) -> bool:
    """Tell whether two amounts differ in sign; 0 has any sign in UBL, a positive one in CII."""
    if syntax == "ubl":
        return min(first, second) < 0 < max(first, second)
    return (first < 0) != (second < 0)


def _payment(payment: PaymentInstructions) -> Iterator[RuleViolation]:
    debit = payment.direct_debit
    # Code 59 without any direct debit is a violation of BR-DE-25-a below.
    is_debit = payment.means_code == "49" or (payment.means_code == "59" and debit)
    if is_debit and not (debit and debit.mandate_reference):
        message = f"is required for means_code {payment.means_code}"
        yield "PEPPOL-EN16931-R061", "payment.direct_debit.mandate_reference", message
    if payment.means_code not in _PAYMENT_MEANS_RULES:
        return
    number, required, forbidden = _PAYMENT_MEANS_RULES[payment.means_code]
    # BR-61 already requires credit transfers.
    if required != "credit_transfers" and not getattr(payment, required):
        message = f"is required for means_code {payment.means_code}"
        yield f"BR-DE-{number}-a", f"payment.{required}", message
    for name in forbidden:
        if getattr(payment, name):
            message = f"must be left out for means_code {payment.means_code}"
            yield f"BR-DE-{number}-b", f"payment.{name}", message


def _lines(invoice: Invoice) -> Iterator[RuleViolation]:
    invoice_period = invoice.invoice_period
    for n, line in enumerate(invoice.lines):
        yield from _percentages(f"lines[{n}].", line.allowances, line.charges)
        yield from _price(line, f"lines[{n}].price")
        period = line.period
        if not (invoice_period and period):
            continue
        if invoice_period.start and period.start and period.start < invoice_period.start:
            message = "must not be before invoice_period.start"
            yield "PEPPOL-EN16931-R110", f"lines[{n}].period.start", message
        if invoice_period.end and period.end and period.end > invoice_period.end:
            message = "must not be after invoice_period.end"
            yield "PEPPOL-EN16931-R111", f"lines[{n}].period.end", message


def _price(line: InvoiceLine, at: str) -> Iterator[RuleViolation]:
    price = line.price
    if price.base_unit not in {None, line.unit}:
        message = f"must be the line's unit, {line.unit}"
        yield "PEPPOL-EN16931-R130", f"{at}.base_unit", message
    if price.base_quantity is not None and price.base_quantity <= 0:
        yield "PEPPOL-EN16931-R121", f"{at}.base_quantity", "must be more than 0"
    if price.gross is not None and price.gross - (price.discount or 0) != price.net:
        yield "PEPPOL-EN16931-R046", f"{at}.net", "must be gross less discount"


def _percentages(
    at: str, allowances: Sequence[Adjustment], charges: Sequence[Adjustment]
) -> Iterator[RuleViolation]:
    for name, adjustments in (("allowances", allowances), ("charges", charges)):
        for n, each in enumerate(adjustments):
            path = f"{at}{name}[{n}]"
            if each.percent is not None and each.base_amount is None:
                yield "PEPPOL-EN16931-R041", f"{path}.base_amount", "is required beside percent"
            if each.base_amount is not None and each.percent is None:
                yield "PEPPOL-EN16931-R042", f"{path}.percent", "is required beside base_amount"
            if _amount_differs(each):
                message = "must be percent of base_amount, or be left out"
                yield "PEPPOL-EN16931-R040", f"{path}.amount", message


def _amount_differs(each: Adjustment) -> bool:
    if each.amount is None or each.percent is None or each.base_amount is None:
        return False
    return abs(each.amount - each.base_amount * each.percent / 100) > _AMOUNT_TOLERANCE
