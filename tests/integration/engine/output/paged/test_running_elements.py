"""Running elements in margin boxes, which the browser does not have."""

from typing import Any, Final

import pytest

from chalicelib.engine.context import RenderWarning
from tests.builders.pages.real_browser import Render
from tests.builders.pdfs.tool_runs import page_texts

STYLE: Final = (
    "@page { size: A5; margin: 25mm; @top-center { content: element(head) } }"
    ".head { position: running(head) } h1 { break-before: page }"
)
HEAD: Final = "<div class=head>[<b>Company</b>]</div>"
CHAPTERS: Final = "<h1>A</h1><h1>B</h1><h1>C</h1>"


def pages_of(render: Render, css: str, html: str, **output: Any) -> list[str]:
    outcome = render(f"<!doctype html><style>{css}</style>{html}", **output)
    assert not outcome.trace.warnings
    # Blanks between texts of one line depend on their places.
    return ["".join(text.split()) for text in page_texts(outcome.files[0].content)]


def warnings_of(render: Render, css: str, html: str) -> list[RenderWarning]:
    return list(render(f"<!doctype html><style>{css}</style>{html}").trace.warnings)


def test_element_runs_on_all_pages_and_leaves_its_place(render: Render) -> None:
    assert pages_of(render, STYLE, HEAD + CHAPTERS) == [
        "A[Company]",
        "B[Company]",
        "C[Company]",
    ]


@pytest.mark.parametrize(
    ("use", "pages"),
    [
        ("element(head)", ["A[1]", "B[1]", "C[2]", "D[4]"]),
        ("element(head, first)", ["A[1]", "B[1]", "C[2]", "D[4]"]),
        ("element( head , last )", ["A[1]", "B[1]", "C[3]", "D[4]"]),
        ("element(head, first-except)", ["A", "B[1]", "C", "D"]),
    ],
)
def test_page_has_the_element_of_its_place(render: Render, use: str, pages: list[str]) -> None:
    html = (
        "<section><p class=head>[1]<h1>A</h1></section><h1>B</h1><section><h1>C</h1>"
        "<p class=head>[2]</p><p class=head>[3]</p></section><h1>D</h1><p class=head>[4]</p>"
    )

    assert pages_of(render, STYLE.replace("element(head)", use), html) == pages


def test_rules_of_pages_choose(render: Render) -> None:
    css = STYLE + (
        "@page :first { @top-center { content: none } }"
        "@page :left { @top-center { content: 'left' } }"
        "@page cover { @top-center { content: none } @bottom-left { content: element(foot) } }"
        ".cover { page: cover } .foot { position: running(foot) }"
    )
    html = (
        f"{HEAD}<div class=foot>(foot)</div><h1>A</h1><h1>B</h1><h1>C</h1><h1>D</h1>"
        "<h1 class=cover>E</h1><h1 class=cover>F</h1><h1>G</h1>"
    )

    assert pages_of(render, css, html) == [
        *("A", "leftB", "C[Company]", "leftD"),
        *("E(foot)", "F(foot)", "G[Company]"),
    ]


def test_blank_page_has_its_own_boxes(render: Render) -> None:
    css = STYLE + ("@page :blank { @top-center { content: none } } h1 { break-before: right }")

    assert pages_of(render, css, HEAD + "<h1>A</h1><h1>B</h1>") == ["A[Company]", "", "B[Company]"]


def test_page_numbers_in_the_element(render: Render) -> None:
    css = STYLE + (
        "i::after { content: counter(page) ' of ' counter(pages) } .m { counter-reset: page 7 }"
        "@page { @bottom-right { content: 'n' counter(page) } }"
    )
    html = "<div class=head>[<i></i>]</div><h1>A</h1><h1 class=m>B</h1><h1>C</h1>"

    assert pages_of(render, css, html) == ["n1A[1of3]", "n7B[7of3]", "n8C[8of3]"]


