"""Reports in a body that Brevo sends to the address for its events."""

import datetime as dt
import re
from collections.abc import Mapping
from typing import Final

from chalicelib.core.errors import validation_error
from chalicelib.core.ids import SendId, is_id
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.emails.sends.reports.repository import ProviderReport, ReportKind

# Brevo repeats its value in the events of an email.
SEND_ID_HEADER: Final = "X-Mailin-custom"
MAX_EVENTS: Final = 500
_MAX_TEXT: Final = 500
_MAX_ADDRESS: Final = 320
# A key of the table: 1 024 bytes.
_MAX_MESSAGE_ID: Final = 255
# As events are named in a body; those of opened emails and clicks are no deliveries.
_KINDS: Final[Mapping[str, ReportKind]] = {
    "delivered": "delivered",
    "deferred": "deferred",
    "soft_bounce": "soft_bounce",
    "hard_bounce": "hard_bounce",
    "blocked": "blocked",
    "spam": "spam",
    "complaint": "spam",
    "invalid_email": "invalid",
    "invalid": "invalid",
}
# The only time that is UTC for sure, in milliseconds; the others are in seconds.
_TIMES: Final = (("ts_epoch", 1000), ("ts_event", 1), ("ts", 1))
_LAST_TIME: Final = dt.datetime(2100, 1, 1, tzinfo=dt.UTC).timestamp()
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]+")


def read_reports(body: Json) -> list[ProviderReport]:
    """Return the reports of a body, which is one event or a list of some.

    Events of other kinds are left out. Raises `validation_error` for other bodies, and for more
    than MAX_EVENTS events.
    """
    events = body if isinstance(body, list) else [body]
    if not all(isinstance(event, Mapping) for event in events):
        raise validation_error("", "must be an event, or a list of events", "wrong_type")
    if len(events) > MAX_EVENTS:
        raise validation_error("", f"has more than {MAX_EVENTS} events", "too_long")
    reports = (_report(event) for event in events if isinstance(event, Mapping))
    return [report for report in reports if report is not None]


def _report(event: JsonObject) -> ProviderReport | None:
    kind = _KINDS.get(_text(event, "event"))
    if kind is None:
        return None
    send_id = _text(event, SEND_ID_HEADER)
    return ProviderReport(
        kind=kind,
        recipient=_text(event, "email")[:_MAX_ADDRESS],
        reason=_text(event, "reason")[:_MAX_TEXT],
        message_id=_text(event, "message-id")[:_MAX_MESSAGE_ID],
        send_id=SendId(send_id) if is_id("ems", send_id) else None,
        reported_at=_time(event),
    )


def _text(event: JsonObject, name: str) -> str:
    value = event.get(name)
    # A reason begins with a space.
    return _CONTROL.sub(" ", value).strip() if isinstance(value, str) else ""


def _time(event: JsonObject) -> dt.datetime | None:
    for name, units in _TIMES:
        value = event.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if 0 < value < _LAST_TIME * units:
            return dt.datetime.fromtimestamp(value / units, dt.UTC)
    return None
