"""The way back: what is read of an e-invoice is a request, which makes the same XML again."""

from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.conformance.read_received import read_document
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
# BASIC has no place for a rounding amount.
REFUSED = ("rounding", "BASIC")


def made(source: Any, profile: str, syntax: Syntax) -> bytes:
    asked = EInvoiceInput(
        profile=PROFILES[profile], syntax=syntax, source=source, findings_root="invoice"
    )
    return prepare_invoice(asked).to_xml()


@pytest.mark.parametrize(("profile", "syntax"), OUTPUTS)
@pytest.mark.parametrize("shape", INVOICE_KINDS)
def test_what_is_read_makes_the_same_xml(shape: str, profile: str, syntax: Syntax) -> None:
    sent = invoice_json(INVOICE_KINDS[shape]())
    if (shape, profile) == REFUSED:
        with pytest.raises(RenderFailure, match="BR-CO-16"):
            made(sent, profile, syntax)
        return
    xml = made(sent, profile, syntax)

    told = read_document(xml)

    assert (told["profile"], told["syntax"]) == (profile, syntax)
    assert (told["errors"], told["warnings"]) == ([], [])
    assert made(told["invoice"], profile, syntax) == xml
