"""Fuel only ever goes down."""

import itertools
from collections.abc import Callable
from typing import Any, cast

import pytest

from chalicelib.engine.templating import limits
from chalicelib.engine.templating.environment import TemplateEnvironment
from chalicelib.engine.templating.filters.locale_settings import LocaleSettings
from chalicelib.engine.templating.fuel import FuelError, FuelMeter
from chalicelib.engine.templating.loader import TemplateLoader
from chalicelib.engine.templating.undefined import UndefinedValues


def lipsum(meter: FuelMeter) -> Callable[..., str]:
    loader = TemplateLoader()
    environment = TemplateEnvironment(
        meter, loader, LocaleSettings(), UndefinedValues(loader), strict=False
    )
    return cast("Callable[..., str]", environment.globals["lipsum"])


@pytest.mark.parametrize(
    "arguments",
    [
        {"n": -(10**8)},
        {"n": 1, "min": -(10**9), "max": -(10**8)},
        {"n": -(10**8), "max": -(10**8)},
    ],
)
def test_negative_amount_refunds_no_fuel(arguments: dict[str, int]) -> None:
    meter = FuelMeter()

    assert lipsum(meter)(**arguments).strip("<p>\n/.") == ""

    assert limits.FUEL - 100 < meter.remaining < limits.FUEL


def test_filters_and_operators_charge_for_the_views_of_a_mapping() -> None:
    meter, loader = FuelMeter(), TemplateLoader()
    environment = TemplateEnvironment(
        meter, loader, LocaleSettings(), UndefinedValues(loader), strict=False
    )
    view: Any = meter.charge_result(dict.fromkeys(range(1_000)).keys())
    left = [meter.remaining]
    works: list[Callable[[], object]] = [
        lambda: environment.filters["sort"](environment, view),
        lambda: view == view,  # noqa: PLR0124 -- its price matters
        lambda: view <= view,  # noqa: PLR0124
        lambda: view - view,
    ]
    for work in works:
        work()
        left.append(meter.remaining)

    assert all(before - after >= 1_000 for before, after in itertools.pairwise(left))


def test_text_beyond_the_fuel_is_not_built() -> None:
    with pytest.raises(FuelError):
        lipsum(FuelMeter())(10**8)


@pytest.mark.parametrize("amount", [[0], "x", 0.5, float("nan")])
def test_non_numeric_amount_is_refused_before_multiplication(amount: object) -> None:
    with pytest.raises(TypeError):
        lipsum(FuelMeter())(amount, max=10**12)


def test_a_negative_price_is_a_bug() -> None:
    meter = FuelMeter()

    with pytest.raises(AssertionError):
        meter.spend(-1)

    assert meter.remaining == limits.FUEL
