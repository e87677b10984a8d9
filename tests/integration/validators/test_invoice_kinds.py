"""Every invoice kind in every output: valid, or refused as decided."""

from typing import Final

import pytest

from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.einvoice.profiles import Syntax
from chalicelib.engine.einvoice.write_json import invoice_json
from tests.builders.invoices.invoice_kinds import INVOICE_KINDS
from tests.integration.validators.conftest import OUTPUTS, refused, rejected

# These profiles have no field for a rounding amount (BT-114).
NO_ROUNDING: Final = [("BR-CO-16", "invoice.rounding_amount")]
# The schema of XRechnung in CII has room for one preceding invoice.
ONE_BEFORE: Final = [("PLT-LENGTH", "invoice.preceding_invoices")]
REFUSED: Final = {
    ("rounding", "BASIC_WL", "cii"): NO_ROUNDING,
    ("rounding", "BASIC", "cii"): NO_ROUNDING,
    ("full", "XRECHNUNG", "cii"): ONE_BEFORE,
    ("credit note", "XRECHNUNG", "cii"): ONE_BEFORE,
}


@pytest.mark.parametrize(("profile", "syntax"), OUTPUTS)
@pytest.mark.parametrize("kind", INVOICE_KINDS)
def test_every_invoice_kind_is_valid_or_refused_as_decided(
    judge: LocalValidator, kind: str, profile: str, syntax: Syntax
) -> None:
    invoice = INVOICE_KINDS[kind]()

    faults, xml = refused(invoice_json(invoice), profile, syntax)

    assert faults == REFUSED.get((kind, profile, syntax), [])
    assert faults or rejected(judge, xml, profile, syntax, invoice.type_code) == []


def test_invoice_kinds_cover_all_parts_of_an_invoice() -> None:
    made = [make() for make in INVOICE_KINDS.values()]
    lines = [line for invoice in made for line in invoice.lines]

    assert {line.vat.category for line in lines} == {*"SEKGZOLM", "AE"}
    assert {invoice.type_code for invoice in made} >= {"380", "381", "384", "389"}
    for name in (
        *("allowances", "charges", "payee", "tax_representative", "delivery", "invoice_period"),
        *("prepaid_amount", "rounding_amount", "tax_currency"),
    ):
        assert any(getattr(invoice, name) for invoice in made), name
    for name in ("allowances", "charges", "period"):
        assert any(getattr(line, name) for line in lines), name
    for name in ("credit_transfers", "card", "direct_debit"):
        assert any(getattr(invoice.payment, name, None) for invoice in made), name
    assert any(line.item.attributes for line in lines)
    assert any("#SKONTO#" in (invoice.payment_terms or "") for invoice in made)
