"""Random invoices: the official sheets accept every computed total."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from chalicelib.engine.conformance.local_validator import LocalValidator
from tests.builders.invoices.invoice_json import ABSENT, invoice_json
from tests.builders.invoices.random_invoices import INVOICES
from tests.integration.validators.conftest import OUTPUTS, refused, rejected


@pytest.mark.breadth
@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(changes=INVOICES)
def test_random_invoices_are_valid_in_every_output(
    judge: LocalValidator, changes: dict[str, Any]
) -> None:
    for profile, syntax in OUTPUTS:
        # These profiles have no rounding amount, so the service refuses it.
        unsaid = {"rounding_amount": ABSENT} if profile in {"BASIC", "BASIC_WL"} else {}

        faults, xml = refused(invoice_json({**changes, **unsaid}), profile, syntax)

        assert faults == [], profile
        assert rejected(judge, xml, profile, syntax, "380") == [], (profile, syntax)
