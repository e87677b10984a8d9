"""Events of Brevo as reports: what is read of them, whatever they hold."""

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.core.errors import ServiceError
from chalicelib.features.emails.providers.brevo_reports import MAX_EVENTS, read_reports
from chalicelib.features.emails.sends.reports.repository import ProviderReport

EVENT = {"event": "delivered", "email": "ada@example.com", "message-id": "<1@relay.test>"}
NOON = dt.datetime(2026, 2, 1, 12, tzinfo=dt.UTC)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
NAMES = ("event", "email", "message-id", "reason", "ts_epoch", "ts_event", "ts", "X-Mailin-custom")
EVENTS = st.dictionaries(st.sampled_from(NAMES), JSON).map(lambda fields: EVENT | fields)


def read(**fields: Any) -> ProviderReport:
    (report,) = read_reports(EVENT | fields)
    return report


@pytest.mark.parametrize(
    ("fields", "moment"),
    [
        ({"ts_epoch": 1_769_947_200_000, "ts": 1}, NOON),
        ({"ts_event": 1_769_947_200, "ts": 1}, NOON),
        ({"ts": 1_769_947_200.0}, NOON),
        ({"ts_epoch": True}, None),
        ({"ts_epoch": "1769947200000"}, None),
        ({"ts_epoch": -1}, None),
        ({"ts_epoch": 10**300}, None),
        ({"ts_epoch": 10**5_000}, None),
        ({}, None),
    ],
)
def test_time_is_the_most_reliable_one(fields: dict[str, Any], moment: dt.datetime | None) -> None:
    assert read(**fields).reported_at == moment


def test_texts_are_one_short_line() -> None:
    report = read(reason=" a\r\n\x00b" + "x" * 1_000, email="e" * 1_000)

    assert report.reason.startswith("a b")
    assert (len(report.reason), len(report.recipient)) == (500, 320)


def test_number_of_events_is_bounded() -> None:
    assert len(read_reports([EVENT] * MAX_EVENTS)) == MAX_EVENTS

    with pytest.raises(ServiceError, match="more than 500"):
        read_reports([EVENT] * (MAX_EVENTS + 1))


@given(st.lists(EVENTS, max_size=3))
def test_any_event_can_be_read(events: list[Any]) -> None:
    for report in read_reports(events):
        assert "\n" not in report.recipient + report.reason + report.message_id
