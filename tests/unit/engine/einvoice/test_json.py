"""Invoices from JSON and back: errors have a rule and a pointer, valid ones round-trip."""

from decimal import Decimal
from typing import Any

import pytest

from chalicelib.engine.einvoice.findings import InvalidInvoiceError
from chalicelib.engine.einvoice.read_json import read_invoice
from chalicelib.engine.einvoice.totals import compute_totals
from chalicelib.engine.einvoice.write_json import completed_json, invoice_json, totals_json
from tests.builders.invoices.invoice_json import ABSENT
from tests.builders.invoices.invoice_json import invoice_json as sent
from tests.builders.invoices.invoice_kinds import INVOICE_KINDS


@pytest.mark.parametrize(
    ("changes", "rule", "path"),
    [
        ({"number": ABSENT}, "BR-02", "number"),
        ({"number": " "}, "BR-02", "number"),
        ({"currency": None}, "BR-05", "currency"),
        ({"lines": []}, "BR-16", "lines"),
        ({"seller.address.country": ABSENT}, "BR-09", "seller.address.country"),
        ({"lines[1].item.name": ""}, "BR-25", "lines[1].item.name"),
        ({"lines[0].vat": {"rate": 1}}, "BR-CO-04", "lines[0].vat.category"),
        ({"notes": [{"text": ""}]}, "PLT-REQUIRED", "notes[0].text"),
        ({"lines[0].allowances": [{}]}, "BR-41", "lines[0].allowances[0]"),
        ({"lines[0].vat.category": "X"}, "PLT-FORMAT", "lines[0].vat.category"),
        ({"lines[0].quantity": True}, "PLT-TYPE", "lines[0].quantity"),
        ({"lines[0].quantity": "1,5"}, "PLT-FORMAT", "lines[0].quantity"),
        ({"lines[0].quantity": "12345678901"}, "PLT-FORMAT", "lines[0].quantity"),
        ({"prepaid_amount": "1.234"}, "PLT-FORMAT", "prepaid_amount"),
        ({"issue_date": "2026-02-30"}, "PLT-FORMAT", "issue_date"),
        ({"buyer.name": "x" * 201}, "PLT-LENGTH", "buyer.name"),
        ({"buyer.name": "x\x0b"}, "PLT-FORMAT", "buyer.name"),
        ({"buyer": []}, "PLT-TYPE", "buyer"),
        ({"buyer.name": 5}, "PLT-TYPE", "buyer.name"),
        ({"notes": {}}, "PLT-TYPE", "notes"),
        ({"notes": [{"text": "x"}] * 101}, "PLT-LENGTH", "notes"),
        ({"vat_exemptions": []}, "PLT-TYPE", "vat_exemptions"),
        ({"lines[0].vat.rate": "101"}, "PLT-FORMAT", "lines[0].vat.rate"),
        ({"vat_exemptions": {"X": {}}}, "PLT-UNKNOWN-FIELD", "vat_exemptions.X"),
        ({"lines[0].foo": 1}, "PLT-UNKNOWN-FIELD", "lines[0].foo"),
        ({"a b": 1}, "PLT-UNKNOWN-FIELD", "['a b']"),
        ({"x" * 100_000: 1}, "PLT-UNKNOWN-FIELD", "x" * 100),
        ({"-" * 100_000: 1}, "PLT-UNKNOWN-FIELD", f"['{'-' * 100}']"),
    ],
)
def test_wrong_type_is_a_finding_with_its_pointer(
    changes: dict[str, Any], rule: str, path: str
) -> None:
    with pytest.raises(InvalidInvoiceError) as invalid:
        read_invoice(sent(changes), "data.bill")

    location = f"data.bill{path}" if path.startswith("[") else f"data.bill.{path}"
    assert [(each.rule, each.location) for each in invalid.value.findings] == [(rule, location)]
    assert invalid.value.findings[0].message.startswith(f"{location} ")


@pytest.mark.parametrize("source", [None, [], "invoice", 5, True, {"": {}}])
def test_non_object_invoice_is_refused(source: Any) -> None:
    with pytest.raises(InvalidInvoiceError):
        read_invoice(source, "data.bill")


def test_numbers_keep_their_written_decimals() -> None:
    invoice = read_invoice(sent({"prepaid_amount": 0.1, "lines[0].price.net": 1e5}), "invoice")

    assert invoice.prepaid_amount == Decimal("0.1")
    assert invoice.lines[0].price.net == Decimal(100_000)


def test_empty_values_are_absent_and_lines_are_numbered() -> None:
    empty = {"contract_reference": " ", "notes": [], "seller.contact": {"name": ""}, "delivery": {}}
    invoice = read_invoice(sent({**empty, "lines[0].id": "", "lines[1].id": "7"}), "invoice")

    assert (invoice.contract_reference, invoice.notes, invoice.delivery) == (None, (), None)
    assert invoice.seller.contact is None
    assert [line.id for line in invoice.lines] == ["1", "7"]


def test_every_shape_round_trips_through_json() -> None:
    for make in INVOICE_KINDS.values():
        invoice = make()
        assert read_invoice(invoice_json(invoice), "invoice") == invoice


def test_completed_invoice_is_the_sent_invoice_with_derived_values() -> None:
    source = sent({"prepaid_amount": 10})
    invoice = read_invoice(source, "invoice")
    computed = compute_totals(invoice)

    completed: dict[str, Any] = completed_json(source, invoice, computed)

    assert [line["net_amount"] for line in completed["lines"]] == ["59.97", "120.00"]
    assert [line["id"] for line in completed["lines"]] == ["1", "2"]
    assert completed["lines"][1]["price"] == {"net": 80}
    assert completed["seller"] == source["seller"]
    assert totals_json(computed) == {
        "line_total": "179.97",
        "allowance_total": "0.00",
        "charge_total": "0.00",
        "tax_basis_total": "179.97",
        "tax_total": "34.19",
        "grand_total": "214.16",
        "prepaid_amount": "10.00",
        "rounding_amount": "0.00",
        "due_amount": "204.16",
        "vat_breakdown": [
            {
                "category": "S",
                "rate": "19",
                "taxable_amount": "179.97",
                "tax_amount": "34.19",
            }
        ],
    }
    assert completed.items() >= totals_json(computed).items()


def test_report_is_bounded() -> None:
    with pytest.raises(InvalidInvoiceError) as invalid:
        read_invoice(sent({"lines": [{"foo": 1}] * 200}), "invoice")

    assert len(invalid.value.findings) == 100
