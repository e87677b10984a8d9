"""Tool `merge`: everything of all sources stays, and equal names are kept apart."""

import io

import pikepdf
import pypdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from chalicelib.contract.options.pdf_tools import MergeOptions
from chalicelib.core.errors import RenderFailure
from tests.builders.pdfs.changed_pdf import changed
from tests.builders.pdfs.rich_pdf import rich_pdf
from tests.builders.pdfs.tool_runs import (
    layout_texts,
    opened,
    outline_titles,
    page_texts,
    run_tool,
    structure_lines,
)


def merged(*contents: bytes) -> bytes:
    (file,) = run_tool(MergeOptions(), *contents)[0].files
    assert file.pages == len(pypdf.PdfReader(io.BytesIO(file.content)).pages)
    return file.content


def plain_pdf(*texts: str) -> bytes:
    with pikepdf.new() as document:
        for text in texts:
            page = document.add_blank_page(page_size=(300, 200))
            page.Contents = document.make_stream(f"BT /F1 9 Tf 20 120 Td ({text}) Tj ET".encode())
            font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
            page.Resources = Dictionary(Font=Dictionary(F1=font))
        saved = io.BytesIO()
        document.save(saved)
    return saved.getvalue()


def test_pages_follow_each_other_in_the_order_of_the_sources() -> None:
    content = merged(rich_pdf(2, "A"), plain_pdf("x", "y"), rich_pdf(1, "B"))

    expected = ["A page 1 of A", "A page 2 of A", "x", "y", "B page 1 of B"]
    assert page_texts(content) == expected
    assert layout_texts(pypdf.PdfReader(io.BytesIO(content))) == expected


def test_outlines_are_joined_as_they_are() -> None:
    first, second = rich_pdf(2, "A"), rich_pdf(1, "B")

    assert outline_titles(merged(first, second)) == outline_titles(first) + outline_titles(second)
    assert outline_titles(merged(plain_pdf("x"), second)) == outline_titles(second)


def test_entries_and_links_lead_to_the_pages_of_their_own_document() -> None:
    content = merged(rich_pdf(2, "A"), rich_pdf(3, "B"))

    with opened(content) as document:
        pages = document.pages
        entry = document.Root.Outlines.Last.First
        assert entry.Dest[0] == pages[2].obj
        assert pages[3].Annots[1].A.D[0] == pages[2].obj
        names = document.Root.Names.Dests.Names
        targets = dict(zip(map(str, names[::2]), (each[0] for each in names[1::2]), strict=True))
        assert targets[str(pages[2].Annots[0].Dest)] == pages[3].obj
        assert targets[str(entry.First.Dest)] == pages[2].obj
        assert targets["p2"] == pages[1].obj


def test_equal_names_of_destinations_fields_and_files_get_a_number() -> None:
    content = merged(rich_pdf(1, "A"), rich_pdf(1, "B"), rich_pdf(1, "C"))

    reader = pypdf.PdfReader(io.BytesIO(content))
    fields = reader.get_fields() or {}
    assert {name: field.value for name, field in fields.items() if "." in name} == {
        "group.f1": "value A1",
        "group-2.f1": "value B1",
        "group-3.f1": "value C1",
    }
    assert {name: files[0] for name, files in reader.attachments.items()} == {
        "notes.txt": b"notes of A",
        "notes-2.txt": b"notes of B",
        "notes-3.txt": b"notes of C",
    }
    with opened(content) as document:
        names = [str(name) for name in document.Root.Names.Dests.Names[::2]]
        assert names == sorted(["p1", "p1-2", "p1-3", "old1", "old1-2", "old1-3"])
        assert [field.T for field in document.Root.AcroForm.CO] == ["f1", "f1", "f1"]


def test_names_that_differ_stay() -> None:
    def rename(document: pikepdf.Pdf) -> None:
        document.Root.AcroForm.Fields[0].T = String("other")

    content = merged(rich_pdf(1, "A"), changed(rich_pdf(1, "B"), rename))

    assert sorted(pypdf.PdfReader(io.BytesIO(content)).get_fields() or {}) == [
        *("group", "group.f1", "other", "other.f1")
    ]


def test_actions_follow_the_fields_that_they_name() -> None:
    def add_reset(document: pikepdf.Pdf) -> None:
        document.pages[0].Annots[1].A = Dictionary(
            S=Name.ResetForm, Fields=Array([String("group.f1")])
        )

    content = merged(rich_pdf(1, "A"), changed(rich_pdf(1, "B"), add_reset))

    with opened(content) as document:
        assert document.pages[1].Annots[1].A.Fields[0] == String("group-2.f1")


def test_structure_trees_are_joined_with_one_parent_tree() -> None:
    content = merged(rich_pdf(1, "A"), rich_pdf(2, "B"))

    lines = structure_lines(content)
    assert [line for line in lines if "page" not in line] == [
        *("Document", "- P", "- Heading", "- Link"),
        *("Document", "- P", "- Heading", "- Link", "- Heading", "- Link"),
    ]
    assert [line for line in lines if line.endswith("content 0")] == [
        f"-- page {n} content 0" for n in (1, 2, 3)
    ]
    with opened(content) as document:
        tree = document.Root.StructTreeRoot
        numbers = tree.ParentTree.Nums
        parents = dict(zip(map(int, numbers[::2]), numbers[1::2], strict=True))
        assert list(parents) == [0, 1, 2, 3, 4, 5]
        for page in document.pages:
            heading, _ = parents[int(page.StructParents)]
            assert heading.Pg == page.obj
            assert parents[int(page.Annots[0].StructParent)].K[0].Obj == page.Annots[0]
        assert all(tree == element.P for element in tree.K)
        assert document.Root.MarkInfo.Marked


