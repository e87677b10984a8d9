"""Edges of pages: what is as wide as a page keeps both of its borders."""

import io
from typing import Any, Final

import pypdfium2
import pytest
from PIL import Image

from tests.builders.pages.real_browser import Render

BOX: Final = (
    "<style>body { margin: 0 } div { border: 1px solid #000; height: 100px }</style><div></div>"
)
SCRIPT: Final = "<script>document.title = 'x'</script>"
SIDES: Final = ("top", "right", "bottom", "left")
# Pixels of the picture for one of CSS.
SCALE: Final = 6


def borders(content: bytes, page: int = 0) -> tuple[float, float]:
    """Return how much ink the left and the right border have, in CSS pixels."""
    size = SCALE * 96 / 72
    picture = pypdfium2.PdfDocument(content)[page].render(scale=size).to_pil().convert("L")
    whole = Image.eval(picture, lambda value: 255 - value)
    box = whole.getbbox()
    assert box is not None
    row = whole.crop((0, (box[1] + box[3]) // 2, whole.width, (box[1] + box[3]) // 2 + 1))
    ink = list(row.tobytes())
    middle = len(ink) // 2
    return sum(ink[:middle]) / 255 / SCALE, sum(ink[middle:]) / 255 / SCALE


def margin(*lengths: str) -> dict[str, str]:
    return dict(zip(SIDES, lengths * 4 if len(lengths) == 1 else lengths, strict=False))


@pytest.mark.parametrize("script", ["", SCRIPT])
@pytest.mark.parametrize("length", ["10mm", "5mm", "12.7mm", "20mm", "1in", "37px", "0.4in"])
@pytest.mark.parametrize("size", ["A4", "A6", "Letter", "A3"])
def test_box_as_wide_as_the_page_keeps_its_borders(
    render: Render, size: str, length: str, script: str
) -> None:
    (file,) = render(BOX + script, pdf={"page_size": size, "margin": margin(length)}).files

    assert borders(file.content) == pytest.approx((1, 1), abs=0.1)


@pytest.mark.parametrize(
    ("head", "pdf"),
    [
        ("@page { margin: 10mm }", {}),
        # It is laid out for the screen first.
        ("p { position: sticky }", {}),
        ("@page { size: A5; margin: 7mm 13mm }", {}),
        ("@page { size: A4 }", {}),
        ("@page { size: 100mm 120mm; margin-left: 3.3mm }", {"margin": margin("9mm")}),
        ("@page :first { margin-top: 50mm }", {}),
        ("", {"landscape": True}),
        ("", {"prefer_css_page_size": False}),
        ("@page { size: A5; margin: 7mm }", {"prefer_css_page_size": False}),
        ("", {"width": "80mm", "height": "auto", "margin": margin("4mm")}),
        ("@page { size: 80mm auto; margin: 3mm }", {}),
        ("", {"scale": 0.77}),
        ("@page { margin: 11mm }", {"scale": 1.3}),
        ("", {"margin": margin("10mm", "3.3mm", "8mm", "21pt")}),
    ],
)
def test_borders_stay_on_pages_of_all_kinds(render: Render, head: str, pdf: dict[str, Any]) -> None:
    (file,) = render(f"<style>{head}</style>{BOX}", pdf=pdf).files

    scale = pdf.get("scale", 1)
    assert borders(file.content) == pytest.approx((scale, scale), abs=0.1)


def test_pages_keep_the_sizes_of_their_rules(render: Render) -> None:
    html = (
        "<style>@page { size: A5 } @page wide { size: A5 landscape; margin: 30mm }"
        "@page :first { margin-top: 50mm } body { margin: 0 } div { page: wide }"
        "</style>One<div>Two</div>"
    )

    (file,) = render(html).files

    document = pypdfium2.PdfDocument(io.BytesIO(file.content))
    sizes = [page.get_size() for page in document]
    assert sizes[0] == pytest.approx((420, 595), abs=1)
    assert sizes[1] == pytest.approx((595, 420), abs=1)
    tops = [page.get_height() - page.get_textpage().get_charbox(0)[3] for page in document]
    assert tops[0] == pytest.approx(50 / 25.4 * 72, abs=8)
    assert tops[1] == pytest.approx(30 / 25.4 * 72, abs=8)


@pytest.mark.parametrize(
    "head",
    [
        "<style>@supports (color: red) { @page { size: A5 } }</style>",
        "<style>@media (min-width: 1px) { @page { size: A5 } }</style>",
        "<LINK REL=Stylesheet href='data:text/css,@page { size: A5 }'>",
        "<style>@import 'data:text/css,@page { size: A5 }'</style>",
        "<style>@layer a { @page { size: A5 } }</style>",
        (
            "<script>const own = new CSSStyleSheet(); own.replaceSync('@page { size: A5 }');"
            "document.adoptedStyleSheets = [own]</script>"
        ),
    ],
)
def test_pages_have_the_size_of_any_sheet(render: Render, head: str) -> None:
    (file,) = render(f"<html><head>{head}</head><p>x").files

    assert pypdfium2.PdfDocument(file.content)[0].get_size() == pytest.approx((420, 595), abs=1)


def test_box_of_a_page_without_margins_reaches_the_edges(render: Render) -> None:
    style = "<style>body { margin: 0 } div { background: #000; height: 50px }</style><div></div>"

    for head, pdf in (("", {"margin": margin("0")}), ("@page { margin: 0 }", {})):
        (file,) = render(f"<style>{head}</style>{style}", pdf=pdf).files
        picture = pypdfium2.PdfDocument(file.content)[0].render(scale=2).to_pil().convert("L")
        assert picture.getpixel((0, 5)) == 0
        assert picture.getpixel((picture.width - 2, 5)) == 0
