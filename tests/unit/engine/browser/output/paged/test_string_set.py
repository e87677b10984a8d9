"""Values of `string-set`, and what margin boxes see of them on each page."""

import pytest

from chalicelib.engine.browser.output.paged.assignments import (
    Assignment,
    Occurrence,
    occurrence,
    values_by_page,
)
from chalicelib.engine.browser.output.paged.margin_boxes import css_string, replace_calls
from chalicelib.engine.browser.output.paged.string_set import NamedText, parse_string_set


@pytest.mark.parametrize(
    ("value", "strings"),
    [
        ("a content()", [("a", [("content", "")])]),
        ("a content(text)", [("a", [("content", "")])]),
        ("a content( first-letter )", [("a", [("first-letter", "")])]),
        (
            "a 'x\\'y' attr(title) \"\\26 z\"",
            [("a", [("text", "x'y"), ("attr", "title"), ("text", "&z")])],
        ),
        ("a content(before), b-2 'y'", [("a", [("before", "")]), ("b-2", [("text", "y")])]),
        ("a", [("a", [])]),
        ("a '\\d800 \\0 \\110000 b'", [("a", [("text", "\ufffd\ufffd\ufffdb")])]),
        ("none", []),
    ],
)
def test_value_is_read(value: str, strings: list[NamedText]) -> None:
    assert parse_string_set(value) == strings


@pytest.mark.parametrize(
    "value",
    [
        "a counter(x)",
        "a content(bad)",
        "a b",
        ", a 'x'",
        "a 'x',, b 'y'",
        "'x'",
        "a url(x)",
        "a (",
        "a 'x",
    ],
)
def test_value_that_is_not_known(value: str) -> None:
    assert parse_string_set(value) is None


@pytest.mark.parametrize(
    ("which", "values"),
    [
        ("first", [None, "a", "c", "c", "d"]),
        ("start", [None, None, "b", "c", "d"]),
        ("last", [None, "b", "c", "c", "d"]),
        ("first-except", [None, None, None, "c", None]),
    ],
)
def test_values_of_pages(which: Occurrence, values: list[str | None]) -> None:
    assignments = [
        Assignment(1, "a"),
        Assignment(1, "b"),
        Assignment(2, "c"),
        Assignment(4, "d", is_at_top=True),
    ]

    assert values_by_page(assignments, 5, which) == values


def test_occurrence_is_first_by_default() -> None:
    assert [occurrence(text) for text in ("", " LAST ", "other")] == ["first", "last", None]


def test_calls_in_quotes_stay() -> None:
    content = "'string(a)' string( a , last) counter(string) x-string(b)"

    replaced = replace_calls(content, "string", lambda name, arguments: f"<{name} {arguments}>")

    assert replaced == "'string(a)' <string ['a', 'last']> counter(string) x-string(b)"


def test_text_is_escaped() -> None:
    assert css_string('a"b\\c\n</style>é') == '"a\\22 b\\5c c\\a \\3c /style\\3e é"'
