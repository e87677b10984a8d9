"""Decimals of an invoice: read as they were written, but for what is none."""

import pytest

from chalicelib.contract.invoice.constraints import parse_decimal


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 1e300, "NaN"])
def test_what_is_no_number_is_told_as_any_other_fault(value: float | str) -> None:
    with pytest.raises(ValueError, match="must be a decimal with at most 10 digits"):
        parse_decimal(value, 2)


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("-0", "0"),
        ("-0.00", "0.00"),
        (-0.0, "0.0"),
        ("-9999999999.123450", "-9999999999.123450"),
        (9999999999.12, "9999999999.12"),
    ],
)
def test_no_zero_has_a_sign_and_no_digit_is_lost(value: float | str, read: str) -> None:
    assert str(parse_decimal(value, 6)) == read
