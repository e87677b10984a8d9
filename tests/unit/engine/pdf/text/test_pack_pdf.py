"""Packing of a document that only the browser has saved."""

import io
import random
import re
import zlib
from array import array
from itertools import pairwise

import pikepdf
import pypdf
import pypdfium2
import pytest

from chalicelib.engine.pdf.text.cross_reference_stream import (
    four_byte_columns,
    plain_rows,
    predicted_rows,
)
from chalicelib.engine.pdf.text.cross_reference_table import cross_reference_table
from chalicelib.engine.pdf.text.pack_pdf import pack_objects
from tests.builders.pages.pdfs import A4, objects_by_number, pdf_of
from tests.builders.pdfs.tagged_page import tagged_page

# Bytes that look like ends of objects and streams, where they are none.
DECEIVING = "endstream\nendobj\n7 0 obj\nstream\nstartxref\n9\n%%EOF\n"


def pack(content: bytes) -> bytes:
    return pack_objects(content, cross_reference_table(content))


@pytest.mark.parametrize("pages", [1, 2, 199, 200, 201, 700])
def test_each_object_is_what_it_was(pages: int) -> None:
    content = pdf_of(*[A4] * pages, title=DECEIVING)

    packed = pack(content)

    assert objects_by_number(packed) == objects_by_number(content)
    assert len(pypdf.PdfReader(io.BytesIO(packed), strict=True).pages) == pages
    assert len(pypdfium2.PdfDocument(packed)) == pages
    with pikepdf.open(io.BytesIO(packed)) as document:
        assert document.docinfo["/Title"] == DECEIVING
        assert document.pdf_version == "1.5"


def test_a_structure_tree_takes_a_sixth() -> None:
    content = tagged_page(paragraphs=1000, font_bytes=0)

    assert len(pack(content)) < len(content) / 6


def test_only_streams_stay_outside_of_streams() -> None:
    packed = pack(pdf_of(*[A4] * 300))

    assert b"/Type /Page" not in packed
    found = re.findall(
        rb"/N ([0-9]+) /First ([0-9]+) .*? stream\n(.*?)\nendstream", packed, re.DOTALL
    )
    # 302 objects besides the pages' contents.
    assert [int(count) for count, _, _ in found] == [200, 102]
    for count, first, stream in found:
        content = zlib.decompress(stream)
        index = [int(number) for number in content[: int(first)].split()]
        begins = [int(first) + begin for begin in index[1::2]]
        assert len(begins) == int(count)
        for begin, end in pairwise([*begins, len(content) + 1]):
            # From one to the other there is one object, and a line feed.
            assert content[begin : begin + 2] == b"<<"
            assert content[: end - 1].endswith(b">>")
        assert b"obj" not in content


def test_the_id_is_derived_from_the_bytes() -> None:
    first, second = pdf_of(A4, title="One"), pdf_of(A4, title="Two")

    def identifier(content: bytes) -> object:
        with pikepdf.open(io.BytesIO(pack(content))) as document:
            one, other = document.trailer["/ID"]
            assert one == other
            return bytes(one)

    assert pack(first) == pack(first)
    assert identifier(first) == identifier(first) != identifier(second)


def test_rows_of_differences_add_up_to_the_plain_rows() -> None:
    numbers = random.Random(5)  # noqa: S311 -- nothing is kept secret by it
    columns = [numbers.randbytes(1000) for _ in range(6)]
    plain, predicted = plain_rows(columns), predicted_rows(columns)

    rows = [plain[at : at + 6] for at in range(0, len(plain), 6)]
    differences = [predicted[at : at + 7] for at in range(0, len(predicted), 7)]
    assert rows == [bytes(row) for row in zip(*columns, strict=True)]
    for (before, row), difference in zip(pairwise([bytes(6), *rows]), differences, strict=True):
        expected = [(new - old) % 256 for old, new in zip(before, row, strict=True)]
        assert list(difference) == [2, *expected]


def test_numbers_have_their_highest_byte_first() -> None:
    columns = four_byte_columns(array("I", [1, 0x01020304]))

    assert columns == [b"\0\1", b"\0\2", b"\0\3", b"\1\4"]
