"""Invoices that each break one rule of XRECHNUNG, with the rule and the path of the fault."""

from typing import Any, Final

from tests.builders.invoices.invoice_json import ABSENT

_VAT: Final = {"category": "S", "rate": "19"}
_E: Final = {"category": "E", "rate": "0"}
_O: Final = {"category": "O"}
_CENT: Final = {"amount": "1.00", "reason": "r"}
NOT_SUBJECT_TO_VAT: Final = {
    "lines[0].vat": _O,
    "lines[1].vat": _O,
    "vat_exemptions": {"O": {"reason": "r"}},
    "seller.vat_id": ABSENT,
    "seller.legal_registration": {"id": "HRB 1"},
}
_UNIDENTIFIED_SELLER: Final = {
    "seller.vat_id": ABSENT,
    "seller.legal_registration": {"id": "HRB 1"},
}
INTRA_COMMUNITY_VAT: Final = {"category": "K", "rate": 0}
INTRA_COMMUNITY: Final = {
    "lines[0].vat": INTRA_COMMUNITY_VAT,
    "vat_exemptions": {"K": {"reason_code": "VATEX-EU-IC"}},
    "buyer.vat_id": "FR12345678901",
    "delivery": {"date": "2026-02-01", "address": {"country": "FR", "city": "L", "postcode": "1"}},
}
REVERSE_CHARGE: Final = {
    "lines[0].vat": {"category": "AE", "rate": 0},
    "vat_exemptions": {"AE": {"reason": "Reverse charge"}},
    "buyer.vat_id": "FR12345678901",
}
_DIRECT_DEBIT: Final = {
    "mandate_reference": "M1",
    "creditor_id": "DE98ZZZ09999999999",
    "debited_account": "DE02120300000000202051",
}


def _allowance(**changes: Any) -> list[dict[str, Any]]:
    return [{**_CENT, "vat": _VAT, **changes}]


BROKEN_INVOICES: Final[list[tuple[str, str, dict[str, Any]]]] = [
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
    (
        "BR-17",
        "payee.identifier",
        {
            "seller.identifiers": [{"id": "1"}, {"id": "7"}],
            "payee": {"name": "P", "identifier": {"id": "7"}},
        },
    ),
    (
        "BR-17",
        "payee.legal_registration",
        {
            "seller.legal_registration": {"id": "HRB 1"},
            "payee": {"name": "P", "legal_registration": {"id": "HRB 1"}},
        },
    ),
    ("BR-CO-09", "seller.vat_id", {"seller.vat_id": "123456789"}),
    ("BR-CO-09", "buyer.vat_id", {"buyer.vat_id": "fr123456789"}),
    (
        "BR-CO-26",
        "seller.vat_id",
        {"seller.vat_id": ABSENT, "seller.tax_number": "12/345/67890"},
    ),
    (
        "BR-51",
        "payment.card.primary_account_number",
        {"payment": {"means_code": "48", "card": {"primary_account_number": "12345678901"}}},
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
    ("PEPPOL-EN16931-R120", "lines[0].net_amount", {"lines[0].net_amount": "60.00"}),
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
    (
        "BR-O-05",
        "lines[0].vat.rate",
        {**NOT_SUBJECT_TO_VAT, "lines[0].vat": {"category": "O", "rate": 5}},
    ),
    ("BR-E-10", "vat_exemptions.E", {"lines[0].vat": _E}),
    ("BR-E-10", "vat_exemptions.E", {"lines[0].vat": _E, "vat_exemptions": {"E": {}}}),
    ("BR-IC-10", "vat_exemptions.K", {**INTRA_COMMUNITY, "vat_exemptions": ABSENT}),
    ("BR-S-10", "vat_exemptions.S", {"vat_exemptions": {"S": {"reason": "r"}}}),
    (
        "BR-S-02",
        "seller.vat_id",
        {"seller.vat_id": ABSENT, "seller.legal_registration": {"id": "HRB 1"}},
    ),
    ("BR-O-02", "seller.vat_id", {**NOT_SUBJECT_TO_VAT, "seller.vat_id": "DE123456789"}),
    ("BR-O-02", "buyer.vat_id", {**NOT_SUBJECT_TO_VAT, "buyer.vat_id": "DE123456789"}),
    (
        "BR-O-12",
        "lines[1].vat.category",
        {
            **NOT_SUBJECT_TO_VAT,
            "lines[1].vat": {"category": "Z", "rate": 0},
            "seller.tax_number": "1",
        },
    ),
    ("BR-IC-02", "buyer.vat_id", {**INTRA_COMMUNITY, "buyer.vat_id": None}),
    ("BR-IC-11", "delivery.date", {**INTRA_COMMUNITY, "delivery.date": ABSENT}),
    ("BR-IC-12", "delivery.address", {**INTRA_COMMUNITY, "delivery": {"date": "2026-02-01"}}),
    (
        "BR-IC-02",
        "seller.vat_id",
        {**INTRA_COMMUNITY, "lines[1].vat": INTRA_COMMUNITY_VAT, **_UNIDENTIFIED_SELLER},
    ),
    ("BR-AE-02", "buyer.vat_id", {**REVERSE_CHARGE, "buyer.vat_id": None}),
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
    (
        "BR-DE-18",
        "payment_terms",
        {"payment_terms": "#SKONTO#TAGE=14#PROZENT=2.00#\nSiehe #5# unten"},
    ),
    (
        "BR-TMP-2",
        "supporting_documents[0].url",
        {"supporting_documents": [{"id": "1", "url": "a"}]},
    ),
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
    (
        "PEPPOL-EN16931-R061",
        "payment.direct_debit.mandate_reference",
        {"payment": {"means_code": "49"}},
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

# With the syntax whose official sheet has the rule. The XML of the other one passes its sheet.
BROKEN_IN_ONE_SYNTAX: Final[list[tuple[str, str, dict[str, Any], str]]] = [
    ("BR-CL-08", "notes[0].text", {"notes": [{"text": "Order #123#"}]}, "ubl"),
    ("BR-AF-05", "lines[0].vat.rate", {"lines[0].vat": {"category": "L", "rate": 0}}, "cii"),
    ("BR-17", "payee.name", {"payee": {"name": "Muster GmbH"}}, "cii"),
    ("BR-17", "payee.name", {"seller.trading_name": "T", "payee": {"name": "T"}}, "ubl"),
    (
        "BR-17",
        "payee.identifier",
        {
            "seller.identifiers": [{"id": "4012345000009", "scheme": "0088"}],
            "payee": {"name": "P", "identifier": {"id": "4012345000009", "scheme": "0088"}},
        },
        "ubl",
    ),
    (
        "BR-17",
        "payee.legal_registration",
        {
            "seller.legal_registration": {"id": "HRB 1"},
            "payee": {"name": "P", "legal_registration": {"id": "HRB 1"}},
        },
        "cii",
    ),
    (
        "BR-51",
        "payment.card.primary_account_number",
        {"payment": {"means_code": "48", "card": {"primary_account_number": "123456789012"}}},
        "cii",
    ),
    (
        "BR-IC-11",
        "delivery.date",
        {**INTRA_COMMUNITY, "delivery.date": ABSENT, "tax_point_date_code": "35"},
        "cii",
    ),
]
