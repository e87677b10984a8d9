"""The service's own rules, checked before any XML is written."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from chalicelib.engine.einvoice.findings import Finding, InvalidInvoiceError
from chalicelib.engine.einvoice.model import Invoice
from chalicelib.engine.einvoice.profiles import Profile, Syntax
from chalicelib.engine.einvoice.read_json import read_invoice
from chalicelib.engine.einvoice.rules_document import document_faults
from chalicelib.engine.einvoice.rules_lines import line_faults
from chalicelib.engine.einvoice.rules_ubl import ubl_faults
from chalicelib.engine.einvoice.rules_vat import vat_faults
from chalicelib.engine.einvoice.rules_xrechnung import xrechnung_faults
from chalicelib.engine.einvoice.totals import Totals, totals


def examined(source: Any, profile: Profile, syntax: Syntax, root: str) -> tuple[Invoice, Totals]:
    """Read an invoice that stands at the JSON path `root`, compute and check it.

    Raises InvalidInvoiceError with everything that is wrong.
    """
    invoice = read_invoice(source, root)
    computed = totals(invoice)
    found = check(invoice, computed, profile, syntax, root)
    if found:
        raise InvalidInvoiceError(found)
    return invoice, computed


def check(
    invoice: Invoice, computed: Totals, profile: Profile, syntax: Syntax, root: str
) -> tuple[Finding, ...]:
    """Return what breaks a rule of the model, the profile or the syntax; equal ones are merged."""
    merged: dict[tuple[str, str], Finding] = {}
    for rule, path, message in _faults(invoice, computed, profile, syntax):
        location = f"{root}.{path}" if path else root
        known = merged.get((rule, location))
        count = 1 if known is None else known.count + 1
        merged[rule, location] = Finding(rule, f"{location} {message}", location, count)
    return tuple(merged.values())


def _faults(
    invoice: Invoice, computed: Totals, profile: Profile, syntax: Syntax
) -> Iterator[tuple[str, str, str]]:
    return chain(
        document_faults(invoice, computed, profile),
        line_faults(invoice, computed, profile),
        vat_faults(invoice, profile, syntax),
        xrechnung_faults(invoice, computed) if profile.name == "XRECHNUNG" else (),
        ubl_faults(invoice) if syntax == "ubl" else (),
    )
