"""Batch object, its items and their parts."""

from typing import Annotated, Literal

from pydantic import Field

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import Count, UncheckedJson
from chalicelib.contract.render.render import RenderError

BatchStatus = Literal["queued", "processing", "completed", "failed", "canceled"]
BatchItemStatus = Literal["pending", "queued", "succeeded", "failed", "canceled"]


class BatchCombine(Model):
    """The files that combine the results of a batch."""

    merged_pdf: bool
    zip: bool
    zip_filename: str | None


class BatchFile(Model):
    """A file that combines the results of a batch."""

    kind: Literal["zip", "merged_pdf"]
    file_id: str
    filename: str
    content_type: str
    bytes: int
    pages: int | None = None
    """Pages of a merged PDF."""
    expires_at: str | None = None
    """When the hosted file is deleted."""
    url: str | None = None
    """Absent if the file is not hosted."""
    url_expires_at: str | None = None


class BatchEmailCounts(Model):
    """Emails of a batch by status, the newest one of each item and rule."""

    sent: Count
    """Also `sandboxed`."""
    failed: Count
    unknown: Count
    pending: Count
    """Also `sending` and `retrying`."""
    skipped: Count
    canceled: Count


class BatchPause(Model):
    """The reason why no item of a batch is started at present."""

    reason: Literal["render_limit_reached"]
    since: str


class BatchError(Model):
    """The reason why a batch failed."""

    code: str
    message: str
    items: Annotated[list[Count], Field(max_length=100)] | None = None
    """Indexes of the items whose files are gone (`item_files_expired`), in ascending order."""


class Batch(Model):
    """A batch in its present state."""

    id: str
    object: Literal["batch"]
    status: BatchStatus
    test: bool
    total: Count
    """Number of items; 0 until the rows of a CSV are counted."""
    succeeded: Count
    failed: Count
    canceled: Count
    pending: Count
    """Items without a final status."""
    progress: Annotated[float, Field(ge=0, le=1)]
    """Finished items divided by `total`."""
    template_id: str
    template_version: int | None
    """The version that is rendered."""
    reference: str | None
    metadata: dict[str, UncheckedJson]
    created_at: str
    completed_at: str | None
    combine: BatchCombine
    files: list[BatchFile]
    emails: BatchEmailCounts
    paused: BatchPause | None
    """Set while the workspace has no renders left."""
    error: BatchError | None
    """Set if a requested combined file failed, which fails the batch."""


class BatchList(Model):
    """One page of batches, newest first."""

    object: Literal["list"]
    data: list[Batch]
    has_more: bool
    next_cursor: str | None


class BatchItemError(RenderError):
    """The reason why an item failed: that of its render, or of its row."""

    row: Annotated[int, Field(ge=2)] | None = None
    """The row of the CSV file, where the header is row 1; lines without a value are not counted
    (`csv_row_invalid`)."""
    previous_render_id: str | None = None
    """The render before the item was retried."""


class BatchItem(Model):
    """One item of a batch in its present state."""

    index: Count
    """Its position in `items`, or among the rows of the CSV file, from 0."""
    status: BatchItemStatus
    """`pending`: it has no render yet."""
    render_id: str | None
    reference: str | None
    filename: str | None
    error: BatchItemError | None
    previous_render_id: str | None
    """The render before the item was retried."""


class BatchItemList(Model):
    """One page of the items of a batch, in the order of `index`."""

    object: Literal["list"]
    data: list[BatchItem]
    has_more: bool
    next_cursor: str | None


class SkippedEmail(Model):
    """An email that is not sent again."""

    code: Literal["email_not_resendable", "email_file_expired"]
    send_id: str


class BatchResendEmailsResult(Model):
    """The emails of a batch that are sent again."""

    resent: Count
    skipped: Annotated[list[SkippedEmail], Field(max_length=100)]
    """At most 100 of those that are not."""
