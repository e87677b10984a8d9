"""Keys of files stay inside the prefix of their destination, whatever the data say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.core.storage import MAX_KEY_BYTES, storage_key


@pytest.mark.parametrize(
    ("prefix", "key", "whole"),
    [
        ("", "invoice.pdf", "invoice.pdf"),
        ("invoices/", "2026/invoice.pdf", "invoices/2026/invoice.pdf"),
        ("invoices-", "1.pdf", "invoices-1.pdf"),
        ("/invoices//2026/", "/a//b.pdf", "invoices/2026/a/b.pdf"),
        ("invoices/", "../../etc/passwd", "invoices/etc/passwd"),
        ("a/../b/", "./c", "a/b/c"),
        ("docs/..", "-private/x", "docs/-private/x"),
        ("docs/.", "x", "docs/x"),
        ("docs/\x00", "x", "docs/x"),
        ("..", "x", "x"),
        ("invoices/", "..\\..\\a", None),
        ("invoices/", "a/..\\b/c", "invoices/a/c"),
        ("", "a\x00b\x1fc\u0085d.pdf", "abcd.pdf"),
        ("", "Stra\u00dfe/\u00fcber \u65e5\u672c.pdf", "Stra\u00dfe/\u00fcber \u65e5\u672c.pdf"),
        ("", "\ud800a", "a"),
        ("", "...", "..."),
        ("", "", None),
        ("invoices/", "/./../", None),
        ("invoices/", "\x07", None),
        ("", "a" * MAX_KEY_BYTES, "a" * MAX_KEY_BYTES),
        ("b", "a" * MAX_KEY_BYTES, None),
        ("", "\u00e4" * (MAX_KEY_BYTES // 2 + 1), None),
    ],
)
def test_key_is_cleaned_and_put_behind_the_prefix(prefix: str, key: str, whole: str | None) -> None:
    assert storage_key(prefix, key) == whole


@given(prefix=st.text("ab./\\ \x00"), key=st.text("ab./\\ \x00"))
def test_key_never_leaves_the_folder_of_the_prefix(prefix: str, key: str) -> None:
    whole = storage_key(prefix, key)

    if whole is not None:
        segments = whole.split("/")
        assert not {"", ".", ".."}.intersection(segments)
        assert "\x00" not in whole
        folder = storage_key("", prefix)
        last = prefix.replace("\x00", "").rpartition("/")[2]
        is_dropped = not last or not {".", ".."}.isdisjoint(last.split("\\"))
        if folder and is_dropped:
            assert whole.startswith(f"{folder}/")
