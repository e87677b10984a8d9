"""Render requests (RenderRequest and its parts), preflight results, filters of the list."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, PlainValidator, StringConstraints, model_validator
from pydantic_core import PydanticKnownError

from chalicelib.contract.base import Model, Query
from chalicelib.contract.emails.target import EmailTargets
from chalicelib.contract.field_types import (
    Metadata,
    MetadataKey,
    MetadataText,
    PageLimit,
    QueryFlag,
    Reference,
    TargetUrl,
    Timestamp,
    UploadId,
    Url,
)
from chalicelib.contract.options.assets import MAX_ASSETS, PageAsset
from chalicelib.contract.options_model import OptionsModel
from chalicelib.contract.render.conformance_report import InvoiceTotals
from chalicelib.contract.render.output import OutputSpec
from chalicelib.contract.storage.target import StorageTargetSpecs
from chalicelib.core.text import pattern_with_form

RenderStatus = Literal["queued", "processing", "succeeded", "failed", "canceled"]
InputType = Literal["html", "url", "template", "pdf_tool", "einvoice"]
ResultFormat = Literal["pdf", "png", "jpeg", "webp", "html", "xml", "zip", "txt"]
RenderSource = Literal["api", "batch", "signed_link", "email_test"]
Mode = Literal["sync", "async"]
Priority = Literal["normal", "low"]
TemplateId = Annotated[str, StringConstraints(min_length=1, max_length=64)]
EngineId = Annotated[
    str,
    StringConstraints(
        pattern=pattern_with_form(
            r"^[0-9]{4}\.[0-9]{1,6}$", "the version of an engine, such as 2026.1"
        )
    ),
]


def _check_statuses(text: str) -> tuple[str, ...]:
    """Return the statuses of a repeated parameter, which come with commas between them."""
    statuses = tuple(dict.fromkeys(text.split(",")))
    known = get_args(RenderStatus)
    if not set(statuses) <= set(known):
        expected = ", ".join(map(repr, known))
        raise PydanticKnownError("literal_error", {"expected": expected})
    return statuses


RenderStatuses = Annotated[
    Sequence[RenderStatus],
    PlainValidator(_check_statuses, json_schema_input_type=list[RenderStatus]),
]
MetadataFilter = Annotated[dict[MetadataKey, MetadataText], Field(max_length=5)]
RequestEventName = Literal["render.succeeded", "render.failed", "render.expired"]
RequestEvents = Annotated[list[RequestEventName], Field(min_length=1, max_length=3)]


def _check_asset(asset: PageAsset) -> None:
    if (asset.upload_id is None) == (asset.content is None):
        message = "needs either upload_id or content"
        raise ValueError(message)


class AssetSpec(OptionsModel, of=PageAsset, check=_check_asset):
    """A file beside the document: exactly one of `upload_id` and `content`."""


AssetSpecs = Annotated[list[AssetSpec], Field(max_length=MAX_ASSETS)]


class HtmlSource(Model):
    """An HTML document in the request, or an upload."""

    html: str | None = None
    """The document; `upload_id` stands in its place."""
    upload_id: UploadId | None = None
    """Id of an uploaded document of up to 20 MB, `upl_…`, in place of `html`."""
    head: str | None = None
    """HTML that is put first into the document's head. Null: nothing."""
    templating: bool | None = None
    """Run `html` and `head` as Jinja2 templates over the data. Null: only if there is data."""
    assets: AssetSpecs = Field(default=[])
    """Files that the document names by relative addresses; 20 MB in all."""

    @model_validator(mode="after")
    def _check_exactly_one(self) -> Self:
        if (self.html is None) == (self.upload_id is None):
            message = "needs either html or upload_id"
            raise ValueError(message)
        return self


class UrlSource(Model):
    """A web page."""

    url: Url
    """A public http or https URL."""


class TemplateSource(Model):
    """A stored template."""

    template_id: TemplateId
    """Id of a stored template, `tpl_…`. It must be on the key's allowlist, if it has one; `html`
    and `url` are not restricted by it."""
    assets: AssetSpecs = Field(default=[])
    """Files that the template names by relative addresses; 20 MB in all."""


class HtmlInput(HtmlSource):
    """An HTML document in the request, or an upload."""

    type: Literal["html"]
    """An HTML document in the request, or an upload."""


class UrlInput(UrlSource):
    """A web page."""

    type: Literal["url"]
    """A page of the web."""


class TemplateInput(TemplateSource):
    """A stored template."""

    type: Literal["template"]
    """A stored template."""


