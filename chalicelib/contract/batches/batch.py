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
    """Whether there is one PDF with the pages of all items."""
    zip: bool
    """Whether there is one archive with the files of all items."""
    zip_filename: str | None
    """Name of the archive; null: `batch.zip`."""


class BatchFile(Model):
    """A file that combines the results of a batch."""

    kind: Literal["zip", "merged_pdf"]
    """`zip`: the files of all items. `merged_pdf`: their pages."""
    file_id: str
    """Id of the file, `file_…`."""
    filename: str
    """Name of the file, with its extension."""
    content_type: str
    """Media type of the file."""
    bytes: int
    """Size of the file, in bytes."""
    pages: int | None = None
    """Number of pages of a merged PDF; null for an archive."""
    expires_at: str | None = None
    """When the hosted file is deleted; null if it is not hosted."""
    url: str | None = None
    """Signed URL of the file, which needs no key; absent if the file is not hosted."""
    url_expires_at: str | None = None
    """When `url` ends."""


class BatchEmailCounts(Model):
    """Emails of a batch by status, the newest one of each item and rule."""

    sent: Count
    """Emails that the provider has accepted, also `sandboxed` ones."""
    failed: Count
    """Emails that failed."""
    unknown: Count
    """Emails that the provider may have taken; they are not sent again by themselves."""
    pending: Count
    """Emails that wait, are `sending` or `retrying`."""
    skipped: Count
    """Emails that were not to be sent: their condition is false, or the connection skips tests."""
    canceled: Count
    """Emails that were canceled while they waited."""


class BatchPause(Model):
    """The reason why no item of a batch is started at present."""

    reason: Literal["render_limit_reached"]
    """`render_limit_reached`: the workspace has no renders left."""
    since: str
    """When the batch was paused."""


class BatchError(Model):
    """The reason why a batch failed."""

    code: str
    """Code of the error, such as `item_files_expired`."""
    message: str
    """What happened, for people."""
    items: Annotated[list[Count], Field(max_length=100)] | None = None
    """Indexes of the items whose files are gone (`item_files_expired`), in ascending order."""


class Batch(Model):
    """A batch in its present state."""

    id: str
    """Id of the batch, `bat_…`."""
    object: Literal["batch"]
    status: BatchStatus
    """`queued`, `processing`, or one of the final states `completed`, `failed` and `canceled`. A
    batch whose items failed is `completed`."""
    test: bool
    """Whether it was made with a test key, or as a test: its files are marked and not billed."""
    total: Count
    """Number of items; 0 until the rows of a CSV are counted."""
    succeeded: Count
    """Items that have succeeded."""
    failed: Count
    """Items that have failed."""
    canceled: Count
    """Items that were canceled."""
    pending: Count
    """Items without a final status."""
    progress: Annotated[float, Field(ge=0, le=1)]
    """Finished items divided by `total`."""
    template_id: str
    """Id of the template of all items, `tpl_…`."""
    template_version: int | None
    """Number of the version that is rendered."""
    reference: str | None
    """The request's `reference`; null without one."""
    metadata: dict[str, UncheckedJson]
    """The request's `metadata`; empty without any."""
    created_at: str
    completed_at: str | None
    """When its state became final; null before."""
    combine: BatchCombine
    """The files that combine the results."""
    files: list[BatchFile]
    """The combined files; empty until they are made."""
    emails: BatchEmailCounts
    """Emails of the items by state."""
    paused: BatchPause | None
    """Why no item is started at present; null unless the workspace has no renders left."""
    error: BatchError | None
    """Set if a requested combined file failed, which fails the batch."""


class BatchList(Model):
    """One page of batches, newest first."""

    object: Literal["list"]
    data: list[Batch]
    """Batches of this page."""
    has_more: bool
    next_cursor: str | None


class BatchItemError(RenderError):
    """The reason why an item failed: that of its render, or of its row."""

    row: Annotated[int, Field(ge=2)] | None = None
    """The row of the CSV file, where the header is row 1; lines without a value are not counted
    (`csv_row_invalid`)."""
    previous_render_id: str | None = None
    """Id of the render before the item was retried, `rnd_…`; null without one."""


class BatchItem(Model):
    """One item of a batch in its present state."""

    index: Count
    """Its position in `items`, or among the rows of the CSV file, from 0."""
    status: BatchItemStatus
    """`pending`: it has no render yet."""
    render_id: str | None
    """Id of the item's render, `rnd_…`; null until the item is started."""
    reference: str | None
    """The item's `reference`; null without one."""
    filename: str | None
    """The item's `filename`; null without one."""
    error: BatchItemError | None
    """Why the item failed; null unless it has failed."""
    previous_render_id: str | None
    """Id of the render before the item was retried, `rnd_…`; null without one."""


class BatchItemList(Model):
    """One page of the items of a batch, in the order of `index`."""

    object: Literal["list"]
    data: list[BatchItem]
    """Items of this page."""
    has_more: bool
    next_cursor: str | None


class SkippedEmail(Model):
    """An email that is not sent again."""

    code: Literal["email_not_resendable", "email_file_expired"]
    """`email_not_resendable`: its content is not kept, or it failed before it was made.
    `email_file_expired`: a file of it is no longer kept."""
    send_id: str
    """Id of the email send, `ems_…`."""


class BatchResendEmailsResult(Model):
    """The emails of a batch that are sent again."""

    resent: Count
    """Number of emails that are sent again."""
    skipped: Annotated[list[SkippedEmail], Field(max_length=100)]
    """Emails that are not sent again, at most 100 of them."""
