"""Cursors: read back by the list that wrote them, by no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.api._paging import Cursors
from chalicelib.core.errors import ServiceError

CURSORS = Cursors(b"key", b"list")
POSITIONS = st.dictionaries(st.text("abc", max_size=3), st.text() | st.integers(), max_size=4)


@given(POSITIONS)
def test_cursor_is_read_back(position: dict[str, object]) -> None:
    assert CURSORS.read(CURSORS.write(position)) == position


@given(st.integers(0, 40), st.characters(codec="ascii"))
def test_changed_cursor_is_refused(place: int, character: str) -> None:
    cursor = CURSORS.write({"after": "rnd_1"})
    place %= len(cursor)
    changed = cursor[:place] + character + cursor[place + 1 :]

    if changed != cursor:
        with pytest.raises(ServiceError, match="/query/cursor"):
            CURSORS.read(changed)


@given(st.text(max_size=80))
def test_any_text_is_refused(text: str) -> None:
    with pytest.raises(ServiceError, match="/query/cursor"):
        CURSORS.read(text)


@pytest.mark.parametrize("other", [Cursors(b"key", b"other"), Cursors(b"kez", b"list")])
def test_cursor_of_another_list_or_key_is_refused(other: Cursors) -> None:
    with pytest.raises(ServiceError, match="/query/cursor"):
        CURSORS.read(other.write({"after": "rnd_1"}))
