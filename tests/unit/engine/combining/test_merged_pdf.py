"""Merged PDFs of small made-up items, as other libraries read them."""

import io
from collections.abc import Iterator
from typing import Any

import msgspec
import pikepdf
import pypdf
import pytest
from pikepdf import Dictionary, Name

from chalicelib.engine.combining import merged_pdf
from chalicelib.engine.combining.failure import CombineFailure
from chalicelib.engine.combining.merged_pdf import append, finish
from chalicelib.engine.pdf.appending.merge_state import MergeState
from tests.builders.pages.merging import Change, item, merge, opened, tagged


def texts_of(content: bytes) -> list[str]:
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages]


def test_pages_stand_in_the_order_of_the_items() -> None:
    content = merge([item("one", "two"), item("three"), item(*map(str, range(200)))])

    assert texts_of(content) == ["one", "two", "three", *map(str, range(200))]
    assert len(opened(content).pages) == 203


def test_page_tree_has_no_wide_node() -> None:
    document = opened(merge([item(*map(str, range(5000)))]))

    nodes = [document.Root.Pages]
    for node in nodes:
        assert len(node.Kids) <= 64
        nodes += [kid for kid in node.Kids if kid.Type == Name.Pages]
        assert all(kid.Parent.objgen == node.objgen for kid in node.Kids)
    assert len(document.pages) == 5000


def test_same_items_make_the_same_bytes_wherever_they_are_interrupted() -> None:
    items = [item("a", change=tagged("P")), item("b"), item("a", change=tagged("P"))]
    state = MergeState()

    whole = b"".join(append(state, each, f"Item {n + 1}", n) for n, each in enumerate(items))

    assert whole + finish(state, test=False) == merge(items)
    assert whole + finish(state, test=False) == merge(items)


def test_equal_fonts_and_streams_are_written_once() -> None:
    content = merge([item("same"), item("other"), item("same")])

    document = opened(content)
    fonts = {page.Resources.Font.F1.objgen for page in document.pages}
    assert len(fonts) == 1
    assert len({page.Contents.objgen for page in document.pages}) == 2


def test_fonts_that_refer_to_different_streams_are_kept_apart() -> None:
    def with_font(data: bytes) -> Change:
        def change(document: pikepdf.Pdf) -> None:
            document.pages[0].Resources.Font.F1.FontDescriptor = Dictionary(
                FontFile=document.make_stream(data)
            )

        return change

    document = opened(merge([item("a", change=with_font(each)) for each in (b"1", b"2", b"1")]))

    files = [page.Resources.Font.F1.FontDescriptor.FontFile for page in document.pages]
    assert [file.read_bytes() for file in files] == [b"1", b"2", b"1"]
    assert files[0].objgen == files[2].objgen


def test_outline_has_an_entry_for_each_item_and_its_own_below() -> None:
    def change(document: pikepdf.Pdf) -> None:
        with document.open_outline() as outline:
            entry = pikepdf.OutlineItem("Chapter", 1)
            entry.children.append(pikepdf.OutlineItem("Section", 0))
            outline.root.append(entry)

    content = merge([item("a"), item("b", "c", change=change), item("d")])

    reader = pypdf.PdfReader(io.BytesIO(content))
    entries = [
        (entry["/Title"], reader.get_destination_page_number(entry), depth)
        for entry, depth in flat(reader.outline)
    ]
    assert entries == [
        *(("Item 1", 0, 0), ("Item 2", 1, 0)),
        *(("Chapter", 2, 1), ("Section", 1, 2), ("Item 3", 3, 0)),
    ]


def flat(outline: Any, depth: int = 0) -> Iterator[tuple[Any, int]]:
    """Yield the entries of an outline as pypdf reads it, with their depth."""
    for entry in outline:
        if isinstance(entry, list):
            yield from flat(entry, depth + 1)
        else:
            yield entry, depth


@pytest.mark.parametrize("test", [False, True])
def test_metadata_claim_no_conformance_and_have_fixed_dates(*, test: bool) -> None:
    def change(document: pikepdf.Pdf) -> None:
        with document.open_metadata() as metadata:
            metadata["pdfaid:part"] = "3"
        document.docinfo["/Author"] = "Ada"

    document = opened(merge([item("a", change=change)], test=test))

    packet = document.Root.Metadata.read_bytes().decode()
    assert "pdfaid" not in packet
    assert "pdfuaid" not in packet
    assert ("TEST" in packet) is test
    assert document.docinfo.CreationDate == "D:20000101000000+00'00'"
    assert document.docinfo.get("/Keywords") == ("TEST" if test else None)
    assert "/Author" not in document.docinfo
    assert "/ID" in document.trailer


def test_bounds_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merged_pdf, "MAX_MERGED_PAGES", 2)

    merge([item("a"), item("b")])
    with pytest.raises(CombineFailure, match="2 pages") as refused:
        merge([item("a"), item("b", "c")])

    assert refused.value.code == "output_too_large"
    with pytest.raises(CombineFailure, match="2 GB"):
        append(MergeState(size=2_000_000_000), item("a"), "a", 0)


def test_state_of_an_item_is_small() -> None:
    state = MergeState()
    sizes = []
    for index in range(300):
        append(state, item(str(index), change=tagged("P")), str(index), index)
        sizes.append(len(msgspec.msgpack.encode(state)))

    assert (sizes[-1] - sizes[99]) / 200 < 200
