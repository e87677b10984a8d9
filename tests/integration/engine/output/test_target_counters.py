"""Page numbers of link targets by `target-counter`, which the browser does not have."""

import re
from typing import Any, Final

import pytest

from tests.builders.pages.real_browser import Render
from tests.builders.pdfs.tool_runs import page_texts

RULE: Final = "a::after { content: ' on ' target-counter(attr(href), page) '.' }"
CHAPTERS: Final = "".join(
    f"<h1 id='k{number}' style='break-before: page'>Chapter {number}</h1>"
    f"<p>{'words and words ' * 400 * (number % 3)}"
    for number in range(1, 9)
)
LINKS: Final = "".join(f"<p><a href='#k{number}'>to {number}</a></p>" for number in range(1, 9))


def document(rule: str = RULE, links: str = LINKS) -> str:
    return f"<!doctype html><style>{rule}</style>{links}{CHAPTERS}"


def texts_of(content: bytes) -> list[str]:
    return page_texts(content)


def page_of_chapters(texts: list[str]) -> dict[int, int]:
    return {
        int(found[1]): page
        for page, text in enumerate(texts, 1)
        if (found := re.search(r"Chapter (\d+)", text))
    }


@pytest.mark.parametrize("head", ["", "<script>document.title = 'x'</script>"])
@pytest.mark.parametrize(
    "rule",
    [
        RULE,
        RULE.replace("attr(href)", "attr(href url)"),
        f"/* {{ a */ @media print {{ p {{ margin: 1em }} {RULE} }}",
        f"p, a {{ color: #000 }} b, a:after {{ {RULE.partition('{')[2]}",
    ],
)
def test_links_have_the_page_numbers_of_their_targets(render: Render, head: str, rule: str) -> None:
    texts = texts_of(render(head + document(rule)).files[0].content)

    pages = page_of_chapters(texts)
    assert len(pages) == 8
    assert len(set(pages.values())) == 8
    for chapter, page in pages.items():
        assert f"to {chapter} on {page}." in texts[0]


def test_contents_of_several_pages_push_their_targets_on(render: Render) -> None:
    texts = texts_of(render(document(links=LINKS * 12)).files[0].content)

    contents = " ".join(texts)
    for chapter, page in page_of_chapters(texts).items():
        assert contents.count(f"to {chapter} on {page}.") == 12


def test_numbers_that_move_their_targets_are_true(render: Render) -> None:
    # With four digits in place of one the contents take more pages.
    rule = (
        "a::after { content: target-counter(attr(href), page); display: block; width: 12mm;"
        " font-size: 10mm; overflow-wrap: anywhere }"
    )

    html = document(rule, LINKS * 3)
    texts = texts_of(render(html, pdf={"page_number_start": 1000}).files[0].content)

    contents = "".join(texts).replace(" ", "")
    for chapter, page in page_of_chapters(texts).items():
        assert f"to{chapter}{page + 999}" in contents


def test_numbers_have_the_style_of_their_rule(render: Render) -> None:
    rule = "a::after { content: '=' target-counter(attr(href), page, upper-roman) }"

    texts = texts_of(render(document(rule)).files[0].content)

    assert "to 1=II to 2=IV" in texts[0]


@pytest.mark.parametrize(
    ("pdf", "text"),
    [
        ({"page_number_start": 11}, "to 1 on 12."),
        ({"page_ranges": "1"}, "to 2 on 4."),
        ({"tagged": False, "footer": {"enabled": True, "left": "{{ page }}"}}, "to 1 on 2."),
        ({"height": "auto", "width": "100mm"}, "to 8"),
    ],
)
def test_numbers_with_other_options(render: Render, pdf: dict[str, Any], text: str) -> None:
    html = document() if "height" not in pdf else document().replace("words ", "")

    assert text in texts_of(render(html, pdf=pdf).files[0].content)[0]


@pytest.mark.parametrize(
    "content",
    [
        "target-counter('#k1', page)",
        "leader('.') target-counter(attr(href), page)",
        "leader('.')",
        "target-text(attr(href))",
        "target-text(attr(href)) target-counter(attr(href), page)",
    ],
)
def test_content_that_is_dropped_is_told(render: Render, content: str) -> None:
    outcome = render(f"<style>p {{ color: red }} a::after {{ content: {content} }}</style>{LINKS}")

    told = [each for each in outcome.trace.warnings if each.code != "link_broken"]
    assert [each.code for each in told] == ["feature_unavailable"]
    assert told[0].detail == f"a::after {{ content: {content} }}"


def test_quoted_text_is_no_function(render: Render) -> None:
    rule = "a::after { content: ' team leader(s) on ' target-counter(attr(href), page) }"
    outcome = render(f"<style>{rule}</style>{LINKS}")

    assert "team leader(s) on 0" in texts_of(outcome.files[0].content)[0]
    assert {each.code for each in outcome.trace.warnings} <= {"link_broken"}


def test_same_request_gives_the_same_bytes(render: Render) -> None:
    first, second = (render(document()).files for _ in range(2))

    assert first == second


def test_link_without_target_and_strange_targets(render: Render) -> None:
    links = (
        "<a href='#none'>none</a><a href='https://example.com/'>web</a><a>plain</a>"
        "<a href='#k%C3%B6p%20(1)'>strange</a>"
    )
    html = document(links=links).replace("id='k1'", "id='köp (1)'")

    text = texts_of(render(html).files[0].content)[0]

    assert "strange on 2." in text
    assert "none on 0." in text


def test_numbers_stand_in_no_other_output(render: Render) -> None:
    _, written = render(document(), formats=["pdf", "html"]).files

    assert b"platen" not in written.content


@pytest.mark.parametrize("media", [None, "screen"])
def test_picture_shows_no_numbers(render: Render, media: str | None) -> None:
    html = document().replace("<p>words", "<p hidden>words")
    (alone,) = render(html, format="png", media=media).files

    printed, drawn = render(html, formats=["pdf", "png"], media=media).files

    assert drawn.content == alone.content
    assert "to 1 on 2." in texts_of(printed.content)[0]


def test_targets_of_a_continuous_page_are_on_its_first(render: Render) -> None:
    pdf = {"width": "80mm", "height": "auto", "page_number_start": 7}

    html = f"<!doctype html><style>{RULE}</style><a href='#k'>to k</a><h1 id=k>Chapter</h1>"

    (text,) = texts_of(render(html, pdf=pdf).files[0].content)

    assert "to k on 7." in text
