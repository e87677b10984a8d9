"""Stored examples: valid data and correct totals."""

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from chalicelib.contract.template.template import TemplateRequest
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.renderer import TemplateRenderer
from infra.local.examples import example_data, stored_examples, template_body
from tests.builders.template_data import template_data

CENT: Final = Decimal("0.01")
BLANKS: Final = str.maketrans("\u00a0\u202f\u2212", "  -")


def exact(value: float) -> Decimal:
    return Decimal(str(value))


def to(unit: str, amount: Decimal) -> Decimal:
    """Round half away from zero to a multiple of `unit`."""
    return (amount / Decimal(unit)).quantize(Decimal(1), ROUND_HALF_UP) * Decimal(unit)


def written(amount: Decimal, thousands: str, point: str) -> str:
    text = f"{amount.quantize(CENT):,}"
    return text.replace(",", "\0").replace(".", point).replace("\0", thousands)


def total(lines: Iterable[Mapping[str, Any]], name: str) -> int:
    return sum(line[name] for line in lines)


def page_of(example: str) -> str:
    body = template_body(example)
    locale_defaults = LocaleDefaults(body["options"]["locale"])
    page = TemplateRenderer().render(
        body["html"],
        template_data(example_data(example)),
        strict=True,
        locale_defaults=locale_defaults,
    )
    assert isinstance(page, str), page
    return page.translate(BLANKS)


@pytest.mark.parametrize("example", stored_examples())
def test_data_are_valid_against_the_schema(example: str) -> None:
    body = template_body(example)

    TemplateRequest.model_validate(body)
    Draft202012Validator.check_schema(body["schema"])
    assert list(Draft202012Validator(body["schema"]).iter_errors(example_data(example))) == []


def test_the_invoice_adds_up() -> None:
    net = {0.07: Decimal(0), 0.19: Decimal(0)}
    for part in example_data("invoice")["parts"]:
        for line in part["lines"]:
            net[line["vat"]] += to("0.01", exact(line["quantity"]) * exact(line["price"]))
    taxes = [to("0.01", amount * exact(rate)) for rate, amount in net.items()]
    amounts = [*net.values(), *taxes, sum(net.values()), sum(net.values()) + sum(taxes)]

    page = page_of("invoice")

    wanted = [f"{written(Decimal(amount), '.', ',')} €" for amount in amounts]
    assert [amount for amount in wanted if amount not in page] == []


def test_the_payslip_adds_up() -> None:
    data = example_data("payslip")
    earned = [
        (to("0.01", exact(line["base"]) * exact(line.get("units", 1))), line["liable"])
        for line in data["earnings"]
    ]
    gross = sum((amount for amount, _ in earned), Decimal(0))
    liable = sum((amount for amount, counts in earned if counts), Decimal(0))
    taken = [
        to("0.05", liable * exact(line["rate"])) if "rate" in line else exact(line["amount"])
        for line in data["deductions"]
    ]
    off = sum(taken, Decimal(0))
    extra = sum((exact(line["amount"]) for line in data["allowances"]), Decimal(0))

    page = page_of("payslip")

    amounts = [gross, -off, gross - off + extra]
    assert [amount for amount in amounts if written(amount, " ", ",") not in page] == []


def test_report_figures_agree() -> None:
    data = example_data("report")
    revenue = total(data["products"], "revenue")

    assert total(data["channels"], "amount") == total(data["regions"], "revenue") == revenue
    assert total(data["channels"], "before") == total(data["products"], "before")
    assert data["revenue"]["now"][-1] == round(revenue / 1000, 1)
    assert f"£{revenue:,}" in page_of("report")


def test_label_has_the_correct_check_digit() -> None:
    digits = [int(digit) for digit in example_data("shipping-label")["sscc"]]

    assert (3 * sum(digits[0::2]) + sum(digits[1::2])) % 10 == 0
