"""Discounts in payment terms: a wrong line is named with the reason."""

import time

import pytest

from chalicelib.engine.einvoice.rules.payment_terms import discount_fault

DISCOUNT = "#SKONTO#TAGE=14#PROZENT=2.00#"


@pytest.mark.parametrize(
    "terms",
    [
        "",
        "30 days",
        "Order #5 of 30 days",
        DISCOUNT,
        f"{DISCOUNT}\n",
        f"Danke\r\n{DISCOUNT}\r\n#SKONTO#TAGE=28#PROZENT=1.00#BASISBETRAG=-5.00#",
        f"{DISCOUNT}\n30 days",
    ],
)
def test_right_terms_have_no_fault(terms: str) -> None:
    assert discount_fault(terms) is None


@pytest.mark.parametrize(
    ("terms", "fault"),
    [
        ("Netto 30 Tage\n# Hinweis", "line 2 (# Hinweis): it begins with #, so it must be a disc"),
        (f"{DISCOUNT}\n#SKONTO#TAGE=14#PROZENT=2#", "line 2 (#SKONTO#TAGE=14#PROZENT=2#): it has"),
        ("#SKONTO#TAGE=14#PROZENT=2#", "has PROZENT=2, but PROZENT must be a number with a point"),
        ("#SKONTO#TAGE=14#PROZENT=2,00#", "has PROZENT=2,00, but PROZENT must be"),
        ("#SKONTO#TAGE=x#PROZENT=2.00#", "has TAGE=x, but TAGE must be a whole number of days"),
        ("#SKONTO#PROZENT=2.00#TAGE=14#", "must have TAGE= where it has PROZENT=2.00"),
        ("#SKONTO#TAGE=14#PROZENT=2.00", "must have its parts and end with #"),
        ("#SKONTO#", "must have its parts and end with #"),
        ("#SKONTO##", "must have TAGE= where it has nothing"),
        ("#SKONTO#TAGE=14#", "must also have PROZENT="),
        ("#SKONTO#TAGE=14#PROZENT=2.00#BASISBETRAG=5#", "but BASISBETRAG must be an amount"),
        ("#SKONTO#TAGE=1#PROZENT=2.00#BASISBETRAG=5.00#A#", "must not have more behind BASISBET"),
        (f"{DISCOUNT}\nSiehe #5# unten", "has a wrong line 2: beside discounts, a line with two #"),
    ],
)
def test_a_wrong_line_is_named_with_the_reason(terms: str, fault: str) -> None:
    assert fault in (discount_fault(terms) or "")


def test_a_long_line_is_quoted_short() -> None:
    assert len(discount_fault("#" + "x" * 1999) or "") < 300


@pytest.mark.parametrize("terms", ["#" * 2000, "#\n" * 1000, f"{DISCOUNT}\n" * 60 + "#a" * 100])
def test_hostile_terms_take_no_time(terms: str) -> None:
    started = time.process_time()

    discount_fault(terms)

    assert time.process_time() - started < 0.5
