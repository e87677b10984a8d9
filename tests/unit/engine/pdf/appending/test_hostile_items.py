"""Damaged and hostile items: they are merged, or refused in time."""

import io
import time
from collections.abc import Callable
from contextlib import suppress

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from chalicelib.engine.combining.failure import CombineFailure
from chalicelib.engine.combining.merged_pdf import append, finish
from chalicelib.engine.pdf.appending.merge_state import MergeState

type Change = Callable[[pikepdf.Pdf], object]


def changed(change: Change, pages: int = 2) -> bytes:
    with pikepdf.new() as document:
        for _ in range(pages):
            document.add_blank_page()
        change(document)
        saved = io.BytesIO()
        document.save(saved)
    return saved.getvalue()


def merge(content: bytes) -> pikepdf.Pdf:
    state, started = MergeState(), time.process_time()
    merged = append(state, content, "a", 0) + finish(state, test=False)
    assert time.process_time() - started < 10
    document = pikepdf.open(io.BytesIO(merged))
    assert document.check_pdf_syntax() == []
    return document


def cyclic_pages(document: pikepdf.Pdf) -> None:
    document.Root.Pages.Kids.append(document.Root.Pages)


def pages_that_fan_out(document: pikepdf.Pdf) -> None:
    node = document.Root.Pages
    for _ in range(40):
        node = document.make_indirect(Dictionary(Type=Name.Pages, Kids=Array([node, node])))
    document.Root.Pages = node


def cyclic_outline(document: pikepdf.Pdf) -> None:
    item = document.make_indirect(Dictionary(Title="a"))
    item.Next = item
    document.Root.Outlines = document.make_indirect(Dictionary(First=item, Last=item))


def outline_below_itself(document: pikepdf.Pdf) -> None:
    item = document.make_indirect(Dictionary(Title="a"))
    item.First = item
    document.Root.Outlines = document.make_indirect(Dictionary(First=item, Last=item))


def cyclic_parent_tree(document: pikepdf.Pdf) -> None:
    tree = document.make_indirect(Dictionary())
    tree.Kids = Array([tree])
    element = document.make_indirect(Dictionary(S=Name.Document))
    document.Root.StructTreeRoot = Dictionary(K=element, ParentTree=tree)


def cyclic_names(document: pikepdf.Pdf) -> None:
    tree = document.make_indirect(Dictionary())
    tree.Kids = Array([tree])
    document.Root.Names = Dictionary(Dests=tree)


def endless_actions(document: pikepdf.Pdf) -> None:
    action = document.make_indirect(Dictionary(S=Name.GoTo, D=String("a")))
    action.Next = Array([action, action])
    document.pages[0].Annots = Array([Dictionary(A=action)])


@pytest.mark.parametrize(
    "change",
    [
        pages_that_fan_out,
        *(
            cyclic_pages,
            cyclic_outline,
            outline_below_itself,
            cyclic_parent_tree,
            cyclic_names,
        ),
    ],
)
def test_cycles_are_refused(change: Change) -> None:
    with pytest.raises(CombineFailure, match="item 0") as refused:
        merge(changed(change))

    assert refused.value.code == "render_failed"


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7", b"<html>", changed(lambda _: None, pages=0)])
def test_what_has_no_pages_is_refused(content: bytes) -> None:
    with pytest.raises(CombineFailure):
        merge(content)


def test_actions_that_follow_themselves_are_renamed_once() -> None:
    document = merge(changed(endless_actions))

    action = document.pages[0].Annots[0].A
    assert bytes(action.D) == bytes(action.Next[0].D) == b"0-a"


def test_long_names_are_merged() -> None:
    name = b"a" * 70_000

    def change(document: pikepdf.Pdf) -> None:
        page = document.pages[1].obj
        document.Root.Dests = pikepdf.Object.parse(b"<< /%b [] >>" % name)
        document.Root.Dests["/" + name.decode()].append(page)
        document.pages[0].Annots = Array([Dictionary(Dest=Name("/" + name.decode()))])

    document = merge(changed(change))

    names = pikepdf.NameTree(document.Root.Names.Dests)
    assert names[str(document.pages[0].Annots[0].Dest)][0].objgen == document.pages[1].obj.objgen


def test_item_without_its_end_is_repaired() -> None:
    content = changed(lambda _: None)

    assert len(merge(content[: content.rindex(b"xref")]).pages) == 2


