"""Event of an upload that has failed for good."""

import datetime as dt
from collections.abc import Mapping
from typing import Final

from chalicelib.adapters.aws.table import Row
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.ids import derived_id
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.destinations.uploads.model import FileUpload, TargetUploads
from chalicelib.features.events.model import DomainEvent, EventType
from chalicelib.features.renders.rows import partition

_EXAMPLE: Final[Mapping[str, Json]] = {
    "id": "sup_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "object": "storage_upload",
    "render_id": "rnd_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "file_id": "file_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "destination_id": "dst_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "path": "invoices/INV-2026-0042.pdf",
    "attempts": 1,
    "error": {
        "code": "storage_denied",
        "message": "The store refused the credentials.",
        "status": 403,
    },
}


def _describe(event: DomainEvent, _render: Row) -> JsonObject:
    return event.detail


STORAGE_UPLOAD_FAILED: Final = EventType(
    "storage.upload_failed",
    _describe,
    summary="An upload to a storage destination has failed for good",
    model="chalicelib.contract.storage.target:StorageUpload",
    example=_EXAMPLE,
)


def upload_failed_event(uploads: TargetUploads, file: FileUpload, now: dt.datetime) -> DomainEvent:
    """Return the event of an upload that has failed; its subject is the render."""
    assert file.error is not None, file.id
    return DomainEvent(
        id=derived_id("evt", now, file.id, STORAGE_UPLOAD_FAILED.name),
        type=STORAGE_UPLOAD_FAILED.name,
        workspace_id=uploads.workspace_id,
        subject=partition(uploads.workspace_id, uploads.render_id),
        request_id=uploads.request_id,
        created_at=format_rfc3339(now),
        detail={
            "id": file.id,
            "object": "storage_upload",
            "render_id": uploads.render_id,
            "file_id": file.file_id,
            "destination_id": uploads.destination_id,
            "path": file.path,
            "attempts": file.attempts,
            "error": file.error.to_json(),
        },
    )