RenderInput = Annotated[HtmlInput | UrlInput | TemplateInput, Field(discriminator="type")]


DeliveryType = Annotated[
    Literal["url", "binary", "base64", "none"],
    Field(
        description="`url`: the answer has signed URLs. `binary`: the answer is the file itself, "
        "one of at most 20 MB (several go into a `zip`). `base64`: each file of the answer has "
        "`content_base64`, of files of at most 10 MB in all. Both are for sync renders. An answer "
        "carries files of at most 4.3 MB (4 300 000 bytes): larger ones are answered with 303, "
        "their URL in `Location` and in a JSON body, so let your client follow redirects. `none`: "
        "`files` without URLs, which `GET /v1/renders/{id}` gives. Null: `url` if the files are "
        "kept, else `none`."
    ),
]


class DeliveryOptions(Model):
    """Options of the delivery besides its type."""

    expires_in: Annotated[int, Field(ge=60, le=604_800)] = 3600
    """Seconds for which the signed URLs are valid."""
    hosted: bool | None = None
    """False: the files are deleted once they are delivered, and never stored if only the answer
    carries them; a file that the answer cannot carry is kept for an hour. Emails get them as
    attachments, storage destinations by an upload, and after the last of both has succeeded they
    are deleted; never after a failure: then they stay, with URLs. If the file is nowhere but in
    the answer, `timeout_behavior` must be `cancel`, which is then the default. Excludes `url`.
    Null: true, unless no storage destination of the render has `keep_hosted_copy`."""
    retention: Literal["none", "default"] | None = None
    """`none`: zero retention. With `binary` and `base64` nothing of the document is ever stored,
    queued or logged: the answer must carry the file (at most 4.3 MB, else `output_too_large`),
    `timeout_behavior` is `cancel`, uploads cannot be used, a repeated request is answered with the
    render without files, and a failure keeps only its code. With storage destinations input and
    files exist until the last upload has ended, a day at most. Without both the files would go
    nowhere, which is refused."""
    retention_days: Annotated[int, Field(ge=1, le=36_500)] | None = None
    """Days for which the files of a live render are kept. Files of a test render are kept for 24
    hours. Null: 30."""
    storage: StorageTargetSpecs | None = None
    """The storage destinations that get the files, from plan `starter`. Null: the workspace's
    default one, for a live render; empty: none."""
    email: EmailTargets | None = None
    """The email rules of the template that send: false for none, a list for those, null for all
    that are enabled, or as the template's options have it. With a list the render must be one of a
    template, `retention` not `none`, and the plan `growth` or above."""


class DeliverySpec(DeliveryOptions):
    """Delivery and retention of the files."""

    type: DeliveryType | None = None
    """How the files come: as URLs, as the answer itself, in the answer in base64, or not at all.
    Null: `url` if the files are kept, else `none`."""


class WebhookSpec(Model):
    """Address that gets the events of this render, beside the webhook endpoints."""

    url: TargetUrl
    """A public https URL; http for a test key, or where the operator exempts the address. Signed
    with the secret of the default webhook endpoint, without one with that of
    `GET /v1/webhook-endpoints/default-secret`."""
    events: RequestEvents = Field(default=["render.succeeded", "render.failed"])
    """The events to send."""


class CallOptions(Model):
    """Options of every request that makes a render, but its delivery."""

    mode: Mode = "sync"
    """`sync`: the answer waits for the files. `async`: the answer comes at once, and the files by
    `GET /v1/renders/{id}` or a webhook."""
    priority: Priority = "normal"
    """`low`: a queued render waits in a separate queue, from which fewer renders run at a time. A
    sync render is queued only if it exceeds the plan's time."""
    timeout_behavior: Literal["continue", "cancel"] = "continue"
    """For a sync render that is not ready within the plan's time: `continue` answers 202 and the
    render goes on, `cancel` answers 408 and the render is canceled."""
    webhook: WebhookSpec | None = None
    """An address that gets the events of this render. Null: the webhook endpoints alone get
    them."""
    reference: Reference | None = None
    """A name of your own for the render, such as the number of an invoice; it comes back with the
    render, and `GET /v1/renders` finds it. Null: none."""
    metadata: Metadata | None = None
    """Values of your own that come back with the render: at most 50, keys of 1 to 40 characters,
    texts of at most 500. Null: none."""
    test: bool | None = None
    """A test render: its files are marked, not billed, and deleted after 24 hours. Always true with
    a test key; a live key cannot ask for it."""


