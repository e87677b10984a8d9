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
    """Id of the file, `file_…`."""
    format: str
    """Format of the file, such as `pdf`."""
    filename: str
    """Name of the file, with its extension."""
    content_type: str
    """Media type of the file."""
    bytes: int
    """Size of the file, in bytes."""
    sha256: str
    """SHA-256 of the bytes, in hexadecimal."""
    pages: int | None
    """Number of pages of a PDF; null for other files."""
    width: int | None
    """Width of a picture, in pixels; null for other files."""
    height: int | None
    """Height of a picture, in pixels; null for other files."""
    url: str | None = None
    """Signed URL of the file, which needs no key; absent if the file is not to be fetched."""
    url_expires_at: str | None = None
    """When `url` ends."""
    content_base64: str | None = None
    """The bytes in base64; only in the answer of a request with delivery `base64`."""
    expires_at: str | None
    """When the file is deleted; null if it is not kept."""


class RenderWarning(Model):
    """A problem that did not stop the render."""

    code: str
    """Code of the warning, such as `asset_failed`."""
    message: str
    """What happened, for people."""
    detail: str | None = None
    """The subject of the warning, such as an address or a field; null without one."""


class RenderError(Model):
    """The reason why a render failed."""

    code: str
    """Code of the error, such as `template_runtime_error`."""
    message: str
    """What happened and what to change, for people."""
    line: int | None = None
    """Line in the template, from 1; only for errors of templates."""
    column: int | None = None
    """Column in that line, from 1; only for errors of templates."""
    excerpt: str | None = None
    """The text at that place; only for errors of templates."""
    errors: list[ProblemEntry] | None = None
    """Data that does not fit the schema (`data_schema_mismatch`), or values of the invoice that
    break a rule (`einvoice_invalid`), in the form of problem details."""


class Timings(Model):
    """Durations of the stages of a render that ran, in milliseconds."""

    queue_ms: int | None = None
    """Milliseconds from the request to the start."""
    template_ms: int | None = None
    """Milliseconds to fetch data and run the templates."""
    load_ms: int | None = None
    """Milliseconds to load the page, waits included."""
    print_ms: int | None = None
    """Milliseconds to print or picture the page."""
    finish_ms: int | None = None
    """Milliseconds to finish the files: metadata, attachments, conformance, protection."""
    validate_ms: int | None = None
    """Milliseconds to check the document."""
    store_ms: int | None = None
    """Milliseconds to store the files."""
    total_ms: int | None = None
    """Milliseconds from the request to the end."""
    cold: bool | None = None
    """Whether this was the first render of its process."""


class UsedFont(Model):
    """The first font family that a text of the page requests, and the font that draws it.

    For text in a web font, only its Latin part is reported.
    """

    requested: str
    """First font family that the page names."""
    used: str
    """Family of the font that draws the text."""


class MissingGlyphs(Model):
    """Characters that no font has, in text whose first font family is `requested`."""

    requested: str
    """First font family that the page names."""
    characters: str
    """The characters that no font has."""


class LoadedBytes(Model):
    """Sizes of the parts of the page, in bytes."""

    html: int
    """Bytes of documents."""
    css: int
    """Bytes of style sheets."""
    script: int
    """Bytes of scripts."""
    font: int
    """Bytes of fonts."""
    image: int
    """Bytes of pictures."""
    data: int
    """Bytes of data that scripts fetched."""
    other: int
    """Bytes of everything else."""


class MissingAsset(Model):
    """A part of the page that was not loaded, by its address or its element, and why not."""

    source: str
    """Address of the part, or its element."""
    reason: str
    """Why it was not loaded."""


class Explain(Model):
    """Details of how the page was made; also present on failures."""

    defaults_are_read = False

    fonts: list[UsedFont] = Field(default=[])
    """Fonts that draw the page."""
    missing_glyphs: list[MissingGlyphs] = Field(default=[])
    """What is drawn as boxes (warning `glyph_missing`); at most 200 characters of a family."""
    bytes: LoadedBytes
    """Sizes of the parts of the page, in bytes."""
    requests: int = 0
    """Number of requests that the page made."""
    wait: str | None = None
    """The last condition that was waited for, such as `networkidle`; null without any."""
    missing: list[MissingAsset] = Field(default=[])
    """Parts of the page that were not loaded; at most 20."""


