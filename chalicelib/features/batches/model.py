"""Batch, its items and their counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import msgspec

from chalicelib.core.ids import BatchId, FileId, RenderId, WorkspaceId
from chalicelib.core.json import Json, OpaqueObject
from chalicelib.features.webhooks.request_webhook import RequestWebhook

type BatchStatus = Literal["queued", "processing", "completed", "failed", "canceled"]
# `pending` is never stored: an item without a row is pending, or canceled where its batch is.
type ItemStatus = Literal["pending", "queued", "succeeded", "failed", "canceled"]
# Workspace and id of a batch.
type BatchKey = tuple[WorkspaceId, BatchId]
type CombinedKind = Literal["zip", "merged_pdf"]

OPEN_STATUSES: Final[tuple[BatchStatus, ...]] = ("queued", "processing")
MAX_ITEMS: Final = 100_000
# Items of one partition of the table.
ITEMS_PER_PARTITION: Final = 1_000
PROGRESS_STEPS: Final = 10


class Combine(msgspec.Struct, frozen=True):
    """Combined files of a batch."""

    merged_pdf: bool = False
    zip: bool = False
    zip_filename: str | None = None

    @property
    def kinds(self) -> tuple[CombinedKind, ...]:
        """Return the kinds of files to make, in their order in answers."""
        chosen: dict[CombinedKind, bool] = {"zip": self.zip, "merged_pdf": self.merged_pdf}
        return tuple(kind for kind, is_chosen in chosen.items() if is_chosen)


_NONE_COMBINED: Final = Combine()


class CombinedFile(msgspec.Struct, frozen=True):
    """Combined file of a batch; `key` is its key in the bucket."""

    kind: CombinedKind
    file_id: FileId
    filename: str
    content_type: str
    bytes: int
    pages: int | None
    expires_at: str
    key: str


class ItemCounts(NamedTuple):
    """Items of a batch by final status."""

    succeeded: int = 0
    failed: int = 0
    canceled: int = 0

    @property
    def total(self) -> int:
        """Return the number of items with a final status."""
        return sum(self)


_NONE_ENDED: Final = ItemCounts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Batch as stored in its row.

    `run` counts the first run and each retry. A run releases items in steps: `next_index` is where
    the next step begins, `released` the number of items released over all runs, `steps` that of
    steps. `carried` are the items that ended in earlier runs for good, `counts` the final counts
    of a final batch. `progress` is the last tenth with an event in this run, `last_event_at` the
    time of the last event.
    """

    id: BatchId
    workspace_id: WorkspaceId
    status: BatchStatus
    test: bool
    total: int
    template_id: str
    template_version: int | None
    created_at: str
    request_id: str
    expires_in_s: int
    retention_days: int | None = None
    history_days: int = 400
    reference: str | None = None
    metadata: OpaqueObject | None = None
    webhook: RequestWebhook | None = None
    combine: Combine = _NONE_COMBINED
    is_csv: bool = False
    # The files of items go once the combined files are there (delivery.hosted false).
    purges_items: bool = False
    zero_retention: bool = False
    run: int = 1
    next_index: int = 0
    released: int = 0
    steps: int = 0
    carried: ItemCounts = _NONE_ENDED
    counts: ItemCounts | None = None
    progress: int = 0
    last_event_at: str | None = None
    pauses: int = 0
    paused_since: str | None = None
    cancel_requested_at: str | None = None
    # After a cancellation: the queued items are canceled.
    is_swept: bool = False
    completed_at: str | None = None
    data_until: str | None = None
    files: tuple[CombinedFile, ...] = ()
    error: OpaqueObject | None = None

    @property
    def key(self) -> BatchKey:
        """Return workspace and id."""
        return self.workspace_id, self.id

    @property
    def is_final(self) -> bool:
        """Return True if the status is final."""
        return self.status not in OPEN_STATUSES

    @property
    def is_importing(self) -> bool:
        """Return True while the records of its CSV are counted."""
        return self.is_csv and self.status == "queued"

    @property
    def is_released(self) -> bool:
        """Return True if the run has released all its items, or releases none any more."""
        if self.cancel_requested_at is not None:
            return True
        return not self.is_importing and self.next_index >= self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchItem:
    """Item with a row; `run` is the run that released it last."""

    index: int
    status: ItemStatus
    run: int
    render_id: RenderId | None = None
    previous_render_id: RenderId | None = None
    filename: str | None = None
    reference: str | None = None
    error: OpaqueObject | None = None

    def status_in(self, batch: Batch) -> ItemStatus:
        """Return the status: a failed item that a retry has not released yet is pending again."""
        if self.status == "failed" and self.run < batch.run:
            return "canceled" if batch.status == "canceled" else "pending"
        return self.status


class Counted(NamedTuple):
    """Sums of a batch's counters: of the run, and of items that ended over all runs."""

    run: ItemCounts
    ended: int

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Json]], run: int) -> "Counted":
        """Return the sums of counter rows."""

        def total(name: str) -> int:
            return sum(int(str(row.get(name, 0))) for row in rows)

        return cls(
            ItemCounts(*(total(counter_name(status, run)) for status in ItemCounts._fields)),
            total("ended"),
        )


def counter_name(status: str, run: int) -> str:
    """Return the attribute of a counter row that counts items of a run by status."""
    return f"{status}_{run}"


def counts_of(batch: Batch, counted: Counted) -> ItemCounts:
    """Return the counts as an answer shows them."""
    if batch.counts is not None:
        return batch.counts
    return ItemCounts(*map(sum, zip(batch.carried, counted.run, strict=True)))
