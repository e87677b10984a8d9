"""Named strings in margin boxes, which the browser does not have."""

import re
from typing import Any, Final

import pytest

from chalicelib.engine.browser.output.paged.marks import MAX_TEXT_CHARS
from tests.builders.pages.real_browser import Render
from tests.builders.pdfs.tool_runs import page_texts

CHAPTERS: Final = "".join(
    f"<h1 title='t{n}'>Chapter {n}</h1><p>{'words ' * 900}</p><h2>Section {n}</h2><p>end"
    for n in range(1, 4)
)
STYLE: Final = "h1 { string-set: chapter content(); break-before: page }"


def pages_of(render: Render, css: str, html: str = CHAPTERS, **output: Any) -> list[str]:
    outcome = render(f"<!doctype html><style>{css}</style>{html}", **output)
    assert not outcome.trace.warnings
    return page_texts(outcome.files[0].content)


def margin_box(content: str) -> str:
    return f"@page {{ margin: 25mm; @top-center {{ content: '[' {content} ']' }} }} {STYLE}"


def drawn(texts: list[str]) -> list[str]:
    found = [re.search(r"\[(.*?)\]", re.sub(r"\s+", " ", text)) for text in texts]
    return [match[1].strip() for match in found if match is not None]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "string(chapter)",
            ["Chapter 1", "Chapter 1", "Chapter 2", "Chapter 2", "Chapter 3", "Chapter 3"],
        ),
        ("string(section)", ["", "Section 1", "Section 1", "Section 2", "Section 2", "Section 3"]),
        (
            "string(section, last)",
            ["", "Section 1", "Section 1", "Section 2", "Section 2", "Section 3"],
        ),
        ("string(chapter, first-except)", ["", "Chapter 1", "", "Chapter 2", "", "Chapter 3"]),
        (
            "string(chapter, start)",
            ["Chapter 1", "Chapter 1", "Chapter 2", "Chapter 2", "Chapter 3", "Chapter 3"],
        ),
        ("string(section, start)", ["", "", "Section 1", "Section 1", "Section 2", "Section 2"]),
        (
            "counter(page) string(title) counter(pages)",
            ["1t1-6", "2t1-6", "3t2-6", "4t2-6", "5t3-6", "6t3-6"],
        ),
        ("string(none)", ["", "", "", "", "", ""]),
    ],
)
def test_margin_box_has_the_string_of_its_page(
    render: Render, content: str, expected: list[str]
) -> None:
    css = margin_box(content) + (
        "h2 { string-set: section content(text) }"
        "h1 { string-set: chapter content(), title attr(title) '-' }"
    )

    assert drawn(pages_of(render, css)) == expected


def test_margin_boxes_of_other_pages_stay(render: Render) -> None:
    css = margin_box("string(chapter)") + "@page :first { @top-center { content: '[front]' } }"

    assert drawn(pages_of(render, css))[:3] == ["front", "Chapter 1", "Chapter 2"]


def test_string_of_a_style_sheet_with_target_counters(render: Render) -> None:
    css = margin_box("string(chapter)") + (
        "a::after { content: ' on ' target-counter(attr(href), page) }"
    )
    html = f"<p><a href='#z'>to</a>{CHAPTERS}<h1 id=z>Chapter 4"

    texts = pages_of(render, css, html)

    assert "to on 8" in texts[0]
    assert drawn(texts)[-1] == "Chapter 4"


@pytest.mark.parametrize(
    ("pdf", "expected"),
    [
        ({"page_ranges": "2-3"}, ["Chapter 1", "Chapter 2"]),
        ({"tagged": False, "page_number_start": 7, "page_ranges": "6"}, ["Chapter 3"]),
        ({"footer": {"enabled": True, "left": "{{ page }}"}, "page_ranges": "6"}, ["Chapter 3"]),
        (
            {"first_header": {"enabled": True, "left": "x"}, "page_ranges": "4,6"},
            ["Chapter 2", "Chapter 3"],
        ),
    ],
)
def test_strings_with_other_options(
    render: Render, pdf: dict[str, Any], expected: list[str]
) -> None:
    margin = {"top": "25mm", "bottom": "25mm", "left": "25mm", "right": "25mm"}

    assert (
        drawn(pages_of(render, margin_box("string(chapter)"), pdf={"margin": margin, **pdf}))
        == expected
    )


def test_string_of_a_continuous_page(render: Render) -> None:
    texts = pages_of(render, margin_box("string(chapter)"), pdf={"height": "auto"})

    assert drawn(texts) == ["Chapter 1"]


def test_marks_stand_in_no_output(render: Render) -> None:
    html = f"<!doctype html><style>{margin_box('string(chapter)')}</style>{CHAPTERS}"

    printed, written = render(html, formats=["pdf", "html"]).files

    assert b"platen" not in written.content
    assert b"/Dests" not in printed.content


def test_same_request_gives_the_same_bytes(render: Render) -> None:
    html = f"<!doctype html><style>{margin_box('string(chapter)')}</style>{CHAPTERS}"

    first, second = (render(html).files for _ in range(2))

    assert first == second


def test_long_text_is_cut_and_told(render: Render) -> None:
    css = margin_box("string(chapter)")
    outcome = render(f"<!doctype html><style>{css}</style><h1>{'n ' * 32_000}</h1>")

    (warning,) = outcome.trace.warnings
    assert (warning.code, warning.detail) == ("text_overflow", "chapter")
    assert len(drawn(page_texts(outcome.files[0].content))[0]) <= MAX_TEXT_CHARS + 1


def test_long_name_and_many_headings(render: Render) -> None:
    name = "n" * 65_536
    css = margin_box(f"string({name})").replace("chapter", name) + "h1 { break-before: auto }"
    html = "".join(f"<h1>Chapter {number}</h1>" for number in range(2_000))

    texts = pages_of(render, css.replace("break-before: page", ""), html)

    assert len(texts) > 50
    for text in texts:
        assert drawn([text])[0] in text.partition("]")[2]


def test_value_that_is_not_known_is_told(render: Render) -> None:
    css = margin_box("string(chapter)").replace("content();", "counter(chapter);")
    outcome = render(f"<!doctype html><style>{css}</style>{CHAPTERS}")

    (warning,) = outcome.trace.warnings
    assert warning.detail == "h1 { string-set: chapter counter(chapter) }"
