"""Terms of EN 16931 in the guide: each of them has a field, and each place its own number."""

import re
from typing import Final

import pytest

from infra.guides.invoice_terms import terms_table
from infra.guides.profile_fields import smallest_profile, smallest_profiles

# BT-4, BG-2 and BG-22 are no fields: the standard has no BT-4, and the two groups have no name in
# the model. The profile gives BT-24.
WITHOUT_FIELD: Final = {"BT-4", "BT-24", "BG-2", "BG-22"}


def fields_by_term(name: str) -> list[tuple[str, str]]:
    rows = [line.split(" | ") for line in terms_table(name).splitlines()[2:]]
    return [(term, row[1]) for row in rows for term in re.findall(r"B[TG]-[0-9]+", row[0])]


def test_each_term_of_the_standard_has_a_field() -> None:
    terms = {f"BT-{n}" for n in range(1, 166)} | {f"BG-{n}" for n in range(1, 33)}

    found = {term for name in ("Invoice", "InvoiceTotals") for term, _ in fields_by_term(name)}

    assert found == terms - WITHOUT_FIELD


def test_no_term_names_two_fields() -> None:
    # The reasons of an exemption stand with their categories too.
    terms = [term for term, field in fields_by_term("Invoice") if field != "`vat_exemptions.*`"]

    assert len(terms) == len(set(terms))


@pytest.mark.parametrize(
    ("term", "field"),
    [
        ("BT-35", "`seller.address.line1`"),
        ("BT-163", "`buyer.address.line3`"),
        ("BT-69", "`tax_representative.address.country`"),
        ("BT-77", "`delivery.address.city`"),
        ("BT-58", "`buyer.contact.email`"),
        ("BT-98", "`allowances[].reason_code`"),
        ("BT-103", "`charges[].vat.rate`"),
        ("BT-143", "`lines[].charges[].percent`"),
        ("BT-135", "`lines[].period.end`"),
        ("BT-60", "`payee.identifier.id`, `.scheme`"),
    ],
)
def test_a_term_has_the_field_of_its_place(term: str, field: str) -> None:
    assert (term, field) in fields_by_term("Invoice")


@pytest.mark.parametrize(
    ("field", "profile"),
    [
        ("number", "MINIMUM"),
        ("seller", "MINIMUM"),
        ("seller.address.city", "BASIC_WL"),
        ("seller.contact", "EN16931"),
        ("payment.credit_transfers[]", "BASIC_WL"),
        ("payment.credit_transfers[].bic", "EN16931"),
        ("lines[]", "BASIC"),
        ("lines[].net_amount", "BASIC"),
        ("lines[].item.description", "EN16931"),
        ("tax_point_date_code", "BASIC_WL"),
        ("vat_exemptions.*.reason", "BASIC_WL"),
        ("prepaid_amount", "BASIC_WL"),
    ],
)
def test_a_field_has_the_smallest_profile_that_writes_it(field: str, profile: str) -> None:
    assert smallest_profile(field) == profile


def test_each_field_is_written_by_a_profile() -> None:
    assert [path for path, profile in smallest_profiles().items() if not profile] == []


def test_only_two_models_have_terms() -> None:
    with pytest.raises(ValueError, match="Invoice or InvoiceTotals"):
        terms_table("PdfOptions")
