"""What came about, read from each place that knows something of it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from chalicelib.adapters.aws.table import Item
from chalicelib.core.clock import parse_rfc3339, rfc3339
from chalicelib.features.dead_letters.model import DeadLetter
from chalicelib.features.renders.model import Render
from chalicelib.features.trace.model import Event

# Of a line, what stands in columns of its own or says nothing to a reader.
_PLAIN: Final = frozenset({"timestamp", "service", "message", "request_id", "render", "workspace"})
_NOISE: Final = frozenset({"location", "exception", "exception_notes", "key", "kind", "gateway_id"})
# What else wrote of a request calls it by these ids, and tells of it in lines of these kinds.
_OTHERS: Final = ("invocation", "gateway_id")
_KINDS: Final = ("invocation", "request")


def of_row(render: Render, row: Item) -> Iterator[Event]:
    """Yield what a render's row says."""
    for entry in row["history"]:
        yield Event(entry["at"], "row", entry["event"])
    code = (render.error or {}).get("code")
    moments: list[tuple[str | None, str, Mapping[str, Any]]] = [
        (render.started_at, "attempt started", {"attempt": render.attempt}),
        (render.completed_at, render.status, {"code": code} if code else {}),
        (render.expires_at, "files expire", {}),
        (render.files_purged_at, "files purged", {}),
        (row.get("due_at"), "due", {}),
    ]
    if not render.is_final:
        moments.append((row["held_until"], "free for another attempt", {}))
    yield from (Event(at, "row", what, detail) for at, what, detail in moments if at)


def of_facts(rows: Iterable[Item]) -> Iterator[Event]:
    """Yield what became of facts."""
    for row in rows:
        moments = {
            "created": row["created_at"],
            "told": row.get("told_at"),
            "sent again": row.get("due_at"),
        }
        for what, at in moments.items():
            if at:
                yield Event(at, "facts", f"{row['type']} {what}", {"fact": row["id"]})


def of_letters(letters: Iterable[DeadLetter]) -> Iterator[Event]:
    """Yield what became of messages that were given up."""
    for letter in letters:
        detail = {"message_id": letter.id, "reason": letter.reason, "outcome": letter.outcome}
        yield Event(letter.buried_at, "dead letters", f"given up by {letter.queue}", detail)


def of_lines(lines: Iterable[str], render: Render) -> Iterator[Event]:
    """Yield the lines of the log that are about a render; callers may reuse a request's id."""
    yield from map(_event, _about(lines, render))


def other_ids_of(lines: Iterable[str], render: Render) -> set[str]:
    """Return what platform and gateway call that in which functions wrote of a render."""
    found = {line.get(name) for line in _about(lines, render) for name in _OTHERS}
    return {str(name) for name in found if name} - {render.request_id}


def of_platform(lines: Iterable[str], other_id: str) -> Iterator[Event]:
    """Yield how it ended, as platform and gateway tell: a function that dies tells nothing."""
    for text in lines:
        line = _read(text)
        if line and line.get("kind") in _KINDS and line.get("request_id") == other_id:
            yield _event(line)


def _about(lines: Iterable[str], render: Render) -> Iterator[dict[str, Any]]:
    ours: dict[str, set[Any]] = {
        "request_id": {render.request_id},
        "render": {None, render.id},
        "workspace": {None, render.workspace_id},
    }
    for text in lines:
        line = _read(text)
        if line and all(line.get(name) in values for name, values in ours.items()):
            yield line


def _read(text: str) -> dict[str, Any] | None:
    try:
        line = json.loads(text)
    except ValueError:
        return None
    # Metrics repeat what the row says.
    if not isinstance(line, dict) or "_aws" in line or "timestamp" not in line:
        return None
    return line


def _event(line: Mapping[str, Any]) -> Event:
    kind = line.get("kind")
    if kind == "request":
        source, what, told = "gateway", f"{line['method']} {line['path']}", {"method", "path"}
    elif kind == "invocation":
        source, what, told = "runner", f"invoked {line['function']}", {"function"}
    else:
        source, what, told = str(line.get("service")), str(line.get("message")), set()
    left_out = _PLAIN | _NOISE | told
    detail = {
        name: value
        for name, value in line.items()
        if name not in left_out and value not in (None, "INFO")
    }
    return Event(rfc3339(parse_rfc3339(line["timestamp"])), source, what, detail)
