"""What came about, read from each place that knows something of it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from chalicelib.adapters.aws.table import Item
from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.features.dead_letters.repository import DeadLetter
from chalicelib.features.renders.model import Render

# Of a line, what stands in columns of its own or says nothing to a reader.
_COLUMN_FIELDS: Final = frozenset(
    {"timestamp", "service", "message", "request_id", "render", "workspace"}
)
_NOISE_FIELDS: Final = frozenset(
    {"location", "exception", "exception_notes", "key", "kind", "gateway_id"}
)
# What else wrote of a request calls it by these ids, and tells of it in lines of these kinds.
_RELATED_ID_FIELDS: Final = ("invocation", "gateway_id")
_PLATFORM_KINDS: Final = ("invocation", "request")


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """Something that came about, or is to come about, and who says so."""

    at: str
    source: str
    description: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TracedObject:
    """A place in the bucket that a render may have used; `bytes` None: nothing is there."""

    key: str
    role: str
    bytes: int | None


@dataclass(frozen=True, slots=True)
class TraceReport:
    """One render: how it stands, what it holds, and all that came about, oldest first."""

    state: Mapping[str, Any]
    objects: tuple[TracedObject, ...]
    timeline: tuple[TimelineEntry, ...]


def row_entries(render: Render, row: Item) -> Iterator[TimelineEntry]:
    """Yield what a render's row says."""
    for entry in row["history"]:
        yield TimelineEntry(entry["at"], "row", entry["event"])
    code = (render.error or {}).get("code")
    moments: list[tuple[str | None, str, Mapping[str, Any]]] = [
        (render.started_at, "attempt started", {"attempt": render.attempt}),
        (render.completed_at, render.status, {"code": code} if code else {}),
        (render.expires_at, "files expire", {}),
        (render.files_purged_at, "files purged", {}),
        (row.get("due_at"), "due", {}),
    ]
    if not render.is_final:
        moments.append((row["claimed_until"], "free for another attempt", {}))
    yield from (TimelineEntry(at, "row", what, detail) for at, what, detail in moments if at)


def event_entries(rows: Iterable[Item]) -> Iterator[TimelineEntry]:
    """Yield what became of facts."""
    for row in rows:
        moments = {
            "created": row["created_at"],
            "told": row.get("published_at"),
            "sent again": row.get("due_at"),
        }
        for what, at in moments.items():
            if at:
                yield TimelineEntry(at, "facts", f"{row['type']} {what}", {"fact": row["id"]})


def dead_letter_entries(letters: Iterable[DeadLetter]) -> Iterator[TimelineEntry]:
    """Yield what became of messages that were given up."""
    for letter in letters:
        detail = {"message_id": letter.id, "reason": letter.reason, "outcome": letter.outcome}
        yield TimelineEntry(
            letter.recorded_at, "dead letters", f"given up by {letter.queue}", detail
        )


def log_entries(lines: Iterable[str], render: Render) -> Iterator[TimelineEntry]:
    """Yield the lines of the log that are about a render; callers may reuse a request's id."""
    yield from map(_log_entry, _lines_about(lines, render))


def related_request_ids(lines: Iterable[str], render: Render) -> set[str]:
    """Return what platform and gateway call that in which functions wrote of a render."""
    found = {line.get(name) for line in _lines_about(lines, render) for name in _RELATED_ID_FIELDS}
    return {str(name) for name in found if name} - {render.request_id}


def platform_entries(lines: Iterable[str], other_id: str) -> Iterator[TimelineEntry]:
    """Yield how it ended, as platform and gateway tell: a function that dies tells nothing."""
    for text in lines:
        line = _parse_line(text)
        if line and line.get("kind") in _PLATFORM_KINDS and line.get("request_id") == other_id:
            yield _log_entry(line)


def _lines_about(lines: Iterable[str], render: Render) -> Iterator[dict[str, Any]]:
    ours: dict[str, set[Any]] = {
        "request_id": {render.request_id},
        "render": {None, render.id},
        "workspace": {None, render.workspace_id},
    }
    for text in lines:
        line = _parse_line(text)
        if line and all(line.get(name) in values for name, values in ours.items()):
            yield line


def _parse_line(text: str) -> dict[str, Any] | None:
    try:
        line = json.loads(text)
    except ValueError:
        return None
    # Metrics repeat what the row says.
    if not isinstance(line, dict) or "_aws" in line or "timestamp" not in line:
        return None
    return line


def _log_entry(line: Mapping[str, Any]) -> TimelineEntry:
    kind = line.get("kind")
    if kind == "request":
        source, what, told = "gateway", f"{line['method']} {line['path']}", {"method", "path"}
    elif kind == "invocation":
        source, what, told = "runner", f"invoked {line['function']}", {"function"}
    else:
        source, what, told = str(line.get("service")), str(line.get("message")), set()
    left_out = _COLUMN_FIELDS | _NOISE_FIELDS | told
    detail = {
        name: value
        for name, value in line.items()
        if name not in left_out and value not in (None, "INFO")
    }
    return TimelineEntry(format_rfc3339(parse_rfc3339(line["timestamp"])), source, what, detail)
