"""Tools `split`, `extract-pages`, `delete-pages` and `reorder`: what goes with its pages."""

import io
import time
from typing import Any

import pikepdf
import pypdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from chalicelib.contract.options.pdf_tools import (
    DeletePagesOptions,
    ExtractPagesOptions,
    ReorderOptions,
    SplitOptions,
    ToolOptions,
)
from chalicelib.core.errors import FieldError, RenderFailure
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


def only_file(options: ToolOptions, content: bytes) -> bytes:
    (file,) = run_tool(options, content)[0].files
    return file.content


def refused(options: ToolOptions, content: bytes) -> FieldError:
    with pytest.raises(RenderFailure) as failure:
        run_tool(options, content)
    assert failure.value.code == "validation_error"
    (error,) = failure.value.errors
    return error


def test_extracted_pages_take_what_belongs_to_them() -> None:
    extracted = only_file(ExtractPagesOptions(pages="4,2"), rich_pdf(6))

    reader = pypdf.PdfReader(io.BytesIO(extracted))
    assert page_texts(extracted) == layout_texts(reader) == ["A page 2 of A", "A page 4 of A"]
    assert reader.page_labels == ["ii", "4"]
    assert outline_titles(extracted) == ["A", "- A 2", "-- A 2 named", "- A 4", "-- A 4 named"]
    assert list(reader.named_destinations) == ["/old2", "/old4"]
    assert sorted(reader.get_fields() or {}) == ["group", "group.f2", "group.f4"]
    assert list(reader.attachments) == ["notes.txt"]
    assert reader.metadata is not None
    assert reader.metadata.title == "Title A"
    with opened(extracted) as document:
        assert document.Root.Lang == "en"
        assert [str(key) for key in document.Root.Names.Dests.Names[::2]] == ["p2", "p4"]
        assert [str(layer.Name) for layer in document.Root.OCProperties.OCGs] == ["Layer A"]
        assert document.open_metadata()["dc:title"] == "Title A"


def test_structure_of_gone_pages_leaves_with_its_parent_tree() -> None:
    extracted = only_file(ExtractPagesOptions(pages="2-3"), rich_pdf(6))

    assert structure_lines(extracted) == [
        *("Document", "- P", "-- page 1 content 1", "-- page 2 content 1"),
        *("- Heading", "-- page 1 content 0", "- Link", "-- page 1 annotation"),
        *("- Heading", "-- page 2 content 0", "- Link", "-- page 2 annotation"),
    ]
    with opened(extracted) as document:
        tree = document.Root.StructTreeRoot
        numbers = tree.ParentTree.Nums
        assert [int(key) for key in numbers[::2]] == [2, 3, 4, 5]
        assert [element.S for element in numbers[1]] == [Name.Heading, Name.P]
        assert numbers[3].K[0].Obj == document.pages[0].Annots[0]
        assert [str(key) for key in tree.IDTree.Names[::2]] == ["h2", "h3"]
        assert tree.RoleMap.Heading == Name.H1


def test_links_to_gone_pages_lose_their_destination() -> None:
    extracted = only_file(ExtractPagesOptions(pages="2-3"), rich_pdf(6))

    with opened(extracted) as document:
        first, second = document.pages
        assert first.Annots[0].Dest == String("p3")
        assert "/Dest" not in second.Annots[0]
        assert "/A" not in first.Annots[1]
        assert second.Annots[1].Subtype == Name.Link


def test_no_byte_of_gone_pages_stays() -> None:
    whole = rich_pdf(20)

    extracted = only_file(ExtractPagesOptions(pages="7"), whole)

    assert len(extracted) < len(whole) / 10
    with opened(extracted) as document:
        pages = [each for each in document.objects if _is_page(each)]
        assert len(pages) == 1


def _is_page(each: Any) -> bool:
    return isinstance(each, Dictionary) and each.get("/Type") == Name.Page


