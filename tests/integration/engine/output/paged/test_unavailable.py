"""Paged CSS that is not drawn is told, with the rule and its line."""

from typing import Any

import pytest

from tests.builders.pages.real_browser import Render


def warnings_of(render: Render, html: str, **output: Any) -> list[tuple[str, str | None]]:
    warnings = render(html, **output).trace.warnings
    assert {warning.code for warning in warnings} <= {"feature_unavailable"}
    return [(warning.message.partition(" was")[0], warning.detail) for warning in warnings]


@pytest.mark.parametrize(
    ("css", "told"),
    [
        (".fn { float: footnote }", "float (line 3)"),
        ("@page { bleed: 3mm }", "bleed (line 3)"),
        ("@page { marks: crop cross }", "marks (line 3)"),
        ("@page :nth(2) { size: A5 }", "size (line 3)"),
    ],
)
def test_rule_is_told_with_its_line(render: Render, css: str, told: str) -> None:
    html = f"<!doctype html>\n<style>p {{ color: red }}\n{css}\n</style><p class=fn>note"

    assert warnings_of(render, html) == [(told, css)]


def test_attribute_is_told(render: Render) -> None:
    ((place, rule),) = warnings_of(render, "<p>text<i style='float: footnote'>note</i>")

    assert place == "float (line 1 of a style attribute)"
    assert rule == '[style="float: footnote"] { float: footnote }'


def test_rule_of_a_script_is_told(render: Render) -> None:
    html = (
        "<p>text<i>note</i><script>document.head.append(Object.assign("
        "document.createElement('style'), {textContent: 'i { float:' + ' footnote }'}))</script>"
    )

    assert warnings_of(render, html) == [
        ("float (line 1 of a style element)", "i { float: footnote }")
    ]


def test_rule_that_matches_nothing_is_not_told(render: Render) -> None:
    assert warnings_of(render, "<style>.fn { float: footnote }</style><p>no note") == []


def test_at_most_twenty_are_told(render: Render) -> None:
    css = "".join(f".a{number} {{ float: footnote }}" for number in range(300))
    notes = "".join(f"<i class=a{number}>note</i> " for number in range(300))

    assert len(warnings_of(render, f"<style>{css}</style>{notes}")) == 20
