"""Numbers in the counter styles that margin boxes name."""

import pytest

from chalicelib.engine.browser.output.paged.numerals import numeral


@pytest.mark.parametrize(
    ("number", "style", "text"),
    [
        (7, "decimal", "7"),
        (7, "decimal-leading-zero", "07"),
        (1994, "lower-roman", "mcmxciv"),
        (4, "upper-roman", "IV"),
        (4000, "upper-roman", "4000"),
        (0, "lower-roman", "0"),
        (26, "lower-alpha", "z"),
        (28, "upper-latin", "AB"),
        (703, "lower-latin", "aaa"),
        (3, "lower-greek", "\u03b3"),
        (3, "no-such-style", "3"),
        (3, "upper-secret", "3"),
    ],
)
def test_number_in_a_style(number: int, style: str, text: str) -> None:
    assert numeral(number, style) == text
