"""Fewer bytes, and nothing else changes."""

import io
import re
import time
import zlib
from collections.abc import Callable

import pikepdf
import pypdf
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name, Stream

from chalicelib.contract.options.pdf_tools import CompressOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.pdf.document.stream_content import lossless_content
from tests.builders.pdfs.tool_call import ToolCall, call_tool
from tests.builders.pdfs.unarchived import (
    Change,
    add_annotations,
    add_attachments,
    add_form,
    add_layers,
    add_metadata,
    bomb_stream,
    document,
    locked,
    pack_with_lzw,
    saved,
)

TEXT = b"BT /F 18 Tf 30 700 Td (Quick fox) Tj ET\n" * 200


def compress(content: bytes, *, password: str | None = None, test: bool = False) -> ToolCall:
    return call_tool(CompressOptions(), content, password=password, test=test)


def drawn(content: bytes) -> list[bytes]:
    with pypdfium2.PdfDocument(content) as pdf:
        return [page.render().to_pil().tobytes() for page in pdf]


def opened(content: bytes) -> pikepdf.Pdf:
    return pikepdf.open(io.BytesIO(content))


def set_contents(*, filter_: Name, packed: bytes) -> Change:
    def change(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].obj.Contents = Stream(pdf, packed, Filter=filter_)

    return change


def pack_badly(pdf: pikepdf.Pdf) -> None:
    pdf.pages[0].obj.Contents = Stream(pdf, zlib.compress(TEXT, 1), Filter=Name.FlateDecode)


def pack_as_hex(pdf: pikepdf.Pdf) -> None:
    filters = Array([Name.ASCIIHexDecode, Name.FlateDecode])
    packed = zlib.compress(TEXT, 1).hex().encode() + b">"
    pdf.pages[0].obj.Contents = Stream(pdf, packed, Filter=filters)


def pack_runs(pdf: pikepdf.Pdf) -> None:
    packed = (
        b"".join(
            bytes([min(127, len(TEXT[at : at + 128]) - 1)]) + TEXT[at : at + 128]
            for at in range(0, len(TEXT), 128)
        )
        + b"\x80"
    )
    pdf.pages[0].obj.Contents = Stream(pdf, packed, Filter=Name.RunLengthDecode)


@pytest.mark.parametrize("pack", [pack_badly, pack_as_hex, pack_runs, pack_with_lzw])
def test_streams_are_packed_better(pack: Callable[[pikepdf.Pdf], None]) -> None:
    source = document(pack, content=TEXT)

    content = compress(source).file.content

    assert len(content) < len(source)
    assert drawn(content) == drawn(source)
    with opened(content) as pdf, opened(source) as before:
        contents = pdf.pages[0].obj.Contents
        assert contents.Filter == Name.FlateDecode
        assert contents.read_bytes() == lossless_content(before.pages[0].obj.Contents)


def test_picture_behind_hex_stays_its_jpeg() -> None:
    filters = Array([Name.ASCIIHexDecode, Name.DCTDecode])

    def change(pdf: pikepdf.Pdf) -> None:
        picture = Stream(pdf, b"ffd8ffe0" * 300 + b">", Filter=filters, Subtype=Name.Image)
        pdf.pages[0].obj.Resources.XObject = Dictionary(I=picture)

    with opened(compress(document(change)).file.content) as pdf:
        picture = pdf.pages[0].obj.Resources.XObject.I
        assert picture.Filter == Name.DCTDecode
        assert picture.read_raw_bytes() == bytes.fromhex("ffd8ffe0") * 300


def test_predictor_of_a_picture_stays() -> None:
    rows = b"".join(b"\2" + bytes([row % 256 and 1]) * 300 for row in range(100))

    def change(pdf: pikepdf.Pdf) -> None:
        picture = Stream(
            pdf,
            zlib.compress(rows, 0),
            Filter=Name.FlateDecode,
            DecodeParms=Dictionary(Predictor=15, Colors=3, Columns=100),
            Type=Name.XObject,
            Subtype=Name.Image,
            Width=100,
            Height=100,
            BitsPerComponent=8,
            ColorSpace=Name.DeviceRGB,
        )
        page = pdf.pages[0]
        page.obj.Resources.XObject = Dictionary(I=picture)
        page.contents_add(b"q 500 0 0 500 0 0 cm /I Do Q")

    source = document(change)
    content = compress(source).file.content

    assert len(content) < len(source) / 10
    assert drawn(content) == drawn(source)


