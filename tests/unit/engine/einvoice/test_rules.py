"""The service's own rules: for each an invoice that breaks it, its id and its pointer."""

from decimal import Decimal
from typing import Any

import pytest

from chalicelib.engine.einvoice.findings import InvalidInvoiceError
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from chalicelib.engine.einvoice.rules.check import read_and_check
from chalicelib.engine.einvoice.write_json import invoice_json as written
from tests.builders.invoices.broken_invoices import (
    BROKEN_IN_ONE_SYNTAX,
    BROKEN_INVOICES,
    INTRA_COMMUNITY,
    NOT_SUBJECT_TO_VAT,
    REVERSE_CHARGE,
)
from tests.builders.invoices.invoice_json import ABSENT, invoice_json
from tests.builders.invoices.invoice_kinds import INVOICE_KINDS

SYNTAXES: tuple[Syntax, ...] = ("cii", "ubl")
ONE_OUTSIDE = {"lines[0].vat": {"category": "O"}, "vat_exemptions": {"O": {"reason": "r"}}}
SHARE = {"percent": "10", "base_amount": "10.30", "reason": "r"}
SAME_CURRENCY = {"tax_currency": "EUR"}
ODD_PRICE = {"lines[0].price": {"net": "19.99", "gross": "25", "base_unit": "KGM"}}
ZERO_BASE = {"lines[0].price.base_quantity": "0"}
NEGATIVE_BASE = {"lines[0].price.base_quantity": "-1"}
DEBIT_ABROAD = {"payment": {"means_code": "59"}, "buyer.address.country": "FR"}
# KoSIT has taken rules over from Peppol.
PEPPOLS = {"PEPPOL", "XRECHNUNG"}
NOT_ITS_SHARE = {
    "allowances": [{"amount": "1.00", **SHARE, "vat": {"category": "S", "rate": "19"}}]
}


def broken_rules(source: Any, profile: str, syntax: Syntax = "cii") -> list[tuple[str, str]]:
    try:
        read_and_check(source, PROFILES[profile], syntax, "invoice")
    except InvalidInvoiceError as invalid:
        return [(each.rule, each.location) for each in invalid.findings]
    return []


@pytest.mark.parametrize("profile", PROFILES)
def test_a_valid_invoice_breaks_no_rule(profile: str) -> None:
    without_rate = {**REVERSE_CHARGE, "lines[0].vat": {"category": "AE"}}
    for changes in ({}, NOT_SUBJECT_TO_VAT, INTRA_COMMUNITY, REVERSE_CHARGE, without_rate):
        assert broken_rules(invoice_json(changes), profile) == []


@pytest.mark.parametrize(("rule", "path", "changes"), BROKEN_INVOICES)
def test_broken_rule_is_reported_with_its_pointer(
    rule: str, path: str, changes: dict[str, Any]
) -> None:
    assert broken_rules(invoice_json(changes), "XRECHNUNG") == [(rule, f"invoice.{path}")]


@pytest.mark.parametrize("profile", sorted(PROFILES.keys() - {"PEPPOL", "XRECHNUNG"}))
def test_xrechnung_rules_apply_to_xrechnung_only(profile: str) -> None:
    rules = {rule for rule, *_ in BROKEN_INVOICES if rule.startswith("BR-DE-")} - {"BR-DE-26"}
    xrechnung = [row for row in BROKEN_INVOICES if row[0] in rules]

    assert [broken_rules(invoice_json(changes), profile) for _, _, changes in xrechnung] == [
        [] for _ in xrechnung
    ]


@pytest.mark.parametrize(
    ("rule", "path", "changes", "profiles"),
    [
        ("BR-CO-16", "rounding_amount", {"rounding_amount": "0.01"}, {"BASIC", "BASIC_WL"}),
        ("BR-CO-25", "due_date", {"due_date": ABSENT}, {"EXTENDED"}),
        ("BR-10", "buyer.address", {"buyer.address": ABSENT}, PROFILES.keys() - {"MINIMUM"}),
        ("BR-27", "lines[0].price.net", {"lines[0].price.net": -1}, PROFILES.keys() - {"EXTENDED"}),
        (
            "BR-CO-26",
            "seller.vat_id",
            {
                **NOT_SUBJECT_TO_VAT,
                "seller.legal_registration": ABSENT,
                "seller.identifiers": [{"id": "1"}],
            },
            {"MINIMUM"},
        ),
        ("BR-O-12", "lines[1].vat.category", ONE_OUTSIDE, PROFILES.keys() - {"EXTENDED"}),
        ("BR-O-02", "seller.vat_id", ONE_OUTSIDE, PROFILES.keys() - {"EXTENDED"}),
        ("PEPPOL-EN16931-R040", "allowances[0].amount", NOT_ITS_SHARE, PEPPOLS),
        ("PEPPOL-EN16931-R005", "tax_currency", SAME_CURRENCY, PEPPOLS),
        ("PEPPOL-EN16931-R046", "lines[0].price.net", ODD_PRICE, PEPPOLS),
        ("PLT-BASE-QUANTITY", "lines[0].price.base_quantity", ZERO_BASE, PROFILES.keys() - PEPPOLS),
        ("PEPPOL-EN16931-R121", "lines[0].price.base_quantity", NEGATIVE_BASE, PEPPOLS),
        ("PEPPOL-EN16931-R130", "lines[0].price.base_unit", ODD_PRICE, PEPPOLS),
        ("PEPPOL-EN16931-R061", "payment.direct_debit", DEBIT_ABROAD, {"PEPPOL"}),
    ],
)
def test_some_rules_apply_to_some_profiles_only(
    rule: str, path: str, changes: dict[str, Any], profiles: set[str]
) -> None:
    assert {
        profile
        for profile in PROFILES
        if (rule, f"invoice.{path}") in broken_rules(invoice_json(changes), profile)
    } == profiles


