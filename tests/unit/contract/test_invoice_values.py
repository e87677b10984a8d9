"""Decimals of an invoice: read exactly, and refused when invalid."""

import pytest

from chalicelib.contract.invoice.constraints import parse_decimal


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 1e300, "NaN"])
def test_invalid_number_is_reported_as_an_error(value: float | str) -> None:
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
def test_zeros_have_no_sign_and_digits_are_kept(value: float | str, read: str) -> None:
    assert str(parse_decimal(value, 6)) == read
