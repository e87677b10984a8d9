"""Example invoice: every value is defined, and the totals add up."""

import json
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest

from chalicelib.engine.templating.renderer import TemplateRenderer

FOLDER = Path(__file__).parents[4] / "examples" / "invoice"


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    text = (FOLDER / "data.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text, parse_float=Decimal)
    return loaded


def test_the_template_renders_with_every_value_defined() -> None:
    source = (FOLDER / "template.html").read_text(encoding="utf-8")
    data = json.loads((FOLDER / "data.json").read_text(encoding="utf-8"))

    html = TemplateRenderer().render(source, data, strict=True)

    assert isinstance(html, str), html
    assert html.count('class="sku"') == 40
    assert "10,899.78" in html
    assert "http:" not in html
    assert "https:" not in html


def test_every_line_is_quantity_times_price(data: dict[str, Any]) -> None:
    lines = [line for group in data["groups"] for line in group["lines"]]

    assert [line["position"] for line in lines] == list(range(1, 41))
    assert all(line["amount"] == line["quantity"] * line["unit_price"] for line in lines)


def test_the_totals_add_up(data: dict[str, Any]) -> None:
    lines = [line for group in data["groups"] for line in group["lines"]]
    totals = data["totals"]

    for tax in totals["vat"]:
        base = sum(line["amount"] for line in lines if line["vat_rate"] == tax["rate"])
        exact = Decimal(base) * tax["rate"] / 100
        assert tax["base"] == base
        assert tax["amount"] == exact.quantize(Decimal("0.01"), ROUND_HALF_UP)
    assert totals["net"] == sum(line["amount"] for line in lines)
    assert totals["vat_total"] == sum(tax["amount"] for tax in totals["vat"])
    assert totals["gross"] == totals["net"] + totals["vat_total"]
