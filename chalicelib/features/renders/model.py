"""Render, and the transitions between its states."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, Self, override

from chalicelib.core.ids import LinkId, RenderId, WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.features.files.model import StoredFile
from chalicelib.features.webhooks.request_webhook import RequestWebhook
from chalicelib.features.workspaces.limits.model import Reservation

type RenderStatus = Literal["queued", "processing", "succeeded", "failed", "canceled"]
type RunMode = Literal["sync", "async"]
type DeliveryType = Literal["url", "binary", "base64", "none"]
type Priority = Literal["normal", "low"]
type ReceiptStatus = Literal["pending", "retrying", "succeeded", "failed"]
type RenderKind = Literal["page", "pdf_tool", "einvoice"]
type RenderSource = Literal["api", "batch", "signed_link", "email_test"]

TRANSITIONS: Final[dict[RenderStatus, tuple[RenderStatus, ...]]] = {
    # The first attempt of a sync render is promised to one invocation, which writes start and end
    # in one update (decision 10).
    "queued": ("processing", "succeeded", "failed", "canceled"),
    # `processing` to itself: the next attempt takes over from one that died (decision 5).
    "processing": ("processing", "succeeded", "failed", "canceled"),
    "succeeded": (),
    "failed": (),
    "canceled": (),
}
FINAL_STATUSES: Final = tuple(status for status, after in TRANSITIONS.items() if not after)
UNFINISHED_STATUSES: Final = tuple(status for status, after in TRANSITIONS.items() if after)
MAX_ATTEMPTS: Final = 3
# Counts of emails that need the files no more.
DONE_EMAIL_COUNTS: Final = frozenset({"sent", "skipped"})
# Counts of emails that have ended without being sent, or perhaps so.
FAILED_EMAIL_COUNTS: Final = frozenset({"failed", "unknown", "canceled"})


class BodyKey(NamedTuple):
    """Place of the stored body of a render: an object of its own, or a line of a batch's.

    The object with the items of a batch belongs to the batch: no render deletes it.
    """

    object_key: str
    line: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the text of a key, as rows have it: `<object>` or `<object>#<line>`."""
        object_key, mark, line = text.partition("#")
        return cls(object_key, int(line) if mark else None)

    @property
    def is_shared(self) -> bool:
        """Tell whether the body is one of several in an object."""
        return self.line is not None

    @override
    def __str__(self) -> str:
        return self.object_key if self.line is None else f"{self.object_key}#{self.line}"


class StorageReceipt(NamedTuple):
    """Upload of one file to one destination; `file_index` is the file's among those of the render.

    `path` is None where it could not be made. `error` has `code`, `message` and `status`.
    `attempts` is None until an attempt has been recorded in a row of receipts.
    """

    destination_id: str
    file_index: int
    status: ReceiptStatus
    path: str | None
    bytes: int
    etag: str | None = None
    error: JsonObject | None = None
    attempts: int | None = None


class UploadTargets(NamedTuple):
    """Destinations of a render whose receipts stand in rows of their own, target by target.

    `receipt_bytes` is about the size of the receipts as JSON. Of a render that keeps its files for
    delivery only, `done` counts the targets that need them no more.
    """

    destination_ids: tuple[str, ...]
    receipt_bytes: int
    done: int = 0


