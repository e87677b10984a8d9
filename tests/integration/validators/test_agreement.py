"""The service's own rules agree with the official sheets, in both directions."""

from typing import Any, Final

import pytest

from chalicelib.engine.conformance.checks import ConformanceCheck
from chalicelib.engine.conformance.invoice_field_paths import InvoiceFieldPaths
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from chalicelib.engine.einvoice.read_json import read_invoice
from chalicelib.engine.einvoice.totals import compute_totals
from chalicelib.engine.einvoice.write_cii import write_cii
from chalicelib.engine.einvoice.write_ubl import write_ubl
from tests.builders.invoices.edge_cases import EDGE_CASES
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.invoices.unknown_codes import UNKNOWN_CODES
from tests.integration.validators.conftest import OUTPUTS, refused, rejected, verdict

WRITERS: Final = {"cii": write_cii, "ubl": write_ubl}
# The sheets of the other profiles omit rules for fields that the profile does not have.
WHOLE: Final = {"EN16931", "XRECHNUNG"}
# The UBL sheet only warns about the first; the CII sheet ignores the trading name.
STRICTER: Final = {("a whole card", "ubl"), ("the seller's trading name is paid", "cii")}

# UBL has the code in the text of the note.
PLACES: Final[dict[tuple[str | None, Syntax], str]] = {("notes[1].subject_code", "ubl"): "notes[1]"}


def written(changes: dict[str, Any], profile: str, syntax: Syntax) -> bytes:
    """Return an invoice that may break any rule."""
    invoice = read_invoice(invoice_json(changes), "invoice")
    return WRITERS[syntax](invoice, compute_totals(invoice), PROFILES[profile])


@pytest.mark.parametrize(("profile", "syntax"), OUTPUTS)
def test_edge_cases_are_accepted_or_refused_as_by_the_official_sheets(
    judge: LocalValidator, profile: str, syntax: Syntax
) -> None:
    wrong = {}
    for name, changes in EDGE_CASES.items():
        own, _ = refused(invoice_json(changes), profile, syntax)
        if own and (profile not in WHOLE or (name, syntax) in STRICTER):
            continue
        xml = written(changes, profile, syntax)
        official = rejected(judge, xml, profile, syntax, changes.get("type_code", "380"))
        if bool(own) != bool(official):
            wrong[name] = (own, official)

    assert wrong == {}


@pytest.mark.parametrize("syntax", WRITERS)
@pytest.mark.parametrize(("rule", "path", "changes"), UNKNOWN_CODES)
def test_unknown_codes_are_found_by_the_official_sheets_with_their_path(
    judge: LocalValidator, rule: str, path: str | None, changes: dict[str, Any], syntax: Syntax
) -> None:
    faults, xml = refused(invoice_json(changes), "EN16931", syntax)
    check = (
        ConformanceCheck.cii("EN16931")
        if syntax == "cii"
        else ConformanceCheck.ubl("EN16931", credit_note=False)
    )

    findings = verdict(judge, xml, check).findings or ()

    assert faults == []
    trace = InvoiceFieldPaths.of(
        read_invoice(invoice_json(changes), "invoice"), "invoice"
    ).json_path
    located = {(found.rule, trace(found.location)) for found in findings if found.source == "cen"}
    place = PLACES.get((path, syntax), path)
    assert (rule, f"invoice.{place}" if place else None) in located
