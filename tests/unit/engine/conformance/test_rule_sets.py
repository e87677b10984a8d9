"""Rule sets by guideline: each of the plan is named by one, and what is missing is told."""

import json
import re
from pathlib import Path
from typing import Final

import pytest

from chalicelib.engine.conformance.invoice_head import invoice_check
from chalicelib.engine.conformance.read_received_worker import read_document
from chalicelib.engine.conformance.rule_sets import rule_check
from tests.builders.invoices.hybrids import INVOICE_XML

VALIDATORS: Final = Path(__file__).parents[4] / "layers" / "validators"
PAGE: Final = Path(__file__).parents[4] / "docs" / "e-invoices.md"
PEPPOL: Final = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
XRECHNUNG: Final = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"


def test_every_kind_of_the_plan_has_a_proof_whose_guideline_names_it() -> None:
    kinds = json.loads((VALIDATORS / "plan.json").read_text(encoding="utf-8"))["kinds"]

    proven = {
        path.stem: invoice_check(path.read_bytes()).kind
        for path in (VALIDATORS / "proof").glob("*.xml")
    }

    assert proven == {kind: kind for kind in kinds}


def test_page_names_the_documents_of_each_profile() -> None:
    kinds = json.loads((VALIDATORS / "plan.json").read_text(encoding="utf-8"))["kinds"]
    table = PAGE.read_text(encoding="utf-8").partition("| Guideline |")[2].partition("\n\n")[0]
    told: set[str] = set()
    for row in table.splitlines()[2:]:
        _, profiles, documents = row.strip("| ").split(" | ")
        for profile in re.findall(r"`(\w+)`", profiles):
            told |= {f"cii-{profile}"} if "CII" in documents else set()
            told |= {f"ubl-Invoice-{profile}"} if "UBL invoice" in documents else set()
            told |= {f"ubl-CreditNote-{profile}"} if "credit note" in documents else set()

    assert told == {kind for kind in kinds if not kind.startswith("pdf-")}


@pytest.mark.parametrize(
    ("guideline", "kind"),
    [
        (f"{PEPPOL}#conformant#urn:example:extension", "ubl-Invoice-PEPPOL"),
        ("urn:peppol:pint:billing-1@eu-1#urn:example", "ubl-Invoice-PINT_EU"),
        (f"{PEPPOL}0", None),
        ("urn:peppol:pint:billing-1@jp-1", None),
        (f"{XRECHNUNG}#conformant#urn:example:extension", None),
    ],
)
def test_only_guidelines_that_may_go_on_are_named_by_their_beginning(
    guideline: str, kind: str | None
) -> None:
    check = rule_check(guideline, "Invoice")

    assert (check.kind if check else None) == kind


@pytest.mark.parametrize(
    ("guideline", "message"),
    [
        (
            "urn:cen.eu:en16931:2017#compliant#urn:example:cius",
            "'urn:cen.eu:en16931:2017#compliant#urn:example:cius' in CII",
        ),
        (
            PEPPOL,
            f"'{PEPPOL}' in CII: PEPPOL has rules for UBL (Invoice) and UBL (CreditNote) only",
        ),
    ],
)
def test_a_document_without_rules_is_told_what_is_missing(guideline: str, message: str) -> None:
    xml = INVOICE_XML.replace(b">urn:cen.eu:en16931:2017<", f">{guideline}<".encode())

    reading = read_document(xml)

    assert (reading["check"], reading["errors"]) == (None, [])
    first = reading["warnings"][0]
    assert first["rule"] == "PLT-PROFILE"
    assert first["message"] == f"There are no rules here for the guideline {message}"
    assert reading["invoice"] is not None
