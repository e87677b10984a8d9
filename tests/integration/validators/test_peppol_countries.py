"""Peppol's rules for the countries of sellers: each can be fulfilled by fields of the request."""

import re
from collections.abc import Mapping
from typing import Any, Final

import pytest

from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.einvoice.read_json import read_invoice
from chalicelib.engine.einvoice.totals import compute_totals
from chalicelib.engine.einvoice.write_ubl import write_ubl
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.invoices.peppol_countries import COUNTRY_INVOICES, CREDIT_NOTE, RULE_BREAKS
from tests.integration.validators.conftest import installed, refused, verdict

_COUNTRY_RULE: Final = re.compile(r'<xsl:attribute name="id">([A-Z]{2}-[A-Z]-[0-9T]+(?:-\d+)?)<')
# EINDAGI asks for a due date, for which UBL has no element in a credit note.
_NO_CREDIT_NOTE: Final[Mapping[str, Any]] = {"IS": {"supporting_documents": []}}


def _country_rules() -> set[str]:
    sheet = installed() / "rules" / "peppol" / "PEPPOL-EN16931-UBL.xslt"
    return set(_COUNTRY_RULE.findall(sheet.read_text(encoding="utf-8")))


def _findings(judge: LocalValidator, changes: Mapping[str, Any]) -> tuple[RawFinding, ...]:
    invoice = read_invoice(invoice_json(changes), "invoice")
    xml = write_ubl(invoice, compute_totals(invoice), PROFILES["PEPPOL"])
    is_credit_note = invoice.type_code == "381"
    answer = verdict(judge, xml, ConformanceCheck.ubl("PEPPOL", credit_note=is_credit_note))
    assert answer.findings is not None, answer.why
    return answer.findings


def test_the_list_has_every_rule_of_a_country_but_those_that_are_checked_before() -> None:
    rules = _country_rules()

    assert len(rules) > 80
    assert {rule for rule in rules if not rule.startswith("DE-")} == set(RULE_BREAKS)


@pytest.mark.parametrize("country", COUNTRY_INVOICES)
def test_an_invoice_of_each_country_fulfils_all_rules(judge: LocalValidator, country: str) -> None:
    changes = COUNTRY_INVOICES[country]
    credit_note = {**changes, **CREDIT_NOTE, **_NO_CREDIT_NOTE.get(country, {})}
    if country == "GR":
        credit_note["number"] = "094259216|01/03/2026|1|5.1|A|42"

    own, _ = refused(invoice_json(changes), "PEPPOL", "ubl")

    assert own == []
    assert list(_findings(judge, changes)) == []
    assert list(_findings(judge, credit_note)) == []


@pytest.mark.parametrize("rule", RULE_BREAKS)
def test_a_rule_of_a_country_is_about_fields_of_the_request(
    judge: LocalValidator, rule: str
) -> None:
    changes = {**COUNTRY_INVOICES[rule[:2]], **RULE_BREAKS[rule]}

    assert rule in {found.rule for found in _findings(judge, changes)}
