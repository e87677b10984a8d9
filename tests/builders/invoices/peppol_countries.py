"""Invoices that fulfil Peppol's rules for sellers of a country, and changes that break each rule.

`COUNTRY_INVOICES` has, for each country, changes to `invoice_json` that the rules ask for.
`RULE_BREAKS` has one entry for each of those rules: the country's invoice, and the breaking change.
"""

from typing import Any, Final

from tests.builders.invoices.invoice_json import ABSENT

type Changes = dict[str, Any]

CREDIT_NOTE: Final[Changes] = {"type_code": "381", "preceding_invoices": [{"number": "1"}]}


def _party(country: str, registration: str, scheme: str) -> Changes:
    identifier = {"id": registration, "scheme": scheme}
    return {
        "name": f"Party in {country}",
        "trading_name": "Party",
        "legal_registration": identifier,
        "electronic_address": identifier,
        "address": {"line1": "Street 1", "city": "City", "postcode": "100", "country": country},
    }


def _transfer(means_code: str, account: str, bic: str | None = None) -> Changes:
    transfer = {"account_id": account} | ({"bic": bic} if bic else {})
    return {"payment.means_code": means_code, "payment.credit_transfers": [transfer]}


def _vat_rate(rate: str) -> Changes:
    return {f"lines[{n}].vat": {"category": "S", "rate": rate} for n in range(2)}


_BELGIAN: Final[Changes] = {"buyer": _party("BE", "0202239951", "0208")}
_DANISH: Final = _party("DK", "88146328", "0184")
_GREEK: Final = {
    **_party("GR", "094259216", "9933"),
    "legal_registration": None,  # 9933 is a scheme of addresses only
    "vat_id": "EL094259216",
}
_ICELANDIC: Final = _party("IS", "5501694969", "0196")
_DUTCH: Final = _party("NL", "12345678", "0106")
_GREEK_URL: Final = {
    "id": "1",
    "description": "##INVOICE|URL##",
    "url": "https://invoice.example/1",
}
_GREEK_MARK: Final = {"id": "400001", "description": "##M.AR.K##"}

COUNTRY_INVOICES: Final[dict[str, Changes]] = {
    "DE": {
        "seller.electronic_address": {"id": "DE123456789", "scheme": "9930"},
        "buyer.electronic_address": {"id": "04011000-12345-03", "scheme": "0204"},
    },
    "DK": {
        "seller": {
            **_DANISH,
            "vat_id": "DK88146328",
            "identifiers": [{"id": "88146328", "scheme": "0184"}],
        },
        "buyer": _DANISH,
        **_vat_rate("25"),
        "lines[0].item.classifications": [{"id": "1", "scheme": "TST", "version": "19.05.01"}],
        **_transfer("42", "1234567890", "1234"),
    },
    "GR": {
        "number": "094259216|01/03/2026|1|1.1|A|42",
        "seller": _GREEK,
        "buyer": _GREEK,
        "supporting_documents": [_GREEK_MARK, _GREEK_URL],
    },
    "IS": {
        "seller": {**_ICELANDIC, "vat_id": "IS12345"},
        "buyer": _ICELANDIC,
        "supporting_documents": [{"id": "2026-04-15", "description": "EINDAGI"}],
        **_transfer("9", "012345678901"),
    },
    "IT": {
        "seller": {
            **_party("IT", "IT12345670785", "0211"),
            "vat_id": "IT12345670785",
            "tax_number": "RSSMRA85T10A562S",
        },
        **_BELGIAN,
    },
    "NL": {
        "seller": {**_DUTCH, "vat_id": "NL123456782B90"},
        "buyer": _DUTCH,
        "order_reference": "O-1",
        "lines[0].order_line_reference": "1",
    },
    "NO": {
        "seller": {
            **_party("NO", "974760673", "0192"),
            "vat_id": "NO974760673MVA",
            "tax_number": "Foretaksregisteret",
        },
        **_BELGIAN,
    },
    "SE": {
        "seller": {
            **_party("SE", "5560360793", "0007"),
            "vat_id": "SE556036079301",
            "tax_number": "Godkänd för F-skatt",
        },
        "buyer": _party("SE", "5560360793", "0007"),
        **_vat_rate("25"),
        **_transfer("30", "54026815", "SE:BANKGIRO"),
    },
}
_DK_PAYMENT: Final = "payment.remittance_information"
_SHARE: Final = {"vat": {"category": "S", "rate": "25"}, "amount": "1", "reason": "none"}
_GREEK_NUMBERS: Final = {
    "1": "094259216|01/03/2026|1|1.1|A",
    "2": "094259217|01/03/2026|1|1.1|A|42",
    "3": "094259216|02/03/2026|1|1.1|A|42",
    "4": "094259216|01/03/2026|x|1.1|A|42",
    "5": "094259216|01/03/2026|1|9.9|A|42",
    "6": "094259216|01/03/2026|1|1.1||42",
    "7": "094259216|01/03/2026|1|1.1|A|",
}
_WRONG_GREEK_VAT: Final = {"seller.vat_id": "EL094259217"}

