"""File names and the header that carries them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.core.text import content_disposition, safe_filename


@pytest.mark.parametrize(
    ("given_name", "expected"),
    [
        ("invoice", "invoice.pdf"),
        ("invoice.pdf", "invoice.pdf"),
        ("Invoice.PDF", "Invoice.pdf"),
        ("a.b", "a.b.pdf"),
        ("photo.jpg", "photo.pdf"),
        ("../../etc/passwd", "....etcpasswd.pdf"),
        ("C:\\x", "Cx.pdf"),
        ("a\r\nSet-Cookie: b", "aSet-Cookie b.pdf"),
        ("\u202egnp.exe", "gnp.exe.pdf"),
        ("nul", "fallback.pdf"),
        (" . ", "fallback.pdf"),
        (None, "fallback.pdf"),
        ("Rechnung ü", "Rechnung ü.pdf"),
    ],
)
def test_file_names_are_cleaned(given_name: str | None, expected: str) -> None:
    cleaned = safe_filename(given_name, fallback="fallback", extension="pdf")

    assert cleaned.lstrip(".") == expected.lstrip(".")


@pytest.mark.parametrize(
    ("given_name", "part", "expected"),
    [
        ("pages.pdf", 1, "pages-1.pdf"),
        ("a" * 300, 500, "a" * 196 + "-500.pdf"),
        ("a" * 197 + "界", 7, "a" * 197 + "-7.pdf"),
        (None, 12, "fallback-12.pdf"),
    ],
)
def test_number_of_a_part_is_never_cut(given_name: str | None, part: int, expected: str) -> None:
    name = safe_filename(given_name, fallback="fallback", extension="pdf", part=part)

    assert name == expected


@given(st.text(max_size=400))
def test_any_text_gives_a_valid_file_and_header_name(text: str) -> None:
    name = safe_filename(text, fallback="f", extension="pdf")

    assert 0 < len(name.encode()) <= 255
    assert not set(name) & set('/\\\r\n\0"')
    header = content_disposition(name)
    assert header.isascii()
    assert "\r" not in header
    assert "\n" not in header
