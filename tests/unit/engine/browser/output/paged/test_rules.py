"""Paged CSS in the text of style sheets: what is found where. Hostile texts take no time."""

import time

import pytest

from chalicelib.engine.browser.output.page_style import may_be_unread
from chalicelib.engine.browser.output.paged.css_blocks import css_blocks
from chalicelib.engine.browser.output.paged.rules import MAX_RULES, StyleText, paged_rules

MAX_S = 5.0


def found(css: str, medium: str = "print") -> list[tuple[str, str, str]]:
    return [(r.kind, r.selectors, r.value) for r in paged_rules([StyleText(css)], medium)]


@pytest.mark.parametrize(
    ("css", "rule"),
    [
        ("h1 { string-set: a content() }", ("named_string", "h1", "a content()")),
        ("p{position:running(x)!important}", ("running", "p", "running(x)")),
        (".n { color: red; float: footnote }", ("footnote", ".n", "footnote")),
        ("h1, h2 { break-before: recto }", ("side_break", "h1, h2", "recto")),
        ("h1 { page-break-after: left }", ("side_break", "h1", "left")),
        ("a::after { content: 'p' counter(page) }", ("page_text", "a::after", "'p' counter(page)")),
        ("b { counter-reset: x 1 page 3 }", ("page_counter", "b", "x 1 page 3")),
        ("@page :first { bleed: 3mm }", ("page_mark", "@page :first", "3mm")),
        ("@page :nth(2n) { margin: 0 }", ("page_selector", "@page :nth(2n)", "0")),
        ("@page { marks: crop }", ("page_mark", "@page", "crop")),
        ("@media print { i { float: footnote } }", ("footnote", "i", "footnote")),
        ("a { b: c; & > i { float: footnote } }", ("footnote", ":is(a) > i", "footnote")),
        ("a, b { i, u { float: footnote } }", ("footnote", ":is(a, b) i, :is(a, b) u", "footnote")),
        ("/* } */ a { x: '}'; float: footnote }", ("footnote", "a", "footnote")),
        ("a { x: url(data:y;z); float: footnote", ("footnote", "a", "footnote")),
    ],
)
def test_rule_is_found(css: str, rule: tuple[str, str, str]) -> None:
    assert found(f"q {{ color: red }} {css}") == [rule]
    assert may_be_unread(css)


@pytest.mark.parametrize(
    "css",
    [
        "h1 { break-before: page; float: left }",
        "a { content: 'counter(page)' counter(section) }",
        "a { counter-reset: pages front-page }",
        "@page { bleed: auto; marks: none }",
        "/* a { float: footnote } */",
        "@media screen { a { float: footnote } }",
        "@media only screen and (min-width: 1px) { a { float: footnote } }",
    ],
)
def test_other_rules_are_none(css: str) -> None:
    assert found(css) == []


def test_rules_are_those_of_the_medium() -> None:
    css = "@media screen { a { float: footnote } } @media print { b { float: footnote } }"

    assert found(css, "screen") == [("footnote", "a", "footnote")]


def test_rule_names_its_line() -> None:
    texts = [
        StyleText("\n\na { float: footnote }\n@page\n{ marks: crop }", line=7),
        StyleText("b\n{ float: footnote }", "css/print.css"),
    ]

    assert [rule.place for rule in paged_rules(texts)] == [
        "line 9",
        "line 10",
        "line 1 of css/print.css",
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<style>@page { @top-left { content: counter(page) ' of ' counter(pages) } }</style>",
        "<script>const a = String(b); document.createElement(c); marks = {b: 1}</script>",
        "<style>h1 { break-before: page; counter-reset: section }</style>",
    ],
)
def test_what_the_browser_reads_is_no_reason_to_look(html: str) -> None:
    assert not may_be_unread(html)


@pytest.mark.parametrize(
    "part",
    [
        *(
            "/*",
            "@page{",
            "@page",
            "@top{",
            "a{",
            "url(",
            '"',
            "\\",
            "(",
            "&{",
            "a,{",
            "x:y;",
            "a{b:c}",
        ),
        *("a&{x:y;", "counter-set:", "counter(", "string(", "break-after:", "content:"),
        *("a{float:footnote}", "@media{", "@top-left{"),
    ],
)
def test_hostile_text_is_read_in_linear_time(part: str) -> None:
    text = part * (200_000 // len(part))
    began = time.process_time()

    may_be_unread(text)
    for block in css_blocks(text):
        assert len(block.selectors) <= 10_000
    assert len(paged_rules([StyleText(text)])) <= MAX_RULES

    assert time.process_time() - began < MAX_S