RULE_BREAKS: Final[dict[str, Changes]] = {
    "DK-R-002": {"seller.legal_registration": ABSENT},
    "DK-R-003": {"lines[0].item.classifications[0].version": "1"},
    "DK-R-004": {"charges": [{**_SHARE, "reason_code": "ZZZ"}]},
    "DK-R-005": {"payment.means_code": "30"},
    "DK-R-006": {"payment.credit_transfers[0].bic": ABSENT},
    "DK-R-007": {"payment": {"means_code": "49", "direct_debit": {"mandate_reference": "M"}}},
    "DK-R-008": {**_transfer("50", "1234567"), _DK_PAYMENT: "02#"},
    "DK-R-009": {**_transfer("50", "1234567"), _DK_PAYMENT: "04#1"},
    "DK-R-010": {**_transfer("93", "1234567"), _DK_PAYMENT: "73#"},
    "DK-R-011": {**_transfer("93", "12345678"), _DK_PAYMENT: "71#1"},
    "DK-R-013": {"seller.identifiers": [{"id": "88146328"}]},
    "DK-R-014": {"seller.legal_registration.scheme": "0002"},
    "DK-R-016": {**CREDIT_NOTE, "lines[0].quantity": "-1000"},
    "DK-R-017": {"buyer.legal_registration.scheme": "0002"},
    **{f"GR-R-001-{part}": {"number": number} for part, number in _GREEK_NUMBERS.items()},
    "GR-R-002": {"seller.trading_name": ABSENT},
    "GR-R-003": _WRONG_GREEK_VAT,
    "GR-R-004-1": {"supporting_documents": [_GREEK_URL]},
    "GR-R-004-2": {"supporting_documents[0].id": "x"},
    "GR-R-005": {"buyer.trading_name": ABSENT},
    "GR-R-006": {"buyer.vat_id": ABSENT},
    "GR-R-008-2": {"supporting_documents": [_GREEK_MARK, _GREEK_URL, _GREEK_URL]},
    "GR-R-008-3": {"supporting_documents[1].url": ABSENT},
    "GR-R-009": {"seller.electronic_address.scheme": "0208"},
    "GR-R-010": {"buyer.electronic_address.scheme": "0208"},
    "GR-S-008-1": {"supporting_documents": [_GREEK_MARK]},
    "GR-S-011": _WRONG_GREEK_VAT,
    "IS-R-001": {"type_code": "386"},
    "IS-R-002": {"seller.legal_registration": ABSENT},
    "IS-R-003": {"seller.address.line1": ABSENT},
    "IS-R-004": {"buyer.legal_registration": ABSENT},
    "IS-R-005": {"buyer.address.line1": ABSENT},
    "IS-R-006": _transfer("9", "1"),
    "IS-R-007": _transfer("42", "1"),
    "IS-R-008": {"supporting_documents[0].id": "soon"},
    "IS-R-009": {"due_date": ABSENT, "payment_terms": "Soon"},
    "IS-R-010": {"supporting_documents[0].id": "2026-03-15"},
    "IT-R-001": {"seller.tax_number": "1"},
    "IT-R-002": {"seller.address.line1": ABSENT},
    "IT-R-003": {"seller.address.city": ABSENT},
    "IT-R-004": {"seller.address.postcode": ABSENT},
    "NL-R-001": {"type_code": "381"},
    "NL-R-002": {"seller.address.line1": ABSENT},
    "NL-R-003": {"seller.legal_registration.scheme": "0002"},
    "NL-R-004": {"buyer.address.line1": ABSENT},
    "NL-R-005": {"buyer.legal_registration.scheme": "0002"},
    "NL-R-006": {
        "tax_representative": {
            "name": "T",
            "vat_id": "NL123456782B90",
            "address": {"city": "City", "country": "NL"},
        }
    },
    "NL-R-007": {"payment": ABSENT},
    "NL-R-008": {"payment.means_code": "31"},
    "NL-R-009": {"order_reference": ABSENT},
    "NO-R-001": {"seller.vat_id": "NO974760674MVA"},
    "NO-R-002": {"seller.tax_number": ABSENT},
    "SE-R-001": {"seller.vat_id": "SE5560360793"},
    "SE-R-002": {"seller.vat_id": "SE55603607930X"},
    "SE-R-003": {"seller.legal_registration.id": "X560360793"},
    "SE-R-004": {"seller.legal_registration.id": "556036079"},
    "SE-R-005": {"seller.tax_number": "F"},
    "SE-R-006": _vat_rate("19"),
    "SE-R-007": _transfer("30", "x", "SE:PLUSGIRO"),
    "SE-R-008": _transfer("30", "x", "SE:BANKGIRO"),
    "SE-R-009": _transfer("30", "1", "SE:BANKGIRO"),
    "SE-R-010": _transfer("30", "1", "SE:PLUSGIRO"),
    "SE-R-011": _transfer("50", "54026815"),
    "SE-R-012": _transfer("31", "54026815"),
    "SE-R-013": {"seller.legal_registration.id": "5560360794"},
}
