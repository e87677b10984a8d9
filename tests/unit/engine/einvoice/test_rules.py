"""Each of the service's own rules: an invoice that breaks it, its id and the place of the fault."""

from typing import Any, Final

import pytest

from chalicelib.engine.einvoice.findings import InvalidInvoiceError
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.einvoice.rules import examined
from chalicelib.engine.einvoice.write_json import invoice_json as written
from tests.builders.invoice_json import ABSENT, invoice_json
from tests.builders.invoice_shapes import SHAPES

_VAT: Final = {"category": "S", "rate": "19"}
_E: Final = {"category": "E", "rate": "0"}
_O: Final = {"category": "O"}
_CENT: Final = {"amount": "1.00", "reason": "r"}
_OUTSIDE: Final = {
    "lines[0].vat": _O,
    "lines[1].vat": _O,
    "vat_exemptions": {"O": {"reason": "r"}},
    "seller.vat_id": ABSENT,
    "seller.legal_registration": {"id": "HRB 1"},
}
_WITHIN: Final = {
    "lines[0].vat": {"category": "K", "rate": 0},
    "vat_exemptions": {"K": {"reason_code": "VATEX-EU-IC"}},
    "buyer.vat_id": "FR12345678901",
    "delivery": {"date": "2026-02-01", "address": {"country": "FR", "city": "L", "postcode": "1"}},
}
_REVERSE: Final = {
    "lines[0].vat": {"category": "AE", "rate": 0},
    "vat_exemptions": {"AE": {"reason": "Reverse charge"}},
    "buyer.vat_id": "FR12345678901",
}
_DIRECT_DEBIT: Final = {
    "mandate_reference": "M1",
    "creditor_id": "DE98ZZZ09999999999",
    "debited_iban": "DE02120300000000202051",
}


def _allowance(**changes: Any) -> list[dict[str, Any]]:
    return [{**_CENT, "vat": _VAT, **changes}]


