"""Invoices at the edges of the rules, and just beyond, as changes to a valid one."""

from typing import Any, Final

from tests.builders.invoices.broken_invoices import (
    INTRA_COMMUNITY,
    NOT_SUBJECT_TO_VAT,
    REVERSE_CHARGE,
)
from tests.builders.invoices.invoice_json import ABSENT

_S: Final = {"category": "S", "rate": "19"}
_DISCOUNT: Final = "#SKONTO#TAGE=14#PROZENT=2.00#"
_REGISTERED: Final = {"seller.vat_id": ABSENT, "seller.legal_registration": {"id": "HRB 1"}}
_REPRESENTATIVE: Final = {"name": "R", "vat_id": "DE1234", "address": {"country": "DE"}}
_DEBIT: Final = {
    "mandate_reference": "M",
    "creditor_id": "DE98ZZZ09999999999",
    "debited_account": "DE02120300000000202051",
}
_FRENCH_ADDRESS: Final = {"city": "Lyon", "postcode": "69001", "country": "FR"}


def _lines(*lines: dict[str, Any]) -> dict[str, Any]:
    plain = {"quantity": "1", "price": {"net": "10"}, "vat": _S, "item": {"name": "x"}}
    return {"lines": [{**plain, **line} for line in lines]}


def _rated(category: str, *rates: Any) -> dict[str, Any]:
    return _lines(*({"vat": {"category": category, "rate": rate}} for rate in rates))


def _price(net: str, **more: str) -> dict[str, Any]:
    return {"price": {"net": net, **more}}


def _allowance(**changes: Any) -> dict[str, Any]:
    return {"allowances": [{"amount": "1.00", "reason": "r", "vat": _S, **changes}]}


def _exempt(*categories: str) -> dict[str, Any]:
    return {"vat_exemptions": {category: {"reason": "r"} for category in categories}}


def _taxed(total: str, **more: Any) -> dict[str, Any]:
    return {
        "currency": "USD",
        "tax_currency": "EUR",
        "tax_total_in_tax_currency": total,
        **more,
    }


def _paid(means_code: str, **more: Any) -> dict[str, Any]:
    return {"payment": {"means_code": means_code, **more}}