def test_deleted_pages_are_gone() -> None:
    remaining = only_file(DeletePagesOptions(pages="1,3-4"), rich_pdf(5))

    assert page_texts(remaining) == ["A page 2 of A", "A page 5 of A"]
    assert pypdf.PdfReader(io.BytesIO(remaining)).page_labels == ["ii", "5"]


def test_deleting_all_pages_is_refused() -> None:
    error = refused(DeletePagesOptions(pages="1-3"), rich_pdf(3))

    assert error == ("/pages", "not_allowed", "names all 3 pages; one must remain")


@pytest.mark.parametrize("options", [DeletePagesOptions(pages="4"), ExtractPagesOptions(pages="4")])
def test_a_page_that_does_not_exist_is_refused(options: ToolOptions) -> None:
    error = refused(options, rich_pdf(3))

    assert error == ("/pages", "out_of_range", "names page 4; the document has 3 pages")


def test_entries_below_a_gone_one_move_up() -> None:
    def nest(document: pikepdf.Pdf) -> None:
        with document.open_outline() as outline:
            first, second, third = (pikepdf.OutlineItem(f"to {n}", n - 1, "Fit") for n in (1, 2, 3))
            empty = pikepdf.OutlineItem("heading of nothing")
            empty.children.append(pikepdf.OutlineItem("to 4", 3, "Fit"))
            second.children.append(third)
            outline.root[:] = [first, second, empty, pikepdf.OutlineItem("alone")]

    remaining = only_file(DeletePagesOptions(pages="2,4"), changed(rich_pdf(4), nest))

    assert outline_titles(remaining) == ["to 1", "to 3", "alone"]


def test_reordered_pages_keep_all_that_they_had() -> None:
    whole = rich_pdf(4)

    reordered = only_file(ReorderOptions(order=(3, 1, 4, 2)), whole)

    assert page_texts(reordered) == [f"A page {n} of A" for n in (3, 1, 4, 2)]
    reader = pypdf.PdfReader(io.BytesIO(reordered))
    assert reader.page_labels == ["3", "i", "4", "ii"]
    assert outline_titles(reordered) == outline_titles(whole)
    assert sorted(reader.get_fields() or {}) == ["group", *(f"group.f{n}" for n in (1, 2, 3, 4))]
    with opened(reordered) as document:
        assert document.pages[0].Annots[1].A.D[0] == document.pages[1].obj
        assert len(document.Root.StructTreeRoot.ParentTree.Nums) == 16


@pytest.mark.parametrize(
    ("order", "code", "message"),
    [
        ((1, 2), "required", "does not name page 3"),
        ((1, 3, 3), "repeated", "names page 3 twice"),
        ((1, 4, 4), "out_of_range", "names page 4; the document has 3 pages"),
        ((0, 1, 2), "out_of_range", "names page 0; the document has 3 pages"),
        ((1, 2, 3, 1), "repeated", "names page 1 twice"),
    ],
)
def test_an_order_is_refused_at_its_first_fault(
    order: tuple[int, ...], code: str, message: str
) -> None:
    assert refused(ReorderOptions(order=order), rich_pdf(3)) == ("/order", code, message)


def test_each_range_becomes_a_file_with_its_number() -> None:
    output, _ = run_tool(SplitOptions(ranges=("1-2", "2,4", "3")), rich_pdf(4))

    assert [(file.part, file.pages) for file in output.files] == [(1, 2), (2, 2), (3, 1)]
    first, second, third = (file.content for file in output.files)
    assert page_texts(first) == ["A page 1 of A", "A page 2 of A"]
    assert page_texts(second) == ["A page 2 of A", "A page 4 of A"]
    assert outline_titles(third) == ["A", "- A 3", "-- A 3 named"]
    with opened(first) as document, opened(second) as other:
        # The link of page 1 leads to page 2; that of page 2 to page 3, which no range has with it.
        assert document.pages[0].Annots[0].Dest == String("p2")
        assert "/Dest" not in document.pages[1].Annots[0]
        assert document.pages[1].Annots[1].A.D[0] == document.pages[0].obj
        assert "/A" not in other.pages[0].Annots[1]


