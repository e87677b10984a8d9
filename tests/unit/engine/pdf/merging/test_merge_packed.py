"""Merge by text of files with object streams: taken only if their table has just their objects."""

import io
import re
import zlib
from collections.abc import Callable

import pikepdf
import pypdf
import pytest

from chalicelib.contract.options.pdf_tools import MergeOptions
from chalicelib.engine.pdf.merging.merge_plain import merge_plain
from chalicelib.engine.pdf.text import packed_objects
from chalicelib.engine.pdf.text.cross_reference_table import cross_reference_table
from chalicelib.engine.pdf.text.pack_pdf import pack_objects
from chalicelib.engine.pdf.text.plain_pdf import read_plain_pdf
from tests.builders.pdfs.changed_pdf import changed
from tests.builders.pdfs.tagged_page import tagged_page
from tests.builders.pdfs.tool_runs import outline_titles, page_texts, run_tool, structure_lines

_OBJECT_STREAM = re.compile(
    rb"(/N [0-9]+ /First [0-9]+ /Filter /FlateDecode /Length )([0-9]+)(>> stream\n)"
)
_ROWS = re.compile(rb"(/Columns 6>> /Filter /FlateDecode /Length )([0-9]+)(>> stream\n)")


def packed_by_us(content: bytes) -> bytes:
    return pack_objects(content, cross_reference_table(content))


def packed_by_qpdf(content: bytes) -> bytes:
    generate = pikepdf.ObjectStreamMode.generate
    return changed(content, lambda _: None, object_stream_mode=generate)


@pytest.mark.parametrize("pack", [packed_by_us, packed_by_qpdf])
@pytest.mark.parametrize("paragraphs", [3, 250])
def test_packed_files_are_merged_by_text_like_others(
    pack: Callable[[bytes], bytes], paragraphs: int
) -> None:
    sources = [tagged_page(name, paragraphs=paragraphs) for name in "ABC"]
    documents = [read_plain_pdf(pack(each)) for each in sources]

    merged = merge_plain([each for each in documents if each is not None])

    assert merged is not None
    assert merged[1] == 3
    plain = run_tool(MergeOptions(), *sources)[0].files[0].content
    mixed = run_tool(MergeOptions(), sources[0], *map(pack, sources[1:]))[0].files[0].content
    for content in (merged[0], mixed):
        assert page_texts(content) == page_texts(plain)
        assert outline_titles(content) == outline_titles(plain)
        assert structure_lines(content) == structure_lines(plain)
        assert len(pypdf.PdfReader(io.BytesIO(content)).pages) == 3


def test_what_was_merged_is_merged_again_by_text() -> None:
    sources = [tagged_page(name) for name in "ABCD"]
    halves = [
        run_tool(MergeOptions(), *half)[0].files[0].content for half in (sources[:2], sources[2:])
    ]

    again = run_tool(MergeOptions(), *halves)[0].files[0].content

    assert page_texts(again) == page_texts(run_tool(MergeOptions(), *sources)[0].files[0].content)


def _change_stream(
    form: re.Pattern[bytes], change: Callable[[bytes], bytes]
) -> Callable[[bytes], bytes]:
    """Return a change of the content of a packed stream, whose length is kept true."""

    def change_content(content: bytes) -> bytes:
        found = form.search(content)
        assert found is not None
        end = found.end() + int(found[2])
        new = zlib.compress(change(zlib.decompress(content[found.end() : end])), 9)
        head = found[1] + b"%d" % len(new)
        # Padded to the length before: the places of what follows stay true. Nothing follows rows.
        head = head.ljust(int(found[2]) - len(new) + len(found[1] + found[2]))
        return content[: found.start()] + head + found[3] + new + content[end:]

    return change_content


def _replace(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def replace(content: bytes) -> bytes:
        assert old in content
        return content.replace(old, new, 1)

    return replace


def _change_byte(place: int) -> Callable[[bytes], bytes]:
    return lambda rows: rows[:place] + bytes([rows[place] ^ 1]) + rows[place + 1 :]


@pytest.mark.parametrize("form", [_ROWS, _OBJECT_STREAM])
def test_a_change_that_changes_nothing_leaves_the_file_plain(form: re.Pattern[bytes]) -> None:
    content = packed_by_us(tagged_page(paragraphs=150))

    assert read_plain_pdf(_change_stream(form, lambda same: same)(content)) is not None


@pytest.mark.parametrize(
    "change",
    [
        # An entry that the objects do not have: shadowed, moved, or free.
        _change_stream(_ROWS, _change_byte(7 * 8 + 1)),
        _change_stream(_ROWS, _change_byte(7 * 8 + 5)),
        _change_stream(_ROWS, lambda rows: rows[:-7]),
        _change_stream(_ROWS, lambda rows: rows + rows[-7:]),
        _replace(b"/Predictor 12", b"/Predictor 10"),
        _replace(b"/W [1 4 1]", b"/W [1 4 2]"),
        _replace(b"/Type /XRef /Size ", b"/Prev 9 /Type /XRef /Size "),
        _replace(b"/N 1", b"/N 2"),
        _replace(b"/Type /ObjStm /N", b"/Extends 5 0 R /Type /ObjStm /N"),
        _change_stream(_OBJECT_STREAM, _replace(b"/Type /Catalog", b"stream 1234567")),
        _change_stream(_OBJECT_STREAM, _replace(b" ", b" 7 ")),
        _change_stream(_OBJECT_STREAM, _replace(b"1 0 2 ", b"1 0 1 ")),
        _change_stream(_OBJECT_STREAM, _replace(b"1 0 2 ", b"1 7 2 ")),
        _change_stream(_OBJECT_STREAM, _replace(b"/Type", b"\xff\x00\xfe\x00\xfd")),
        _change_stream(_OBJECT_STREAM, lambda content: content[: len(content) // 9]),
        lambda content: content.replace(b"stream\nx", b"stream\ny"),
    ],
)
def test_what_is_not_clearly_packed_is_left_to_qpdf(change: Callable[[bytes], bytes]) -> None:
    content = packed_by_us(tagged_page(paragraphs=150))

    assert read_plain_pdf(change(content)) is None


def test_a_stream_that_swells_is_left_to_qpdf(monkeypatch: pytest.MonkeyPatch) -> None:
    content = packed_by_us(tagged_page(paragraphs=150))
    monkeypatch.setattr(packed_objects, "MAX_UNPACKED_BYTES", 1_000)

    assert read_plain_pdf(content) is None
