"""Cursors: valid only in the list that wrote them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.api.edge.paging import CursorSigner
from chalicelib.core.errors import ServiceError

CURSORS = CursorSigner([b"key"], b"list")
POSITIONS = st.dictionaries(st.text("abc", max_size=3), st.text() | st.integers(), max_size=4)


@given(POSITIONS)
def test_cursor_is_read_back(position: dict[str, object]) -> None:
    assert CURSORS.decode(CURSORS.encode(position)) == position


@given(st.integers(0, 40), st.characters(codec="ascii"))
def test_changed_cursor_is_refused(place: int, character: str) -> None:
    cursor = CURSORS.encode({"after": "rnd_1"})
    place %= len(cursor)
    changed = cursor[:place] + character + cursor[place + 1 :]

    if changed != cursor:
        with pytest.raises(ServiceError, match="/query/cursor"):
            CURSORS.decode(changed)


@given(st.text(max_size=80))
def test_any_text_is_refused(text: str) -> None:
    with pytest.raises(ServiceError, match="/query/cursor"):
        CURSORS.decode(text)


@pytest.mark.parametrize(
    "other", [CursorSigner([b"key"], b"other"), CursorSigner([b"kez"], b"list")]
)
def test_cursor_of_another_list_or_key_is_refused(other: CursorSigner) -> None:
    with pytest.raises(ServiceError, match="/query/cursor"):
        CURSORS.decode(other.encode({"after": "rnd_1"}))
