"""Sources of every kind: odd ones are read, hostile ones are refused in time and memory."""

import io
import resource
import time
import zlib
from collections.abc import Callable
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from chalicelib.contract.options.pdf_tools import ExtractPagesOptions
from chalicelib.core.errors import RenderFailure
from tests.builders.pdfs.changed_pdf import changed
from tests.builders.pdfs.raw_pdf import (
    CATALOG,
    PAGE,
    PAGES,
    SOUND,
    packed_pdf,
    raw_pdf,
    raw_stream,
)
from tests.builders.pdfs.rich_pdf import rich_pdf
from tests.builders.pdfs.tool_runs import page_texts, run_tool

FIRST_PAGE = ExtractPagesOptions(pages="1")
_MAX_SECONDS = 10
_MAX_KILOBYTES = 700_000


def refusal(content: bytes) -> str:
    """Return why the source is refused, which takes neither long nor much memory."""
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    with pytest.raises(RenderFailure) as failure:
        run_tool(FIRST_PAGE, content)
    assert time.process_time() - begin < _MAX_SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < _MAX_KILOBYTES
    assert failure.value.code == "invalid_pdf_source"
    return failure.value.detail


def deep_page_tree(levels: int) -> dict[int, bytes]:
    nodes = {
        number: b"<< /Type /Pages /Count 1 /Kids [%d 0 R] >>" % (number + 1)
        for number in range(2, levels)
    }
    return {1: CATALOG, **nodes, levels: PAGE}


def shared_nodes(levels: int) -> dict[int, bytes]:
    nodes = {
        number: b"<< /Type /Pages /Count 2 /Kids [%d 0 R %d 0 R] >>" % (number + 1, number + 1)
        for number in range(2, levels)
    }
    return {1: CATALOG, **nodes, levels: PAGE}


def bomb(content: bytes, times: int) -> bytes:
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(content) for _ in range(times)) + packer.flush()
    return zlib.compress(packed, 9)


@pytest.mark.parametrize(
    "objects",
    [
        {**SOUND, 2: b"<< /Type /Pages /Count 2 /Kids [3 0 R 2 0 R] >>"},
        {**SOUND, 2: b"2 0 R"},
        {**SOUND, 2: b"3 0 R", 3: b"2 0 R"},
        {**SOUND, 2: b"<< /Type /Pages /Count 1 /Kids [" + b"<<>>" * 600_000 + b"] >>"},
        {**SOUND, 3: b"<< /Type /Page /X " + b"[" * 200_000 + b"]" * 200_000 + b" >>"},
        shared_nodes(40),
        deep_page_tree(50_000),
    ],
    ids=["loop", "itself", "mutual", "no pages", "nested", "shared", "deep"],
)
def test_a_page_tree_that_is_none_is_refused(objects: dict[int, bytes]) -> None:
    assert refusal(raw_pdf(objects)).startswith("/sources/0: ")


def test_an_object_stream_that_swells_is_refused() -> None:
    packed = bomb(b" " * 10_000_000, 60)
    filters = b"/Type /ObjStm /N 1 /First 10 /Filter [/FlateDecode /FlateDecode]"

    assert len(packed) < 10_000
    assert "damaged" in refusal(packed_pdf(raw_stream(packed, filters)))


def test_a_part_of_a_file_is_refused() -> None:
    content = rich_pdf(2)

    assert "damaged" in refusal(content[: len(content) // 20])
    assert "no PDF" in refusal(content[20:])


@pytest.mark.parametrize("count", [b"999999999", b"-5", b"(two)", b"0"])
def test_a_lie_about_the_number_of_pages_does_no_harm(count: bytes) -> None:
    content = raw_pdf({**SOUND, 2: b"<< /Type /Pages /Count " + count + b" /Kids [3 0 R] >>"})

    assert run_tool(FIRST_PAGE, content)[0].files[0].pages == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content.replace(b"\nxref\n", b"\nfool\n"),
        lambda content: content.replace(b"startxref\n", b"startxref\n7"),
        lambda content: content.replace(b"xref\n0 4\n", b"xref\n0 2000000000\n"),
        lambda content: raw_pdf(SOUND, trailer=b"/Prev %d " % content.rindex(b"xref\n0")),
    ],
    ids=["no xref", "wrong place", "huge xref", "loop"],
)
def test_a_broken_cross_reference_is_repaired_with_a_warning(
    damage: Callable[[bytes], bytes],
) -> None:
    content = raw_pdf(SOUND)

    output, warnings = run_tool(FIRST_PAGE, damage(content))

    assert output.files[0].pages == 1
    assert [(each.code, each.detail) for each in warnings] == [("feature_unavailable", "repair")]
    assert run_tool(FIRST_PAGE, content)[1] == []


