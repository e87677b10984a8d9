"""The request of a render (RenderRequest and its parts), and how renders are listed."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import Metadata, PageLimit, QueryFlag, Timestamp, UploadId, Url
from chalicelib.contract.render.output import OutputSpec

RenderStatus = Literal["queued", "processing", "succeeded", "failed", "canceled"]
Mode = Literal["sync", "async"]
Priority = Literal["normal", "low"]
TemplateId = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class HtmlSource(Model):
    """A document sent along, or uploaded before."""

    html: Annotated[str, StringConstraints(min_length=1)] | None = None
    upload_id: UploadId | None = None
    """In place of `html`: up to 20 MB."""
    head: str | None = None
    """Put first into the document's head."""
    templating: bool | None = None
    """Run `html` and `head` as Jinja2 templates over the data. Null: yes where there is any."""

    @model_validator(mode="after")
    def _check_exactly_one(self) -> Self:
        if (self.html is None) == (self.upload_id is None):
            message = "needs either html or upload_id"
            raise ValueError(message)
        return self


class UrlSource(Model):
    """A page of the web."""

    url: Url
    """An http or https address that anybody may fetch."""


class TemplateSource(Model):
    """A stored template."""

    template_id: TemplateId
    """One of the key's allowlist, where it has one; `html` and `url` need no such leave."""


class HtmlInput(HtmlSource):
    """A document sent along, or uploaded before."""

    type: Literal["html"]


class UrlInput(UrlSource):
    """A page of the web."""

    type: Literal["url"]


class TemplateInput(TemplateSource):
    """A stored template."""

    type: Literal["template"]


RenderInput = Annotated[HtmlInput | UrlInput | TemplateInput, Field(discriminator="type")]


class DeliverySpec(Model):
    """How the files reach the caller, and how long they are kept."""

    type: Literal["url", "binary", "base64", "none"] | None = None
    """`url`: signed addresses in the answer. `binary`: the file itself is the answer, at most
    20 MB; `base64`: so is its base64, as text, of at most 10 MB. Both are for sync renders with one
    file (several go into a `zip`), and answer 303 to that very body where it is over 4.3 MB.
    `none`: `files` without addresses, which `GET /v1/renders/{id}` gives. Null: `url` where the
    files are kept, else `none`."""
    expires_in: Annotated[int, Field(ge=60, le=604_800)] = 3600
    """Seconds for which the signed addresses hold."""
    hosted: bool | None = None
    """False: the files are not kept once they are delivered, so not at all where nothing but the
    answer carries them; one that the answer cannot carry is kept for an hour. Goes with
    `timeout_behavior: cancel`, then its default, where the file is the answer. Not with `url`."""
    retention: Literal["none", "default"] | None = None
    """`none`: zero retention. With `binary` and `base64` nothing of the document is ever stored,
    queued or logged: the answer must be able to carry the file (4.3 MB, else `output_too_large`),
    `timeout_behavior` is `cancel`, uploads cannot be named, a repeat of the request is answered
    with the render without files, and a failure keeps its code only. With `none` no file is kept
    or delivered; what an async render is made from is kept until its end."""
    retention_days: Annotated[int, Field(ge=1, le=36_500)] | None = None
    """Days for which the files of a live render are kept; 30 where it is absent. Those of a test
    render are kept for 24 hours."""


class RenderOptions(Model):
    """What every request that makes a render may say beside its input and output."""

    data: dict[str, Any] | None = None
    """Values for the template."""
    data_url: Url | None = None
    """An https address of a JSON object, in place of `data`: at most 5 MB, within 10 s."""
    version: Literal["live", "draft"] | Annotated[int, Field(ge=1)] = "live"
    """Of a stored template; `draft` with a test key, or where the workspace allows it."""
    engine: Annotated[str, StringConstraints(pattern=r"^[0-9]{4}\.[0-9]{1,6}$")] | None = None
    """The rendering engine; the newest where it is null. `GET /v1/engines` lists them."""
    mode: Mode = "sync"
    priority: Priority = "normal"
    """`low`: what is queued waits in a queue of its own, which has fewer places. A sync render
    waits in no queue unless it is late."""
    timeout_behavior: Literal["continue", "cancel"] = "continue"
    """What becomes of a sync render that is not ready in the plan's time: it goes on and the
    answer is 202, or it is canceled and the answer is 408."""
    delivery: DeliverySpec | None = None
    """Null: its defaults."""
    reference: Annotated[str, StringConstraints(max_length=255)] | None = None
    metadata: Annotated[Metadata, Field(max_length=50)] | None = None
    """At most 50 values of the caller's own, texts of at most 500 characters."""
    test: bool | None = None
    """Always true with a test key; a live key cannot ask for it."""

    @model_validator(mode="after")
    def _check_data_source(self) -> Self:
        if self.data is not None and self.data_url is not None:
            message = "data and data_url do not go together"
            raise ValueError(message)
        return self


class RenderRequest(RenderOptions):
    """What `POST /v1/renders` takes."""

    input: RenderInput
    output: OutputSpec | None = None
    """Null: its defaults, a PDF."""


class PreflightError(Model):
    """Something that the request would be refused for."""

    path: str
    """A JSON Pointer into the body; empty where it is about none of its fields."""
    code: str
    message: str


class PreflightWarning(Model):
    """Something that would not stop the render."""

    code: str
    message: str
    detail: str | None = None
    """What it is about, such as a field."""


class Preflight(Model):
    """What is known of a render before it is made."""

    ok: bool
    """Whether there are no errors."""
    errors: list[PreflightError]
    warnings: list[PreflightWarning]


class RenderQuery(Model):
    """How `GET /v1/renders` is narrowed down."""

    status: RenderStatus | None = None
    template_id: Annotated[str, StringConstraints(max_length=64)] | None = None
    batch_id: Annotated[str, StringConstraints(max_length=64)] | None = None
    reference: Annotated[str, StringConstraints(max_length=255)] | None = None
    """The whole reference, as the request gave it."""
    test: QueryFlag | None = None
    """`true` or `false`; test keys see test renders only."""
    created_after: Timestamp | None = None
    """Not the moment itself; write a `+` of the offset as `%2B`."""
    created_before: Timestamp | None = None
    """Not the moment itself."""
    limit: PageLimit = 20
    """With a rare filter a page may hold fewer renders while `has_more` is true."""
    cursor: Annotated[str, StringConstraints(max_length=1000)] | None = None
    """The `next_cursor` of the page before, with the same filters."""
