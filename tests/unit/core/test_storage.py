"""Paths of files stay inside their destination and its folders, whatever the data say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.core.storage import MAX_PATH_BYTES, storage_path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("invoice.pdf", "invoice.pdf"),
        ("invoices/2026/invoice.pdf", "invoices/2026/invoice.pdf"),
        ("/invoices//2026///a//b.pdf", "invoices/2026/a/b.pdf"),
        ("invoices/../../etc/passwd", "invoices/etc/passwd"),
        ("a/../b/./c", "a/b/c"),
        ("docs/..-private/x", "docs/..-private/x"),
        ("docs/\x00/x", "docs/x"),
        ("invoices/..\\..\\a", "invoices"),
        ("invoices/a/..\\b/c", "invoices/a/c"),
        ("a\x00b\x1fc\u0085d.pdf", "abcd.pdf"),
        ("Stra\u00dfe/\u00fcber \u65e5\u672c.pdf", "Stra\u00dfe/\u00fcber \u65e5\u672c.pdf"),
        ("\ud800a", "a"),
        ("...", "..."),
        ("", None),
        ("/./../", None),
        ("\x07", None),
        ("a" * MAX_PATH_BYTES, "a" * MAX_PATH_BYTES),
        ("a" * (MAX_PATH_BYTES + 1), None),
        ("\u00e4" * (MAX_PATH_BYTES // 2 + 1), None),
    ],
)
def test_path_is_cleaned(text: str, path: str | None) -> None:
    assert storage_path(text) == path


@given(folder=st.text("ab./\\ \x00"), data=st.text("ab./\\ \x00"))
def test_data_never_leave_the_folder_before_them(folder: str, data: str) -> None:
    path, inside = storage_path(f"{folder}/{data}"), storage_path(folder)

    if path is not None:
        assert not {"", ".", ".."}.intersection(path.split("/"))
        assert "\x00" not in path
        assert inside is None or f"{path}/".startswith(f"{inside}/")
