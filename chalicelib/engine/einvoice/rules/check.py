"""Rule check of an invoice, before any XML is written."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from chalicelib.core.json import Json
from chalicelib.engine.einvoice.findings import Finding, InvalidInvoiceError
from chalicelib.engine.einvoice.model import Invoice
from chalicelib.engine.einvoice.profiles import InvoiceProfile, Syntax
from chalicelib.engine.einvoice.read_json import read_invoice
from chalicelib.engine.einvoice.rules.document import document_violations
from chalicelib.engine.einvoice.rules.lines import RuleViolation, line_violations
from chalicelib.engine.einvoice.rules.peppol import peppol_violations
from chalicelib.engine.einvoice.rules.vat import vat_violations
from chalicelib.engine.einvoice.rules.xrechnung import xrechnung_violations
from chalicelib.engine.einvoice.totals import InvoiceTotals, compute_totals

# UBL has the subject code (BT-21) in the text of a note, between the first two number signs.
_SUBJECT_CODE_PREFIX: Final = re.compile("[^#]*#[^#]{3}#")


def read_and_check(
    source: Json, profile: InvoiceProfile, syntax: Syntax, root: str
) -> tuple[Invoice, InvoiceTotals]:
    """Read an invoice, compute its totals and check it; raise InvalidInvoiceError.

    `root` is the JSON path of the invoice in the request. Rules are checked only if every field
    could be read.
    """
    invoice = read_invoice(source, root)
    totals = compute_totals(invoice)
    findings = check_rules(invoice, totals, profile, syntax, root)
    if findings:
        raise InvalidInvoiceError(findings)
    return invoice, totals


def check_rules(
    invoice: Invoice, totals: InvoiceTotals, profile: InvoiceProfile, syntax: Syntax, root: str
) -> tuple[Finding, ...]:
    """Return the violations of model, profile and syntax; equal ones become one with a count.

    The message is that of the first one.
    """
    merged: dict[tuple[str, str], Finding] = {}
    for rule, path, message in _violations(invoice, totals, profile, syntax):
        location = f"{root}.{path}" if path else root
        known = merged.get((rule, location))
        merged[rule, location] = (
            Finding(rule, f"{location} {message}", location)
            if known is None
            else replace(known, count=known.count + 1)
        )
    return tuple(merged.values())


def ubl_violations(invoice: Invoice) -> Iterator[RuleViolation]:
    """Yield notes whose text a reader of UBL would take for a subject code."""
    for n, note in enumerate(invoice.notes):
        if note.subject_code is None and _SUBJECT_CODE_PREFIX.match(note.text):
            message = "must not have three characters between # in UBL: they are a subject code"
            yield "BR-CL-08", f"notes[{n}].text", message


def xrechnung_cii_violations(invoice: Invoice) -> Iterator[RuleViolation]:
    """Yield the fields that have no place in CII of XRechnung, whose schema is that of D16B."""
    if len(invoice.preceding_invoices) > 1:
        message = "must have one entry only in XRECHNUNG as cii; ubl has room for more"
        yield "PLT-LENGTH", "preceding_invoices", message


def _violations(
    invoice: Invoice, totals: InvoiceTotals, profile: InvoiceProfile, syntax: Syntax
) -> Iterator[tuple[str, str, str]]:
    return chain(
        document_violations(invoice, totals, profile, syntax),
        line_violations(invoice, totals, profile, syntax),
        vat_violations(invoice, profile, syntax),
        xrechnung_violations(invoice, totals, syntax) if profile.name == "XRECHNUNG" else (),
        peppol_violations(invoice, totals) if profile.name == "PEPPOL" else (),
        xrechnung_cii_violations(invoice) if (profile.name, syntax) == ("XRECHNUNG", "cii") else (),
        ubl_violations(invoice) if syntax == "ubl" else (),
    )