def test_attribute_makes_an_element_running(render: Render) -> None:
    html = "<p style='position: running(head)'>[x]</p><h1>A</h1>"

    assert pages_of(render, STYLE, html) == ["A[x]"]


@pytest.mark.parametrize(
    ("pdf", "pages"),
    [
        ({"page_ranges": "2-3"}, ["B[Company]", "C[Company]"]),
        ({"page_ranges": "2", "first_footer": {"enabled": True, "left": "x"}}, ["B[Company]"]),
        (
            {"page_number_start": 4, "footer": {"enabled": True, "left": "{{ page }}"}},
            ["A[Company]4", "B[Company]5", "C[Company]6"],
        ),
        ({"tagged": False, "scale": 0.5}, ["A[Company]", "B[Company]", "C[Company]"]),
        ({"height": "auto", "width": "100mm"}, ["A[Company]", "B[Company]", "C[Company]"]),
        ({"pdfa": "2b"}, ["A[Company]", "B[Company]", "C[Company]"]),
    ],
)
def test_elements_with_other_options(render: Render, pdf: dict[str, Any], pages: list[str]) -> None:
    assert pages_of(render, STYLE, HEAD + CHAPTERS, pdf=pdf) == pages


def test_element_of_a_continuous_page(render: Render) -> None:
    css = STYLE.replace("size: A5;", "")

    assert pages_of(render, css, HEAD + CHAPTERS, pdf={"height": "auto"}) == ["ABC[Company]"]


def test_other_outputs_stay(render: Render) -> None:
    html = f"<!doctype html><style>{STYLE}</style>text {HEAD}{CHAPTERS}<iframe></iframe>"
    (picture,) = render(html, format="png").files
    (source,) = render(html, format="html").files

    _, drawn, written = render(html, formats=["pdf", "png", "html"]).files

    assert drawn.content == picture.content
    assert written.content == source.content


def test_content_that_is_always_shown_stays_beside_the_sheets(render: Render) -> None:
    html = f"{HEAD}<div style='display: block !important'>A</div><h1>B</h1>"

    assert pages_of(render, STYLE, html) == ["A[Company]", "B[Company]"]


def test_same_request_gives_the_same_bytes(render: Render) -> None:
    html = f"<!doctype html><style>{STYLE}</style>{HEAD}{CHAPTERS}"

    first, second = (render(html).files for _ in range(2))

    assert first == second


def test_element_that_no_box_has_is_told(render: Render) -> None:
    css = STYLE.replace("element(head)", "'x'")

    (warning,) = warnings_of(render, css, HEAD + CHAPTERS)

    assert warning.detail == ".head { position: running(head) }"
    assert "no margin box" in warning.message


@pytest.mark.parametrize("content", ["'x' element(head)", "element(head, some)", "string(a, some)"])
def test_content_that_is_not_known_is_told(render: Render, content: str) -> None:
    css = STYLE.replace("element(head)", content) + "@page { @top-left { content: element(head) } }"

    (warning,) = warnings_of(render, css, HEAD + CHAPTERS)

    assert warning.code == "feature_unavailable"
    assert warning.detail == f"@page @top-center {{ content: {content} }}"


def test_element_that_is_too_high_is_told(render: Render) -> None:
    html = HEAD.replace("<b>", "<b style='display: block; height: 40mm'>")

    (warning,) = warnings_of(render, STYLE, html + CHAPTERS)

    assert warning.code == "header_footer_overlap"


def test_thousand_elements(render: Render) -> None:
    css = STYLE + ".head i::after { content: counter(page) }"
    html = "".join(f"<p><span class=head>[{n}/<i></i>]</span>P{n}. </p>" for n in range(1, 1001))

    texts = pages_of(render, css, html)

    assert len(texts) > 20
    for number, text in enumerate(texts, 1):
        first = text.partition("P")[2].partition(".")[0]
        assert text.endswith(f"[{first}/{number}]")