def test_a_linearised_file_is_read() -> None:
    content = changed(rich_pdf(2), lambda _: None, linearize=True)

    assert page_texts(run_tool(FIRST_PAGE, content)[0].files[0].content) == ["A page 1 of A"]


def test_the_last_incremental_update_counts() -> None:
    content = raw_pdf(SOUND)
    two_pages = PAGES.replace(b"1", b"2", 1).replace(b"3 0 R", b"3 0 R 4 0 R")
    previous = b"/Prev %d " % content.rindex(b"xref\n0")
    updated = raw_pdf({**SOUND, 2: two_pages, 4: PAGE}, previous, before=content)

    assert run_tool(ExtractPagesOptions(pages="1-2"), updated)[0].files[0].pages == 2


def test_a_hybrid_cross_reference_is_read() -> None:
    content = changed(rich_pdf(1), lambda _: None)
    table = int(content.rsplit(b"startxref\n", 1)[1].split()[0])
    stream_at = len(content)
    rows = raw_stream(b"\0" * 6, b"/Type /XRef /Size 1 /W [1 4 1]")
    hybrid = content + b"900 0 obj\n%b\nendobj\n" % rows
    hybrid += b"xref\n0 0\ntrailer\n<< /Size 901 /Root 1 0 R /Prev %d /XRefStm %d >>\n" % (
        table,
        stream_at,
    )
    hybrid += b"startxref\n%d\n%%%%EOF\n" % hybrid.rindex(b"xref\n0 0")

    assert page_texts(run_tool(FIRST_PAGE, hybrid)[0].files[0].content) == ["A page 1 of A"]


def test_a_portfolio_keeps_its_files() -> None:
    def collect(document: pikepdf.Pdf) -> None:
        document.Root.Collection = Dictionary(View=Name.T)

    content = run_tool(FIRST_PAGE, changed(rich_pdf(1), collect))[0].files[0].content

    with pikepdf.open(io.BytesIO(content)) as document:
        assert document.Root.Collection.View == Name.T
        assert list(document.attachments) == ["notes.txt"]


def _next_action(document: pikepdf.Pdf) -> None:
    action = document.make_indirect(Dictionary(S=Name.URI, URI=String("x")))
    action.Next = action
    document.pages[0].Annots[0].A = action


def _structure_loop(document: pikepdf.Pdf) -> None:
    top = document.Root.StructTreeRoot.K[0]
    top.K.append(top)


def _field_loop(document: pikepdf.Pdf) -> None:
    group = document.Root.AcroForm.Fields[0]
    group.Kids.append(group)


def _name_loop(document: pikepdf.Pdf) -> None:
    tree = document.make_indirect(document.Root.Names.Dests)
    tree.Kids = Array([tree])
    document.Root.Names.Dests = tree


def _outline_loop(document: pikepdf.Pdf) -> None:
    document.Root.Outlines.First.First.Next = document.Root.Outlines.First


def _wide_fields(document: pikepdf.Pdf) -> None:
    kids: Any = Array()
    for _ in range(60):
        field = document.make_indirect(Dictionary(T=String("x"), Kids=kids))
        kids = Array([field, field])
    document.Root.AcroForm.Fields = kids


@pytest.mark.parametrize(
    "change",
    [_next_action, _structure_loop, _field_loop, _name_loop, _outline_loop, _wide_fields],
)
def test_loops_of_other_trees_are_refused(change: Callable[[pikepdf.Pdf], None]) -> None:
    assert "damaged" in refusal(changed(rich_pdf(2), change))
