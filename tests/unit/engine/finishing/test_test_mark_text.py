"""Test mark on PDFs."""

import io

import pikepdf

from tests.builders.pages.pdfs import A4, finish_printed, pdf_of


def test_every_page_is_marked_within_its_own_matrix() -> None:
    marked = finish_printed(pdf_of(A4, (10, 20, 210, 120)), test=True)

    with pikepdf.open(io.BytesIO(marked)) as document:
        for page in document.pages:
            operators = [str(i.operator) for i in pikepdf.parse_content_stream(page)]
            assert operators[:4] == ["q", "cm", "Q", "BDC"]
            assert operators[-3:] == ["S", "Q", "EMC"]
            assert operators.count("q") == operators.count("Q")
        second = document.pages[1]
        moves = [i for i in pikepdf.parse_content_stream(second) if str(i.operator) == "cm"]
        assert [float(number) for number in moves[1].operands[4:]] == [10, 20]


def test_marking_is_deterministic() -> None:
    content = pdf_of(A4)

    assert finish_printed(content, test=True) == finish_printed(content, test=True)
