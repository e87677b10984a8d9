"""Subscriber that makes uploads of the files of a render that has succeeded."""

from collections.abc import Iterator, Mapping, Sequence
from copy import replace
from typing import override

import msgspec

from chalicelib.adapters.aws.queues import QueueMessage
from chalicelib.adapters.aws.table import Write
from chalicelib.core.ids import DestinationId
from chalicelib.features.destinations.uploads.message import UploadFilesMessage
from chalicelib.features.destinations.uploads.model import TargetUploads
from chalicelib.features.destinations.uploads.receipts import first_upload
from chalicelib.features.destinations.uploads.repository import StorageUploads
from chalicelib.features.events.model import EventDelivery, OutgoingMessage, Subscriber
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import expiry_time, render_of


class QueueUploads(Subscriber, msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Writes the uploads in the transaction of the relay, and sends their messages to the queue."""

    types = frozenset({"render.succeeded"})

    uploads: StorageUploads

    @override
    def writes(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, object]
    ) -> Sequence[Write]:
        """Return the writes of the uploads, one for each target."""
        targets = [each for delivery in deliveries for each in _uploads_of(delivery)]
        return [self.uploads.creation(each) for each in targets]

    @override
    def follow_up(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, object]
    ) -> Sequence[OutgoingMessage]:
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
    if not delivery.subject_row.get("storage") and "upload_targets" not in delivery.subject_row:
        return
    render, created_at = render_of(delivery.subject_row), delivery.event.created_at
    if render.upload_targets is not None:
        for number, destination_id in enumerate(render.upload_targets.destination_ids):
            uploads = _target_uploads(render, number, destination_id, created_at)
            yield replace(uploads, receipts_attempt=render.attempt, kept_until=expiry_time(render))
        return
    size = len(render.files)
    for number, first in enumerate(range(0, len(render.storage), size)):
        receipts = render.storage[first : first + size]
        uploads = _target_uploads(render, number, receipts[0].destination_id, created_at)
        files = tuple(first_upload(render, first + n, each) for n, each in enumerate(receipts))
        yield replace(uploads, files=files)


def _target_uploads(
    render: Render, number: int, destination_id: str, created_at: str
) -> TargetUploads:
    return TargetUploads(
        workspace_id=render.workspace_id,
        render_id=render.id,
        number=number,
        destination_id=DestinationId(destination_id),
        created_at=created_at,
        request_id=render.request_id,
        history_days=render.history_days,
        deletes_files=not render.hosted,
        deletes_failed=render.zero_retention,
        files=(),
        next_attempt_at=created_at,
    )
