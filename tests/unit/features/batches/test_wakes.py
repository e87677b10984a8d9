"""Messages to the releaser of a workspace: few of them, the last one after each end."""

import datetime as dt
from types import SimpleNamespace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.features.batches.subscribe import CountBatchItem

START = dt.datetime(2026, 11, 25, tzinfo=dt.UTC)
EVENT = SimpleNamespace(workspace_id="ws_1")


class SteppedClock:
    """Clock that a test moves."""

    def __init__(self) -> None:
        self.time = START

    def now(self) -> dt.datetime:
        return self.time


def ends(pauses_ms: list[int]) -> tuple[list[dt.datetime], list[dt.datetime]]:
    """Return when items end, and when their messages arrive."""
    clock, ended, arrivals = SteppedClock(), [], []
    count = CountBatchItem(cast("Any", None), clock)
    item = cast("Any", SimpleNamespace(event=EVENT, subject_row={"batch_id": "bat_1"}))
    for pause in pauses_ms:
        clock.time += dt.timedelta(milliseconds=pause)
        ended.append(clock.time)
        sent = count.follow_up([item], {})
        arrivals += [clock.time + one.message.delay for one in sent]
    return ended, arrivals


@given(st.lists(st.integers(0, 1_500), min_size=1, max_size=60))
def test_a_message_arrives_within_a_second_of_each_end(pauses_ms: list[int]) -> None:
    ended, arrivals = ends(pauses_ms)

    for end in ended:
        assert any(end <= arrival <= end + dt.timedelta(seconds=1) for arrival in arrivals)


def test_many_ends_send_few_messages() -> None:
    _, arrivals = ends([10] * 1_000)

    assert len(arrivals) <= 40


def test_the_first_end_after_a_pause_wakes_at_once() -> None:
    ended, arrivals = ends([0, 10_000])

    assert arrivals == ended


def test_renders_of_no_batch_wake_nobody() -> None:
    count = CountBatchItem(cast("Any", None), SteppedClock())
    other = cast("Any", SimpleNamespace(event=EVENT, subject_row={}))

    assert list(count.follow_up([other], {})) == []
