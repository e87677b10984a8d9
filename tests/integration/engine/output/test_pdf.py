"""PDFs as other programs read them."""

import io
import unicodedata

import pikepdf
import pypdf
import pytest

from chalicelib.core.errors import RenderFailure
from tests.builders.pages.pdfs import objects_text
from tests.builders.pages.real_browser import Render

TABLE = "<table><thead><tr><th>Item<tbody>" + "<tr><td>Row" * 60 + "</table>"
DOCUMENT = f"<!doctype html><html lang=de><title>Rechnung</title><h1>Größe</h1>{TABLE}"


def text_of(content: bytes) -> list[str]:
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages]


def fonts_of(content: bytes) -> set[str]:
    with pikepdf.open(io.BytesIO(content)) as document:
        fonts = document.pages[0].Resources.Font.values()
        return {str(font.BaseFont).partition("+")[2] for font in fonts}


def test_pdf_has_text_embedded_fonts_and_tags(render: Render) -> None:
    (produced,) = render(DOCUMENT).files

    assert produced.content_type == "application/pdf"
    assert "Größe" in text_of(produced.content)[0]
    assert b"/FontFile2" in objects_text(produced.content)
    with pikepdf.open(io.BytesIO(produced.content)) as document:
        assert produced.pages == len(document.pages) == 2
        assert document.Root.MarkInfo.Marked
        assert document.Root.Lang == "de"
        assert document.Root.StructTreeRoot.Type == "/StructTreeRoot"
        assert document.docinfo["/Title"] == "Rechnung"


def test_pdf_without_tags_and_with_bookmarks(render: Render) -> None:
    (untagged,) = render(DOCUMENT, pdf={"tagged": False}).files
    (outlined,) = render(DOCUMENT, pdf={"outline": True}).files

    assert "/StructTreeRoot" not in pikepdf.open(io.BytesIO(untagged.content)).Root
    (bookmark,) = pypdf.PdfReader(io.BytesIO(outlined.content)).outline
    assert isinstance(bookmark, pypdf.generic.Destination)
    assert bookmark.title == "Größe"


def test_header_and_footer_number_the_pages(render: Render) -> None:
    pdf = {
        "header": {"enabled": True, "html": "<p style='font-size:9px'><b class=title></b></p>"},
        "footer": {
            "enabled": True,
            "html": "<p style='font-size:9px'>Seite <b class=pageNumber></b> von "
            "<b class=totalPages></b></p>",
        },
        "margin": {"top": "20mm", "bottom": "20mm"},
    }

    (produced,) = render(DOCUMENT, pdf=pdf).files

    pages = text_of(produced.content)
    assert ["Seite 1 von 2" in pages[0], "Seite 2 von 2" in pages[1]] == [True, True]
    assert all("Rechnung" in page for page in pages)


def test_footer_alone_adds_no_default_header(render: Render) -> None:
    footer = {"enabled": True, "html": "<p style='font-size:9px'>below</p>"}

    (produced,) = render("<title>Named</title><p>x", pdf={"footer": footer}).files

    assert "below" in text_of(produced.content)[0]
    assert "Named" not in text_of(produced.content)[0]


@pytest.mark.parametrize("style", ["", "<style>.url{display:block;font-size:9px}</style>"])
def test_header_and_footer_of_a_document_print_no_url(render: Render, style: str) -> None:
    part = {
        "enabled": True,
        "html": f"{style}<p style='font-size:9px'>at <b class=url></b><a class='x url'></a>.",
    }

    (produced,) = render("<p>x", pdf={"header": part, "footer": part}).files

    (text,) = text_of(produced.content)
    assert "invalid" not in text
    assert text.count("at") == 2


def test_empty_footer_prints_nothing(render: Render) -> None:
    (produced,) = render("<title>Named</title><p>x", pdf={"footer": {"enabled": True}}).files

    assert text_of(produced.content) == ["x"]


def test_page_size_margin_and_ranges(render: Render) -> None:
    pdf = {"width": "100mm", "height": "50mm", "landscape": False, "page_ranges": "2"}

    (produced,) = render("<p>one<p style='break-before:page'>two", pdf=pdf).files

    with pikepdf.open(io.BytesIO(produced.content)) as document:
        box = [float(edge) for edge in document.pages[0].mediabox]
    # The browser rounds up to its own grid, by a third of a millimetre at most.
    assert box == [pytest.approx(edge, abs=1) for edge in (0, 0, 283.46, 141.73)]
    assert text_of(produced.content) == ["two"]


def test_scripts_of_many_languages_have_fonts(render: Render) -> None:
    words = ["Wörld", "Ελλάδα", "Привет", "日本語", "한국어", "汉字", "ไทย", "हिन्दी", "∑", "♞"]

    (produced,) = render("".join(f"<p>{word}" for word in words)).files

    # Some ideographs also exist as radicals with their own code point; NFKC unifies them.
    text = unicodedata.normalize("NFKC", text_of(produced.content)[0])
    fonts = fonts_of(produced.content)
    assert [word for word in words[:6] if word not in text] == []
    assert {"NotoSansThai-Regular", "NotoSansJP-Regular", "NotoSansKR-Regular"} <= fonts
    assert not any("LastResort" in font for font in fonts)


def test_arial_and_similar_fonts_use_their_metric_equivalents(render: Render) -> None:
    families = ("Arial", "Helvetica", "Times New Roman", "Courier New", "sans-serif", "monospace")

    (produced,) = render("".join(f"<p style='font-family:{name}'>x" for name in families)).files

    assert fonts_of(produced.content) == {"Arimo-Regular", "Tinos-Regular", "Cousine-Regular"}


def test_url_of_the_document_is_not_in_the_file(render: Render) -> None:
    (produced,) = render("<p>untitled").files

    assert b".invalid" not in objects_text(produced.content)


def test_lone_surrogates_do_not_break_a_document(render: Render) -> None:
    (produced,) = render("<p>a\ud800b").files

    assert "b" in text_of(produced.content)[0]


def test_a_page_range_beyond_the_end_fails_the_render(render: Render) -> None:

    with pytest.raises(RenderFailure) as failure:
        render("<p>one", pdf={"page_ranges": "7"})

    assert failure.value.code == "render_failed"
    assert failure.value.detail.endswith("names a page that is not there: the document has 1 page")


@pytest.mark.parametrize("pdf", [{}, {"pdfa": "2b"}, {"pdfa": "3a", "pdfua": True}])
def test_empty_document_is_an_empty_page(render: Render, pdf: dict[str, object]) -> None:
    outcome = render("", pdf=pdf)

    (produced,) = outcome.files
    assert text_of(produced.content) == [""]
    assert [warning.code for warning in outcome.trace.warnings] == []
