"""Read the log of a render: its request and result as kept, its attempts and its events."""

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.table import Row
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.ids import RenderId, WorkspaceId, is_id
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.redact_url import redacted_urls
from chalicelib.features.events.model import DomainEvent
from chalicelib.features.events.repository import EventOutbox, event_of
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.present import render_json_without_urls
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.rows import partition

_RESPONSE: Final = ("status", "files", "warnings", "error", "result", "timings")
_EVENT: Final = ("id", "type", "created_at")


class LoggedAttempt(NamedTuple):
    """Try to make a render; without an end while it runs."""

    number: int
    started_at: str
    ended_at: str | None
    outcome: str


class ReadRenderLog(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reader of the logs of renders."""

    renders: Renders
    outbox: EventOutbox

    def __call__(self, render: Render) -> dict[str, Json]:
        """Return the log of a render; with zero retention it has no request and no response."""
        (row,) = self.renders.rows([(render.workspace_id, render.id)])
        shown = render_json_without_urls(render)
        events = self.outbox.of_subject(partition(render.workspace_id, render.id))
        return {
            "object": "render_log",
            "render_id": render.id,
            "logging": "metadata" if render.zero_retention else "full",
            "request": None if render.zero_retention else _request_json(render),
            "response": None
            if render.zero_retention
            else {name: shown[name] for name in _RESPONSE},
            "logs": list(render.logs),
            "attempts": [each._asdict() for each in attempts_of(render, row["history"])],
            "events": [{name: each[name] for name in _EVENT} for each in events],
            "created_at": render.created_at,
            "retained_until": _moment(row.get("ttl")),
        }


class ReadRenderEvents(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reader of the events of renders."""

    outbox: EventOutbox

    def __call__(self, workspace_id: WorkspaceId, render_id: str) -> tuple[DomainEvent, ...]:
        """Return the events of a render, none where there is no such render."""
        if not is_id("rnd", render_id):
            return ()
        subject = partition(workspace_id, RenderId(render_id))
        return tuple(map(event_of, self.outbox.of_subject(subject)))


def attempts_of(render: Render, history: Sequence[Row]) -> Iterator[LoggedAttempt]:
    """Yield the attempts of a render in order, by the history in its row."""
    starts = {entry["begins"]: entry["at"] for entry in history if "begins" in entry}
    waived = {entry["waives"]: entry["at"] for entry in history if "waives" in entry}
    promised = render.started_at if render.attempt == 1 else render.created_at
    if render.mode == "sync" and render.attempt and promised is not None:
        # The first attempt was promised in the new row and not claimed (decision 10).
        starts.setdefault(1, promised)
    numbers = sorted(starts)
    for number, following in zip_longest(numbers, numbers[1:]):
        if number in waived:
            yield LoggedAttempt(number, starts[number], waived[number], "waived")
        elif following is not None:
            yield LoggedAttempt(number, starts[number], starts[following], "lost")
        else:
            is_lost = (render.error or {}).get("code") == "render_lost"
            outcome = "lost" if is_lost else render.status if render.is_final else "running"
            yield LoggedAttempt(number, starts[number], render.completed_at, outcome)


def _request_json(render: Render) -> JsonObject:
    webhook = render.webhook
    return {
        "mode": render.mode,
        "priority": render.priority,
        "input": render.input,
        "output": render.output,
        "engine": render.engine,
        "version": render.template_version,
        "delivery": {
            "type": render.delivery,
            "expires_in": render.expires_in_s,
            "hosted": render.hosted,
            "retention_days": render.retention_days,
        },
        "webhook": None
        if webhook is None
        else redacted_urls({"url": webhook.url, "events": list(webhook.events)}),
        "reference": render.reference,
        "metadata": render.metadata,
    }


def _moment(seconds: int | None) -> str | None:
    if seconds is None:
        return None
    return format_rfc3339(dt.datetime.fromtimestamp(int(seconds), dt.UTC))
