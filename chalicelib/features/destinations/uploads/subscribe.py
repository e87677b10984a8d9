"""Subscriber that makes uploads of the files of a render that has succeeded."""

from collections.abc import Iterator, Sequence
from copy import replace
from typing import override

from chalicelib.adapters.aws.queues import QueueMessage
from chalicelib.adapters.aws.table import Write
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import DestinationId, StorageUploadId, derived_id
from chalicelib.features.destinations.uploads.events import upload_failed_event
from chalicelib.features.destinations.uploads.message import UploadFilesMessage
from chalicelib.features.destinations.uploads.model import FileUpload, TargetUploads, UploadError
from chalicelib.features.destinations.uploads.repository import StorageUploads
from chalicelib.features.events.model import (
    DomainEvent,
    EventDelivery,
    OutgoingMessage,
    PublishEvent,
    Subscriber,
)
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.renders.model import Render, StorageReceipt
from chalicelib.features.renders.rows import render_of


class QueueUploads(Subscriber):
    """Writes the uploads in the transaction of the relay, and sends their messages to the queue."""

    types = frozenset({"render.succeeded"})

    def __init__(self, uploads: StorageUploads, outbox: EventOutbox) -> None:
        """Write to `uploads`, and the events of those without a key to `outbox`."""
        self._uploads = uploads
        self._outbox = outbox

    @override
    def writes(self, deliveries: Sequence[EventDelivery]) -> Sequence[Write]:
        """Return the writes of the uploads, and the events of those that have failed already."""
        targets = [each for delivery in deliveries for each in _uploads_of(delivery)]
        return [
            *(self._uploads.creation(each) for each in targets),
            *(self._outbox.creation(event) for each in targets for event in _events(each)),
        ]

    @override
    def follow_up(self, deliveries: Sequence[EventDelivery]) -> Sequence[OutgoingMessage]:
        """Return the messages of new uploads and events; after a crash they are due items."""
        messages = []
        for each in (each for delivery in deliveries for each in _uploads_of(delivery)):
            group = each.workspace_id
            if each.next_attempt_at is not None:
                body = UploadFilesMessage.of(each).to_json()
                messages.append(OutgoingMessage("uploads", QueueMessage(body, group)))
            for event in _events(each):
                body = PublishEvent.of_event(event, settled=True).to_json()
                messages.append(OutgoingMessage("events", QueueMessage(body, group)))
        return messages


def _uploads_of(delivery: EventDelivery) -> Iterator[TargetUploads]:
    """Yield the uploads of a render, target by target; few renders have some."""
    if not delivery.subject_row.get("storage"):
        return
    render, created_at = render_of(delivery.subject_row), delivery.event.created_at
    size = len(render.files)
    for number, first in enumerate(range(0, len(render.storage), size)):
        receipts = render.storage[first : first + size]
        files = tuple(_file_upload(render, first + n, each) for n, each in enumerate(receipts))
        uploads = TargetUploads(
            workspace_id=render.workspace_id,
            render_id=render.id,
            number=number,
            destination_id=DestinationId(receipts[0].destination_id),
            created_at=created_at,
            request_id=render.request_id,
            history_days=render.history_days,
            deletes_files=not render.hosted,
            files=files,
        )
        yield replace(uploads, next_attempt_at=created_at) if uploads.open_files else uploads


def _file_upload(render: Render, index: int, receipt: StorageReceipt) -> FileUpload:
    file, error = render.files[receipt.file_index], receipt.error
    created = parse_rfc3339(render.created_at)
    return FileUpload(
        id=StorageUploadId(derived_id("sup", created, render.id, str(index))),
        file_id=file.id,
        receipt=index,
        # Not as it is now: the first state of the upload, also after the relay has died.
        key=receipt.key,
        object_key=file.key,
        content_type=file.content_type,
        bytes=file.bytes,
        sha256=file.sha256,
        status="pending" if receipt.key is not None else "failed",
        error=None
        if receipt.key is not None or error is None
        else UploadError(str(error["code"]), str(error["message"])),
    )


def _events(uploads: TargetUploads) -> Iterator[DomainEvent]:
    at = parse_rfc3339(uploads.created_at)
    for file in uploads.files:
        if file.status == "failed":
            yield upload_failed_event(uploads, file, at)