class RunOptions(CallOptions):
    """Options of every request that makes a render."""

    delivery: DeliverySpec | None = None
    """Delivery and retention of the files. Null: its defaults."""


class PageOptions(Model):
    """Options of every request that makes a page, in addition to input and output."""

    data: dict[str, Any] | None = None
    """Values for the template, such as `{"name": "Ada"}`. Null: none."""
    data_url: Url | None = None
    """The https URL of a JSON object, in place of `data`: at most 5 MB, within 10 s. Null:
    `data`."""
    version: Literal["live", "draft"] | Annotated[int, Field(ge=1)] = "live"
    """Version of a stored template: `live`, a number, or `draft`, which needs a test key or a
    workspace that allows it."""
    engine: EngineId | None = None
    """The rendering engine, such as `2026.1`; `GET /v1/engines` lists them. Null: the newest."""

    @model_validator(mode="after")
    def _check_data_source(self) -> Self:
        if self.data is not None and self.data_url is not None:
            message = "data and data_url do not go together"
            raise ValueError(message)
        return self


class RenderRequest(PageOptions, RunOptions):
    """The body of `POST /v1/renders`."""

    input: RenderInput
    """The document: HTML, a page of the web, or a stored template."""
    output: OutputSpec | None = None
    """The files to make. Null: a PDF."""


class PreflightError(Model):
    """A reason for which the request would be refused, or its render fail."""

    path: str
    """A JSON Pointer into the body; empty if it concerns no single field."""
    code: str
    """The code of a field, such as `required`, or that of the problem which the render would be
    answered with, such as `template_syntax_error` or `url_not_allowed`."""
    message: str
    """What is wrong, and what to change; of a template with line and column."""


class PreflightWarning(Model):
    """A problem that would not stop the render."""

    code: str
    """As in `warnings` of a render."""
    message: str
    """What is wrong, for people."""
    detail: str | None
    """The subject of the warning, such as a field; null without one."""


class PreflightCost(Model):
    """What the render would take of the allowance, and what is left of it; nothing is reserved."""

    renders: int
    """Billed renders, if it succeeds: 1, with a test key 0."""
    remaining: int | None
    """Renders left: included ones of this billing cycle, and those of packs. Automatic top-ups are
    not counted. Null: the plan counts none."""


class Preflight(Model):
    """The result of checking a request without rendering it."""

    ok: bool
    """Whether there are no errors."""
    errors: list[PreflightError]
    """All reasons that can be known without loading a page, not only the first one."""
    warnings: list[PreflightWarning]
    """Those that can be known without loading a page. One that `output.fail_on` names is an error
    too."""
    invoice: InvoiceTotals | None
    """Totals of the e-invoice of the request or of the template's options. Null without one, for a
    broken one, and where its data are at a `data_url`."""
    cost: PreflightCost
    """What the render would cost."""


class RenderQuery(Query):
    """Filters and paging of `GET /v1/renders`."""

    repeatable = ("status",)
    keyed = ("metadata",)

    status: RenderStatuses | None = None
    """Renders in this state only; repeat it for several states."""
    input_type: InputType | None = None
    """Renders of this type of input only."""
    output_format: ResultFormat | None = None
    """Renders whose first file has this format only."""
    source: RenderSource | None = None
    """Renders that were requested in this way only."""
    metadata: MetadataFilter | None = None
    """`metadata[customer]=4711`: renders whose metadata has this value under this key; numbers and
    the like as JSON writes them. Up to 5 keys."""
    template_id: Annotated[str, StringConstraints(max_length=64)] | None = None
    """Renders of this template only, `tpl_…`."""
    batch_id: Annotated[str, StringConstraints(max_length=64)] | None = None
    """Renders of this batch only, `bat_…`."""
    reference: Reference | None = None
    """Renders with this reference only: the whole text, as the request gave it."""
    test: QueryFlag | None = None
    """`true`: test renders only; `false`: live ones only. Test keys see test renders only."""
    created_after: Timestamp | None = None
    """Renders that were created later than this time; write the `+` of an offset as `%2B`."""
    created_before: Timestamp | None = None
    """Renders that were created earlier than this time."""
    limit: PageLimit = 20
    """Number of renders of a page. With a rare filter a page may hold fewer while `has_more` is
    true."""
    cursor: Annotated[str, StringConstraints(max_length=1000)] | None = None
    """The `next_cursor` of the previous page, with the same filters."""
