"""Events of batches: each tenth of their items, each pause, and each final state."""

from collections.abc import Mapping, Sequence
from copy import replace
from typing import Final

from chalicelib.adapters.aws.table import Row
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import derived_id
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.batches.model import PROGRESS_STEPS, Batch, ItemCounts
from chalicelib.features.batches.present import batch_json
from chalicelib.features.batches.rows import batch_of, partition
from chalicelib.features.events.model import DomainEvent, EventType

# What the row of a batch may have changed since an event.
_SHOWN_AS_THEN: Final = ("status", "completed_at", "error", "paused")


def _describe(event: DomainEvent, row: Row) -> JsonObject:
    """Return the batch as it was when the event happened."""
    detail = event.detail
    counts = ItemCounts(*(int(str(detail[name])) for name in ItemCounts._fields))
    batch = replace(batch_of(row), total=int(str(detail["total"])))
    if event.type == "batch.progress":
        # Combined files are made after the last progress, and a new run deletes those of before.
        batch = replace(batch, files=())
    return {**batch_json(batch, counts), **{name: detail[name] for name in _SHOWN_AS_THEN}}


_EXAMPLE: Final[Mapping[str, Json]] = {
    "id": "bat_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "object": "batch",
    "status": "processing",
    "test": False,
    "total": 200,
    "succeeded": 98,
    "failed": 2,
    "canceled": 0,
    "pending": 100,
    "progress": 0.5,
    "template_id": "tpl_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "template_version": 3,
    "reference": "2026-01",
    "metadata": {"run": "january"},
    "created_at": "2026-01-31T12:00:00.000Z",
    "completed_at": None,
    "combine": {"merged_pdf": False, "zip": True, "zip_filename": "invoices.zip"},
    "files": [],
    "emails": {
        "sent": 96,
        "failed": 1,
        "unknown": 0,
        "pending": 1,
        "skipped": 0,
        "canceled": 0,
    },
    "paused": None,
    "error": None,
}
_COMPLETED: Final[Mapping[str, Json]] = {
    "status": "completed",
    "succeeded": 198,
    "pending": 0,
    "progress": 1,
    "completed_at": "2026-01-31T12:03:20.000Z",
    "files": [
        {
            "kind": "zip",
            "file_id": "file_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
            "filename": "invoices.zip",
            "content_type": "application/zip",
            "bytes": 3_604_392,
            "pages": None,
            "expires_at": "2026-03-02T12:03:20.000Z",
            "url": "https://files.example.com/files/file_01J8Z6Y3K4M5N6P7Q8R9S0T1V2/invoices.zip"
            "?exp=1769864600&sig=5f0c4a6d1b",
            "url_expires_at": "2026-01-31T13:03:20.000Z",
        }
    ],
    "emails": {
        "sent": 197,
        "failed": 1,
        "unknown": 0,
        "pending": 0,
        "skipped": 0,
        "canceled": 0,
    },
}

BATCH_EVENT_TYPES: Final = (
    EventType(
        "batch.progress",
        _describe,
        summary="A batch has advanced by 10 %, or is paused because no renders are left",
        model="chalicelib.contract.batches.batch:Batch",
        example=_EXAMPLE,
    ),
    EventType(
        "batch.completed",
        _describe,
        summary="A batch has ended",
        model="chalicelib.contract.batches.batch:Batch",
        example={**_EXAMPLE, **_COMPLETED},
    ),
)


def progress_events(
    before: Batch, after: Batch, counts: ItemCounts, at: str
) -> Sequence[DomainEvent]:
    """Return the events of the tenths from `before` to `after`.

    A batch of few items jumps over tenths; a larger one has an event for each.
    """
    first = before.progress + 1 if after.total >= PROGRESS_STEPS else after.progress
    return [
        _event(after, counts, at, "batch.progress", str(step))
        for step in range(first, after.progress + 1)
    ]


def pause_event(batch: Batch, counts: ItemCounts, at: str) -> DomainEvent:
    """Return the event of a batch's pause."""
    return _event(batch, counts, at, "batch.progress", f"pause {batch.pauses}")


def completed_event(batch: Batch, counts: ItemCounts, at: str) -> DomainEvent:
    """Return the event of a batch's final state."""
    return _event(batch, counts, at, "batch.completed", "")


def _event(batch: Batch, counts: ItemCounts, at: str, event_type: str, step: str) -> DomainEvent:
    return DomainEvent(
        id=derived_id("evt", parse_rfc3339(at), batch.id, event_type, str(batch.run), step),
        type=event_type,
        workspace_id=batch.workspace_id,
        subject=partition(batch.key),
        request_id=batch.request_id,
        created_at=at,
        detail={
            **counts._asdict(),
            "total": batch.total,
            **{name: batch_json(batch, counts)[name] for name in _SHOWN_AS_THEN},
        },
    )