def test_equal_ids_of_elements_and_types_of_another_role_are_kept_apart() -> None:
    def change(document: pikepdf.Pdf) -> None:
        document.Root.StructTreeRoot.RoleMap.Heading = Name.H2
        cell = document.Root.StructTreeRoot.K[0].K[1]
        cell.A = Dictionary(O=Name.Table, Headers=Array([String("h1")]))

    content = merged(rich_pdf(1, "A"), changed(rich_pdf(1, "B"), change))

    with opened(content) as document:
        tree = document.Root.StructTreeRoot
        heading = tree.K[1].K[1]
        assert heading.ID == heading.A.Headers[0] == String("h1-2")
        assert [str(key) for key in tree.IDTree.Names[::2]] == ["h1", "h1-2"]
        assert tree.IDTree.Names[3] == heading
        assert tree.RoleMap[str(heading.S)] == Name.H2
        assert tree.RoleMap[str(tree.K[0].K[1].S)] == Name.H1


def test_language_is_that_of_the_first_and_others_stay_on_their_elements() -> None:
    content = merged(rich_pdf(1, "A"), rich_pdf(1, "B", language="de"), rich_pdf(1, "C"))

    with opened(content) as document:
        assert document.Root.Lang == "en"
        languages = [element.get("/Lang") for element in document.Root.StructTreeRoot.K]
        assert languages == [None, String("de"), None]


def test_a_merge_with_an_untagged_document_is_not_marked_as_tagged() -> None:
    content = merged(rich_pdf(1, "A"), plain_pdf("x"))

    with opened(content) as document:
        assert not document.Root.MarkInfo.Marked
        assert len(document.Root.StructTreeRoot.K) == 1


def test_tags_of_a_second_document_stay_after_an_untagged_first() -> None:
    content = merged(plain_pdf("x"), rich_pdf(1, "A"))

    assert structure_lines(content)[:3] == ["Document", "- P", "-- page 2 content 1"]


def test_page_labels_follow_their_pages() -> None:
    content = merged(rich_pdf(3, "A"), plain_pdf("x", "y"), rich_pdf(1, "B"))

    labels = pypdf.PdfReader(io.BytesIO(content)).page_labels
    assert labels == ["i", "ii", "3", "1", "2", "i"]
    with opened(merged(plain_pdf("x"), plain_pdf("y"))) as document:
        assert "/PageLabels" not in document.Root


def test_layers_stay_hidden() -> None:
    content = merged(rich_pdf(1, "A"), rich_pdf(1, "B"))

    with opened(content) as document:
        layers = document.Root.OCProperties
        names = [[str(each.Name) for each in each] for each in (layers.OCGs, layers.D.OFF)]
        assert names == [["Layer A", "Layer B"]] * 2


def test_metadata_are_those_of_the_first_without_claims_of_conformance() -> None:
    def claim(document: pikepdf.Pdf) -> None:
        with document.open_metadata() as metadata:
            metadata["pdfaid:part"] = "2"

    content = merged(changed(rich_pdf(1, "A"), claim), rich_pdf(1, "B"))

    with opened(content) as document:
        metadata = document.open_metadata()
        assert metadata["dc:title"] == document.docinfo["/Title"] == "Title A"
        assert "pdfaid:part" not in metadata


def test_a_source_may_come_twice() -> None:
    source = rich_pdf(2, "A")

    assert page_texts(merged(source, source)) == ["A page 1 of A", "A page 2 of A"] * 2


def test_more_pages_than_allowed_are_refused_before_the_merge() -> None:
    with pytest.raises(RenderFailure) as failure:
        run_tool(MergeOptions(), rich_pdf(2), rich_pdf(2), max_pages=3)

    assert failure.value.code == "page_limit_exceeded"
    assert "4 pages" in failure.value.detail


def test_the_same_sources_give_the_same_bytes() -> None:
    sources = rich_pdf(2, "A"), rich_pdf(2, "B")

    assert merged(*sources) == merged(*sources)


def test_each_page_of_a_test_file_is_marked() -> None:
    output, _ = run_tool(MergeOptions(), rich_pdf(1), plain_pdf("x"), test=True)

    with opened(output.files[0].content) as document:
        assert all("/PlatenTest" in page.Resources.ExtGState for page in document.pages)


def test_the_source_that_is_damaged_is_named() -> None:
    def loop(document: pikepdf.Pdf) -> None:
        document.Root.Outlines.First.Next = document.Root.Outlines.First

    with pytest.raises(RenderFailure) as failure:
        run_tool(MergeOptions(), rich_pdf(1), changed(rich_pdf(1), loop), rich_pdf(1))

    assert failure.value.code == "invalid_pdf_source"
    assert failure.value.detail.startswith("/sources/1: ")


def test_a_chain_of_objects_is_refused_before_it_ends_the_process() -> None:
    def chain(document: pikepdf.Pdf) -> None:
        link = document.make_indirect(Dictionary())
        for _ in range(60_000):
            link = document.make_indirect(Dictionary(Next=link))
        document.pages[0].obj.Chain = link

    with pytest.raises(RenderFailure) as failure:
        run_tool(MergeOptions(), rich_pdf(1), changed(rich_pdf(1), chain))

    assert failure.value.code == "invalid_pdf_source"


def test_a_long_outline_is_copied() -> None:
    def lengthen(document: pikepdf.Pdf) -> None:
        with document.open_outline() as outline:
            outline.root[:] = [pikepdf.OutlineItem(f"Item {n}", 0) for n in range(5_000)]

    content = merged(rich_pdf(1), changed(rich_pdf(1), lengthen))

    with opened(content) as document:
        assert document.Root.Outlines.Last.Title == "Item 4999"
