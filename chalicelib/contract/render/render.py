"""Render object and its parts."""

from typing import Any, Literal

from pydantic import Field

from chalicelib.contract.base import Model
from chalicelib.contract.emails.send import EmailSendError, EmailSendStatus
from chalicelib.contract.meta import ProblemEntry
from chalicelib.contract.render.conformance_report import InvoiceTotals, RenderResult
from chalicelib.contract.render.request import (
    InputType,
    Mode,
    Priority,
    RenderSource,
    RenderStatus,
    ResultFormat,
)
from chalicelib.contract.storage.target import StorageReceipt


class RenderFile(Model):
    """One file of a render."""

    id: str
    format: str
    filename: str
    content_type: str
    bytes: int
    sha256: str
    pages: int | None
    width: int | None
    height: int | None
    url: str | None = None
    url_expires_at: str | None = None
    content_base64: str | None = None
    """The file; only in the answer of a request with delivery `base64`."""
    expires_at: str | None


class RenderWarning(Model):
    """A problem that did not stop the render."""

    code: str
    message: str
    detail: str | None = None


class RenderError(Model):
    """The reason why a render failed."""

    code: str
    message: str
    line: int | None = None
    column: int | None = None
    excerpt: str | None = None
    errors: list[ProblemEntry] | None = None
    """Data that does not fit the schema (`data_schema_mismatch`), in the form of problem
    details."""


class Timings(Model):
    """Durations of the stages of a render that ran, in milliseconds."""

    queue_ms: int | None = None
    template_ms: int | None = None
    load_ms: int | None = None
    print_ms: int | None = None
    finish_ms: int | None = None
    validate_ms: int | None = None
    store_ms: int | None = None
    total_ms: int | None = None
    cold: bool | None = None
    """Whether this was the first render of its process."""


class UsedFont(Model):
    """The first font family that a text of the page requests, and the font that draws it.

    For text in a web font, only its Latin part is reported.
    """

    requested: str
    used: str


class MissingGlyphs(Model):
    """Characters that no font has, in text whose first font family is `requested`."""

    requested: str
    characters: str


class LoadedBytes(Model):
    """Sizes of the parts of the page, in bytes."""

    html: int
    css: int
    script: int
    font: int
    image: int
    data: int
    other: int


class MissingAsset(Model):
    """A part of the page that was not loaded, by its address or its element, and why not."""

    source: str
    reason: str


class Explain(Model):
    """Details of how the page was made; also present on failures."""

    fonts: list[UsedFont] = Field(default=[])
    missing_glyphs: list[MissingGlyphs] = Field(default=[])
    """What is drawn as boxes (warning `glyph_missing`); at most 200 characters of a family."""
    bytes: LoadedBytes
    requests: int = 0
    """Number of requests that the page made."""
    wait: str | None = None
    """The last condition that was waited for."""
    missing: list[MissingAsset] = Field(default=[])
    """At most 20."""


class FileRedirect(Model):
    """Answer in place of a file that does not fit into one: it leads to the file."""

    object: Literal["redirect"]
    location: str
    """Signed URL of the file, for a minute; it is also in the header `Location`."""
    bytes: int
    content_type: str
    detail: str
    """What to do."""


class RenderTemplate(Model):
    """The template of a render."""

    id: str
    version: int | None
    """Null for a draft."""


class RenderEmail(Model):
    """An email of a render."""

    id: str
    rule_id: str | None
    status: EmailSendStatus
    to: list[str]
    """Addresses without names."""
    provider_message_id: str | None
    error: EmailSendError | None
    sent_at: str | None


class Render(Model):
    """A render in its present state."""

    id: str
    object: Literal["render"]
    status: RenderStatus
    mode: Mode
    test: bool
    region: str | None
    """Where it is made."""
    kind: Literal["page", "pdf_tool", "einvoice"]
    """What makes its files."""
    input: dict[str, Any]
    input_type: InputType
    template: RenderTemplate | None
    template_id: str | None
    template_version: int | None
    engine: str
    engine_version: str
    """The same as `engine`."""
    output: dict[str, Any]
    output_format: ResultFormat | None
    """The format of the first file of the request; null for a PDF tool that makes none."""
    reference: str | None
    metadata: dict[str, Any]
    priority: Priority
    source: RenderSource
    batch_id: str | None
    files: list[RenderFile]
    pages: int | None
    """The pages of all files that have pages; null without such a file."""
    warnings: list[RenderWarning]
    error: RenderError | None
    result: RenderResult | None
    invoice: InvoiceTotals | None
    """Totals of the e-invoice of the request or of the template's options."""
    billed: bool
    billed_renders: int
    """1 if it is billed, else 0."""
    storage: list[StorageReceipt]
    """The uploads of the files to storage destinations, from the moment the files exist."""
    emails: dict[str, int] | None
    """Emails of the template's rules by state: `sent`, `failed`, `unknown`, `pending`, `skipped`,
    `canceled`, the newest of each rule. Null for a render that is of no template."""
    email: list[RenderEmail] | None = None
    """The first 100 emails, in the order in which they were made, in
    `GET /v1/renders/{id}` alone."""
    timings: Timings
    logs: list[str]
    explain: Explain | None
    created_at: str
    started_at: str | None
    completed_at: str | None
    expires_at: str | None
    files_purged_at: str | None


class RenderList(Model):
    """One page of renders, newest first."""

    object: Literal["list"]
    data: list[Render]
    has_more: bool
    next_cursor: str | None