BROKEN: Final[list[tuple[str, str, dict[str, Any]]]] = [
    # Of the document.
    ("BR-DE-26", "preceding_invoices", {"type_code": "384"}),
    (
        "BR-CO-03",
        "tax_point_date_code",
        {"tax_point_date": "2026-03-01", "tax_point_date_code": "35"},
    ),
    (
        "BR-29",
        "invoice_period.end",
        {"invoice_period": {"start": "2026-02-02", "end": "2026-02-01"}},
    ),
    ("BR-53", "tax_total_in_tax_currency", {"tax_currency": "SEK"}),
    ("PLT-TAX-CURRENCY", "tax_currency", {"tax_total_in_tax_currency": "1.00"}),
    (
        "PEPPOL-EN16931-R005",
        "tax_currency",
        {"tax_currency": "EUR", "tax_total_in_tax_currency": "1.00"},
    ),
    (
        "PEPPOL-EN16931-R055",
        "tax_total_in_tax_currency",
        {"tax_currency": "SEK", "tax_total_in_tax_currency": "-1.00"},
    ),
    ("BR-10", "buyer.address", {"buyer.address": ABSENT}),
    ("BR-62", "seller.electronic_address.scheme", {"seller.electronic_address": {"id": "a"}}),
    ("BR-63", "buyer.electronic_address.scheme", {"buyer.electronic_address": {"id": "a"}}),
    ("BR-17", "payee.name", {"payee": {"name": "Muster GmbH"}}),
    ("BR-CO-09", "seller.vat_id", {"seller.vat_id": "123456789"}),
    ("BR-CO-09", "buyer.vat_id", {"buyer.vat_id": "fr123456789"}),
    (
        "BR-CO-26",
        "seller.vat_id",
        {"seller.vat_id": ABSENT, "seller.tax_number": "12/345/67890"},
    ),
    ("BR-61", "payment.credit_transfers", {"payment.credit_transfers": []}),
    ("BR-31", "allowances[0].amount", {"allowances": [{"vat": _VAT, "reason": "r"}]}),
    ("BR-36", "charges[0].amount", {"charges": [{"vat": _VAT, "reason": "r"}]}),
    ("BR-33", "allowances[0].reason", {"allowances": _allowance(reason="")}),
    ("BR-38", "charges[0].reason", {"charges": _allowance(reason=None)}),
    (
        "PEPPOL-EN16931-R040",
        "allowances[0].amount",
        {"allowances": _allowance(percent="10", base_amount="10.30")},
    ),
    # Of lines.
    ("PLT-LINE-ID", "lines[1].id", {"lines[0].id": "2"}),
    ("PEPPOL-EN16931-R120", "lines[0].net_amount", {"lines[0].net_amount": "59.98"}),
    (
        "BR-30",
        "lines[1].period.end",
        {"lines[1].period": {"start": "2026-02-02", "end": "2026-02-01"}},
    ),
    ("PEPPOL-EN16931-R130", "lines[0].price.base_unit", {"lines[0].price.base_unit": "KGM"}),
    ("BR-64", "lines[0].item.standard_id.scheme", {"lines[0].item.standard_id": {"id": "4"}}),
    ("BR-27", "lines[0].price.net", {"lines[0].price.net": "-1"}),
    ("BR-28", "lines[0].price.gross", {"lines[0].price": {"net": 1, "gross": -1, "discount": -2}}),
    ("PEPPOL-EN16931-R121", "lines[0].price.base_quantity", {"lines[0].price.base_quantity": "0"}),
    ("PLT-PRICE-GROSS", "lines[0].price.gross", {"lines[0].price.discount": "1"}),
    ("PEPPOL-EN16931-R046", "lines[0].price.net", {"lines[0].price.gross": "20"}),
    ("BR-41", "lines[0].allowances[0].amount", {"lines[0].allowances": [{"reason": "r"}]}),
    ("BR-42", "lines[0].allowances[0].reason", {"lines[0].allowances": [{"amount": "1"}]}),
    ("BR-43", "lines[0].charges[0].amount", {"lines[0].charges": [{"reason": "r"}]}),
    ("BR-44", "lines[0].charges[0].reason", {"lines[0].charges": [{"amount": "1"}]}),
    # Of VAT.
    ("BR-S-05", "lines[1].vat.rate", {"lines[1].vat.rate": 0}),
    ("BR-S-06", "allowances[0].vat.rate", {"allowances": _allowance(vat={"category": "S"})}),
    ("BR-S-07", "charges[0].vat.rate", {"charges": _allowance(vat={"category": "S"})}),
    (
        "BR-E-05",
        "lines[0].vat.rate",
        {"lines[0].vat": {"category": "E", "rate": 7}, "vat_exemptions": {"E": {"reason": "r"}}},
    ),
    ("BR-AF-05", "lines[0].vat.rate", {"lines[0].vat": {"category": "L", "rate": 0}}),
    ("BR-AG-05", "lines[0].vat.rate", {"lines[0].vat": {"category": "M"}}),
    ("BR-O-05", "lines[0].vat.rate", {**_OUTSIDE, "lines[0].vat": {"category": "O", "rate": 5}}),
    ("BR-E-10", "vat_exemptions.E", {"lines[0].vat": _E}),
    ("BR-E-10", "vat_exemptions.E", {"lines[0].vat": _E, "vat_exemptions": {"E": {}}}),
    ("BR-IC-10", "vat_exemptions.K", {**_WITHIN, "vat_exemptions": ABSENT}),
    ("BR-S-10", "vat_exemptions.S", {"vat_exemptions": {"S": {"reason": "r"}}}),
    (
        "BR-S-02",
        "seller.vat_id",
        {"seller.vat_id": ABSENT, "seller.legal_registration": {"id": "HRB 1"}},
    ),
    ("BR-O-02", "seller.vat_id", {**_OUTSIDE, "seller.vat_id": "DE123456789"}),
    ("BR-O-02", "buyer.vat_id", {**_OUTSIDE, "buyer.vat_id": "DE123456789"}),
    (
        "BR-O-12",
        "lines[1].vat.category",
        {**_OUTSIDE, "lines[1].vat": {"category": "Z", "rate": 0}, "seller.tax_number": "1"},
    ),
    ("BR-IC-02", "buyer.vat_id", {**_WITHIN, "buyer.vat_id": None}),
    ("BR-IC-11", "delivery.date", {**_WITHIN, "delivery.date": ABSENT}),
    ("BR-IC-12", "delivery.address", {**_WITHIN, "delivery": {"date": "2026-02-01"}}),
    ("BR-AE-02", "buyer.vat_id", {**_REVERSE, "buyer.vat_id": None}),
    # Of XRechnung.
    ("BR-DE-15", "buyer_reference", {"buyer_reference": " "}),
    ("BR-DE-1", "payment", {"payment": ABSENT}),
    ("BR-DE-2", "seller.contact", {"seller.contact": {}}),
    ("BR-DE-3", "seller.address.city", {"seller.address.city": ABSENT}),
    ("BR-DE-4", "seller.address.postcode", {"seller.address.postcode": ABSENT}),
    ("BR-DE-5", "seller.contact.name", {"seller.contact.name": ABSENT}),
    ("BR-DE-6", "seller.contact.phone", {"seller.contact.phone": ABSENT}),
    ("BR-DE-7", "seller.contact.email", {"seller.contact.email": ABSENT}),
    ("BR-DE-8", "buyer.address.city", {"buyer.address.city": ABSENT}),
    ("BR-DE-9", "buyer.address.postcode", {"buyer.address.postcode": ABSENT}),
    (
        "BR-DE-10",
        "delivery.address.city",
        {"delivery": {"address": {"country": "DE", "postcode": "1"}}},
    ),
    (
        "BR-DE-11",
        "delivery.address.postcode",
        {"delivery": {"address": {"country": "DE", "city": "B"}}},
    ),
    ("PEPPOL-EN16931-R010", "buyer.electronic_address", {"buyer.electronic_address": ABSENT}),
    ("PEPPOL-EN16931-R020", "seller.electronic_address", {"seller.electronic_address": ABSENT}),
    ("BR-DE-18", "payment_terms", {"payment_terms": "#SKONTO#TAGE=14#PROZENT=2#"}),
    ("BR-DE-23-b", "payment.direct_debit", {"payment.direct_debit": _DIRECT_DEBIT}),
    ("BR-DE-24-a", "payment.card", {"payment": {"means_code": "48"}}),
    ("BR-DE-25-a", "payment.direct_debit", {"payment": {"means_code": "59"}}),
    (
        "PEPPOL-EN16931-R061",
        "payment.direct_debit.mandate_reference",
        {
            "payment": {
                "means_code": "59",
                "direct_debit": {**_DIRECT_DEBIT, "mandate_reference": None},
            }
        },
    ),
    ("PEPPOL-EN16931-R041", "allowances[0].base_amount", {"allowances": _allowance(percent="10")}),
    ("PEPPOL-EN16931-R042", "charges[0].percent", {"charges": _allowance(base_amount="10")}),
    (
        "PEPPOL-EN16931-R110",
        "lines[0].period.start",
        {
            "invoice_period": {"start": "2026-02-01"},
            "lines[0].period": {"start": "2026-01-31"},
        },
    ),
    (
        "PEPPOL-EN16931-R111",
        "lines[0].period.end",
        {"invoice_period": {"end": "2026-02-01"}, "lines[0].period": {"end": "2026-02-02"}},
    ),
]