def test_cyclic_structure_is_copied_once() -> None:
    def change(document: pikepdf.Pdf) -> None:
        element = document.make_indirect(Dictionary(S=Name.Document))
        element.K = Array([element])
        document.Root.StructTreeRoot = document.make_indirect(Dictionary(K=element))

    document = merge(changed(change))

    (element,) = document.Root.StructTreeRoot.K
    assert element.K[0].objgen == element.objgen


def test_inherited_attributes_reach_the_page() -> None:
    def change(document: pikepdf.Pdf) -> None:
        pages = document.Root.Pages
        inner = document.make_indirect(Dictionary(Type=Name.Pages, Parent=pages, Count=2))
        inner.Kids, inner.Rotate = pages.Kids, 90
        pages.Kids = Array([inner])
        pages.MediaBox = Array([0, 0, 10, 20])
        pages.Rotate = 180
        pages.Resources = Dictionary(ExtGState=Dictionary())
        for page in inner.Kids:
            page.Parent = inner
            del page.MediaBox, page.Resources

    for page in merge(changed(change)).pages:
        assert [*page.mediabox] == [0, 0, 10, 20]
        assert page.obj.Rotate == 90
        assert "/ExtGState" in page.obj.Resources


def test_bare_page_gets_what_a_page_needs() -> None:
    def change(document: pikepdf.Pdf) -> None:
        for page in document.Root.Pages.Kids:
            del page.MediaBox, page.Resources, page.Type

    for page in merge(changed(change)).pages:
        assert [*page.mediabox] == [0, 0, 612, 792]
        assert page.obj.Type == Name.Page
        assert page.obj.Resources == Dictionary()


def test_cycle_above_a_page_ends() -> None:
    def change(document: pikepdf.Pdf) -> None:
        pages = document.Root.Pages
        pages.Parent = pages

    assert len(merge(changed(change)).pages) == 2


def test_cyclic_resources_are_not_shared() -> None:
    def change(document: pikepdf.Pdf) -> None:
        form = document.make_stream(b"/X Do")
        form.Subtype = Name.Form
        form.Resources = Dictionary(XObject=Dictionary(X=form))
        document.pages[0].obj.Resources = Dictionary(XObject=Dictionary(X=form))

    document = merge(changed(change))

    form = document.pages[0].obj.Resources.XObject.X
    assert form.Resources.XObject.X.objgen == form.objgen


def test_keys_of_the_parent_tree_may_be_any() -> None:
    def change(document: pikepdf.Pdf) -> None:
        element = document.make_indirect(Dictionary(S=Name.Document))
        keys = [2**31 - 1, -5, 3]
        tree = Dictionary(Nums=Array([part for key in keys for part in (key, element)]))
        document.Root.StructTreeRoot = document.make_indirect(
            Dictionary(K=element, ParentTree=tree)
        )
        document.pages[0].StructParents = 2**31 - 1
        document.pages[1].StructParents = 77

    document = merge(changed(change))

    assert [page.obj.StructParents for page in document.pages] == [2, 3]
    assert document.Root.StructTreeRoot.ParentTreeNextKey == 4


@pytest.mark.parametrize(
    "place",
    ["Outlines", "StructTreeRoot", "Names", "Dests", "AcroForm", "OCProperties", "Lang", "AF"],
)
def test_wrong_types_in_the_catalog_are_merged_or_refused(place: str) -> None:
    values = (7, Name.X, String("x"), Array([7]), Dictionary(K=7, Fields=7, Dests=7))
    for value in values:

        def change(document: pikepdf.Pdf) -> None:
            document.Root[f"/{place}"] = value  # noqa: B023 -- called at once

        with suppress(CombineFailure):
            merge(changed(change))


def test_title_of_digits_takes_time_in_proportion() -> None:
    def change(document: pikepdf.Pdf) -> None:
        document.pages[0].obj.PieceInfo = document.make_indirect(
            Dictionary(Title=String("1" * 300_000))
        )

    assert len(merge(changed(change)).pages) == 2


def test_many_objects_take_time_in_proportion() -> None:
    def chain(length: int) -> Change:
        def change(document: pikepdf.Pdf) -> None:
            last = document.make_indirect(Dictionary())
            for _ in range(length):
                last = document.make_indirect(Dictionary(Next=last))
            document.pages[0].obj.PieceInfo = last

        return change

    assert len(merge(changed(chain(20_000))).pages) == 2
