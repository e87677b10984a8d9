"""The service's own rules bear the ids under which the official sheets state the same."""

from typing import Any

import pytest

from chalicelib.engine.conformance.checks import Check
from chalicelib.engine.conformance.judge import Judge
from chalicelib.engine.einvoice.cii import to_cii
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.einvoice.read_json import read_invoice
from chalicelib.engine.einvoice.totals import totals
from tests.builders.broken_invoices import BROKEN
from tests.builders.invoice_json import invoice_json
from tests.integration.validators.conftest import verdict

# What XML cannot show, as it carries the computed amount, a rate of 0 or no such value at all;
# and BR-61, which the sheet of CII asks of accounts only.
UNSEEN = {
    *("BR-31", "BR-36", "BR-41", "BR-43", "BR-61", "BR-O-05", "BR-AG-05"),
    *("PEPPOL-EN16931-R120", "PEPPOL-EN16931-R121"),
}
SEEN = [row for row in BROKEN if row[0] not in UNSEEN and not row[0].startswith("PLT-")]


@pytest.mark.parametrize(("rule", "changes"), [(rule, changes) for rule, _, changes in SEEN])
def test_the_official_sheets_name_the_same_rule(
    judge: Judge, rule: str, changes: dict[str, Any]
) -> None:
    invoice = read_invoice(invoice_json(changes), "invoice")
    xml = to_cii(invoice, totals(invoice), PROFILES["XRECHNUNG"])

    findings = verdict(judge, xml, Check.cii("XRECHNUNG")).findings

    assert findings is not None
    assert rule in {found.rule for found in findings}


def test_what_breaks_no_rule_is_clean(judge: Judge) -> None:
    invoice = read_invoice(invoice_json(), "invoice")
    xml = to_cii(invoice, totals(invoice), PROFILES["XRECHNUNG"])

    assert verdict(judge, xml, Check.cii("XRECHNUNG")).findings == ()
