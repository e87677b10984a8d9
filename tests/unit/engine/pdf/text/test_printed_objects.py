"""Objects of the browser's PDF that are read and replaced as texts."""

import io

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.engine.pdf.text.cross_reference_table import cross_reference_table
from chalicelib.engine.pdf.text.printed_objects import (
    PrintedObjects,
    string_of_text,
    text_of_string,
)


def printed(*objects: bytes) -> bytes:
    """Return a file as the browser writes it; the objects stand in no order of their numbers."""
    content, places = b"%PDF-1.4\n", dict[int, int]()
    for number, text in reversed(list(enumerate(objects, start=1))):
        places[number] = len(content)
        content += b"%d 0 obj\n%b\nendobj\n" % (number, text)
    rows = b"".join(b"%010d 00000 n \n" % places[number] for number in sorted(places))
    size = len(objects) + 1
    return (
        content
        + b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, rows)
        + b"trailer\n<</Size %d\n/Root 1 0 R\n/Info 4 0 R>>\nstartxref\n%d\n%%%%EOF\n"
        % (size, len(content))
    )


CATALOG = b"<</Lang (en)\n/Type /Catalog\n/Pages 2 0 R>>"
SAMPLE = printed(
    b"<</Type /Catalog\n/Pages 2 0 R>>",
    b"<</Type /Pages\n/Count 1\n/Kids [3 0 R]>>",
    b"<</Type /Page\n/Parent 2 0 R\n/MediaBox [0 0 9 9]\n/Resources <<>>>>",
    b"<</Title (x)>>",
)


@pytest.mark.parametrize(
    "texts", [{4: b"<</Title (longer)>>"}, {2: b"<</Type /Pages\n/Count 1 /Kids [3 0 R]>>"}]
)
def test_replaced_objects_are_found_by_the_table(texts: dict[int, bytes]) -> None:
    content = PrintedObjects(SAMPLE, cross_reference_table(SAMPLE)).with_texts(texts)

    table = cross_reference_table(content)
    objects = PrintedObjects(content, table)
    before = PrintedObjects(SAMPLE, cross_reference_table(SAMPLE))
    for number in range(1, 5):
        assert objects.text_of(number) == texts.get(number, before.text_of(number))
    with pikepdf.open(io.BytesIO(content)) as document:
        assert len(document.pages) == 1
        assert document.check_pdf_syntax() == []


def test_without_changes_the_content_stays() -> None:
    assert PrintedObjects(SAMPLE, cross_reference_table(SAMPLE)).with_texts({}) == SAMPLE


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_strings_have_their_text(text: str) -> None:
    string = string_of_text(text)

    assert text_of_string(string) == text
    assert str(pikepdf.Object.parse(string)) == text


def test_strings_of_the_browser_are_read() -> None:
    assert text_of_string(rb"(a\(\)\\b\101)") == r"a()\bA"
    assert text_of_string(b"<FEFF00DF>") == "ß"
