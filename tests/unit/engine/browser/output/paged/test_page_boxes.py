"""Margin boxes of a page by the cascade of page rules."""

import pytest

from chalicelib.contract.options.pdf import MarginInches
from chalicelib.engine.browser.output.paged.page_boxes import PageKind, page_boxes
from chalicelib.engine.browser.output.paged.rules import StyleText, paged_rules

FIRST = PageKind("", is_first=True, is_recto=True, is_rtl=False, is_blank=False)
LEFT = PageKind("", is_first=False, is_recto=False, is_rtl=False, is_blank=False)
RIGHT = LEFT._replace(is_recto=True)
BLANK = LEFT._replace(is_blank=True)
COVER = RIGHT._replace(name="cover")
CSS = """
@page :first { @top-left { content: 'first' } }
@page { @top-left { content: 'any'; width: 20mm } }
@page :left { @top-left { content: 'left' } }
@page :blank { @top-left { content: 'blank' } }
@page cover, other:left { @top-left { content: 'cover' } }
@page missing { @top-left { content: 'missing' } }
"""


def content(kind: PageKind, css: str = CSS) -> str:
    boxes = page_boxes(kind, paged_rules([StyleText(css)]), MarginInches(1, 1, 1, 1))
    return boxes.areas["top-left"]["content"].strip("'")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (FIRST, "first"),
        (LEFT, "left"),
        (RIGHT, "any"),
        (BLANK, "blank"),
        (COVER, "cover"),
        (RIGHT._replace(is_rtl=True), "left"),
        (COVER._replace(name="other"), "any"),
    ],
)
def test_closest_rule_has_the_box(kind: PageKind, text: str) -> None:
    assert content(kind) == text


def test_declarations_of_a_box_add_up() -> None:
    boxes = page_boxes(LEFT, paged_rules([StyleText(CSS)]), MarginInches(1, 1, 1, 1))

    assert boxes.areas["top-left"] == {"content": "'left'", "width": "20mm"}


@pytest.mark.parametrize(
    ("css", "margin"),
    [
        ("", (72, 72, 72, 72)),
        ("@page { margin: 0.5in }", (36, 36, 36, 36)),
        ("@page { margin: 0 1in }", (0, 72, 0, 72)),
        ("@page { margin: 1pt 2pt 3pt 4pt; margin-left: 5pt }", (1, 2, 3, 5)),
        ("@page :left { margin-left: 2in } @page { margin-left: 3in }", (72, 72, 72, 144)),
        ("@page { margin: 5% }", (72, 72, 72, 72)),
    ],
)
def test_margins_of_a_page(css: str, margin: tuple[float, ...]) -> None:
    boxes = page_boxes(LEFT, paged_rules([StyleText(css)]), MarginInches(1, 1, 1, 1))

    assert boxes.margin == pytest.approx(margin)