@pytest.mark.parametrize("profile", sorted(PROFILES.keys() - {"PEPPOL", "XRECHNUNG"}))
@pytest.mark.parametrize("changes", [SAME_CURRENCY, ODD_PRICE])
def test_what_the_sheets_of_other_profiles_pass_is_accepted(
    profile: str, changes: dict[str, Any]
) -> None:
    assert broken_rules(invoice_json(changes), profile) == []


def test_two_lines_may_name_themselves_alike() -> None:
    changes = {"lines[0].id": "A", "lines[1].id": "A"}

    assert broken_rules(invoice_json(changes), "XRECHNUNG") == []


@pytest.mark.parametrize("sent", ["59.95", "59.99"])
def test_net_amount_within_the_official_tolerance_is_taken(sent: str) -> None:
    source = invoice_json({"lines[0].net_amount": sent})

    _, totals = read_and_check(source, PROFILES["XRECHNUNG"], "cii", "invoice")

    assert totals.line_net_amounts[0] == Decimal(sent)
    assert totals.line_total == Decimal(sent) + 120


@pytest.mark.parametrize("sent", ["59.94", "60.00"])
def test_net_amount_outside_the_tolerance_is_refused(sent: str) -> None:
    broken = broken_rules(invoice_json({"lines[0].net_amount": sent}), "EN16931")

    assert broken == [("PEPPOL-EN16931-R120", "invoice.lines[0].net_amount")]


def test_discount_without_gross_price_has_a_place_in_ubl_only() -> None:
    source = invoice_json({"lines[0].price.discount": "1"})

    assert broken_rules(source, "EN16931", "ubl") == []
    assert broken_rules(source, "EN16931", "cii") == [
        ("PLT-PRICE-GROSS", "invoice.lines[0].price.gross")
    ]


IN_ITALY = {
    "seller.address.country": "IT",
    "buyer.address.country": "IT",
    "lines[0].vat": {"category": "B", "rate": "22"},
    "lines[1].vat": {"category": "B", "rate": "22"},
}


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_split_payment_is_for_italy_and_not_beside_the_standard_rate(syntax: Syntax) -> None:
    mixed = {**IN_ITALY, "lines[1].vat": {"category": "S", "rate": "22"}}
    abroad = {**IN_ITALY, "buyer.address.country": "DE"}
    rateless = {**IN_ITALY, "lines[1].vat": {"category": "B"}}

    assert broken_rules(invoice_json(IN_ITALY), "EN16931", syntax) == []
    assert broken_rules(invoice_json(mixed), "EN16931", syntax) == [
        ("BR-B-02", "invoice.lines[1].vat.category")
    ]
    assert broken_rules(invoice_json(abroad), "EN16931", syntax) == [
        ("BR-B-01", "invoice.buyer.address.country")
    ]
    assert broken_rules(invoice_json(rateless), "EN16931", syntax) == [
        ("PLT-REQUIRED", "invoice.lines[1].vat.rate")
    ]


@pytest.mark.parametrize(
    ("path", "syntaxes"),
    [
        ("delivery.address.country", {"cii", "ubl"}),
        ("lines[0].item.origin_country", {"ubl"}),
    ],
)
def test_split_payment_names_no_other_country_where_the_sheet_looks(
    path: str, syntaxes: set[Syntax]
) -> None:
    source = invoice_json({**IN_ITALY, path: "DE"})

    for syntax in SYNTAXES:
        expected = [("BR-B-01", f"invoice.{path}")] if syntax in syntaxes else []
        assert broken_rules(source, "EN16931", syntax) == expected


