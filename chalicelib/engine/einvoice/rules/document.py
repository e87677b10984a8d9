"""Rules of the whole invoice: references, dates, currencies, parties, payment, amounts."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from chalicelib.contract.invoice.constraints import MAX_INTEGER_PLACES
from chalicelib.engine.einvoice.model import Identifier, Invoice, InvoiceLine, Seller
from chalicelib.engine.einvoice.profiles import InvoiceProfile, Syntax
from chalicelib.engine.einvoice.rules.lines import RuleViolation, adjustment_violations
from chalicelib.engine.einvoice.totals import InvoiceTotals, adjustment_amount

_AMOUNT_LIMIT: Final = Decimal(10) ** MAX_INTEGER_PLACES
# UNTDID 4461: credit transfer, SEPA credit transfer.
_CREDIT_TRANSFER_CODES: Final = frozenset({"30", "58"})
_VAT_ID_COUNTRY: Final = re.compile("[A-Z]{2}|1A")  # 1A is Kosovo in the official sheets
_MAX_CARD_CHARACTERS: Final = 10
# The breakdown is stored in the row of the render, whose size is limited.
_MAX_VAT_BREAKDOWNS: Final = 1_000
_TOTAL_FIELDS: Final = (
    "line_total",
    "allowance_total",
    "charge_total",
    "tax_basis_total",
    "tax_total",
    "grand_total",
    "due_amount",
)


def document_violations(
    invoice: Invoice, totals: InvoiceTotals, profile: InvoiceProfile, syntax: Syntax
) -> Iterator[RuleViolation]:
    """Yield the violations of the document."""
    yield from _references(invoice, profile)
    yield from _embedded_documents(invoice)
    yield from _currencies(invoice, profile)
    yield from _parties(invoice, profile)
    yield from _payee(invoice, profile, syntax)
    yield from _seller(invoice.seller, profile)
    yield from _payment(invoice, totals, profile)
    yield from _card(invoice, syntax)
    yield from adjustment_violations(invoice.allowances, "allowances", "BR-31", "BR-33")
    yield from adjustment_violations(invoice.charges, "charges", "BR-36", "BR-38")
    yield from _vat_breakdown(totals)
    yield from _amounts(invoice, totals)


def lacks_corrected_invoice(invoice: Invoice) -> bool:
    """Tell whether a corrected invoice (384) names none that it corrects.

    The model requires one, where the official sheets only recommend it.
    """
    return invoice.type_code == "384" and not invoice.preceding_invoices


def _references(invoice: Invoice, profile: InvoiceProfile) -> Iterator[RuleViolation]:
    if lacks_corrected_invoice(invoice):
        rule = "DE-R-026" if profile.name == "PEPPOL" else "BR-DE-26"
        yield rule, "preceding_invoices", "is required for type_code 384"
    if invoice.tax_point_date and invoice.tax_point_date_code:
        yield "BR-CO-03", "tax_point_date_code", "must not stand beside tax_point_date"
    period = invoice.invoice_period
    if period and period.start and period.end and period.end < period.start:
        yield "BR-29", "invoice_period.end", "must not be before start"


def _embedded_documents(invoice: Invoice) -> Iterator[RuleViolation]:
    for n, document in enumerate(invoice.supporting_documents):
        for name in ("filename", "content_type"):
            if document.upload_id and not getattr(document, name):
                path = f"supporting_documents[{n}].{name}"
                yield "PLT-REQUIRED", path, "is required beside upload_id"


def _currencies(invoice: Invoice, profile: InvoiceProfile) -> Iterator[RuleViolation]:
    if invoice.tax_currency is None:
        if invoice.tax_total_in_tax_currency is not None:
            yield "PLT-TAX-CURRENCY", "tax_currency", "is required for tax_total_in_tax_currency"
        return
    if invoice.tax_currency == invoice.currency:
        # The sheets of EN 16931 allow the same currency twice, with one VAT total for both.
        if profile.name in {"PEPPOL", "XRECHNUNG"} or invoice.tax_total_in_tax_currency is not None:
            yield "PEPPOL-EN16931-R005", "tax_currency", "must be another one than currency"
    elif invoice.tax_total_in_tax_currency is None:
        yield "BR-53", "tax_total_in_tax_currency", "is required for tax_currency"


def _parties(invoice: Invoice, profile: InvoiceProfile) -> Iterator[RuleViolation]:
    seller, buyer = invoice.seller, invoice.buyer
    if buyer.address is None and profile.name != "MINIMUM":
        yield "BR-10", "buyer.address", "is required"
    for rule, name, party in (("BR-62", "seller", seller), ("BR-63", "buyer", buyer)):
        address = party.electronic_address
        if address and not address.scheme:
            yield rule, f"{name}.electronic_address.scheme", "is required"
    for name in ("seller", "buyer", "tax_representative"):
        vat_id = getattr(getattr(invoice, name), "vat_id", None)
        if vat_id and not _VAT_ID_COUNTRY.match(vat_id):
            yield "BR-CO-09", f"{name}.vat_id", "must begin with the code of its country"


def _payee(invoice: Invoice, profile: InvoiceProfile, syntax: Syntax) -> Iterator[RuleViolation]:
    """Yield where the payee is the seller, as the sheet of the syntax compares them (BR-17).

    That of UBL compares trading name and identifiers; that of CII name, identifiers without a
    scheme and registration; those of Factur-X alone nothing.
    """
    payee, seller = invoice.payee, invoice.seller
    is_compared = syntax == "ubl" or profile.name in {"EN16931", "XRECHNUNG"}
    if payee is None or not is_compared:
        return
    message = "must be another one than the seller's"
    if payee.name == (seller.trading_name if syntax == "ubl" else seller.name):
        yield "BR-17", "payee.name", message
    if _compared_id(payee.identifier, syntax) in {
        each.id for each in seller.identifiers if _compared_id(each, syntax)
    }:
        yield "BR-17", "payee.identifier", message
    own, sellers = payee.legal_registration, seller.legal_registration
    if syntax == "cii" and own and sellers and own.id == sellers.id:
        yield "BR-17", "payee.legal_registration", message


def _compared_id(identifier: Identifier | None, syntax: Syntax) -> str | None:
    is_compared = identifier is not None and (syntax == "ubl" or not identifier.scheme)
    return identifier.id if identifier and is_compared else None


def _seller(seller: Seller, profile: InvoiceProfile) -> Iterator[RuleViolation]:
    identifiers = () if profile.name == "MINIMUM" else seller.identifiers
    if not (seller.vat_id or seller.legal_registration or identifiers):
        message = "is required, or legal_registration"
        others = "" if profile.name == "MINIMUM" else " or identifiers"
        yield "BR-CO-26", "seller.vat_id", message + others


def _payment(
    invoice: Invoice, totals: InvoiceTotals, profile: InvoiceProfile
) -> Iterator[RuleViolation]:
    payment = invoice.payment
    if payment and payment.means_code in _CREDIT_TRANSFER_CODES and not payment.credit_transfers:
        message = f"is required for means_code {payment.means_code}"
        yield "BR-61", "payment.credit_transfers", message
    if totals.rounding_amount and profile.name in {"BASIC", "BASIC_WL"}:
        message = f"cannot be told in {profile.name}: leave it out or take EN16931"
        yield "BR-CO-16", "rounding_amount", message
    has_terms = invoice.due_date or invoice.payment_terms
    # Only the sheet of EXTENDED still has this rule.
    if profile.name == "EXTENDED" and totals.due_amount > 0 and not has_terms:
        yield "BR-CO-25", "due_date", "is required, or payment_terms, where an amount is due"


def _card(invoice: Invoice, syntax: Syntax) -> Iterator[RuleViolation]:
    # The sheet of UBL only warns.
    card = invoice.payment.card if invoice.payment and syntax == "cii" else None
    if card and len(card.primary_account_number) > _MAX_CARD_CHARACTERS:
        message = (
            f"must be at most {_MAX_CARD_CHARACTERS} characters: the first 6 and the last 4 digits"
        )
        yield "BR-51", "payment.card.primary_account_number", message


def _vat_breakdown(totals: InvoiceTotals) -> Iterator[RuleViolation]:
    count = len(totals.vat_breakdown)
    if count > _MAX_VAT_BREAKDOWNS:
        message = (
            f"has {count} different pairs of a VAT category and a rate, of which "
            f"{_MAX_VAT_BREAKDOWNS} are allowed: merge rates, or make several invoices"
        )
        yield "PLT-VAT-BREAKDOWN", "", message


def _amounts(invoice: Invoice, totals: InvoiceTotals) -> Iterator[RuleViolation]:
    """Yield computed amounts that are too large; the reader has checked the given ones."""
    message = f"comes to more than {MAX_INTEGER_PLACES} digits before the point"
    for path, amount in _computed_amounts(invoice, totals):
        if abs(amount) >= _AMOUNT_LIMIT:
            yield "PLT-AMOUNT-RANGE", path, message


def _computed_amounts(invoice: Invoice, totals: InvoiceTotals) -> Iterator[tuple[str, Decimal]]:
    yield from _adjustment_amounts("", invoice)
    for n, (line, amount) in enumerate(zip(invoice.lines, totals.line_net_amounts, strict=True)):
        yield f"lines[{n}]", amount
        yield from _adjustment_amounts(f"lines[{n}].", line)
    for part in totals.vat_breakdown:
        yield "", part.taxable_amount
        yield "", part.tax_amount
    for name in _TOTAL_FIELDS:
        yield "", getattr(totals, name)


def _adjustment_amounts(at: str, holder: Invoice | InvoiceLine) -> Iterator[tuple[str, Decimal]]:
    for n, each in enumerate(holder.allowances):
        yield f"{at}allowances[{n}]", adjustment_amount(each)
    for n, each in enumerate(holder.charges):
        yield f"{at}charges[{n}]", adjustment_amount(each)
