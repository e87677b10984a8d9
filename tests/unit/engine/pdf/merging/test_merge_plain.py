"""Merge by text: the same as by objects, and only of documents that are clearly plain."""

import io
import re
import time
from collections.abc import Callable

import pikepdf
import pypdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from chalicelib.contract.options.pdf_tools import MergeOptions
from chalicelib.engine.pdf.merging.merge_plain import merge_plain
from chalicelib.engine.pdf.text.plain_pdf import PlainPdf, read_plain_pdf
from tests.builders.pdfs.changed_pdf import changed
from tests.builders.pdfs.rich_pdf import rich_pdf
from tests.builders.pdfs.tagged_page import tagged_page
from tests.builders.pdfs.tool_runs import (
    opened,
    outline_titles,
    page_texts,
    run_tool,
    structure_lines,
)


def plain(content: bytes) -> PlainPdf:
    document = read_plain_pdf(content)
    assert document is not None
    return document


def by_text(*contents: bytes) -> bytes:
    merged = merge_plain([plain(content) for content in contents])
    assert merged is not None
    assert merged[1] == len(contents)
    return merged[0]


def by_objects(*contents: bytes) -> bytes:
    """Return the merge with one source that is linearized, which is not plain."""
    linearized = changed(contents[0], lambda _: None, linearize=True)
    assert read_plain_pdf(linearized) is None
    return run_tool(MergeOptions(), linearized, *contents[1:])[0].files[0].content


@pytest.mark.parametrize("count", [2, 11, 101])
def test_a_merge_by_text_has_what_one_by_objects_has(count: int) -> None:
    sources = [tagged_page(f"T{n}", paragraphs=3, font_bytes=50) for n in range(count)]

    text, objects = by_text(*sources), by_objects(*sources)

    assert page_texts(text) == page_texts(objects)
    assert outline_titles(text) == outline_titles(objects) == [f"T{n}" for n in range(count)]
    assert structure_lines(text) == structure_lines(objects)
    assert len(pypdf.PdfReader(io.BytesIO(text)).outline) == count
    assert run_tool(MergeOptions(), *sources)[0].files[0].content == text


def test_everything_leads_to_its_own_document() -> None:
    with opened(by_text(*[tagged_page(name) for name in "ABC"])) as document:
        root = document.Root
        tree = root.StructTreeRoot
        parents = dict(
            zip(map(int, tree.ParentTree.Nums[::2]), tree.ParentTree.Nums[1::2], strict=True)
        )
        assert len(parents) == 6
        assert list(parents) == sorted(parents)
        for place, page in enumerate(document.pages):
            top = tree.K[place]
            assert tree == top.P
            assert parents[int(page.StructParents)][0] == top.K[0]
            assert parents[int(page.Annots[0].StructParent)].K.Obj == page.Annots[0]
            assert page.Annots[0].A.D[0] == page.obj
            assert page.obj.Parent == root.Pages
            assert top.K[1].A.Headers[0] == top.K[0].ID
        ids = [str(key) for key in tree.IDTree.Names[::2]]
        assert ids == ["heading", "heading-2", "heading-3"]
        assert String("heading-2") == tree.IDTree.Names[3].ID
        assert root.Outlines.First.Next.Prev == root.Outlines.First
        assert root.Outlines.Last.Title == "C"
        assert root.Outlines.Last.Parent == root.Outlines
        assert root.Lang == "en"
        assert document.docinfo["/Title"] == "Title A"


def test_no_reference_leads_nowhere_and_nothing_is_left_over() -> None:
    content = by_text(*[tagged_page(name, font_bytes=50) for name in "AB"])

    with opened(content) as document:
        numbers = {each.objgen[0] for each in document.objects}
    texts = re.sub(rb"stream\n.*?endstream", b"", content, flags=re.DOTALL)
    referred = {int(number) for number in re.findall(rb"([0-9]+) 0 R", texts)}
    assert referred <= numbers
    assert content.count(b"/Type /Catalog") == content.count(b"/Type /Pages") == 1


def test_streams_are_what_they_were() -> None:
    sources = [tagged_page(name) for name in "AB"]

    with opened(by_text(*sources)) as document:
        for page, source in zip(document.pages, sources, strict=True):
            with opened(source) as original:
                before = original.pages[0].Resources.Properties.Own.read_bytes()
            assert page.Resources.Properties.Own.read_bytes() == before


