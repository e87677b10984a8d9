"""Subscriber that makes uploads of the files of a render that has succeeded."""

from collections.abc import Iterator, Sequence
from typing import override

from chalicelib.adapters.aws.queues import QueueMessage
from chalicelib.adapters.aws.table import Write
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import DestinationId, StorageUploadId, derived_id
from chalicelib.features.destinations.uploads.message import UploadFilesMessage
from chalicelib.features.destinations.uploads.model import FileUpload, TargetUploads, UploadError
from chalicelib.features.destinations.uploads.repository import StorageUploads
from chalicelib.features.events.model import EventDelivery, OutgoingMessage, Subscriber
from chalicelib.features.renders.model import Render, StorageReceipt
from chalicelib.features.renders.rows import render_of


class QueueUploads(Subscriber):
    """Writes the uploads in the transaction of the relay, and sends their messages to the queue."""

    types = frozenset({"render.succeeded"})

    def __init__(self, uploads: StorageUploads) -> None:
        """Write to `uploads`."""
        self._uploads = uploads

    @override
    def writes(self, deliveries: Sequence[EventDelivery]) -> Sequence[Write]:
        """Return the writes of the uploads, one for each target."""
        targets = [each for delivery in deliveries for each in _uploads_of(delivery)]
        return [self._uploads.creation(each) for each in targets]

    @override
    def follow_up(self, deliveries: Sequence[EventDelivery]) -> Sequence[OutgoingMessage]:
        """Return the messages of new uploads; after a crash they are due items."""
        targets = [each for delivery in deliveries for each in _uploads_of(delivery)]
        return [
            OutgoingMessage(
                "uploads",
                QueueMessage(UploadFilesMessage.of(each).to_json(), each.workspace_id),
            )
            for each in targets
        ]


def _uploads_of(delivery: EventDelivery) -> Iterator[TargetUploads]:
    """Yield the uploads of a render, target by target; few renders have some."""
    if not delivery.subject_row.get("storage"):
        return
    render, created_at = render_of(delivery.subject_row), delivery.event.created_at
    size = len(render.files)
    for number, first in enumerate(range(0, len(render.storage), size)):
        receipts = render.storage[first : first + size]
        files = tuple(_file_upload(render, first + n, each) for n, each in enumerate(receipts))
        yield TargetUploads(
            workspace_id=render.workspace_id,
            render_id=render.id,
            number=number,
            destination_id=DestinationId(receipts[0].destination_id),
            created_at=created_at,
            request_id=render.request_id,
            history_days=render.history_days,
            deletes_files=not render.hosted,
            deletes_failed=render.zero_retention,
            files=files,
            next_attempt_at=created_at,
        )


def _file_upload(render: Render, index: int, receipt: StorageReceipt) -> FileUpload:
    file, error = render.files[receipt.file_index], receipt.error
    created = parse_rfc3339(render.created_at)
    return FileUpload(
        id=StorageUploadId(derived_id("sup", created, render.id, str(index))),
        file_id=file.id,
        receipt=index,
        key=receipt.key,
        object_key=file.key,
        content_type=file.content_type,
        bytes=file.bytes,
        sha256=file.sha256,
        # Not the state of the receipt: this is the first one, also after the relay has died.
        error=None
        if receipt.key is not None or error is None
        else UploadError(str(error["code"]), str(error["message"])),
    )
