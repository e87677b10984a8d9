"""The service's own rules have the ids under which the official sheets state the same."""

from typing import Any

import pytest

from chalicelib.engine.conformance.checks import ConformanceCheck
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.einvoice.read_json import read_invoice
from chalicelib.engine.einvoice.totals import compute_totals
from chalicelib.engine.einvoice.write_cii import write_cii
from tests.builders.invoices.broken_invoices import BROKEN_INVOICES
from tests.builders.invoices.invoice_json import invoice_json
from tests.integration.validators.conftest import verdict

# Faults that the XML cannot have, because it carries the computed amount, a rate of 0 or no such
# value at all; and BR-61, which the CII sheet checks for accounts only.
UNSEEN = {
    *("BR-31", "BR-36", "BR-41", "BR-43", "BR-61", "BR-O-05", "BR-AG-05"),
    *("PEPPOL-EN16931-R120", "PEPPOL-EN16931-R121"),
}
SEEN = [row for row in BROKEN_INVOICES if row[0] not in UNSEEN and not row[0].startswith("PLT-")]


@pytest.mark.parametrize(("rule", "changes"), [(rule, changes) for rule, _, changes in SEEN])
def test_official_sheets_report_the_same_rule(
    judge: LocalValidator, rule: str, changes: dict[str, Any]
) -> None:
    invoice = read_invoice(invoice_json(changes), "invoice")
    xml = write_cii(invoice, compute_totals(invoice), PROFILES["XRECHNUNG"])

    findings = verdict(judge, xml, ConformanceCheck.cii("XRECHNUNG")).findings

    assert findings is not None
    assert rule in {found.rule for found in findings}


def test_valid_invoice_has_no_findings(judge: LocalValidator) -> None:
    invoice = read_invoice(invoice_json(), "invoice")
    xml = write_cii(invoice, compute_totals(invoice), PROFILES["XRECHNUNG"])

    assert verdict(judge, xml, ConformanceCheck.cii("XRECHNUNG")).findings == ()
