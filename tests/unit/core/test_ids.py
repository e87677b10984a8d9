"""Identifiers."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.core.ids import RandomIdGenerator, derived_id, is_id, lowest_id

MOMENT = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)


def test_new_ids_are_unique_and_well_formed() -> None:
    made = {RandomIdGenerator().new("rnd", MOMENT) for _ in range(100)}

    assert len(made) == 100
    assert all(is_id("rnd", text) for text in made)


@given(st.integers(0, 10**12), st.integers(1, 10**9))
def test_ids_sort_by_time(age_ms: int, later_ms: int) -> None:
    moment = MOMENT + dt.timedelta(milliseconds=age_ms)
    earlier = RandomIdGenerator().new("rnd", moment)

    later = RandomIdGenerator().new("rnd", moment + dt.timedelta(milliseconds=later_ms))

    assert earlier < later


def test_derived_id_is_always_the_same() -> None:
    assert derived_id("evt", MOMENT, "a", "b") == derived_id("evt", MOMENT, "a", "b")
    assert derived_id("evt", MOMENT, "a", "b") != derived_id("evt", MOMENT, "ab", "")
    assert is_id("evt", derived_id("evt", MOMENT, "a"))


def test_ulid_of_a_known_moment() -> None:
    # The example of the ULID specification: 1469918176385 is 01ARYZ6S41.
    assert lowest_id("x", 1469918176385).startswith("x_01ARYZ6S41")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "rnd_",
        "rnd",
        "rnd_01J",
        "rnd_" + "8" * 26,
        "rnd_" + "0" * 25 + "I",
        "ws_" + "0" * 26,
    ],
)
def test_invalid_id_texts_are_refused(text: str) -> None:
    assert not is_id("rnd", text)
