"""Totals of any invoice agree with exact fractions and with each other."""

import dataclasses
from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Any

import pytest
from hypothesis import given

from chalicelib.engine.einvoice.model import Adjustment, Invoice, Vat
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.einvoice.read_json import read_invoice
from chalicelib.engine.einvoice.rules.check import check_rules
from chalicelib.engine.einvoice.totals import InvoiceTotals, compute_totals
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.invoices.random_invoices import INVOICES


def cents(amount: Fraction) -> Fraction:
    """Round half away from zero."""
    whole = Fraction(floor(abs(amount) * 100 + Fraction(1, 2)), 100)
    return whole if amount >= 0 else -whole


def exact(number: Decimal | None) -> Fraction:
    return Fraction(number or 0)


def kind(vat: Vat) -> tuple[str, Fraction]:
    return vat.category, exact(vat.rate)


def amount(part: Adjustment) -> Fraction:
    if part.amount is not None:
        return exact(part.amount)
    return cents(exact(part.base_amount) * exact(part.percent) / 100)


def total(parts: Iterable[Adjustment]) -> Fraction:
    return sum(map(amount, parts), Fraction())


def expected(invoice: Invoice) -> dict[str, Any]:
    """Compute the totals a second time, with fractions, rule by rule."""
    nets = [
        cents(
            exact(line.price.net)
            * exact(line.quantity)
            / exact(line.price.base_quantity or Decimal(1))
        )
        - total(line.allowances)
        + total(line.charges)
        for line in invoice.lines
    ]
    taxable: defaultdict[tuple[str, Fraction], Fraction] = defaultdict(Fraction)
    for line, net in zip(invoice.lines, nets, strict=True):
        taxable[kind(line.vat)] += net
    for part in invoice.allowances:
        taxable[kind(part.vat)] -= amount(part)
    for part in invoice.charges:
        taxable[kind(part.vat)] += amount(part)
    taxes = {key: cents(basis * key[1] / 100) for key, basis in taxable.items()}
    basis = sum(nets, Fraction()) - total(invoice.allowances) + total(invoice.charges)
    due = basis + sum(taxes.values()) - exact(invoice.prepaid_amount)
    return {
        "nets": nets,
        "taxable": taxable,
        "taxes": taxes,
        "basis": basis,
        "due": due + exact(invoice.rounding_amount),
    }


def computed(changes: dict[str, Any]) -> tuple[Invoice, InvoiceTotals]:
    invoice = read_invoice(invoice_json(changes), "invoice")
    return invoice, compute_totals(invoice)


@given(INVOICES)
def test_totals_equal_exact_arithmetic(changes: dict[str, Any]) -> None:
    invoice, found = computed(changes)
    wanted = expected(invoice)

    assert list(map(exact, found.line_net_amounts)) == wanted["nets"]
    parts = {(part.category, exact(part.rate)): part for part in found.vat_breakdown}
    assert {key: exact(part.taxable_amount) for key, part in parts.items()} == wanted["taxable"]
    assert {key: exact(part.tax_amount) for key, part in parts.items()} == wanted["taxes"]
    assert exact(found.tax_basis_total) == wanted["basis"]
    assert exact(found.due_amount) == wanted["due"]


@given(INVOICES)
def test_totals_agree_with_each_other(changes: dict[str, Any]) -> None:
    invoice, found = computed(changes)

    assert sum(found.line_net_amounts) == found.line_total
    assert sum(part.taxable_amount for part in found.vat_breakdown) == found.tax_basis_total
    assert sum(part.tax_amount for part in found.vat_breakdown) == found.tax_total
    assert found.line_total - found.allowance_total + found.charge_total == found.tax_basis_total
    assert found.tax_basis_total + found.tax_total == found.grand_total
    amounts = [*found.line_net_amounts, found.due_amount, found.prepaid_amount, found.tax_total]
    assert {each.as_tuple().exponent for each in amounts} == {-2}
    assert check_rules(invoice, found, PROFILES["XRECHNUNG"], "cii", "invoice") == ()


@pytest.mark.parametrize(
    ("quantity", "price", "net"),
    [
        ("1", "0.005", "0.01"),
        ("-1", "0.005", "-0.01"),
        ("1", "0.004999", "0.00"),
        ("-1", "0.004", "0.00"),
        ("3", "33.335", "100.01"),
        ("9999.999999", "999999.999999", "9999999998.99"),
    ],
)
def test_half_a_cent_rounds_away_from_zero(quantity: str, price: str, net: str) -> None:
    _, found = computed({"lines[0].quantity": quantity, "lines[0].price.net": price})

    assert str(found.line_net_amounts[0]) == net


def test_vat_is_computed_on_the_sum_and_not_per_line() -> None:
    line = {
        "quantity": 1,
        "price": {"net": "0.05"},
        "vat": {"category": "S", "rate": 10},
        "item": {"name": "x"},
    }
    _, found = computed({"lines": [line] * 3})

    assert (found.tax_basis_total, found.tax_total) == (Decimal("0.15"), Decimal("0.02"))


def test_equal_rates_are_merged_and_category_o_has_no_rate() -> None:
    invoice, _ = computed({"lines[0].vat.rate": "19.000"})
    outside = dataclasses.replace(invoice.lines[0].vat, category="O", rate=Decimal(0))
    lines = (
        *invoice.lines,
        dataclasses.replace(invoice.lines[0], vat=outside),
        dataclasses.replace(invoice.lines[0], vat=dataclasses.replace(outside, rate=None)),
    )

    parts = compute_totals(dataclasses.replace(invoice, lines=lines)).vat_breakdown

    assert [(part.category, part.rate) for part in parts] == [("S", Decimal(19)), ("O", None)]
