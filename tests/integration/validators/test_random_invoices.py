"""No total of any invoice is one that the official sheets reject."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from chalicelib.engine.conformance.checks import Check
from chalicelib.engine.conformance.judge import Judge
from chalicelib.engine.einvoice.prepare import EInvoice, prepare
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from tests.builders.invoice_json import ABSENT, invoice_json
from tests.builders.random_invoices import INVOICES
from tests.integration.validators.conftest import verdict


@pytest.mark.parametrize(
    ("profile", "syntax"),
    [(profile.name, syntax) for profile in PROFILES.values() for syntax in profile.syntaxes],
)
@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(changes=INVOICES)
def test_random_invoices_are_clean(
    judge: Judge, profile: str, syntax: Syntax, changes: dict[str, Any]
) -> None:
    if profile in {"BASIC", "BASIC_WL"}:
        # They cannot tell a rounding amount, and so are refused one.
        changes = {**changes, "rounding_amount": ABSENT}
    source = invoice_json(changes)
    asked = EInvoice(profile=PROFILES[profile], syntax=syntax, source=source, root="invoice")
    check = Check.cii(profile) if syntax == "cii" else Check.ubl(profile, credit_note=False)

    findings = verdict(judge, prepare(asked).xml(), check).findings

    assert findings is not None
    assert [found for found in findings if found.severity == "error"] == []
