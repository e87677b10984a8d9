"""Page numbers that the body shows, and page counters that elements reset."""

import re
from typing import Any, Final

import pytest

from tests.builders.pages.real_browser import Render
from tests.builders.pdfs.tool_runs import page_texts

BREAKS: Final = "h1 { break-before: page }"
NUMBERED: Final = (
    "@page { margin: 20mm; @bottom-left { content: '-' counter(page) '/' counter(pages) '-' }"
    " @bottom-right { content: counter(page, upper-roman) } }"
)


def pages_of(render: Render, css: str, html: str, **output: Any) -> list[str]:
    outcome = render(f"<!doctype html><style>{css}</style>{html}", **output)
    assert not outcome.trace.warnings
    # Blanks between texts of one line depend on their places.
    return ["".join(text.split()) for text in page_texts(outcome.files[0].content)]


def joined(pages: list[str]) -> list[str]:
    return [page.replace(" ", "") for page in pages]


@pytest.mark.parametrize(
    ("content", "pages"),
    [
        ("' page ' counter(page) ' of ' counter(pages)", ["A page 1 of 2", "B page 2 of 2"]),
        ("' ' counters(page, '.')", ["A 1", "B 2"]),
        (
            "' ' counter(page, lower-roman) 'counter(page)'",
            ["A icounter(page)", "B iicounter(page)"],
        ),
    ],
)
def test_body_shows_page_numbers(render: Render, content: str, pages: list[str]) -> None:
    css = f"{BREAKS} h1::after {{ content: {content} }}"

    assert pages_of(render, css, "<h1>A</h1><h1>B</h1>") == joined(pages)


def test_number_that_moves_content_is_true(render: Render) -> None:
    css = "b::after { content: counter(page); display: block; height: 40mm }"

    texts = pages_of(render, css, "<p><b></b></p>" * 40)

    assert len(texts) > 5
    for number, text in enumerate(texts, 1):
        assert re.fullmatch(f"({number})+", text)


def test_document_that_counts_itself_stays(render: Render) -> None:
    css = (
        "body { counter-reset: page } div { counter-increment: page; break-after: page }"
        "div::after { content: counter(page) ' of ' counter(pages) }"
    )

    texts = pages_of(render, css, "<div>A </div><p>half</p><div>B </div>")

    assert texts == joined(["A 1 of 2", "half B 2 of 2"])


@pytest.mark.parametrize(
    ("reset", "pages"),
    [
        ("counter-reset: page 1", ["-1/4- I a", "-2/4- II b", "-1/4- I c", "-2/4- II d"]),
        (
            "counter-reset: x page 20 y 3",
            ["-1/4- I a", "-2/4- II b", "-20/4- XX c", "-21/4- XXI d"],
        ),
        ("counter-set: page 5", ["-1/4- I a", "-2/4- II b", "-5/4- V c", "-6/4- VI d"]),
        ("counter-reset: page", ["-1/4- I a", "-2/4- II b", "-1/4- I c", "-2/4- II d"]),
    ],
)
def test_reset_counts_in_margin_boxes(render: Render, reset: str, pages: list[str]) -> None:
    css = f"{NUMBERED} {BREAKS} .main {{ {reset} }}"

    texts = pages_of(render, css, "<p>a<h1>b</h1><div><h1 class=main>c</h1><h1>d</h1></div>")

    assert texts == joined(pages)


def test_reset_counts_in_body_and_links(render: Render) -> None:
    css = (
        f"{BREAKS} .main {{ counter-reset: page 10 }} p::after {{ content: counter(page) }}"
        "a::after { content: target-counter(attr(href), page) }"
    )
    html = "<a href='#c'>to </a><h1 class=main>A</h1><p>is </p><h1 id=c>C</h1><p>is "

    assert pages_of(render, css, html) == joined(["to 11", "A is 10", "C is 11"])


@pytest.mark.parametrize(
    ("pdf", "pages"),
    [
        ({"page_ranges": "2"}, ["B 2 of 2"]),
        ({"page_number_start": 5}, ["A 5 of 6", "B 6 of 6"]),
        ({"height": "auto"}, ["A 1 of 1 B 1 of 1"]),
    ],
)
def test_numbers_with_other_options(render: Render, pdf: dict[str, Any], pages: list[str]) -> None:
    css = f"{BREAKS} h1::after {{ content: ' ' counter(page) ' of ' counter(pages) }}"

    assert pages_of(render, css, "<h1>A</h1><h1>B</h1>", pdf=pdf) == joined(pages)


def test_numbers_stand_in_no_other_output(render: Render) -> None:
    html = "<!doctype html><style>h1::after { content: counter(page) }</style><h1>A</h1>"
    (alone,) = render(html, format="png").files

    _, drawn, written = render(html, formats=["pdf", "png", "html"]).files

    assert b"platen" not in written.content
    assert drawn.content == alone.content


def test_number_on_every_page_is_told(render: Render) -> None:
    css = "#f { position: fixed; bottom: 0 } #f b::after { content: counter(page) }"
    outcome = render(f"<!doctype html><style>{css}{BREAKS}</style><div id=f><b></b></div><h1>A")

    (warning,) = outcome.trace.warnings
    assert warning.detail == "#f b::after { content: counter(page) }"
    assert "position: fixed" in warning.message


def test_counter_that_depends_on_itself_ends(render: Render) -> None:
    # The number makes its element as high as moves it to the other page.
    css = (
        "b { display: block; height: calc(var(--platen-page, 0) * 200mm) }"
        "b::after { content: counter(page) }"
    )

    texts = pages_of(render, css, "<p style='height: 150mm'>x</p><b></b>")

    assert len(texts) < 6
