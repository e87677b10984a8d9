"""Billing cycles."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.features.workspaces.limits.billing_cycle import billing_cycle_at


def at(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("created", "now", "start", "end"),
    [
        ("2026-01-15", "2026-01-15", "2026-01-15", "2026-02-15"),
        ("2026-01-15", "2026-03-14", "2026-02-15", "2026-03-15"),
        ("2026-01-31", "2026-02-28", "2026-02-28", "2026-03-31"),
        ("2026-01-31", "2026-02-27", "2026-01-31", "2026-02-28"),
        ("2024-01-31", "2024-02-29", "2024-02-29", "2024-03-31"),
        ("2025-12-31", "2026-01-01", "2025-12-31", "2026-01-31"),
    ],
)
def test_cycle_runs_from_anniversary_to_anniversary(
    created: str, now: str, start: str, end: str
) -> None:
    cycle = billing_cycle_at(at(created), at(now))

    assert (cycle.start, cycle.end) == (at(start), at(end))


MOMENTS = st.integers(0, 6 * 365 * 86_400).map(
    lambda seconds: at("2024-01-01") + dt.timedelta(seconds=seconds)
)


@given(MOMENTS, st.timedeltas(dt.timedelta(0), dt.timedelta(days=1000)))
def test_cycles_follow_one_another_without_a_gap(created: dt.datetime, age: dt.timedelta) -> None:
    now = created + age
    cycle = billing_cycle_at(created, now)

    assert cycle.start <= now < cycle.end
    assert billing_cycle_at(created, cycle.end).start == cycle.end