_AMOUNTS: Final[dict[str, dict[str, Any]]] = {
    "nothing to pay": _lines(_price("0.000000")),
    "nothing sold": _lines({"quantity": "0"}),
    "all returned": _lines({"quantity": "-3"}),
    "credit note of a negative amount": {"type_code": "381", **_lines({"quantity": "-3"})},
    "smallest numbers": _lines({"quantity": "0.000001", **_price("0.000001")}),
    "largest number": _lines(_price("8000000000.000001")),
    "base quantity": _lines({"quantity": "7", **_price("10.123456", base_quantity="3")}),
    "half cents": _lines(*[{"quantity": "0.5", **_price("0.01")}] * 3),
    "half cents returned": _lines(*[{"quantity": "-0.5", **_price("0.01")}] * 3, {}),
    "half cents of tax": _lines(*[{**_price("0.10"), "vat": {"category": "S", "rate": 5}}] * 3),
    "thirds": _lines(*[{"quantity": "0.333333", **_price("0.033333")}] * 30),
    "gross price": _lines(_price("10", gross="12", discount="2"), _price("10", gross="10")),
    "surcharged price": _lines(_price("10", gross="8", discount="-2")),
    "prices below nothing": _lines(_price("-5"), _price("20")),
    "discount above the price": _lines(_price("-2", gross="1", discount="3")),
    "allowance above the total": _allowance(amount="1000.00"),
    "negative allowance": _allowance(amount="-1.00"),
    "100 allowances and charges": {
        "allowances": _allowance(amount="0.01")["allowances"] * 100,
        "charges": _allowance(amount="0.01")["allowances"] * 100,
    },
    "share with six places": _allowance(amount=None, percent="33.333333", base_amount="100.01"),
    "share above the whole": _allowance(amount=None, percent="150", base_amount="-10"),
    "share to two cents": _allowance(amount="1.02", percent="10", base_amount="10.00"),
    "share past two cents": _allowance(amount="1.03", percent="10", base_amount="10.00"),
    "rounded": {"rounding_amount": "-0.04"},
    "prepaid too much": {"prepaid_amount": "1000.00"},
    "tax currency": _taxed("0.00"),
    "tax currency below": _taxed("-1.00", **_lines({"quantity": "-1"})),
    "tax currency against": _taxed("-0.01"),
}
_TAXES: Final[dict[str, dict[str, Any]]] = {
    "one rate in many ways": _rated("S", "19", "19.0", "19.000000", 19),
    "odd rates": _rated("S", "0.000001", "100", "5.555555"),
    "islands at nothing": _rated("M", 0),
    "Canary Islands at nothing": _rated("L", 0),
    "an allowance of theirs at nothing": {
        **_rated("L", 7),
        **_allowance(vat={"category": "L", "rate": 0}),
    },
    "all categories but O": {
        **_lines(*({"vat": {"category": c, "rate": 0}} for c in ("Z", "E", "AE", "K", "G")), {}),
        **_exempt("E", "AE", "K", "G"),
        "buyer.vat_id": "FR12345678901",
        "delivery": {"date": "2026-02-01", "address": _FRENCH_ADDRESS},
    },
    "an exempt allowance only": {
        **_allowance(vat={"category": "E", "rate": 0}),
        **_exempt("E"),
    },
    "O beside S": {"lines[0].vat": {"category": "O"}, **_exempt("O")},
    "an allowance in O beside S": {**_allowance(vat={"category": "O"}), **_exempt("O")},
    "O with a tax number": {**NOT_SUBJECT_TO_VAT, "seller.tax_number": "12/345"},
    "O with a representative": {**NOT_SUBJECT_TO_VAT, "tax_representative": _REPRESENTATIVE},
    "K in a period": {
        **INTRA_COMMUNITY,
        "delivery.date": ABSENT,
        "invoice_period": {"end": "2026-01-01"},
    },
    "K with a line's period": {
        **INTRA_COMMUNITY,
        "delivery.date": ABSENT,
        "lines[0].period": {"end": "2026-01-01"},
    },
    "K of a representative": {
        **INTRA_COMMUNITY,
        "lines[1].vat": {"category": "K", "rate": 0},
        **_REGISTERED,
        "tax_representative": _REPRESENTATIVE,
    },
    "AE to a registered buyer": {
        **REVERSE_CHARGE,
        "buyer.vat_id": ABSENT,
        "buyer.legal_registration": {"id": "H"},
    },
    "AE with a tax number": {**REVERSE_CHARGE, **_REGISTERED, "seller.tax_number": "12/345"},
    "G with a tax number": {
        **_rated("G", 0),
        **_exempt("G"),
        **_REGISTERED,
        "seller.tax_number": "1",
    },
    "S of a representative": {**_REGISTERED, "tax_representative": _REPRESENTATIVE},
    "VAT of Greece": {"seller.vat_id": "EL123456789"},
    "VAT of Kosovo": {"seller.vat_id": "1A123456789"},
}
_PAYMENTS: Final[dict[str, dict[str, Any]]] = {
    **{
        f"terms {terms!r}": {"payment_terms": terms}
        for terms in (
            _DISCOUNT,
            f"  {_DISCOUNT}\t",
            f"Danke\r\n{_DISCOUNT}\r\n#SKONTO#TAGE=28#PROZENT=1.00#BASISBETRAG=-5.00#",
            f"{_DISCOUNT}\nSiehe #5",
            f"{_DISCOUNT}\nSiehe #5#",
            f"{_DISCOUNT}\nSiehe #5# unten",
            f"{_DISCOUNT} bald",
            f"{_DISCOUNT}\n#",
            "Siehe #5# unten",
            "#5",
            "#SKONTO#TAGE=14#PROZENT=2.000#",
        )
    },
    "cash, and everything else": _paid(
        "10",
        card={"primary_account_number": "123456"},
        credit_transfers=[{"account_id": "DE02120300000000202051"}, {"account_id": "0000 1234"}],
        direct_debit=_DEBIT,
    ),
    "a debit in cash without a mandate": _paid(
        "10", direct_debit={**_DEBIT, "mandate_reference": None}
    ),
    "a debit of 49": _paid("49", direct_debit=_DEBIT),
    "a debit of 49 without one": _paid("49"),
    "an undefined means": _paid("1"),
    "a whole card": _paid("48", card={"primary_account_number": "1234567890123456"}),
    "a card beside an account": _paid(
        "48",
        card={"primary_account_number": "1234"},
        credit_transfers=[{"account_id": "DE02120300000000202051"}],
    ),
    "nothing due, no terms": {"due_date": ABSENT, "prepaid_amount": "214.16"},
    "the seller's trading name is paid": {"seller.trading_name": "MG", "payee": {"name": "MG"}},
    "a payee without anything else": {"payee": {"name": "P"}},
}
_TEXTS: Final[dict[str, dict[str, Any]]] = {
    "signs in notes": {"notes": [{"text": "Auftrag #123# und #C++#"}]},
    "signs in notes with a subject": {"notes": [{"subject_code": "AAI", "text": "#ABC# x"}]},
    "any writing": {"notes": [{"text": "漢字 العربية 😀 \u200b\u00a0 ﬀ e\u0301\n\n\t & <b>]]>"}]},
    "as long as can be": {
        "notes": [{"text": "x" * 5000}] * 2,
        "lines[0].item.name": "n" * 1000,
        "lines[0].item.description": "d" * 5000,
    },
    "blanks around": {"number": " 1 ", "lines[0].id": "Ä/1 ", "lines[0].item.name": " x "},
    "a URL without a scheme": {"supporting_documents": [{"id": "1", "url": "muster.example/a"}]},
    "documents of every kind": {
        "supporting_documents": [{"id": "1", "url": "ftp:x", "description": "d"}, {"id": "1"}],
        "tender_reference": "T",
        "project_reference": "P",
        "invoiced_object": {"id": "1", "scheme": "AAB"},
        "lines[0].object_identifier": {"id": "1"},
    },
    "100 invoices before": {"preceding_invoices": [{"number": str(n)} for n in range(100)]},
    "no Leitweg-ID": {"buyer_reference": "nonsense"},
    "first day": {"issue_date": "0001-01-01", "due_date": "9999-12-31"},
    "a line outside the period": {
        "invoice_period": {"start": "2026-02-01", "end": "2026-02-28"},
        "lines[0].period": {"start": "2026-01-31"},
    },
    "a delivery without an address": {"delivery": {"party_name": "P", "date": "2026-02-01"}},
    "a delivery to a country": {"delivery": {"address": {"country": "DE"}}},
    "identifiers of every kind": {
        "seller.identifiers": [{"id": "1"}, {"id": "2"}, {"id": "3", "scheme": "0088"}],
        "buyer.identifier": {"id": "1", "scheme": "0060"},
    },
}
EDGE_CASES: Final = {**_AMOUNTS, **_TAXES, **_PAYMENTS, **_TEXTS}
