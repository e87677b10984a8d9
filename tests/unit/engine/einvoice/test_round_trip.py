"""Round trip: a read e-invoice is a request that makes the same XML again."""

from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.conformance.read_received_worker import read_document
from chalicelib.engine.einvoice.prepare import EInvoiceInput, prepare_invoice
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from chalicelib.engine.einvoice.write_json import invoice_json
from tests.builders.invoices.invoice_kinds import INVOICE_KINDS

OUTPUTS = [
    (profile.name, syntax)
    for profile in PROFILES.values()
    for syntax in profile.syntaxes
    if profile.has_lines
]
# BASIC has no element for a rounding amount, XRechnung in CII one for a preceding invoice only, and
# Peppol another profile for self-billing.
REFUSED = {
    ("rounding", "BASIC", "cii"): "BR-CO-16",
    ("full", "XRECHNUNG", "cii"): "PLT-LENGTH",
    ("credit note", "XRECHNUNG", "cii"): "PLT-LENGTH",
    ("self-billed", "PEPPOL", "ubl"): "P0100",
}


def xml_of(source: Any, profile: str, syntax: Syntax) -> bytes:
    request = EInvoiceInput(
        profile=PROFILES[profile], syntax=syntax, source=source, findings_root="invoice"
    )
    return prepare_invoice(request).to_xml()


@pytest.mark.parametrize(("profile", "syntax"), OUTPUTS)
@pytest.mark.parametrize("shape", INVOICE_KINDS)
def test_read_invoice_makes_the_same_xml(shape: str, profile: str, syntax: Syntax) -> None:
    sent = invoice_json(INVOICE_KINDS[shape]())
    if rule := REFUSED.get((shape, profile, syntax)):
        with pytest.raises(RenderFailure, match=rule):
            xml_of(sent, profile, syntax)
        return
    xml = xml_of(sent, profile, syntax)

    report = read_document(xml)

    assert (report["profile"], report["syntax"]) == (profile, syntax)
    assert (report["errors"], report["warnings"]) == ([], [])
    assert xml_of(report["invoice"], profile, syntax) == xml
