"""Packed PDFs of many kinds of documents: all readers find in them what the browser has printed."""

import base64
import io
from typing import Any, Final

import pikepdf
import pypdf
import pypdfium2
import pytest
from PIL import Image, ImageChops

from chalicelib.engine.finishing import finish_pdf
from chalicelib.engine.pdf.text.cross_reference_table import CrossReferenceTable
from chalicelib.engine.pdf.text.pack_pdf import pack_objects
from tests.builders.pages.pdfs import objects_by_number
from tests.builders.pages.random_pages import random_page
from tests.builders.pages.real_browser import Render, folder

_RANDOM: Final = 12
# What an id takes, which the browser does not write.
_ID_BYTES: Final = 80
# Text of objects and files, where it is none.
_DECEIVING: Final = "endstream endobj 7 0 obj << /Type /Catalog >> startxref (a\\)b) %%EOF \0\1\xff"


def _picture(kind: str) -> str:
    content = io.BytesIO()
    Image.radial_gradient("L").convert("RGB").save(content, kind)
    return f"data:image/{kind};base64,{base64.b64encode(content.getvalue()).decode()}"


def _web_font() -> str:
    fonts = folder("PLATEN_FONTS_DIR", "fonts")
    path = next(path for path in sorted(fonts.rglob("*.ttf")) if "Tinos" in path.name)
    return f"data:font/ttf;base64,{base64.b64encode(path.read_bytes()).decode()}"


_BREAK: Final = "<p style='break-after:page'>"
_DOCUMENTS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "empty": ("", {}),
    "links": (
        (
            "<h1 id=a>Top</h1><a href='#a'>up</a> <a href='https://example.com/?a=(1)'>out</a>"
            f"<a href='rel.html'>ours</a>{_BREAK}next<a href='#a'>up</a>"
        ),
        {},
    ),
    "outline": (f"<h1>One</h1>{_BREAK}x<h2>Größe 日本</h2><h3>Three</h3>", {"outline": True}),
    "form": ("<form><input value=a><select><option>b</select><textarea>t</textarea></form>", {}),
    "pictures": (f"<img alt=a src='{_picture('png')}'><img alt=b src='{_picture('jpeg')}'>", {}),
    "drawings": (
        (
            "<svg width=90 height=90><linearGradient id=g><stop stop-color=red /><stop offset=1 />"
            "</linearGradient><circle r=40 fill='url(#g)' opacity=.5 /></svg>"
            "<div style='box-shadow: 2px 2px 9px; filter: blur(2px)'>shadow</div>"
        ),
        {},
    ),
    "own font": (
        (
            f"<style>@font-face {{ font-family: own; src: url({_web_font()}) }}</style>"
            "<p style='font-family: own'>Größe <b>bold</b> <i>italic</i>"
        ),
        {},
    ),
    "scripts": (
        "<h1 lang=ja>日本語の文章</h1><p dir=rtl>مرحبا שלום</p><p>हिन्दी 😀 中文 한국어",
        {},
    ),
    "table": (f"<table><thead><tr><th>Item<tbody>{'<tr><td>Row<td>1' * 400}</table>", {}),
    "deceiving": (f"<title>{_DECEIVING}</title><h1 id='{_DECEIVING}'>{_DECEIVING}</h1>", {}),
    "untagged": (f"<h1>Plain</h1>{_BREAK}second", {"tagged": False}),
    "1 000 pages": (f"{_BREAK}word" * 999, {}),
    "1 000 pages, untagged": (f"{_BREAK}word" * 999, {"tagged": False}),
    **{
        f"random {seed}": (random_page(seed, _picture("png")), {"outline": bool(seed % 2)})
        for seed in range(_RANDOM)
    },
}


@pytest.mark.parametrize("name", _DOCUMENTS)
def test_all_readers_find_what_was_printed(
    render: Render, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed: list[bytes] = []
    left_out: set[int] = set()

    def record(content: bytes, table: CrossReferenceTable, unused: frozenset[int]) -> bytes:
        printed.append(content)
        left_out.update(unused)
        return pack_objects(content, table, unused)

    monkeypatch.setattr(finish_pdf, "pack_objects", record)
    html, options = _DOCUMENTS[name]

    (file,) = render(html, pdf=options).files

    assert len(file.content) < len(printed[0]) + _ID_BYTES
    kept = objects_by_number(printed[0])
    kept = {number: parts for number, parts in kept.items() if number not in left_out}
    assert objects_by_number(file.content) == kept
    assert _roots(file.content) == _roots(printed[0])
    texts = _texts(file.content)
    assert texts == _texts(printed[0])
    assert file.pages == len(texts)
    for number in {0, file.pages - 1}:
        pictures = _page_picture(file.content, number), _page_picture(printed[0], number)
        assert ImageChops.difference(*pictures).getbbox() is None


@pytest.mark.parametrize("pdf", [{}, {"metadata": {"title": "edited"}}, {"tagged": False}])
def test_picture_of_a_shadow_is_stored_once(render: Render, pdf: dict[str, Any]) -> None:
    style = "section { break-after: page; height: 90px; box-shadow: 0 9px 30px #000 }"

    (file,) = render(f"<style>{style}</style>{'<section>x</section>' * 5}", pdf=pdf).files

    with pikepdf.open(io.BytesIO(file.content)) as document:
        assert document.check_pdf_syntax() == []
        pictures = [
            each
            for each in document.objects
            if isinstance(each, pikepdf.Stream) and each.get("/Subtype") == "/Image"
        ]
    # That of the first page, at the top of the document, is another one.
    assert len(pictures) == 2
    pages = [_page_picture(file.content, number) for number in range(5)]
    assert all(min(page.convert("L").tobytes()) < 200 for page in pages)
    assert ImageChops.difference(pages[1], pages[2]).getbbox() is None


def _roots(content: bytes) -> list[tuple[int, int]]:
    with pikepdf.open(io.BytesIO(content)) as document:
        return [document.trailer[name].objgen for name in ("/Root", "/Info")]


def _texts(content: bytes) -> list[str]:
    reader = pypdf.PdfReader(io.BytesIO(content), strict=True)
    # Each page takes a while: the first and last of many.
    return [
        page.extract_text() if number < 3 or number > 997 else ""
        for number, page in enumerate(reader.pages)
    ]


def _page_picture(content: bytes, number: int) -> Image.Image:
    document = pypdfium2.PdfDocument(content)
    assert len(document) > number
    picture: Image.Image = document[number].render(scale=0.5).to_pil()
    return picture.convert("RGB")
