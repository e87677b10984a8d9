"""Pages: the window that a PDF's document is laid out in, and whose page size wins."""

import io
from typing import Any, Final

import pypdf
import pytest
from PIL import Image

from chalicelib.core.errors import RenderFailure
from tests.builders.pages.real_browser import Render

WIDTHS: Final = (
    "<!doctype html><p id=p></p><script>const tell = () => { p.textContent += ` ${innerWidth}` };"
    "tell(); addEventListener('resize', tell)</script>"
)
# The text of the document does not tell this page.
ADDED_PAGE: Final = (
    "<script>const added = document.createElement('style');"
    "added.textContent = '@' + 'page { size: A5; margin: 0 }'; document.head.append(added)</script>"
)
WIDE_PAGE: Final = "<style>@page { size: 100mm 60mm }</style>"
A4: Final = (595, 842)


def text_of(content: bytes) -> str:
    return str(pypdf.PdfReader(io.BytesIO(content)).pages[0].extract_text()).strip()


def sizes_of(content: bytes) -> list[tuple[int, int]]:
    pages = pypdf.PdfReader(io.BytesIO(content)).pages
    return [(round(page.mediabox.width), round(page.mediabox.height)) for page in pages]


@pytest.mark.parametrize(
    ("head", "output", "widths"),
    [
        ("", {}, "718"),
        ("", {"pdf": {"landscape": True, "scale": 0.5}}, "2094"),
        ("", {"pdf": {"width": "80mm", "height": "100mm", "margin": {"left": "0"}}}, "265"),
        ("<style>@page { size: A5; margin: 0 }</style>", {}, "560"),
        ("<style>@media print { @page { size: letter landscape } }</style>", {}, "980"),
        (ADDED_PAGE, {}, "718 560"),
        ("<style>@page x { size: A5 } @page :first { margin: 0 }</style>", {}, "718"),
        (WIDE_PAGE, {"pdf": {"prefer_css_page_size": False}}, "718"),
        ("", {"viewport": {"width": 500}}, "500"),
        ("<style>@page { size: A5 }</style>", {"viewport": {"width": 500}}, "500"),
    ],
)
def test_document_is_laid_out_at_the_width_of_its_page(
    render: Render, head: str, output: dict[str, Any], widths: str
) -> None:
    (printed,) = render(head + WIDTHS, **output).files

    assert text_of(printed.content) == widths


@pytest.mark.parametrize(
    ("formats", "widths"), [(("pdf", "png"), "718"), (("png", "pdf"), "718900718")]
)
def test_document_of_pdf_and_picture_has_a_window_for_each(
    render: Render, formats: tuple[str, ...], widths: str
) -> None:
    html = (
        "<!doctype html><style>body { margin: 0 } #bar { height: 20px; background: #f00 }</style>"
        "<p id=p></p><div id=bar></div><script>onresize = () => { p.textContent += innerWidth; "
        "bar.style.width = `${innerWidth / 2}px` }; onresize()</script>"
    )

    files = render(html, formats=list(formats), image={"width": 900}).files

    printed, drawn = sorted(files, key=lambda file: file.format == "png")
    assert text_of(printed.content) == widths
    row = Image.open(io.BytesIO(drawn.content)).convert("RGB").crop((0, 60, 900, 61)).tobytes()
    assert row.count(b"\xff\x00\x00") == 450


def test_chart_that_is_drawn_once_fits_the_page_beside_a_picture(render: Render) -> None:
    html = (
        "<!doctype html><style>@page { size: 80mm auto; margin: 0 } body { margin: 0 }</style>"
        "<p id=p>x</p><script>p.style.width = `${innerWidth}px`; p.textContent = innerWidth"
        "</script>"
    )

    outcome = render(html, formats=["pdf", "png"])

    assert outcome.trace.warnings == ()
    assert text_of(outcome.files[0].content) == "302"
    drawn = Image.open(io.BytesIO(outcome.files[1].content))
    assert drawn.size == (1280, 720)


@pytest.mark.parametrize("formats", [["pdf", "png"], ["png", "pdf"]])
def test_pdf_is_the_same_with_and_without_a_picture(render: Render, formats: list[str]) -> None:
    html = "<p style='width: 50vw; border: 1px solid'>x<script>document.title = 1</script>"

    alone = render(html).files[0]
    files = render(html, formats=formats).files

    assert files[formats.index("pdf")].content == alone.content


@pytest.mark.parametrize(
    "html",
    [
        "<p style='width: 50vw; background: red'>x<img srcset='a.png 1x, b.png 2x'>",
        "<link rel=stylesheet href=none.css><p style='width: 50vw; background: red'>x",
        "<style>@media (width < 800px) { p { color: red } }</style><p onclick='0'>some text",
    ],
)
def test_picture_is_the_same_with_and_without_a_pdf(render: Render, html: str) -> None:
    image = {"scale": 2, "width": 900}

    alone = render(html, format="png", image=image).files[0]
    beside = render(html, formats=["pdf", "png"], image=image).files[1]

    assert beside.content == alone.content


@pytest.mark.parametrize(("landscape", "size"), [(False, A4), (True, A4[::-1])])
@pytest.mark.parametrize("page", ["100mm 60mm", "60mm 100mm", "A5 landscape", "landscape"])
def test_size_of_the_request_wins_over_that_of_the_document(
    render: Render, page: str, size: tuple[int, int], *, landscape: bool
) -> None:
    html = (
        f"<style>@page {{ size: {page} }} @page w {{ size: {page} }} i {{ page: w }}</style>x<i>y"
    )
    pdf = {"prefer_css_page_size": False, "landscape": landscape}

    (printed,) = render(html, pdf=pdf).files

    assert {(round(w, -1), round(h, -1)) for w, h in sizes_of(printed.content)} == {
        (round(size[0], -1), round(size[1], -1))
    }


@pytest.mark.breadth
def test_delay_is_added_to_the_timeout(render: Render) -> None:
    wait = {"delay_ms": 3_000, "timeout_ms": 3_000}

    assert render("<p>x", wait=wait).files[0].pages == 1
    with pytest.raises(RenderFailure, match="it waited for: selector"):
        render("<p>x", wait={**wait, "selector": "#never"})
