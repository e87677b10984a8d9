"""Titles of an outline: the browser's letters with the blanks of the document's headings."""

import pytest

from chalicelib.engine.pdf.text.outline_titles import titles


@pytest.mark.parametrize(
    ("drawn", "headings", "expected"),
    [
        (["A longheading"], ["A long heading"], ["A long heading"]),
        (["UPPERCASE"], ["upper case"], ["UPPER CASE"]),
        (["STRASSEB"], ["Straße b"], ["STRASSE B"]),
        (["Donau-dampfschiff"], ["Donau\u00addampfschiff"], ["Donaudampfschiff"]),
        (["well-known"], ["well-known"], ["well-known"]),
        (["Wait -"], ["Wait -"], ["Wait -"]),
        (["1. Longtitle"], ["Long title"], ["1. Long title"]),
        (["Longtitle ¶"], ["Long title"], ["Long title ¶"]),
        (["A b", "C d"], ["A b"], ["A b", "C d"]),
        (["nowhere", "nowhere"], ["now here", "nowhere"], ["now here", "nowhere"]),
        (["ab"], ["hidden"] * 100 + ["a b"], ["a b"]),
        (["", "ab"], ["", "a b"], ["", "a b"]),
        (["Applepie"], ["A", "Apple pie"], ["Apple pie"]),
        (["something else"], ["heading"], ["something else"]),
    ],
)
def test_titles_have_the_blanks_of_their_headings(
    drawn: list[str], headings: list[str], expected: list[str]
) -> None:
    assert titles(drawn, headings) == expected


@pytest.mark.breadth
def test_many_long_headings_take_time_in_proportion() -> None:
    headings = ["a " * 1_000] * 5_000

    assert titles(["a" * 1_000] * 5_000, headings) == [("a " * 1_000).strip()] * 5_000
