"""Messages of queues: their delays."""

import datetime as dt

import pytest

from chalicelib.adapters.aws.queues import DELAY_PRECISION, MAX_DELAY, QueueMessage


@pytest.mark.parametrize("seconds", [0, 0.4, 0.6, 1.49, 1.51, 899.5, 900])
def test_delay_is_true_to_the_half_second(seconds: float) -> None:
    delay = dt.timedelta(seconds=seconds)

    sent = dt.timedelta(seconds=QueueMessage({}, "ws_1", delay).delay_s)

    assert abs(sent - delay) <= DELAY_PRECISION
    assert sent <= MAX_DELAY


@pytest.mark.parametrize("seconds", [-1, 900.1])
def test_longer_delays_are_refused(seconds: float) -> None:
    with pytest.raises(AssertionError):
        _ = QueueMessage({}, "ws_1", dt.timedelta(seconds=seconds)).delay_s
