"""Signed links, and the signing of their URLs."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, ValidationInfo, field_validator

from chalicelib.contract.base import Change, Model, Query
from chalicelib.contract.field_types import Cursor, PageLimit, Timestamp, UncheckedJson
from chalicelib.contract.render.output import OutputSpec
from chalicelib.contract.render.request import TemplateId

LinkVersion = Literal["live", "draft"] | Annotated[int, Field(ge=1)]
LinkName = Annotated[str, StringConstraints(min_length=1, max_length=255)]
Referrers = Annotated[
    list[Annotated[str, StringConstraints(min_length=1, max_length=300)]], Field(max_length=100)
]
# Up to the end of the year 9999.
UnixSecond = Annotated[int, Field(ge=1, le=253_402_300_799)]
Quota = Annotated[int, Field(ge=1, le=1_000_000_000)]


def _check_segment(name: str) -> str:
    if not name.isprintable() or any(character in name for character in "/\\"):
        message = "must be one part of a path, without slashes and control characters"
        raise ValueError(message)
    return name


class SignedLinkRequest(Model):
    """A new signed link."""

    name: LinkName
    """A name for people."""
    template_id: TemplateId
    """Id of the template, `tpl_…`."""
    version: LinkVersion = "live"
    """`live`: the newest published version at the time a file is made. `draft` needs a test key, or
    a workspace that allows it."""
    output: OutputSpec | None = None
    """Options of the files, of at most 100 000 bytes and without uploads; the template's own are
    below them. The extension of a URL chooses the format: `format` and `formats` stay out. Null:
    none."""
    allowed_referrers: Referrers | None = None
    """Origins of the pages that may embed the files, such as `https://www.example.com`. Null or
    empty: every page. With origins a request without `Referer` is refused."""
    expires_at: Timestamp | None = None
    """When all URLs end. Null: never."""
    quota_total: Quota | None = None
    """Renders that the link may make; null: any number."""
    enabled: bool = True
    """`false`: all URLs are `not_found` until it is true."""


class SignedLinkChange(Change):
    """A change of a signed link; absent fields stay as they are."""

    name: LinkName = Field(default_factory=str)
    """A name for people."""
    version: LinkVersion = "live"
    """Version of the template: `live`, a number, or `draft`, which needs a test key or a workspace
    that allows it."""
    output: OutputSpec | None = None
    """Null: no options. Files that are made already stay as they are."""
    allowed_referrers: Referrers | None = None
    """Origins of the pages that may embed the files. Null or empty: every page."""
    expires_at: Timestamp | None = None
    """When all URLs end. Null: never."""
    quota_total: Quota | None = None
    """Renders that the link may make. Null: any number."""
    enabled: bool = Field(default_factory=bool)
    """`false`: all URLs are `not_found` until it is true again."""


class SignedLink(Model):
    """A signed link."""

    id: str
    """Id of the link, `lnk_…`."""
    object: Literal["signed_link"]
    name: str
    """A name for people."""
    template_id: str
    """Id of the template, `tpl_…`."""
    version: LinkVersion
    """Version of the template: `live`, `draft` or a number."""
    output: dict[str, UncheckedJson]
    """The options that were given; empty without any."""
    allowed_referrers: list[str]
    """Origins of the pages that may embed the files; empty: every page."""
    expires_at: str | None
    """When all URLs end; null: never."""
    quota_total: int | None
    """Renders that the link may make; null: any number."""
    quota_used: int
    """Renders that were made or are being made; one that fails is given back."""
    enabled: bool
    """`false`: all URLs are `not_found`."""
    created_at: str
    updated_at: str


class SignedLinkWithSecret(SignedLink):
    """A signed link with its secret, which is shown this once."""

    secret: str
    """The secret, whose characters are the key of HMAC-SHA256."""


class SignedLinkList(Model):
    """Signed links of a workspace, newest first."""

    object: Literal["list"]
    data: list[SignedLink]
    """Links of this page."""
    has_more: bool
    next_cursor: str | None


class SignedLinkQuery(Query):
    """Paging of `GET /v1/signed-links`."""

    limit: PageLimit = 20
    cursor: Cursor | None = None
    """The `next_cursor` of the previous page."""


class SignedUrlRequest(Model):
    """The URL to sign."""

    name: Annotated[
        str, StringConstraints(min_length=1, max_length=200), AfterValidator(_check_segment)
    ] = "document"
    """Name of the file, which stands in the URL before the extension; any you like."""
    format: Literal["pdf", "png", "jpeg", "jpg", "webp"] = "pdf"
    """Format of the file, which is the extension of the URL."""
    params: dict[str, UncheckedJson] = Field(default_factory=dict)
    """Data of the template. Names may be dotted paths, and objects become such names. All values
    become texts, null is left out; arrays cannot stand in a URL."""
    expires_at: UnixSecond | Timestamp | None = None
    """When the URL ends: a date-time, or a Unix time in seconds. Excludes `expires_in`."""
    expires_in: Annotated[int, Field(ge=60, le=604_800)] | None = None
    """Seconds until the URL ends, in place of `expires_at`. Null: 3600, unless `expires_at` is
    given."""

    @field_validator("expires_in")
    @classmethod
    def _check_expiry(cls, seconds: int | None, info: ValidationInfo) -> int | None:
        if seconds is not None and info.data.get("expires_at") is not None:
            message = "stands in place of expires_at: leave one of them out"
            raise ValueError(message)
        return seconds


class SignedUrl(Model):
    """A signed URL."""

    url: str
    """The URL, which needs no key."""