def test_equal_fonts_and_pictures_are_there_once() -> None:
    program = bytes(range(256)) * 40
    with pikepdf.new() as pdf:
        for number in range(20):
            pdf.add_blank_page()
            descriptor = Dictionary(
                Type=Name.FontDescriptor, FontName=Name("/A"), FontFile2=Stream(pdf, program)
            )
            font = Dictionary(
                Type=Name.Font,
                Subtype=Name.TrueType,
                BaseFont=Name("/A"),
                FontDescriptor=pdf.make_indirect(descriptor),
            )
            page = pdf.pages[-1].obj
            page.Resources = Dictionary(Font=Dictionary(F=pdf.make_indirect(font)))
            page.Contents = Stream(pdf, b"%% page %d" % number)
        source = saved(pdf)

    content = compress(source).file.content

    with opened(content) as pdf:
        fonts = {page.obj.Resources.Font.F.objgen for page in pdf.pages}
        contents = {page.obj.Contents.objgen for page in pdf.pages}
    assert (len(fonts), len(contents)) == (1, 20)


def test_forms_with_places_in_the_structure_stay_apart() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        forms = [Stream(pdf, b"q Q", Subtype=Name.Form, StructParents=1) for _ in range(2)]
        pdf.pages[0].obj.Resources.XObject = Dictionary(A=forms[0], B=forms[1])

    with opened(compress(document(change, content=TEXT)).file.content) as pdf:
        forms = pdf.pages[0].obj.Resources.XObject
        assert forms.A.objgen != forms.B.objgen


def test_private_data_and_what_nothing_refers_to_leave() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[0].obj
        page.Thumb = Stream(pdf, b"t" * 999)
        page.LastModified = "D:2024"
        pdf.make_indirect(Dictionary(Lost=Stream(pdf, b"lost" * 999)))

    with opened(compress(document(add_metadata, change)).file.content) as pdf:
        assert not {"/Thumb", "/PieceInfo", "/LastModified"} & set(pdf.pages[0].obj.keys())
        assert b"/Lost" not in b"".join(each.unparse(resolved=True) for each in pdf.objects)


@pytest.mark.parametrize("change", [add_form, add_annotations, add_attachments, add_layers])
def test_parts_of_the_document_stay(change: Change) -> None:
    source = document(change, add_metadata, content=TEXT)

    content = compress(source).file.content

    assert drawn(content) == drawn(source)
    before, after = (pypdf.PdfReader(io.BytesIO(each)) for each in (source, content))
    assert after.metadata == before.metadata
    assert after.attachments == before.attachments
    assert (after.get_fields() or {}).keys() == (before.get_fields() or {}).keys()
    assert after.root_object.keys() == before.root_object.keys()


def test_source_that_cannot_become_smaller_stays() -> None:
    small = compress(document(content=TEXT)).file.content

    call = compress(small)

    assert (call.file.content, call.file.pages, call.warnings) == (small, 1, [])


def test_locked_source_is_written_without_protection() -> None:
    content = compress(locked(document()), password="user").file.content

    with opened(content) as pdf:
        assert not pdf.is_encrypted


def test_test_key_marks_the_pages() -> None:
    source = compress(document()).file.content

    assert drawn(compress(source, test=True).file.content) != drawn(source)


def test_signed_document_is_told_of() -> None:
    warnings = compress(document(add_form, content=TEXT)).warnings

    assert [warning.code for warning in warnings] == ["feature_unavailable"]


def test_equal_sources_give_equal_bytes() -> None:
    first, second = (compress(document(add_form, content=TEXT)) for _ in range(2))

    assert first.file.content == second.file.content


def test_stream_that_swells_stays_as_it_is() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].obj.Resources.XObject = Dictionary(I=bomb_stream(pdf, 300 << 20))

    assert compress(document(change, content=TEXT)).file.pages == 1


def test_endless_padding_of_metadata_is_read_in_linear_time() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        packet = Stream(pdf, b"<x/>" + b" " * 200_000 + b"</x>")
        pdf.pages[0].obj.Metadata = packet
        packet.Type, packet.Subtype = Name.Metadata, Name.XML

    source = document(change, content=TEXT)
    assert b" " * 200_000 in source
    began = time.process_time()

    assert compress(source).file.pages == 1
    assert time.process_time() - began < 5


def test_damaged_source_is_refused() -> None:
    with pytest.raises(RenderFailure) as refused:
        compress(document()[:80])

    assert refused.value.code == "invalid_pdf_source"


def small_source() -> bytes:
    """Return a document that compressing makes no smaller."""
    return compress(document()).file.content


@pytest.mark.parametrize(
    ("found", "damage"),
    [
        (rb"startxref\n\d+", b"startxref\n0"),
        (rb"startxref\n\d+\n%%EOF\n", b""),
        (rb"endstream", b"endstreem"),
        (rb"/Length \d+", b"/Length 7"),
    ],
)
def test_a_source_that_was_mended_is_written_anew(found: bytes, damage: bytes) -> None:
    source = small_source()
    damaged = re.sub(found, damage, source)
    assert damaged != source

    mended = compress(damaged).file.content

    assert mended != damaged
    with opened(mended) as written:
        assert written.get_warnings() == []
        assert written.check_pdf_syntax() == []
    assert drawn(mended) == drawn(source)


def test_source_that_would_become_larger_stays() -> None:
    source = small_source()

    assert compress(source).file.content == source
