"""Equal streams of a document that only the browser has saved."""

import io
from collections.abc import Mapping

import pikepdf
import pytest

from chalicelib.engine.pdf.text.cross_reference_table import cross_reference_table
from chalicelib.engine.pdf.text.pack_pdf import pack_objects
from chalicelib.engine.pdf.text.share_streams import may_share_streams, share_streams

CATALOG = b"<</Type /Catalog\n/Pages 2 0 R>>"
PAGES = b"<</Type /Pages\n/Count 2\n/Kids [3 0 R 4 0 R]>>"
PICTURE = b"/Type /XObject\n/Subtype /Image\n/Width 1\n/Height 1\n/ColorSpace /DeviceGray\n"
MASKED = PICTURE + b"/BitsPerComponent 8\n/SMask %d 0 R\n"
MASK = PICTURE + b"/BitsPerComponent 8\n"
PATTERN = b"/Type /Pattern\n/PatternType 1\n/PaintType 1\n"


def printed(objects: Mapping[int, bytes]) -> bytes:
    """Return a document in the form of the browser's."""
    out, rows = bytearray(b"%PDF-1.4\n%\xd3\xeb\xe9\xe1\n"), [b"0000000000 65535 f \n"]
    for number in range(1, max(objects) + 1):
        rows.append(b"%010d 00000 n \n" % len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, objects[number])
    head = b"xref\n0 %d\n%b" % (len(rows), b"".join(rows))
    end = b"trailer\n<</Size %d\n/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(rows), len(out))
    return bytes(out) + head + end


def stream(entries: bytes, content: bytes) -> bytes:
    return b"<<%b/Length %d>> stream\n%b\nendstream" % (entries, len(content), content)


def page(picture: int, more: bytes = b"") -> bytes:
    resources = b"/Resources <</XObject <</X%d %d 0 R>>>>" % (picture, picture)
    return b"<</Type /Page\n/Parent 2 0 R\n/MediaBox [0 0 9 9]\n%b%b>>" % (resources, more)


def two_pages(first: bytes, second: bytes, more: bytes = b"") -> dict[int, bytes]:
    """Return a document whose pages 3 and 4 have the pictures 5 and 6, with masks 7 and 8."""
    return {
        1: CATALOG,
        2: PAGES,
        3: page(5),
        4: page(6, more),
        5: first,
        6: second,
        7: stream(MASK, b"m"),
        8: stream(MASK, b"m"),
    }


def packed(objects: Mapping[int, bytes]) -> tuple[bytes, frozenset[int]]:
    content = printed(objects)
    table = cross_reference_table(content)
    shared, unused = share_streams(content, table)
    assert len(shared) == len(content)
    assert cross_reference_table(shared) == table
    return pack_objects(shared, table, unused), unused


def picture_numbers(content: bytes) -> list[int]:
    with pikepdf.open(io.BytesIO(content)) as document:
        assert document.check_pdf_syntax() == []
        return [
            picture.objgen[0]
            for page in document.pages
            for picture in page.Resources.XObject.values()
        ]


def test_equal_pictures_with_equal_masks_are_stored_once() -> None:
    content, unused = packed(two_pages(stream(MASKED % 7, b"a"), stream(MASKED % 8, b"a")))

    assert unused == {6, 8}
    assert picture_numbers(content) == [5, 5]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (stream(MASKED % 7, b"a"), stream(MASKED % 7, b"b")),
        (stream(MASK, b"a"), stream(MASK + b"/Interpolate true\n", b"a")),
        # A drawing with a place of its own in the structure tree.
        (stream(MASK + b"/StructParents 1\n", b"a"), stream(MASK + b"/StructParents 1\n", b"a")),
        # Contents of pages are no pictures.
        (stream(b"", b"a"), stream(b"", b"a")),
    ],
)
def test_other_streams_stay(first: bytes, second: bytes) -> None:
    content, unused = packed(two_pages(first, second))

    assert unused == {8}
    assert picture_numbers(content) == [5, 6]


def test_patterns_are_shared() -> None:
    _, unused = packed(two_pages(stream(PATTERN, b"a"), stream(PATTERN, b"a")))

    assert unused == {6, 8}


def test_text_that_looks_like_a_reference_stays() -> None:
    title = b"\n/Title (see \\(6 0 R\\) and 8 0 R)\n/More [6 0 R 16 0 R]"
    content, _ = packed(two_pages(stream(MASK, b"6 0 R"), stream(MASK, b"6 0 R"), title))

    with pikepdf.open(io.BytesIO(content)) as document:
        page = document.pages[1]
        assert page.Title == "see (6 0 R) and 8 0 R"
        assert page.More[0].objgen == (5, 0)
        assert page.Resources.XObject.X6.read_raw_bytes() == b"6 0 R"


def test_document_without_equal_streams_is_the_same() -> None:
    content = printed({1: CATALOG, 2: PAGES, 3: page(5), 4: page(5), 5: stream(MASK, b"a")})

    assert not may_share_streams(content)
    assert share_streams(content, cross_reference_table(content)) == (content, frozenset())
