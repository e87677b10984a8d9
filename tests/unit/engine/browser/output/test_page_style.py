"""Page style in the text of a document: what is expected, and that hostile texts take no time."""

import time

import pytest

from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.engine.browser.output.page_fit import content_pixels
from chalicelib.engine.browser.output.page_style import (
    PageStyle,
    expected_page_style,
    may_be_unread,
)
from chalicelib.engine.sources.html import insert_head

A5_PIXELS = (560, 793)
# Its number is none that a float can hold.
ENDLESS = f"{'9' * 400}in"
OPTIONS = PdfOptions()
MAX_S = 5.0


@pytest.mark.parametrize(
    ("css", "pixels"),
    [
        ("@page { size: A5; margin: 0 }", A5_PIXELS),
        ("@page{margin:1in 0.5in;size:letter}", (816 - 96, 1056 - 192)),
        ("@page { size: A5 } @page { margin: 0; @bottom-left { content: 'x' } }", A5_PIXELS),
        ("/* @page { size: A3 } */ @page { size: A5; margin: 0in }", A5_PIXELS),
        ("@page :left { size: A3 } @page x { size: A3 }", (718, 1047)),
        ("@page { margin: 5% }", (718, 1047)),
        ("@page { size: 100mm auto; margin-left: 0; margin-right: 10mm }", (340, 1047)),
        ("p { margin: 0 }", (718, 1047)),
        (f"@page {{ size: {ENDLESS} 1in; margin: 0 }}", (10_000, 96)),
        (f"@page {{ margin: {ENDLESS} }}", (1, 1)),
        (f"@page {{ size: {ENDLESS}; margin: {ENDLESS} }}", (10_000, 10_000)),
        ("@page { size: 200in 200in; margin: 0 }", (10_000, 10_000)),
    ],
)
def test_text_of_a_document_lets_expect_its_page(css: str, pixels: tuple[int, int]) -> None:
    style = expected_page_style(f"<style>{css}</style><p>", OPTIONS)

    assert content_pixels(OPTIONS, style) == pixels


def test_document_without_a_page_rule_is_not_searched() -> None:
    assert expected_page_style("<style>p { size: A5 }</style>", OPTIONS) == PageStyle()


@pytest.mark.parametrize(
    "part",
    ["size:", "/*", "/**", "content:", "@page{", "@page{size:", "target-counter(", "<head ", "a{"],
)
def test_hostile_text_is_read_in_linear_time(part: str) -> None:
    text = part * (1_000_000 // len(part))
    began = time.process_time()

    may_be_unread(text)
    expected_page_style(f"@page {text}", OPTIONS)
    insert_head(text, "<meta>", "")

    assert time.process_time() - began < MAX_S
