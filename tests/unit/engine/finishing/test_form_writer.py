"""Colour of a form field: a page's scripts can replace what computes it."""

import pytest

from chalicelib.engine.finishing.form_writer import color_operator


@pytest.mark.parametrize(
    ("color", "operator"),
    [
        ("rgb(255, 0, 51)", "1.0000 0.0000 0.2000 rg"),
        ("rgba(0, 255, 0, 0.5)", "0.0000 1.0000 0.0000 rg"),
        ("rgb(0.000001, 999, 0)", "0.0000 1.0000 0.0000 rg"),
        ("rgb(., 1, 2)", "0 g"),
        ("rgb(1)", "0 g"),
        ("color(srgb 1 0 0)", "0 g"),
        ("", "0 g"),
    ],
)
def test_color_is_a_valid_operator(color: str, operator: str) -> None:
    assert color_operator(color) == operator
