"""Blank pages before content that begins on a right or left page."""

from typing import Any, Final

import pytest

from tests.builders.pages.real_browser import Render
from tests.builders.pdfs.tool_runs import page_texts

NUMBERED: Final = "@page { margin: 20mm; @bottom-center { content: '-' counter(page) '-' } }"


def pages_of(render: Render, css: str, html: str, **output: Any) -> list[str]:
    outcome = render(f"<!doctype html><style>{css}</style>{html}", **output)
    assert not outcome.trace.warnings
    # Blanks between texts of one line depend on their places.
    return ["".join(text.split()) for text in page_texts(outcome.files[0].content)]


def joined(pages: list[str]) -> list[str]:
    return [page.replace(" ", "") for page in pages]


@pytest.mark.parametrize(
    ("css", "html", "pages"),
    [
        ("h1 { break-before: right }", "<h1>A</h1><h1>B</h1>", ["A", "", "B"]),
        ("h1 { page-break-before: right }", "<h1>A</h1><h1>B</h1>", ["A", "", "B"]),
        ("h1 { break-before: left }", "<h1>A</h1><h1>B</h1>", ["", "A", "", "B"]),
        ("h1 { break-before: recto }", "<p>x<h1>A</h1><h1>B</h1>", ["x", "", "A", "", "B"]),
        (
            "h1 { break-after: right }",
            "<h1>A</h1><div><h1>B</h1></div><p>x",
            ["A", "", "B", "", "x"],
        ),
        ("h1 { break-after: left }", "<h1>A</h1><p>x<h1>B</h1>", ["A", "x B"]),
        ("h1 { break-before: right }", "<html dir=rtl><h1>A</h1><h1>B</h1>", ["", "A", "", "B"]),
        ("h1 { break-before: recto }", "<html dir=rtl><h1>A</h1><h1>B</h1>", ["A", "", "B"]),
        (
            "h1, section { break-before: right } section { padding: 1mm }",
            "<p>x<section><h1>A</h1></section>",
            ["x", "", "A"],
        ),
        ("", "<p>x<h1 style='break-before: right'>A</h1>", ["x", "", "A"]),
        ("@media screen { h1 { break-before: right } }", "<h1>A</h1><h1>B</h1>", ["A B"]),
        (
            "h1 { break-before: right } b { break-before: right }",
            "<b>x</b><h1>A</h1>",
            ["x", "", "A"],
        ),
        # Its control shadows the form's id.
        (
            "form { break-before: right }",
            "<p>x<form>A<input name=id hidden></form>",
            ["x", "", "A"],
        ),
    ],
)
def test_blank_page_is_inserted(render: Render, css: str, html: str, pages: list[str]) -> None:
    assert pages_of(render, css, html) == joined(pages)


def test_blank_page_counts_and_has_its_own_style(render: Render) -> None:
    css = f"{NUMBERED} @page :blank {{ @bottom-center {{ content: 'blank ' counter(page) }} }}"
    html = "<h1>A</h1><h1 style='break-before: right'>B</h1>"

    assert pages_of(render, css, html) == joined(["-1- A", "blank 2", "-3- B"])
    assert pages_of(render, NUMBERED, html) == joined(["-1- A", "-2-", "-3- B"])


def test_targets_and_numbers_count_blank_pages(render: Render) -> None:
    css = (
        "h1 { break-before: right } h1::after { content: ' on ' counter(page) }"
        "a::after { content: target-counter(attr(href), page) }"
    )

    texts = pages_of(render, css, "<a href='#b'>to </a><h1>A</h1><h1 id=b>B</h1>")

    assert texts == joined(["to 5", "", "A on 3", "", "B on 5"])


@pytest.mark.parametrize(
    ("pdf", "pages"),
    [
        ({"page_ranges": "2-3"}, ["", "B"]),
        ({"footer": {"enabled": True, "center": "{{ page }}"}}, ["A 1", "2", "B 3"]),
        (
            {"page_number_start": 4, "footer": {"enabled": True, "left": "{{ page }}"}},
            ["A 4", "5", "B 6"],
        ),
        ({"height": "auto"}, ["A B"]),
    ],
)
def test_blank_page_with_other_options(
    render: Render, pdf: dict[str, Any], pages: list[str]
) -> None:
    margin = dict.fromkeys(("top", "right", "bottom", "left"), "20mm")
    html = "<h1>A</h1><h1 style='break-before: right'>B</h1>"

    assert pages_of(render, "", html, pdf={"margin": margin, **pdf}) == joined(pages)


def test_break_where_no_blank_page_can_stand_is_told(render: Render) -> None:
    css = "div { display: flex; flex-direction: column } h1 { break-before: right }"
    outcome = render(f"<!doctype html><style>{css}</style><p>x<div><p>y<h1>A</h1><h1>B</h1></div>")

    (warning,) = outcome.trace.warnings
    assert warning.code == "feature_unavailable"
    assert warning.detail == "h1 { break-before: right }"


def test_blank_pages_stand_in_no_other_output(render: Render) -> None:
    html = "<!doctype html><style>h1 { break-before: right }</style><h1>A</h1><h1>B</h1>"
    (alone,) = render(html, format="png").files

    _, drawn, written = render(html, formats=["pdf", "png", "html"]).files

    assert b"platen" not in written.content
    assert drawn.content == alone.content


def test_many_breaks(render: Render) -> None:
    html = "<p>x" + "".join(f"<section><h1>A{number}</h1></section>" for number in range(100))

    texts = pages_of(render, "h1 { break-before: right }", html)

    assert texts[::2] == ["x", *(f"A{number}" for number in range(100))]
    assert set(texts[1::2]) == {""}