def found(source: Any, profile: str) -> list[tuple[str, str]]:
    try:
        examined(source, PROFILES[profile], "invoice")
    except InvalidInvoiceError as invalid:
        return [(each.rule, each.location) for each in invalid.findings]
    return []


@pytest.mark.parametrize("profile", PROFILES)
def test_a_valid_invoice_breaks_no_rule(profile: str) -> None:
    for changes in ({}, _OUTSIDE, _WITHIN, _REVERSE):
        assert found(invoice_json(changes), profile) == []


@pytest.mark.parametrize(("rule", "path", "changes"), BROKEN)
def test_a_broken_rule_is_told_at_its_place(rule: str, path: str, changes: dict[str, Any]) -> None:
    assert found(invoice_json(changes), "XRECHNUNG") == [(rule, f"invoice.{path}")]


@pytest.mark.parametrize("profile", [name for name in PROFILES if name != "XRECHNUNG"])
def test_rules_of_xrechnung_are_its_own(profile: str) -> None:
    xrechnung = [row for row in BROKEN if row[0].startswith("BR-DE-") and row[0] != "BR-DE-26"]

    assert [found(invoice_json(changes), profile) for _, _, changes in xrechnung] == [
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
            {**_OUTSIDE, "seller.legal_registration": ABSENT, "seller.identifiers": [{"id": "1"}]},
            {"MINIMUM"},
        ),
    ],
)
def test_some_rules_are_those_of_profiles(
    rule: str, path: str, changes: dict[str, Any], profiles: set[str]
) -> None:
    assert {
        profile
        for profile in PROFILES
        if (rule, f"invoice.{path}") in found(invoice_json(changes), profile)
    } == profiles


def test_equal_findings_are_counted_and_each_says_where() -> None:
    large = {"quantity": "9999999999", "price": {"net": "9"}}
    source = invoice_json({f"lines[0].{name}": value for name, value in large.items()})

    with pytest.raises(InvalidInvoiceError) as caught:
        examined(source, PROFILES["EN16931"], "data.bill")

    line, whole = caught.value.findings
    assert (line.location, line.count) == ("data.bill.lines[0]", 1)
    assert (whole.location, whole.count) == ("data.bill", 7)
    assert line.message.startswith("data.bill.lines[0] comes to more than 10 digits")


def test_a_report_has_no_end_of_findings() -> None:
    source = invoice_json()
    source["lines"] = [{**source["lines"][0], "vat": {"category": "S"}} for _ in range(2_000)]

    assert len(found(source, "EN16931")) == 100


def test_every_shape_of_invoice_is_taken_but_for_what_a_profile_cannot_tell() -> None:
    refused = {
        (shape, profile): found(written(make()), profile)
        for shape, make in SHAPES.items()
        for profile in PROFILES
    }

    no_rounding = [("BR-CO-16", "invoice.rounding_amount")]
    assert {pair: faults for pair, faults in refused.items() if faults} == {
        ("rounding", "BASIC_WL"): no_rounding,
        ("rounding", "BASIC"): no_rounding,
    }
