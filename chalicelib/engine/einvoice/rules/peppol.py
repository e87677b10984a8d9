"""Rules of Peppol BIS Billing 3.0 beyond those of EN 16931."""

import re
from collections.abc import Iterator
from typing import Final

from chalicelib.engine.einvoice.model import Invoice
from chalicelib.engine.einvoice.profiles import PEPPOL_BILLING_PROCESS
from chalicelib.engine.einvoice.rules.lines import RuleViolation
from chalicelib.engine.einvoice.rules.xrechnung import xrechnung_violations
from chalicelib.engine.einvoice.totals import InvoiceTotals
from chalicelib.engine.einvoice.write_ubl.document import CREDIT_NOTE_CODES

_PROCESSES: Final = (
    PEPPOL_BILLING_PROCESS,
    "urn:peppol:bis:billing_with_response",
    "urn:peppol:france:billing:regulated",
    "urn:peppol:france:billing:non-regulated",
)
_INVOICE_CODES: Final = (
    *("71", "80", "82", "84", "102", "218", "219", "326", "331", "380", "382", "383", "384"),
    *("386", "388", "393", "395", "553", "575", "623", "780", "817", "870", "875", "876", "877"),
)
_CREDIT_NOTE_CODES: Final = ("81", "83", "381", "396", "532")
# Partial and corrected invoices.
_GERMAN_CODES: Final = frozenset({"326", "384"})
# Peppol has taken over XRechnung's rules for invoices within Germany under names of its own.
_GERMAN_RULE: Final = re.compile(r"BR-DE-(\d+)(?:-([ab]))?")
# KoSIT has taken these rules over from Peppol.
_SHARED_RULES: Final = frozenset(
    f"PEPPOL-EN16931-R{number}"
    for number in ("040", "041", "042", "046", "055", "061", "110", "111", "121", "130")
)


def peppol_violations(invoice: Invoice, totals: InvoiceTotals) -> Iterator[RuleViolation]:
    """Yield the violations of Peppol BIS Billing."""
    yield from _required_fields(invoice)
    yield from _document(invoice)
    is_domestic = _is_domestic_in_germany(invoice)
    for rule, path, message in xrechnung_violations(invoice, totals, "ubl"):
        german = _GERMAN_RULE.fullmatch(rule)
        if rule in _SHARED_RULES:
            yield rule, path, message
        elif german and is_domestic:
            place = "PEPPOL, as seller and buyer are in Germany"
            yield _peppol_name(german), path, message.replace("XRECHNUNG", place)
        elif rule == "BR-DE-25-a":  # a direct debit (59) without its mandate
            yield "PEPPOL-EN16931-R061", path, message


def _peppol_name(german: re.Match[str]) -> str:
    """Return the name of a rule of XRechnung in Peppol: `DE-R-025-1` of `BR-DE-25-a`."""
    part = {"a": "-1", "b": "-2"}.get(german[2], "")
    return f"DE-R-{int(german[1]):03}{part}"


def _is_domestic_in_germany(invoice: Invoice) -> bool:
    """Tell whether seller and buyer are in Germany, where some rules are relaxed."""
    buyer = invoice.buyer.address
    return invoice.seller.address.country == "DE" and buyer is not None and buyer.country == "DE"


def _required_fields(invoice: Invoice) -> Iterator[RuleViolation]:
    for rule, name, party in (
        ("PEPPOL-EN16931-R020", "seller", invoice.seller),
        ("PEPPOL-EN16931-R010", "buyer", invoice.buyer),
    ):
        if party.electronic_address is None:
            yield rule, f"{name}.electronic_address", "is required in PEPPOL"
    # An order is referred to by the seller's reference too (BT-14).
    if not (invoice.buyer_reference or invoice.order_reference or invoice.sales_order_reference):
        message = "is required in PEPPOL, or order_reference"
        yield "PEPPOL-EN16931-R003", "buyer_reference", message


def _document(invoice: Invoice) -> Iterator[RuleViolation]:
    if invoice.process_id is not None and invoice.process_id not in _PROCESSES:
        message = f"must be left out in PEPPOL, or be one of {', '.join(_PROCESSES)}"
        yield "PEPPOL-EN16931-R007", "process_id", message
    is_domestic = _is_domestic_in_germany(invoice)
    if len(invoice.notes) > 1 and not is_domestic:
        message = "must have one entry only, unless seller and buyer are in Germany"
        yield "PEPPOL-EN16931-R002", "notes", message
    code = invoice.type_code
    is_credit_note = code in CREDIT_NOTE_CODES
    allowed = _CREDIT_NOTE_CODES if is_credit_note else _INVOICE_CODES
    if code not in allowed:
        rule = "PEPPOL-EN16931-P0101" if is_credit_note else "PEPPOL-EN16931-P0100"
        yield rule, "type_code", f"must be one of {', '.join(allowed)} in PEPPOL"
    elif code in _GERMAN_CODES and not is_domestic:
        message = f"must not be {code}, unless seller and buyer are in Germany"
        yield "PEPPOL-EN16931-P0112", "type_code", message
