"""Rules of XRechnung beyond those of EN 16931 (KoSIT's BR-DE rules and Peppol's)."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from chalicelib.engine.einvoice.model import Adjustment, Invoice, Payment
from chalicelib.engine.einvoice.rules_adjustments import Fault
from chalicelib.engine.einvoice.totals import Totals

# Each is needed where the object that it belongs to is there.
_NEEDED: Final = (
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
    ("BR-DE-31", "payment.direct_debit.debited_iban"),
)
# By means of payment, what is needed for it, and what must not stand beside that.
_MEANS: Final = {
    **dict.fromkeys(("30", "58"), ("23", "credit_transfers", ("card", "direct_debit"))),
    **dict.fromkeys(("48", "54", "55"), ("24", "card", ("credit_transfers", "direct_debit"))),
    "59": ("25", "direct_debit", ("credit_transfers", "card")),
}
_SCHEME: Final = re.compile("[a-zA-Z][a-zA-Z0-9+.-]+:")
# As far as KoSIT lets an amount and its percentage differ.
_SLACK: Final = Decimal("0.02")
_BLANK: Final = " \t\r\n"
_BETWEEN: Final = re.compile(r"#[^\r\n]+#")
_DISCOUNT: Final = re.compile(
    r"#SKONTO#TAGE=[0-9]+#PROZENT=[0-9]+\.[0-9]{2}(?:#BASISBETRAG=-?[0-9]+\.[0-9]{2})?#"
)


def xrechnung_faults(invoice: Invoice, computed: Totals) -> Iterator[Fault]:
    """Yield what XRechnung does not take."""
    for rule, path in _NEEDED:
        holder, _, name = path.rpartition(".")
        held = _at(invoice, holder) if holder else invoice
        if held is not None and not getattr(held, name):
            yield rule, path, "is required in XRECHNUNG"
    yield from _terms(invoice.payment_terms or "")
    yield from _values(invoice, computed)
    if invoice.payment:
        yield from _payment(invoice.payment)
    yield from _shares("", invoice.allowances, invoice.charges)
    yield from _lines(invoice)


def _at(invoice: Invoice, path: str) -> Any:
    value: Any = invoice
    for name in path.split("."):
        value = getattr(value, name, None)
    return value


def _values(invoice: Invoice, computed: Totals) -> Iterator[Fault]:
    tax_total = invoice.tax_total_in_tax_currency
    if tax_total is not None and (tax_total < 0) != (computed.tax_total < 0):
        message = "must have the sign of the VAT in the invoice's currency"
        yield "PEPPOL-EN16931-R055", "tax_total_in_tax_currency", message
    for n, document in enumerate(invoice.supporting_documents):
        if document.url and not _SCHEME.match(document.url):
            message = "must be a whole URL, with its scheme"
            yield "BR-TMP-2", f"supporting_documents[{n}].url", message


def _terms(terms: str) -> Iterator[Fault]:
    lines = [line.strip(_BLANK) for line in terms.split("\n")]
    discounts = [line for line in lines if line.startswith("#")]
    for line in discounts:
        if _DISCOUNT.fullmatch(line) is None:
            message = "has a line with # that is not #SKONTO#TAGE=14#PROZENT=2.00#"
            yield "BR-DE-18", "payment_terms", message
    rest = _BETWEEN.split(terms)[-1]
    if discounts and rest.strip(_BLANK) and not rest.lstrip(" \t\r").startswith("\n"):
        message = "has more text behind # in a line below those of discounts"
        yield "BR-DE-18", "payment_terms", message


def _payment(payment: Payment) -> Iterator[Fault]:
    debit = payment.direct_debit
    # Where 59 has no debit at all, BR-DE-25-a tells so.
    is_debit = payment.means_code == "49" or (payment.means_code == "59" and debit)
    if is_debit and not (debit and debit.mandate_reference):
        message = f"is required for means_code {payment.means_code}"
        yield "PEPPOL-EN16931-R061", "payment.direct_debit.mandate_reference", message
    if payment.means_code not in _MEANS:
        return
    number, needed, others = _MEANS[payment.means_code]
    # Credit transfers are asked for by BR-61 already.
    if needed != "credit_transfers" and not getattr(payment, needed):
        message = f"is required for means_code {payment.means_code}"
        yield f"BR-DE-{number}-a", f"payment.{needed}", message
    for other in others:
        if getattr(payment, other):
            message = f"must be left out for means_code {payment.means_code}"
            yield f"BR-DE-{number}-b", f"payment.{other}", message


def _lines(invoice: Invoice) -> Iterator[Fault]:
    whole = invoice.invoice_period
    for n, line in enumerate(invoice.lines):
        yield from _shares(f"lines[{n}].", line.allowances, line.charges)
        period = line.period
        if not (whole and period):
            continue
        if whole.start and period.start and period.start < whole.start:
            message = "must not be before invoice_period.start"
            yield "PEPPOL-EN16931-R110", f"lines[{n}].period.start", message
        if whole.end and period.end and period.end > whole.end:
            message = "must not be after invoice_period.end"
            yield "PEPPOL-EN16931-R111", f"lines[{n}].period.end", message


def _shares(
    at: str, allowances: Sequence[Adjustment], charges: Sequence[Adjustment]
) -> Iterator[Fault]:
    for name, adjustments in (("allowances", allowances), ("charges", charges)):
        for n, each in enumerate(adjustments):
            path = f"{at}{name}[{n}]"
            if each.percent is not None and each.base_amount is None:
                yield "PEPPOL-EN16931-R041", f"{path}.base_amount", "is required beside percent"
            if each.base_amount is not None and each.percent is None:
                yield "PEPPOL-EN16931-R042", f"{path}.percent", "is required beside base_amount"
            if _differs(each):
                message = "must be percent of base_amount, or be left out"
                yield "PEPPOL-EN16931-R040", f"{path}.amount", message


def _differs(each: Adjustment) -> bool:
    if each.amount is None or each.percent is None or each.base_amount is None:
        return False
    return abs(each.amount - each.base_amount * each.percent / 100) > _SLACK