@pytest.mark.parametrize(
    ("own", "tax_total", "syntaxes"),
    [("-1.00", "34.19", {"cii", "ubl"}), ("-1.00", "0.00", {"cii"}), ("0.00", "34.19", set())],
)
def test_zero_has_any_sign_in_ubl_and_a_positive_one_in_cii(
    own: str, tax_total: str, syntaxes: set[Syntax]
) -> None:
    changes: dict[str, Any] = {"tax_currency": "SEK", "tax_total_in_tax_currency": own}
    if tax_total == "0.00":
        changes |= {f"lines[{n}].vat": {"category": "Z", "rate": 0} for n in range(2)}
    source = invoice_json(changes)

    for syntax in SYNTAXES:
        rule = ("PEPPOL-EN16931-R055", "invoice.tax_total_in_tax_currency")
        expected = [rule] if syntax in syntaxes else []
        assert broken_rules(source, "XRECHNUNG", syntax) == expected


def test_equal_findings_are_counted_with_every_pointer() -> None:
    large = {"quantity": "9999999999", "price": {"net": "9"}}
    source = invoice_json({f"lines[0].{name}": value for name, value in large.items()})

    with pytest.raises(InvalidInvoiceError) as caught:
        read_and_check(source, PROFILES["EN16931"], "cii", "data.bill")

    line, whole = caught.value.findings
    assert (line.location, line.count) == ("data.bill.lines[0]", 1)
    assert (whole.location, whole.count) == ("data.bill", 7)
    assert line.message.startswith("data.bill.lines[0] comes to more than 10 digits")


def test_report_has_a_maximum_of_findings() -> None:
    source = invoice_json()
    source["lines"] = [{**source["lines"][0], "vat": {"category": "S"}} for _ in range(2_000)]

    assert len(broken_rules(source, "EN16931")) == 100


def test_every_invoice_shape_is_valid_except_content_outside_its_profile() -> None:
    refused = {
        (shape, profile): broken_rules(written(make()), profile)
        for shape, make in INVOICE_KINDS.items()
        for profile in PROFILES
    }

    no_rounding = [("BR-CO-16", "invoice.rounding_amount")]
    one_before = [("PLT-LENGTH", "invoice.preceding_invoices")]
    assert {pair: faults for pair, faults in refused.items() if faults} == {
        ("rounding", "BASIC_WL"): no_rounding,
        ("rounding", "BASIC"): no_rounding,
        ("full", "XRECHNUNG"): one_before,
        ("credit note", "XRECHNUNG"): one_before,
        ("self-billed", "PEPPOL"): [("PEPPOL-EN16931-P0100", "invoice.type_code")],
    }


def test_xrechnung_rules_apply_within_germany_under_the_names_of_peppol() -> None:
    without = {"buyer_reference": ABSENT, "order_reference": "O-1", "seller.contact": ABSENT}
    abroad = {**without, "buyer.address.country": "FR"}

    assert broken_rules(invoice_json({**without, "type_code": "384"}), "PEPPOL", "ubl") == [
        ("DE-R-026", "invoice.preceding_invoices"),
        ("DE-R-015", "invoice.buyer_reference"),
        ("DE-R-002", "invoice.seller.contact"),
    ]
    assert broken_rules(invoice_json(abroad), "PEPPOL", "ubl") == []


@pytest.mark.parametrize(
    ("profile", "country", "rule"),
    [
        ("XRECHNUNG", "FR", "BR-DE-22"),
        ("PEPPOL", "DE", "DE-R-022"),
        ("PEPPOL", "FR", None),
        ("EN16931", "DE", None),
    ],
)
def test_embedded_documents_have_names_of_their_own_in_germany(
    profile: str, country: str, rule: str | None
) -> None:
    document = {"upload_id": "upl_1", "filename": "a.pdf", "content_type": "application/pdf"}
    linked = {"id": "C", "url": "https://example.com/a.pdf", "filename": "a.pdf"}
    documents = [{"id": "A", **document}, {"id": "B", **document}, linked]
    changes = {"supporting_documents": documents, "buyer.address.country": country}

    found = broken_rules(invoice_json(changes), profile, "ubl")
    assert found == ([(rule, "invoice.supporting_documents[1].filename")] if rule else [])


def test_xrechnung_has_room_for_one_preceding_invoice_in_cii_only() -> None:
    two = invoice_json({"preceding_invoices": [{"number": "1"}, {"number": "2"}]})

    assert broken_rules(two, "XRECHNUNG", "cii") == [("PLT-LENGTH", "invoice.preceding_invoices")]
    assert broken_rules(two, "XRECHNUNG", "ubl") == []
    assert broken_rules(two, "EN16931", "cii") == []


def test_payment_means_without_requirements_need_no_details() -> None:
    assert broken_rules(invoice_json({"payment": {"means_code": "97"}}), "XRECHNUNG") == []


@pytest.mark.parametrize(("rule", "path", "changes", "syntax"), BROKEN_IN_ONE_SYNTAX)
def test_some_rules_apply_to_one_syntax_only(
    rule: str, path: str, changes: dict[str, Any], syntax: Syntax
) -> None:
    source = invoice_json(changes)
    told = {each: broken_rules(source, "EN16931", each) for each in SYNTAXES}

    assert told.pop(syntax) == [(rule, f"invoice.{path}")]
    assert list(told.values()) == [[]]
