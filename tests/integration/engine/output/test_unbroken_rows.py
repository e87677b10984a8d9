"""Rows that must not break are whole on one page, whichever box they stand in."""

import re
from typing import Final

import pytest

from tests.builders.pages.real_browser import Render
from tests.builders.pdfs.tool_runs import page_texts

LINES: Final = "".join(f"<p>line {number}</p>" for number in range(8))
ROWS: Final = {
    "table": "<style>tr { break-inside: avoid }</style><table>"
    + "".join(f"<tr><td>[a{row}]{LINES}[z{row}]<td>x" for row in range(12))
    + "</table>",
    "flex": "<style>section { display: flex; break-inside: avoid }</style>"
    + "".join(f"<section><div>[a{row}]{LINES}[z{row}]</div></section>" for row in range(12)),
    "grid": "<style>section { display: grid; page-break-inside: avoid }</style>"
    + "".join(f"<section><div>[a{row}]{LINES}[z{row}]</div></section>" for row in range(12)),
}
BOXES: Final = (
    *("", "display: flex", "display: grid", "float: left", "position: absolute"),
    *("overflow: hidden", "display: inline-block", "display: inline-block; width: 400px"),
    *("display: inline-table", "display: inline-flex", "display: inline-grid"),
)


def pages_of_rows(content: bytes) -> tuple[list[set[str]], list[set[str]]]:
    """Return the rows that begin, and those that end, on each page."""
    texts = [text.replace(" ", "") for text in page_texts(content)]
    begin, end = (
        [set(re.findall(rf"\[{letter}(\d+)\]", text)) for text in texts] for letter in "az"
    )
    return begin, end


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("rows", ROWS)
def test_row_is_whole_on_its_page(render: Render, rows: str, box: str) -> None:
    html = f"<!doctype html><h1>Title</h1><div style='{box}'>{ROWS[rows]}</div>"

    (printed,) = render(html).files

    begin, end = pages_of_rows(printed.content)
    assert begin == end
    assert sum(map(len, begin)) == 12
    # The box begins below the title, not on a page of its own.
    assert begin[0]


def test_boxes_beside_each_other_stay_there(render: Render) -> None:
    box = f"<div style='display: inline-block; width: 45%'>{ROWS['flex']}</div>"

    (printed,) = render(f"<!doctype html>{box}{box}").files

    (single,) = render(f"<!doctype html>{box}").files
    assert printed.pages is not None
    assert single.pages is not None
    assert printed.pages < 2 * single.pages - 1


def test_html_beside_the_pdf_keeps_its_boxes(render: Render) -> None:
    html = f"<!doctype html><div style='display: inline-block'>{ROWS['flex']}</div>"

    _, written = render(html, formats=["pdf", "html"]).files

    assert b"important" not in written.content
