"""Timeline of a render: entries read from rows, events, dead letters and logs."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from chalicelib.adapters.aws.table import Row
from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.dead_letters.repository import DeadLetter
from chalicelib.features.destinations.uploads.model import TargetUploads
from chalicelib.features.emails.sends.model import EmailSend
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import history_event
from chalicelib.features.webhooks.deliveries.model import DeliveryAttempt, WebhookDelivery

# Fields of a log line that have their own column, or that no reader needs.
_COLUMN_FIELDS: Final = frozenset(
    {"timestamp", "service", "message", "request_id", "render", "workspace"}
)
_NOISE_FIELDS: Final = frozenset(
    {"location", "exception", "exception_notes", "key", "kind", "gateway_id"}
)
# Platform and gateway have their own ids for a request, and write lines of these kinds.
_RELATED_ID_FIELDS: Final = ("invocation", "gateway_id")
_PLATFORM_KINDS: Final = ("invocation", "request")


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """Event in the past or the future, with the source that reports it."""

    at: str
    source: str
    description: str
    detail: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TracedObject:
    """Object key that a render may have used; `bytes` is None if there is no object."""

    key: str
    role: str
    bytes: int | None


@dataclass(frozen=True, slots=True)
class TraceReport:
    """State, objects, deliveries, emails and timeline (oldest entry first) of one render."""

    state: JsonObject
    objects: tuple[TracedObject, ...]
    deliveries: tuple[WebhookDelivery, ...]
    emails: tuple[EmailSend, ...]
    timeline: tuple[TimelineEntry, ...]


def row_entries(render: Render, row: Row) -> Iterator[TimelineEntry]:
    """Yield the entries of the row of a render."""
    yield TimelineEntry(render.created_at, "row", "accepted")
    for entry in row["history"]:
        yield TimelineEntry(entry["at"], "row", history_event(entry))
    code = (render.error or {}).get("code")
    moments: list[tuple[str | None, str, JsonObject]] = [
        (render.started_at, "attempt started", {"attempt": render.attempt}),
        (render.completed_at, render.status, {"code": code} if code else {}),
        (render.expires_at, "files expire", {}),
        (render.files_purged_at, "files purged", {}),
        (row.get("due_at"), "due", {}),
    ]
    if not render.is_final:
        moments.append((row["claimed_until"], "free for another attempt", {}))
    yield from (TimelineEntry(at, "row", what, detail) for at, what, detail in moments if at)


def event_entries(rows: Iterable[Row]) -> Iterator[TimelineEntry]:
    """Yield the entries of event rows."""
    for row in rows:
        moments = {
            "created": row["created_at"],
            "told": row.get("published_at"),
            "sent again": row.get("due_at"),
        }
        for what, at in moments.items():
            if at:
                yield TimelineEntry(at, "facts", f"{row['type']} {what}", {"fact": row["id"]})


def delivery_entries(
    delivery: WebhookDelivery, attempts: Sequence[DeliveryAttempt]
) -> Iterator[TimelineEntry]:
    """Yield the entries of a webhook delivery: without its body, its URL and its headers."""
    named: dict[str, Json] = {"delivery": delivery.id}
    what = f"delivery of {delivery.event_type}"
    target: dict[str, Json] = {"endpoint": delivery.endpoint_id}
    yield TimelineEntry(delivery.created_at, "webhooks", what, named | target)
    for number, at, status_code, latency_ms, error, _ in attempts:
        what = f"attempt {number} " + (f"answered {status_code}" if status_code else "not answered")
        result: dict[str, Json] = {"status_code": status_code, "latency_ms": latency_ms}
        reason: dict[str, Json] = {"error": error} if error else {}
        yield TimelineEntry(at, "webhooks", what, named | result | reason)
    if delivery.next_attempt_at:
        what = f"attempt {delivery.attempts_made + 1} due"
        yield TimelineEntry(delivery.next_attempt_at, "webhooks", what, named)


def email_entries(send: EmailSend) -> Iterator[TimelineEntry]:
    """Yield the entries of an email: without its texts and its addresses."""
    named: dict[str, Json] = {"email": send.id}
    code = None if send.error is None else send.error.code
    result: dict[str, Json] = {"status": send.status, "attempts": send.attempts, "code": code}
    target: dict[str, Json] = {"rule": send.rule_id, "connection": send.connection_id}
    yield TimelineEntry(send.created_at, "emails", "email", named | target | result)
    for at, what in (
        (send.handed_over_at, "handed over"),
        (send.sent_at, "sent"),
        (send.next_attempt_at, f"attempt {send.attempts + 1} due"),
    ):
        if at:
            yield TimelineEntry(at, "emails", what, named)


def upload_entries(uploads: TargetUploads) -> Iterator[TimelineEntry]:
    """Yield the entries of the uploads to a target: without their keys."""
    target: dict[str, Json] = {"destination": uploads.destination_id}
    for file in uploads.files:
        code = None if file.error is None else file.error.code
        result: dict[str, Json] = {"status": file.status, "attempts": file.attempts, "code": code}
        named: dict[str, Json] = {"upload": file.id}
        yield TimelineEntry(uploads.created_at, "uploads", "upload", named | target | result)
    if uploads.next_attempt_at:
        what = f"round {uploads.attempts + 1} due"
        yield TimelineEntry(uploads.next_attempt_at, "uploads", what, target)


def dead_letter_entries(letters: Iterable[DeadLetter]) -> Iterator[TimelineEntry]:
    """Yield the entries of dead letters."""
    for letter in letters:
        detail = {"message_id": letter.id, "reason": letter.reason, "outcome": letter.outcome}
        yield TimelineEntry(
            letter.recorded_at, "dead letters", f"given up by {letter.queue}", detail
        )


def log_entries(lines: Iterable[str], render: Render) -> Iterator[TimelineEntry]:
    """Yield the log lines about a render; callers may reuse a request id for other renders."""
    yield from map(_log_entry, _lines_about(lines, render))


def related_request_ids(lines: Iterable[str], render: Render) -> set[str]:
    """Return the platform's and the gateway's ids of the requests that handled a render."""
    ids = {line.get(name) for line in _lines_about(lines, render) for name in _RELATED_ID_FIELDS}
    return {str(name) for name in ids if name} - {render.request_id}


def platform_entries(lines: Iterable[str], other_id: str) -> Iterator[TimelineEntry]:
    """Yield the platform's and the gateway's lines; a function that dies writes none itself."""
    for text in lines:
        line = _parse_line(text)
        if line and line.get("kind") in _PLATFORM_KINDS and line.get("request_id") == other_id:
            yield _log_entry(line)


def _lines_about(lines: Iterable[str], render: Render) -> Iterator[JsonObject]:
    expected: dict[str, set[str | None]] = {
        "request_id": {render.request_id},
        "render": {None, render.id},
        "workspace": {None, render.workspace_id},
    }
    for text in lines:
        line = _parse_line(text)
        if line and all(line.get(name) in values for name, values in expected.items()):
            yield line


def _parse_line(text: str) -> JsonObject | None:
    try:
        line = json.loads(text)
    except ValueError:
        return None
    # Metrics (`_aws`, embedded metric format) repeat the row.
    if not isinstance(line, dict) or "_aws" in line or "timestamp" not in line:
        return None
    return line


def _log_entry(line: JsonObject) -> TimelineEntry:
    kind = line.get("kind")
    if kind == "request":
        source, what, shown = "gateway", f"{line['method']} {line['path']}", {"method", "path"}
    elif kind == "invocation":
        source, what, shown = "runner", f"invoked {line['function']}", {"function"}
    else:
        source, what, shown = str(line.get("service")), str(line.get("message")), set()
    left_out = _COLUMN_FIELDS | _NOISE_FIELDS | shown
    detail = {
        name: value
        for name, value in line.items()
        if name not in left_out and value not in (None, "INFO")
    }
    return TimelineEntry(
        format_rfc3339(parse_rfc3339(str(line["timestamp"]))), source, what, detail
    )