class Render(NamedTuple):
    """Render as stored in its row.

    `input` and `output` are the request's, without content and secrets. `attempt` fences concurrent
    writers; `waived_attempts` do not count towards MAX_ATTEMPTS.
    """

    id: RenderId
    workspace_id: WorkspaceId
    status: RenderStatus
    mode: RunMode
    test: bool
    input: JsonObject
    output: JsonObject
    delivery: DeliveryType
    expires_in_s: int
    max_pages: int
    engine: str
    reservation: Reservation
    created_at: str
    request_id: str
    attempt: int = 0
    waived_attempts: int = 0
    reference: str | None = None
    metadata: JsonObject | None = None
    webhook: RequestWebhook | None = None
    body_key: BodyKey | None = None
    files: tuple[StoredFile, ...] = ()
    warnings: tuple[JsonObject, ...] = ()
    error: JsonObject | None = None
    billed: bool = False
    timings: Mapping[str, int] | None = None
    logs: tuple[str, ...] = ()
    explain: JsonObject | None = None
    # Formats of the files that came out, also of those that are not kept.
    file_formats: tuple[str, ...] = ()
    # By attempt, the formats of the files that it may have stored, where they are not those that
    # the request asks for.
    announced: Mapping[str, Sequence[str]] = {}
    # `result` has the conformance report, `invoice` the totals of an e-invoice.
    result: JsonObject | None = None
    invoice: JsonObject | None = None
    started_at: str | None = None
    completed_at: str | None = None
    expires_at: str | None = None
    files_purged_at: str | None = None

    priority: Priority = "normal"
    source: RenderSource = "api"
    # True: the files are kept after delivery. Always False with zero retention
    # (decision 17).
    hosted: bool = True
    # True: its files, which are not hosted, are stored until its batch has combined them.
    is_combined: bool = False
    zero_retention: bool = False
    retention_days: int | None = None

    history_days: int = 400
    # None unless the render is made from a template, or in a batch.
    template_id: str | None = None
    template_version: int | None = None
    batch_id: str | None = None
    # Of an item of a batch: its index, and the run of the batch that has released it.
    batch_index: int | None = None
    batch_run: int = 1
    # The signed link that made it, if one did.
    link_id: LinkId | None = None
    # Emails of the template's rules, and their counts once they are sends.
    email_count: int = 0
    email_counts: Mapping[str, int] | None = None
    # Trace of the request that made it (W3C Trace Context), if requests begin traces.
    traceparent: str | None = None
    # Uploads to storage destinations, target by target, once the files exist.
    storage: tuple[StorageReceipt, ...] = ()
    # With many receipts: `storage` is then empty until they are read.
    upload_targets: UploadTargets | None = None

    @property
    def requested_formats(self) -> tuple[str, ...]:
        """Return the formats of the files that the request asks for, in file order."""
        format_, formats = self.output["format"], self.output["formats"]
        if format_ == "zip" or not isinstance(formats, Sequence) or not formats:
            return (str(format_ or "pdf"),)
        return tuple(map(str, formats))

    @property
    def kind(self) -> RenderKind:
        """Return what makes the files: a page, a tool for PDFs, or the writer of e-invoices."""
        kinds: Mapping[object, RenderKind] = {"pdf": "pdf_tool", "einvoice": "einvoice"}
        return kinds.get(self.input["type"], "page")

    @property
    def input_type(self) -> str:
        """Return the type of the input."""
        return str(self.input["type"]) if self.kind == "page" else self.kind

    @property
    def output_format(self) -> str | None:
        """Return the format of the first file of the request; None for a tool without files."""
        formats = self.requested_formats
        has_format = self.output["format"] or self.output["formats"] or self.kind != "pdf_tool"
        return formats[0] if has_format else None

    @property
    def page_count(self) -> int | None:
        """Return the pages of all files that have pages, or None if none has."""
        pages = [file.pages for file in self.files if file.pages is not None]
        return sum(pages) if pages else None

    @property
    def returns_file(self) -> bool:
        """Return True if the response body is the file itself."""
        return self.delivery in {"binary", "base64"}

    @property
    def is_kept_for_delivery(self) -> bool:
        """Return True if the files are stored only until emails and uploads have them."""
        has_uploads = bool(self.storage) or self.upload_targets is not None
        return not self.hosted and (self.email_count > 0 or has_uploads)

    @property
    def is_delivered(self) -> bool:
        """Return True if no email and no upload needs the files any more.

        A failed one keeps them, but not with zero retention.
        """
        if not self._are_emails_done:
            return False
        if self.upload_targets is not None:
            return self.upload_targets.done == len(self.upload_targets.destination_ids)
        done = {"succeeded", "failed"} if self.zero_retention else {"succeeded"}
        return all(receipt.status in done for receipt in self.storage)

    @property
    def has_failed_delivery(self) -> bool:
        """Return True if an email or an upload has ended without its files, which then stay.

        `storage` must have been read.
        """
        counts = self.email_counts or {}
        return any(counts.get(name) for name in FAILED_EMAIL_COUNTS) or any(
            receipt.status == "failed" for receipt in self.storage
        )

    @property
    def _are_emails_done(self) -> bool:
        """Return True if the newest email of each rule was sent or skipped."""
        if not self.email_count:
            return True
        counts = self.email_counts
        return counts is not None and all(
            name in DONE_EMAIL_COUNTS for name, count in counts.items() if count
        )

    @property
    def is_final(self) -> bool:
        """Return True if the status is final."""
        return self.status in FINAL_STATUSES

    def at(self, now: str) -> "Render":
        """Return the render as it is at a time: files that have expired are purged.

        Its row does not change when they expire, since that would cost a third of the purge.
        """
        if self.files_purged_at is not None or self.expires_at is None or self.expires_at > now:
            return self
        return self._replace(files_purged_at=self.expires_at)


class Attempt(NamedTuple):
    """Attempt that claims a render; `message_id` is the queue message that started it, if any."""

    number: int
    invocation: str
    claimed_at: str
    claimed_until: str
    message_id: str | None = None


class ClaimResult(NamedTuple):
    """Render after a claim; `is_mine`: the attempt may run it, `is_free`: no attempt is running."""

    render: Render
    is_mine: bool
    is_free: bool = False
