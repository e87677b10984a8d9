"""Batches and their items as the API shows them."""

import datetime as dt
from collections.abc import Mapping
from copy import replace

import msgspec

from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.json import Json
from chalicelib.features.batches.model import Batch, BatchItem, CombinedFile, ItemCounts
from chalicelib.features.files.model import StoredFile
from chalicelib.features.files.signed_urls import SignedFileUrls
from chalicelib.features.renders.present import EMAIL_COUNTS


class PresentBatch(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Presentation of batches with the URLs of their combined files."""

    file_urls: SignedFileUrls
    clock: Clock

    def __call__(
        self, batch: Batch, counts: ItemCounts, emails: Mapping[str, int] | None = None
    ) -> dict[str, Json]:
        """Return the batch object with the counts of its emails, None for none."""
        return batch_json(batch, counts, emails) | {"files": self.files(batch)}

    def as_accepted(self, batch: Batch) -> dict[str, Json]:
        """Return the batch object as the answer to its creation shows it."""
        first = replace(
            batch,
            status="queued",
            total=0 if batch.is_csv else batch.total,
            paused_since=None,
            completed_at=None,
            files=(),
            error=None,
        )
        return batch_json(first, ItemCounts())

    def files(self, batch: Batch) -> list[dict[str, Json]]:
        """Return the combined files; an expired one has no URL."""
        now = self.clock.now()
        expires = now + dt.timedelta(seconds=batch.expires_in_s)
        return [
            _file_json(file)
            if parse_rfc3339(file.expires_at) <= now
            else {
                **_file_json(file),
                "url": self.file_urls.signed_url(stored_file(file), expires),
                "url_expires_at": format_rfc3339(expires),
            }
            for file in batch.files
        ]


def batch_json(
    batch: Batch, counts: ItemCounts, emails: Mapping[str, int] | None = None
) -> dict[str, Json]:
    """Return the batch object, its files without URLs; `emails` are the counts, None for none."""
    return {
        "id": batch.id,
        "object": "batch",
        "status": batch.status,
        "test": batch.test,
        "total": batch.total,
        **progress_json(batch, counts),
        "template_id": batch.template_id,
        "template_version": batch.template_version,
        "reference": batch.reference,
        "metadata": batch.metadata or {},
        "created_at": batch.created_at,
        "completed_at": batch.completed_at,
        "combine": {
            "merged_pdf": batch.combine.merged_pdf,
            "zip": batch.combine.zip,
            "zip_filename": batch.combine.zip_filename,
        },
        "files": [_file_json(file) for file in batch.files],
        "emails": {name: (emails or {}).get(name, 0) for name in EMAIL_COUNTS},
        "paused": None
        if batch.paused_since is None
        else {"reason": "render_limit_reached", "since": batch.paused_since},
        "error": batch.error,
    }


def progress_json(batch: Batch, counts: ItemCounts) -> dict[str, Json]:
    """Return the counts of a batch, and the share that has ended."""
    return {
        **counts._asdict(),
        "pending": batch.total - counts.total,
        "progress": counts.total / batch.total if batch.total else 0.0,
    }


def item_json(item: BatchItem, batch: Batch) -> dict[str, Json]:
    """Return an item as the list shows it."""
    status = item.status_in(batch)
    is_pending_again = status != item.status
    previous = item.render_id if is_pending_again else item.previous_render_id
    error = None if is_pending_again else item.error
    if error is not None and previous is not None:
        error = {**error, "previous_render_id": previous}
    return {
        "index": item.index,
        "status": status,
        "render_id": None if is_pending_again else item.render_id,
        "previous_render_id": previous,
        "reference": item.reference,
        "filename": item.filename,
        "error": error,
    }


def stored_file(file: CombinedFile) -> StoredFile:
    """Return a combined file as the record of its URL has it."""
    return StoredFile(
        id=file.file_id,
        format="zip" if file.kind == "zip" else "pdf",
        filename=file.filename,
        content_type=file.content_type,
        bytes=file.bytes,
        sha256="",
        pages=file.pages,
        width=None,
        height=None,
        expires_at=file.expires_at,
        key=file.key,
    )


def _file_json(file: CombinedFile) -> dict[str, Json]:
    return {
        "kind": file.kind,
        "file_id": file.file_id,
        "filename": file.filename,
        "content_type": file.content_type,
        "bytes": file.bytes,
        "pages": file.pages,
        "expires_at": file.expires_at,
    }