def test_embedded_files_of_the_document_go_into_the_first_file() -> None:
    output, _ = run_tool(SplitOptions(), rich_pdf(3))

    readers = [pypdf.PdfReader(io.BytesIO(file.content)) for file in output.files]
    assert [list(reader.attachments) for reader in readers] == [["notes.txt"], [], []]


def test_a_range_with_a_page_that_does_not_exist_is_named() -> None:
    error = refused(SplitOptions(ranges=("1", "2-4")), rich_pdf(3))

    assert error == ("/ranges/1", "out_of_range", "names page 4; the document has 3 pages")


def test_more_than_500_pages_are_split_by_ranges_only() -> None:
    with pikepdf.new() as document:
        for _ in range(501):
            document.add_blank_page()
        saved = io.BytesIO()
        document.save(saved)

    error = refused(SplitOptions(), saved.getvalue())

    assert error.path == "/ranges"
    assert run_tool(SplitOptions(ranges=("1-501",)), saved.getvalue())[0].files[0].pages == 501


def test_splitting_takes_time_by_the_page() -> None:
    durations, sizes = [], []
    for content in (rich_pdf(25), rich_pdf(250)):
        begin = time.process_time()
        output, _ = run_tool(SplitOptions(), content)
        durations.append(time.process_time() - begin)
        sizes.append(sum(len(file.content) for file in output.files) / len(content))

    assert durations[1] < 40 * durations[0]
    assert max(sizes) < 1.5


def test_the_same_source_gives_the_same_bytes() -> None:
    options, source = SplitOptions(ranges=("1-2", "3")), rich_pdf(3)

    first, second = (run_tool(options, source)[0].files for _ in range(2))

    assert [file.content for file in first] == [file.content for file in second]


def test_a_test_file_is_marked_on_each_page() -> None:
    output, _ = run_tool(SplitOptions(), rich_pdf(2), test=True)

    for file in output.files:
        with opened(file.content) as document:
            assert "/PlatenTest" in document.pages[0].Resources.ExtGState


def test_an_xfa_form_leaves_with_a_warning() -> None:
    def add_xfa(document: pikepdf.Pdf) -> None:
        document.Root.AcroForm.XFA = document.make_stream(b"<xdp/>")

    output, warnings = run_tool(ExtractPagesOptions(pages="1"), changed(rich_pdf(2), add_xfa))

    assert [(each.code, each.detail) for each in warnings] == [("feature_unavailable", "xfa")]
    with opened(output.files[0].content) as document:
        assert "/XFA" not in document.Root.AcroForm
        assert len(document.Root.AcroForm.Fields) == 1


def test_inherited_attributes_stay_with_their_pages() -> None:
    def inherit(document: pikepdf.Pdf) -> None:
        pages = document.Root.Pages
        pages.MediaBox = Array([0, 0, 111, 222])
        pages.Rotate = 90
        for page in document.pages:
            del page.obj.MediaBox

    extracted = only_file(ExtractPagesOptions(pages="2"), changed(rich_pdf(3), inherit))

    (page,) = pypdf.PdfReader(io.BytesIO(extracted)).pages
    assert page.mediabox[2:] == [111, 222]
    assert page.rotation == 90


def test_a_document_opens_where_it_did_unless_that_page_is_gone() -> None:
    def open_at_2(document: pikepdf.Pdf) -> None:
        document.Root.OpenAction = Array([document.pages[1].obj, Name.Fit])

    source = changed(rich_pdf(3), open_at_2)

    with opened(only_file(ExtractPagesOptions(pages="2"), source)) as document:
        assert document.Root.OpenAction[0] == document.pages[0].obj
    with opened(only_file(ExtractPagesOptions(pages="1"), source)) as document:
        assert "/OpenAction" not in document.Root
