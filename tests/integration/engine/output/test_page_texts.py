"""Texts of the page in its PDF: titles of bookmarks, and metadata of its head."""

import io
from typing import Any

import pikepdf
import pypdf
import pytest

from tests.builders.pages.real_browser import Render

NARROW = "<style>h1, h2 { font: 40px Arial; width: 420px }</style>"
HEADINGS = (
    f"{NARROW}<h1>A rather long heading that wraps over some three lines</h1>"
    "<h2>With <em>inline</em> and <br>a break</h2><h2><div>Two</div><div>blocks</div></h2>"
    "<h2 style='text-transform: uppercase'>upper case that wraps</h2><h2 hidden>Hidden</h2>"
    "<style>.n::before { content: '4. ' }</style><h2 class=n>Numbered heading that wraps</h2>"
)
TITLES = [
    "A rather long heading that wraps over some three lines",
    "With inline and a break",
    "Two blocks",
    "UPPER CASE THAT WRAPS",
    "Numbered heading that wraps",
]
HEAD = (
    "<!doctype html><html lang=de><title>Title</title>"
    "<meta name=Author content='Müller (&amp;) Söhne'>"
    "<meta name=description content=' What it\n is '><meta name=keywords content='one, two'>"
    "<meta name=keywords content='three'><h1>x</h1>"
)


def titles(content: bytes) -> list[str]:
    def flat(entries: list[Any]) -> list[str]:
        parts = (flat(each) if isinstance(each, list) else [each.title] for each in entries)
        return [title for part in parts for title in part]

    return flat(pypdf.PdfReader(io.BytesIO(content)).outline)


def info(content: bytes) -> list[str]:
    with pikepdf.open(io.BytesIO(content)) as document:
        return [
            str(document.docinfo.get(f"/{key}", "")) for key in ("Author", "Subject", "Keywords")
        ]


@pytest.mark.parametrize(
    "pdf", [{}, {"tagged": False}, {"pdfa": "2b"}, {"metadata": {"author": "A"}}]
)
def test_bookmarks_have_the_blanks_of_wrapped_headings(render: Render, pdf: dict[str, Any]) -> None:
    (file,) = render(HEADINGS, pdf={"outline": True, **pdf}).files

    assert titles(file.content) == TITLES
    with pikepdf.open(io.BytesIO(file.content)) as document:
        assert document.check_pdf_syntax() == []
        assert ("/StructTreeRoot" in document.Root) == pdf.get("tagged", True)
        assert document.Root.Outlines.First.Dest[0] == document.pages[0].obj


def test_the_head_of_a_page_fills_metadata_that_the_request_leaves_out(render: Render) -> None:
    def made(metadata: dict[str, Any], **pdf: Any) -> bytes:
        (file,) = render(HEAD, pdf={"metadata": metadata, **pdf}).files
        return file.content

    page = ["Müller (&) Söhne", "What it is", "one, two, three"]
    assert info(made({})) == page
    assert info(made({"author": "Given"})) == ["Given", *page[1:]]
    assert info(made({"author": "", "subject": "S", "keywords": ["k"]})) == ["", "S", "k"]
    with pikepdf.open(io.BytesIO(made({}, pdfa="2b"))) as document:
        metadata = document.open_metadata()
        assert [*metadata["dc:creator"], metadata["dc:description"]] == page[:2]
        assert set(metadata["dc:subject"]) == {"one", "two", "three"}
        assert metadata["pdf:Keywords"] == page[2]


def test_metadata_that_scripts_write_count(render: Render) -> None:
    script = "<script>document.head.append(Object.assign(document.createElement('meta'), "
    (file,) = render(script + "{name: 'author', content: 'Ada'}))</script><p>x").files

    assert info(file.content) == ["Ada", "", ""]


@pytest.mark.breadth
def test_hostile_heads_are_cut(render: Render) -> None:
    metas = f"<meta name=author content='{'a' * 64_000}'>" * 200

    (file,) = render(f"{metas}<p>x").files

    assert info(file.content)[0] == "a" * 1_000
