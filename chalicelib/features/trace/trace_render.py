"""Trace of one render through all tables, buckets and logs."""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import batched
from typing import Final

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import BATCH_GET_LIMIT, Row
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import RenderId, WorkspaceId, is_id
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.dead_letters.repository import DeadLetter, DeadLetters
from chalicelib.features.destinations.uploads.repository import StorageUploads
from chalicelib.features.emails.sends.repository import Sends
from chalicelib.features.events.repository import EventOutbox, event_of
from chalicelib.features.renders.file_keys import (
    answer_key,
    attempt_object_keys,
    files_folder,
)
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.present import timings_json
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.rows import partition, render_of
from chalicelib.features.trace.timeline import (
    TimelineEntry,
    TracedObject,
    TraceReport,
    dead_letter_entries,
    delivery_entries,
    email_entries,
    event_entries,
    log_entries,
    platform_entries,
    related_request_ids,
    row_entries,
    upload_entries,
)
from chalicelib.features.webhooks.deliveries.find import FindDeliveries
from chalicelib.features.webhooks.deliveries.model import WebhookDelivery
from chalicelib.features.webhooks.deliveries.repository import Deliveries
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.repository import Workspaces

# Returns the log lines of a request id since a time; they come from a local file or from AWS.
type ReadLogLines = Callable[[str, dt.datetime], Iterable[str]]

# Clocks differ, and a request is logged before its render is created.
_CLOCK_SKEW: Final = dt.timedelta(minutes=1)
# Roles of objects that are listed only if they exist.
_DEAD_ATTEMPT: Final = "dead attempt"
_ANSWER: Final = "answer in base64"
_SOURCES_OF_ROWS: Final = frozenset(
    {"row", "facts", "dead letters", "webhooks", "emails", "uploads"}
)


class TraceRender(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Query for everything that is stored about a render; it writes nothing.

    `queues` are those whose dead letters may name the render.
    """

    workspaces: Workspaces
    renders: Renders
    outbox: EventOutbox
    deliveries: Deliveries
    find_deliveries: FindDeliveries
    sends: Sends
    uploads: StorageUploads
    limits: WorkspaceLimits
    letters: DeadLetters
    queues: Sequence[str]
    objects: Objects
    read_lines: ReadLogLines

    def __call__(self, render_id: str, workspace_id: str | None) -> TraceReport:
        """Trace a render; without `workspace_id` all workspaces are searched.

        Raise `render_not_found`.
        """
        row = self._find_row(render_id, workspace_id)
        render = render_of(row)
        since = parse_rfc3339(render.created_at) - _CLOCK_SKEW
        lines = list(self.read_lines(render.request_id, since))
        events = self.outbox.of_subject(partition(render.workspace_id, render.id))
        deliveries = tuple(self.find_deliveries.of_events(map(event_of, events)))
        emails = tuple(self.sends.of_render(render.workspace_id, render.id))
        uploads = self.uploads.of_render(render.workspace_id, render.id)
        entries = [
            *row_entries(render, row),
            *event_entries(events),
            *self._delivery_entries(deliveries),
            *(entry for send in emails for entry in email_entries(send)),
            *(entry for target in uploads for entry in upload_entries(target)),
            *dead_letter_entries(self._dead_letters_of(render)),
            *log_entries(lines, render),
            *(
                entry
                for other_id in sorted(related_request_ids(lines, render))
                for entry in platform_entries(self.read_lines(other_id, since), other_id)
            ),
        ]
        return TraceReport(
            state=self._render_state(render, row),
            objects=tuple(self._objects_of(render)),
            deliveries=deliveries,
            emails=emails,
            timeline=tuple(sorted(entries, key=_sort_key)),
        )

    def _find_row(self, render_id: str, workspace_id: str | None) -> Row:
        if not is_id("rnd", render_id):
            detail = "The id of a render is rnd_ and 26 digits and letters."
            raise NotFound("render_not_found", detail)
        ids = [workspace_id] if workspace_id else [row.id for row in self.workspaces.all()]
        for batch in batched(ids, BATCH_GET_LIMIT, strict=False):
            for row in self.renders.rows(
                [(WorkspaceId(each), RenderId(render_id)) for each in batch]
            ):
                return row
        where = "that workspace" if workspace_id else "any workspace"
        raise NotFound("render_not_found", f"There is no render {render_id} in {where}.")

    def _render_state(self, render: Render, row: Row) -> JsonObject:
        limits = self.limits.get(render.workspace_id)
        return {
            "render": render.id,
            "workspace": render.workspace_id,
            "request_id": render.request_id,
            "status": render.status,
            "error": render.error,
            "mode": render.mode,
            "test": render.test,
            "attempt": render.attempt,
            "claimed_by": row.get("claimed_by"),
            "billed": render.billed,
            "holds_quota": (
                not render.is_final
                if render.reservation.is_settled_by_relay
                else render.id in limits["holds"]
            ),
            "holds_lease": render.id in limits["leases"],
            "created_at": render.created_at,
            "completed_at": render.completed_at,
            **_origin(render),
            "due_at": row.get("due_at"),
            "timings": timings_json(render.timings),
        }

    def _delivery_entries(self, deliveries: Iterable[WebhookDelivery]) -> Iterator[TimelineEntry]:
        for delivery in deliveries:
            yield from delivery_entries(delivery, self.deliveries.attempts(delivery))

    def _dead_letters_of(self, render: Render) -> Iterator[DeadLetter]:
        for queue in self.queues:
            for letter in self.letters.of_queue(queue):
                if render.id in letter.body:
                    yield letter

    def _objects_of(self, render: Render) -> Iterator[TracedObject]:
        roles = dict.fromkeys(attempt_object_keys(render), _DEAD_ATTEMPT)
        for file in render.files:
            roles[file.key] = file.id
        roles |= {key: _ANSWER for key in roles if key == answer_key(render)}
        if render.body_key is not None:
            roles[render.body_key.object_key] = "body"
        # Its hundreds of files are one list; what else it has are few objects.
        folder = files_folder(render)
        sizes = self.objects.sizes(folder)
        for key in roles:
            if not key.startswith(folder):
                sizes |= self.objects.sizes(key)
        for key, role in roles.items():
            size = sizes.get(key)
            if size is not None or role not in {_DEAD_ATTEMPT, _ANSWER}:
                yield TracedObject(key, role, size)


def _origin(render: Render) -> JsonObject:
    """Return the origin of a render: the source, and its batch or signed link, if any."""
    origin: dict[str, Json] = {"source": render.source}
    if render.link_id is not None:
        origin["link"] = render.link_id
    if render.batch_id is not None:
        origin |= {"batch": render.batch_id, "item": render.batch_index, "run": render.batch_run}
    return origin


def _sort_key(entry: TimelineEntry) -> tuple[str, bool]:
    # At the same time, log lines come before the rows that result from them.
    return entry.at, entry.source in _SOURCES_OF_ROWS