class FileRedirect(Model):
    """Answer in place of a file that does not fit into one: it leads to the file."""

    object: Literal["redirect"]
    location: str
    """Signed URL of the file, for a minute; it is also in the header `Location`."""
    bytes: int
    """Size of the file, in bytes."""
    content_type: str
    """Media type of the file."""
    detail: str
    """What to do: fetch `location`."""


class RenderTemplate(Model):
    """The template of a render."""

    id: str
    """Id of the template, `tpl_…`."""
    version: int | None
    """Number of the version; null for a draft."""


class RenderEmail(Model):
    """An email of a render."""

    id: str
    """Id of the email send, `ems_…`."""
    rule_id: str | None
    """Id of the email rule, `emr_…`; null without one."""
    status: EmailSendStatus
    """State of the email, as `status` of `GET /v1/email-sends/{id}`."""
    to: list[str]
    """Addresses of the recipients, without names."""
    provider_message_id: str | None
    """The provider's id of the email; null before it is sent, and where the provider has none."""
    error: EmailSendError | None
    """Why it failed; null without an error."""
    sent_at: str | None
    """When the provider accepted it; null before."""


class Render(Model):
    """A render in its present state."""

    id: str
    """Id of the render, `rnd_…`."""
    object: Literal["render"]
    status: RenderStatus
    """`queued`, `processing`, or one of the final states `succeeded`, `failed` and `canceled`."""
    mode: Mode
    """`sync`: the request waits for the render. `async`: it is answered at once."""
    test: bool
    """Whether it is a test: its files are marked, not billed, and deleted after 24 hours."""
    region: str | None
    """The region where it is made."""
    kind: Literal["page", "pdf_tool", "einvoice"]
    """What makes its files: a page, a PDF tool or the e-invoice writer."""
    input: dict[str, Any]
    """The request's input, without contents and secrets."""
    input_type: InputType
    """Type of the input; `pdf_tool` and `einvoice` for renders of these routes."""
    template: RenderTemplate | None
    """The template; null without one."""
    template_id: str | None
    """Id of the template, `tpl_…`; null without one."""
    template_version: int | None
    """Version of the template; null without one, and for a draft."""
    engine: str
    """The rendering engine, such as `2026.1`."""
    engine_version: str
    """The same as `engine`."""
    output: dict[str, Any]
    """The request's output, without contents and secrets."""
    output_format: ResultFormat | None
    """The format of the first file of the request; null for a PDF tool that makes none."""
    reference: str | None
    """The request's `reference`; null without one."""
    metadata: dict[str, Any]
    """The request's `metadata`; empty without any."""
    priority: Priority
    """`low`: it waits in a separate queue."""
    source: RenderSource
    """What requested it: a call of the API, a batch, a signed link, or the test of an email
    rule."""
    batch_id: str | None
    """Id of its batch, `bat_…`; null without one."""
    files: list[RenderFile]
    """The files; empty before it has succeeded, and after they were deleted."""
    pages: int | None
    """The pages of all files that have pages; null without such a file."""
    warnings: list[RenderWarning]
    """Problems that did not stop it; empty without any."""
    error: RenderError | None
    """Why it failed; null unless it has failed."""
    result: RenderResult | None
    """Results of the checks of the document; null without any."""
    invoice: InvoiceTotals | None
    """Totals of the e-invoice of the request or of the template's options; null without one."""
    billed: bool
    """Whether it counts against the allowance."""
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
    """How long the stages took; empty until it has ended."""
    logs: list[str]
    """What the page wrote to its console; at most 100 lines."""
    explain: Explain | None
    """Details of how the page was made; null until it has ended, and for renders without a page."""
    created_at: str
    """When it was requested."""
    started_at: str | None
    """When it was first started; null before."""
    completed_at: str | None
    """When its state became final; null before."""
    expires_at: str | None
    """When its files are deleted; null if none are kept."""
    files_purged_at: str | None
    """When its files were deleted; null before."""


class RenderList(Model):
    """One page of renders, newest first."""

    object: Literal["list"]
    data: list[Render]
    """Renders of this page."""
    has_more: bool
    next_cursor: str | None
