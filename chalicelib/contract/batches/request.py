"""Batch requests (BatchRequest and its parts), filters of the lists, resends of emails."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, ValidationInfo, field_validator, model_validator

from chalicelib.contract.base import Model, Query
from chalicelib.contract.batches.batch import BatchItemStatus, BatchStatus
from chalicelib.contract.field_types import (
    Cursor,
    Metadata,
    PageLimit,
    QueryFlag,
    Reference,
    TargetUrl,
    UncheckedJson,
    UploadId,
)
from chalicelib.contract.render.output import OutputSpec
from chalicelib.contract.render.request import DeliverySpec, EngineId, TemplateId

BatchEventName = Literal["batch.progress", "batch.completed"]
DataPath = Annotated[str, StringConstraints(min_length=1, max_length=200)]
ColumnName = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class BatchItemSpec(Model):
    """One item: a render of the batch's template."""

    data: dict[str, UncheckedJson] | None = None
    """Values for the template. Null: none."""
    filename: Annotated[str, StringConstraints(max_length=255)] | None = None
    """Name of the item's files, used as it is given, not as a template. Characters that file
    systems refuse are removed; the extension follows the format. Null: that of `output`."""
    metadata: Metadata | None = None
    """Values of your own that come back with the render of the item: at most 50, texts of at most
    500 characters. Null: none."""
    reference: Reference | None = None
    """A name of your own for the item, such as the number of an invoice; it comes back with the
    item and its render."""


class CombineSpec(Model):
    """Files that combine the results of a batch, in the order of the items."""

    merged_pdf: bool = False
    """One PDF with the pages of all items."""
    zip: bool = False
    """One archive with the files of all items."""
    zip_filename: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    """Name of the archive; `.zip` is added if it is missing. Null: `batch.zip`."""


class BatchWebhookSpec(Model):
    """Address that gets the events of this batch, beside the webhook endpoints."""

    url: TargetUrl
    """A public https URL; http for a test key, or where the operator exempts the address. Signed
    with the secret of the default webhook endpoint, without one with that of
    `GET /v1/webhook-endpoints/default-secret`."""
    events: Annotated[list[BatchEventName], Field(min_length=1, max_length=2)] = Field(
        default=["batch.progress", "batch.completed"]
    )
    """The events to send."""
    format: Literal["standard"] = "standard"
    """Form and signature of the events: Standard Webhooks."""


class BatchRequest(Model):
    """The body of `POST /v1/batches`."""

    template_id: TemplateId
    """Must be on the key's allowlist, if it has one."""
    items: Annotated[list[BatchItemSpec], Field(min_length=1, max_length=100_000)] | None = None
    """The items, in order; `csv_upload_id` stands in their place."""
    csv_upload_id: UploadId | None = None
    """In place of `items`: an uploaded CSV file in UTF-8 whose first row names the columns; each
    further row with a value is an item. Columns are separated by `,`, `;` or tabs. The optional
    columns `_filename` and `_reference` set those of the item."""
    csv_mapping: Annotated[dict[DataPath, ColumnName], Field(max_length=500)] | None = None
    """Dotted paths into the data, each with the name of its column; other columns are ignored.
    Null: every column stands under its own name, which may be a dotted path."""
    version: Literal["live"] | Annotated[int, Field(ge=1)] = "live"
    """Version of the template for all items; `live` is resolved when the batch is created."""
    engine: EngineId | None = None
    """The rendering engine, such as `2026.1`; `GET /v1/engines` lists them. Null: the newest."""
    output: OutputSpec | None = None
    """The files to make of each item. Null: a PDF."""
    delivery: DeliverySpec | None = None
    """Delivery of the files of each item; `binary` and `base64` are refused. Null: its defaults."""
    combine: CombineSpec | None = None
    """Files that combine the results of all items. Null: none."""
    webhook: BatchWebhookSpec | None = None
    """An address that gets the events of this batch. Null: the webhook endpoints alone get them."""
    metadata: Metadata | None = None
    """Values of your own that come back with the batch: at most 50, texts of at most 500
    characters. Null: none."""
    reference: Reference | None = None
    """A name of your own for the batch, such as the number of a run; it comes back with the batch,
    and `GET /v1/batches` finds it."""
    test: bool | None = None
    """A test batch: its files are marked, not billed, and deleted after 24 hours. Always true with
    a test key; a live key cannot ask for it."""

    @field_validator("csv_mapping")
    @classmethod
    def _check_mapping_has_csv(
        cls, mapping: dict[str, str] | None, info: ValidationInfo
    ) -> dict[str, str] | None:
        # An invalid `csv_upload_id` is absent here, and has its own error.
        if mapping is not None and info.data.get("csv_upload_id", "invalid") is None:
            message = "goes with csv_upload_id only"
            raise ValueError(message)
        return mapping

    @model_validator(mode="after")
    def _check_exactly_one(self) -> Self:
        if (self.items is None) == (self.csv_upload_id is None):
            message = "needs either items or csv_upload_id"
            raise ValueError(message)
        return self


class BatchQuery(Query):
    """Filters and paging of `GET /v1/batches`."""

    status: BatchStatus | None = None
    """Batches in this state only."""
    template_id: Annotated[str, StringConstraints(max_length=64)] | None = None
    """Batches of this template only, `tpl_…`."""
    reference: Reference | None = None
    """The whole reference, as the request gave it."""
    test: QueryFlag | None = None
    """`true` or `false`; test keys see test batches only."""
    limit: PageLimit = 20
    """With a rare filter a page may hold fewer batches while `has_more` is true."""
    cursor: Cursor | None = None
    """The `next_cursor` of the previous page, with the same filters."""


class BatchItemQuery(Query):
    """Filter and paging of `GET /v1/batches/{id}/items`."""

    status: BatchItemStatus | None = None
    """Items in this state only."""
    limit: PageLimit = 20
    """With a rare status a page may hold fewer items while `has_more` is true."""
    cursor: Cursor | None = None
    """The `next_cursor` of the previous page, with the same filter."""


class BatchResendEmailsRequest(Model):
    """The body of `POST /v1/batches/{id}/resend-emails`."""

    statuses: Annotated[list[Literal["failed", "unknown"]], Field(min_length=1, max_length=2)]
    """The newest email of each item and rule is sent again if its status is one of these."""