def _replace(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    """Return a change of a file's text whose cross-reference table is found still."""

    def replace(content: bytes) -> bytes:
        assert old in content
        at = content.rindex(b"\nxref\n") + 1
        before, after = content[:at].replace(old, new), content[at:].replace(old, new)
        return before + after.replace(b"startxref\n%d" % at, b"startxref\n%d" % len(before))

    return replace


def _set_title(title: str) -> Callable[[bytes], bytes]:
    def set_title(content: bytes) -> bytes:
        def change(document: pikepdf.Pdf) -> None:
            document.Root.Outlines.First.Title = String(title)

        return changed(content, change)

    return set_title


@pytest.mark.parametrize(
    "change",
    [
        _set_title("see 5 0 R for more"),
        _set_title("see (nested 5 0 R) for more"),
        _set_title("a /StructParent 4"),
        _replace(b"/Lang (en)", b"/Lang (e%)"),
        _replace(b"/S /H1", b"/S /H1 % 5 0 R\n"),
        _replace(b" 0 R /S /Document", b"  0 R /S /Document"),
        _replace(b" 0 R /S /Document", b" 0\nR /S /Document"),
        _replace(b" 0 R /S /Document", b" 1 R /S /Document"),
        _replace(b"/S /Document", b"/S /Document >>"),
        _replace(b"startxref\n", b"startxref\n1"),
        _replace(b"trailer << ", b"trailer << /Prev 9 "),
        _replace(b"%PDF-1.", b"%PDX-1."),
        lambda content: content[:-20],
    ],
)
def test_what_is_not_clearly_plain_is_not_taken(change: Callable[[bytes], bytes]) -> None:
    content = tagged_page()
    plain(content)

    assert read_plain_pdf(change(content)) is None


def test_endless_string_in_a_comment_is_read_in_linear_time() -> None:
    endless = _replace(b"/S /H1", b"/S /H1 % (" + rb"\(" * 100_000 + b"\n")
    content = endless(tagged_page())
    began = time.process_time()

    assert read_plain_pdf(content) is None
    assert time.process_time() - began < 5


def _form(document: pikepdf.Pdf) -> None:
    document.Root.AcroForm = Dictionary(Fields=Array())


def _language(document: pikepdf.Pdf) -> None:
    document.Root.Lang = String("de")


def _roles(document: pikepdf.Pdf) -> None:
    document.Root.StructTreeRoot.RoleMap = Dictionary(X=Name.P)


def _untag(document: pikepdf.Pdf) -> None:
    del document.Root.StructTreeRoot


def _inherit(document: pikepdf.Pdf) -> None:
    document.Root.Pages.Rotate = 90


def _claim(document: pikepdf.Pdf) -> None:
    with document.open_metadata() as metadata:
        metadata["pdfaid:part"] = "2"


@pytest.mark.parametrize("change", [_form, _language, _roles, _untag, _inherit, _claim])
def test_what_takes_more_than_text_is_merged_by_objects(
    change: Callable[[pikepdf.Pdf], None],
) -> None:
    sources = changed(tagged_page("A"), change), tagged_page("B")

    assert merge_plain([plain(each) for each in sources]) is None
    assert len(page_texts(run_tool(MergeOptions(), *sources)[0].files[0].content)) == 2


def test_rich_documents_are_not_merged_by_text() -> None:
    document = read_plain_pdf(rich_pdf())

    assert document is None or merge_plain([document, document]) is None


def test_text_that_looks_like_a_stream_does_no_harm() -> None:
    title = "stream\nendstream endobj 7 0 obj"
    sources = _set_title(title)(tagged_page("A")), tagged_page("B")

    content = run_tool(MergeOptions(), *sources)[0].files[0].content

    with opened(content) as document:
        assert str(document.Root.Outlines.First.Title) == title


def test_equal_streams_of_the_documents_are_written_once() -> None:
    sources = [tagged_page("T", paragraphs=n + 3, font_bytes=90_000) for n in range(12)]

    merged = by_text(*sources)

    assert len(merged) < 2 * len(sources[0])
    with pikepdf.open(io.BytesIO(merged)) as document:
        assert not document.check_pdf_syntax()
        streams = {page.Resources.Properties.Own.objgen for page in document.pages}
        contents = {page.Contents.objgen for page in document.pages}
    assert (len(streams), len(contents)) == (1, 12)


def test_thousands_of_equal_streams_take_time_in_proportion() -> None:
    def change(document: pikepdf.Pdf) -> None:
        for _ in range(6_000):
            document.add_blank_page()
            document.pages[-1].obj.Contents = document.make_stream(b"q Q")

    source = plain(changed(tagged_page(), change))
    began = time.process_time()
    merged = merge_plain([source, source])
    taken = time.process_time() - began

    assert merged is not None
    with opened(merged[0]) as document:
        pages = list(document.pages)
        assert len(pages) == 2 * 6_001
        assert len({page.Contents.objgen for page in pages}) == 2
    assert taken < 2
