"""QR codes and bar codes."""

import re

import pytest

from chalicelib.engine.barcodes import (
    BarcodeError,
    barcode_modules,
    barcode_svg,
    human_readable_text,
    qr_svg,
)

# GS1 General Specifications and ISO/IEC 15417: start code C, FNC1, and start code B.
START_C, FNC1, START_B = "11010011100", "11110101110", "11010010000"


def test_ean_has_its_check_digit() -> None:
    bars = (
        "101000110101001110101111011110100010010110011010"
        "10100001010000101000010111010010000101100110101"
    )

    assert (
        barcode_modules("400638133393", "ean13")
        == barcode_modules("4006381333931", "ean13")
        == bars
    )
    assert human_readable_text("400638133393", "ean13") == "4006381333931"
    assert human_readable_text("(01)09501101530003", "gs1_128") == "(01)09501101530003"


def test_variable_length_element_ends_with_fnc1() -> None:
    fixed = barcode_modules("(01)09501101530003(10)AB", "gs1_128")
    varying = barcode_modules("(10)AB(21)CD", "gs1_128")

    assert fixed.startswith(START_C + FNC1)
    assert fixed.count(FNC1) == 1
    assert varying.count(FNC1) == 2


def test_digit_pair_equal_to_a_switch_code_is_kept() -> None:
    # python-barcode drops a leading 99.
    assert barcode_modules("99AB", "code128").startswith(START_C)
    assert len(barcode_modules("99AB", "code128")) == len(barcode_modules("98AB", "code128"))
    assert barcode_modules("AB", "code128").startswith(START_B)


@pytest.mark.parametrize(
    ("value", "symbology"),
    [
        ("4006381333932", "ean13"),
        ("1234", "ean13"),
        ("\u0661\u0662\u0663\u0664\u0665\u0666\u0667", "ean8"),
        ("1234567890128", "upca"),
        ("1", "itf"),
        ("abc", "code39"),
        ("123", "codabar"),
        ("\u00fc", "code128"),
        ("", "code128"),
        ("x" * 81, "code128"),
        ("0109501101530003", "gs1_128"),
        ("(10)" + "A" * 47, "gs1_128"),
    ],
)
def test_value_that_a_code_cannot_encode_is_refused(value: str, symbology: str) -> None:
    with pytest.raises(BarcodeError, match=symbology):
        barcode_svg(value, symbology)


@pytest.mark.parametrize("value", ["", "x" * 2400, "x" * 8000, "\ud800"])
def test_value_too_long_for_a_qr_code_is_refused(value: str) -> None:
    with pytest.raises(BarcodeError):
        qr_svg(value)


def test_qr_code_has_its_quiet_zone_on_a_background() -> None:
    alone, grounded = qr_svg("A"), qr_svg("A", background="#fff")

    assert 'viewBox="0 0 21 21"' in alone
    assert 'viewBox="0 0 29 29"' in grounded
    assert "M4 4h7v1h-7z" in grounded


def test_qr_code_size_grows_with_error_correction() -> None:
    def side(level: str) -> int:
        found = re.search(r'viewBox="0 0 (\d+)', qr_svg("\u20ac" * 40, error_correction=level))
        assert found
        return int(found[1])

    assert side("L") < side("M") < side("Q") < side("H")


def test_colour_stays_in_its_attribute() -> None:
    svg = qr_svg("A", color='"/><script>', background="'\"<x>")

    assert "<script>" not in svg
    assert "<x>" not in svg
