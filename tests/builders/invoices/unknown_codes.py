"""Invoices with a code of none of the official lists, with the rule and the path of the fault."""

from typing import Any, Final

_NONE: Final = {"id": "1", "scheme": "QQ"}
_VAT: Final = {"category": "S", "rate": "19"}
_ADJUSTED: Final = {"amount": "1.00", "reason": "r", "reason_code": "QQ"}

UNKNOWN_CODES: Final[list[tuple[str, str | None, dict[str, Any]]]] = [
    ("BR-CL-01", "type_code", {"type_code": "999"}),
    ("BR-CL-04", "currency", {"currency": "ABC"}),
    ("BR-CL-05", "tax_currency", {"tax_currency": "ABC", "tax_total_in_tax_currency": "1.00"}),
    ("BR-CL-07", "invoiced_object", {"invoiced_object": {"id": "1", "scheme": "QQQ"}}),
    (
        "BR-CL-08",
        "notes[1].subject_code",
        {"notes": [{"text": "a"}, {"text": "b", "subject_code": "XXX"}]},
    ),
    ("BR-CL-10", "seller.identifiers", {"seller.identifiers": [{"id": "1"}, _NONE]}),
    ("BR-CL-10", "buyer.identifier", {"buyer.identifier": _NONE}),
    ("BR-CL-10", "payee.identifier", {"payee": {"name": "P", "identifier": _NONE}}),
    ("BR-CL-11", "seller.legal_registration", {"seller.legal_registration": _NONE}),
    ("BR-CL-11", "buyer.legal_registration", {"buyer.legal_registration": _NONE}),
    (
        "BR-CL-13",
        "lines[1].item.classifications[1]",
        {"lines[1].item.classifications": [{"id": "1", "scheme": "STI"}, _NONE]},
    ),
    ("BR-CL-14", "seller.address.country", {"seller.address.country": "XX"}),
    ("BR-CL-14", "buyer.address.country", {"buyer.address.country": "EL"}),
    ("BR-CL-15", "lines[0].item.origin_country", {"lines[0].item.origin_country": "QQ"}),
    ("BR-CL-16", "payment.means_code", {"payment.means_code": "999"}),
    ("BR-CL-19", "allowances[0].reason_code", {"allowances": [{**_ADJUSTED, "vat": _VAT}]}),
    ("BR-CL-20", "charges[0].reason_code", {"charges": [{**_ADJUSTED, "vat": _VAT}]}),
    (
        "BR-CL-20",
        "lines[1].charges[0].reason_code",
        {"lines[1].allowances": [{"amount": "1", "reason": "r"}], "lines[1].charges": [_ADJUSTED]},
    ),
    ("BR-CL-21", "lines[0].item.standard_id", {"lines[0].item.standard_id": _NONE}),
    (
        "BR-CL-22",
        None,
        {
            "lines[0].vat": {"category": "E", "rate": 0},
            "vat_exemptions": {"E": {"reason_code": "VATEX-XX"}},
        },
    ),
    ("BR-CL-23", "lines[1].quantity", {"lines[1].unit": "ZZZ"}),
    (
        "BR-CL-25",
        "seller.electronic_address",
        {"seller.electronic_address": {"id": "a", "scheme": "XX"}},
    ),
    ("BR-CL-26", "delivery.location", {"delivery": {"location": _NONE}}),
    ("BR-CO-09", "seller.vat_id", {"seller.vat_id": "XX12345"}),
    ("BR-CO-09", "buyer.vat_id", {"buyer.vat_id": "XX12345"}),
]
