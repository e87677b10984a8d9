"""Determinism of every format across browsers and after other documents."""

import io
import zipfile
from typing import Any

import pypdfium2

from tests.builders.pages.real_browser import Render, new_browser, render_with

PAGE = """<!doctype html><style>@media print { body { background: #0f0 } }</style>
<h1 style='background:linear-gradient(45deg,#fff,#08f)'>Größe</h1><a href='x'>link</a>
<script>document.links[0].href += '?y'</script>"""
ALL = ["pdf", "png", "jpeg", "webp", "html"]
OUTPUT: dict[str, Any] = {"format": "zip", "formats": ALL, "filename": "Größe & Co/1.pdf"}


def test_bytes_are_equal_across_browsers_and_after_other_documents(render: Render) -> None:
    first = [render(PAGE, test=test, **OUTPUT).files[0].content for test in (False, True)]
    for number in range(8):
        render(f"<h1>{number}</h1><script>document.title = {number}</script>", formats=["webp"])
    later = [render(PAGE, test=test, **OUTPUT).files[0].content for test in (False, True)]
    other = new_browser()
    try:
        elsewhere = [
            render_with(other, PAGE, test=test, **OUTPUT).files[0].content for test in (False, True)
        ]
    finally:
        other.close()

    assert first == later == elsewhere
    assert first[0] != first[1]


def test_zip_has_every_file_under_the_requested_filename(render: Render) -> None:
    (produced,) = render(PAGE, **OUTPUT).files
    alone = render(PAGE, formats=ALL).files

    archive = zipfile.ZipFile(io.BytesIO(produced.content))
    assert (produced.format, produced.content_type) == ("zip", "application/zip")
    assert produced.pages == 1
    assert archive.namelist() == [f"Größe & Co1.{name}" for name in ALL]
    assert {info.date_time for info in archive.infolist()} == {(2000, 1, 1, 0, 0, 0)}
    assert [archive.read(info) for info in archive.infolist()] == [file.content for file in alone]
    for file in archive.infolist():
        assert b".invalid" not in archive.read(file)


def test_zip_without_formats_holds_the_pdf(render: Render) -> None:
    (produced,) = render(PAGE, format="zip").files

    archive = zipfile.ZipFile(io.BytesIO(produced.content))
    assert archive.namelist() == ["document.pdf"]
    assert archive.read("document.pdf") == render(PAGE).files[0].content


def test_each_format_of_one_load_has_its_own_media_type(render: Render) -> None:
    pdf, png = render(PAGE, formats=["pdf", "png"]).files
    (png_alone,) = render(PAGE, format="png").files
    pixels = pypdfium2.PdfDocument(pdf.content)[0].render(scale=1).to_pil().convert("RGB")

    assert pixels.getpixel((200, 400)) == (0, 255, 0)
    assert png.content == png_alone.content
