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
    template_id: TemplateId
    version: LinkVersion = "live"
    """`live`: the newest published version at the time a file is made. `draft` needs a test key, or
    a workspace that allows it."""
    output: OutputSpec | None = None
    """Options of the files, of at most 100 000 bytes and without uploads; the template's own are
    below them. The extension of a URL chooses the format: `format` and `formats` stay out."""
    allowed_referrers: Referrers | None = None
    """Origins of the pages that may embed the files, such as `https://www.example.com`. Null or
    empty: every page. With origins a request without `Referer` is refused."""
    expires_at: Timestamp | None = None
    """All URLs end then."""
    quota_total: Quota | None = None
    """Renders that the link may make; null: any number."""
    enabled: bool = True


class SignedLinkChange(Change):
    """A change of a signed link; absent fields stay as they are."""

    name: LinkName = Field(default_factory=str)
    version: LinkVersion = "live"
    output: OutputSpec | None = None
    """Null: no options. Files that are made already stay as they are."""
    allowed_referrers: Referrers | None = None
    expires_at: Timestamp | None = None
    quota_total: Quota | None = None
    enabled: bool = Field(default_factory=bool)
    """`false`: all URLs are `not_found` until it is true again."""


class SignedLink(Model):
    """A signed link."""

    id: str
    object: Literal["signed_link"]
    name: str
    template_id: str
    version: LinkVersion
    output: dict[str, UncheckedJson]
    """The options that were given."""
    allowed_referrers: list[str]
    expires_at: str | None
    quota_total: int | None
    quota_used: int
    """Renders that were made or are being made; one that fails is given back."""
    enabled: bool
    created_at: str
    updated_at: str


class SignedLinkWithSecret(SignedLink):
    """A signed link with its secret, which is shown this once."""

    secret: str
    """Its characters are the key of HMAC-SHA256."""


class SignedLinkList(Model):
    """Signed links of a workspace, newest first."""

    object: Literal["list"]
    data: list[SignedLink]
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
    """Free: it stands in the URL before the extension."""
    format: Literal["pdf", "png", "jpeg", "jpg", "webp"] = "pdf"
    params: dict[str, UncheckedJson] = Field(default_factory=dict)
    """Data of the template. Names may be dotted paths, and objects become such names. All values
    become texts, null is left out; arrays cannot stand in a URL."""
    expires_at: UnixSecond | Timestamp | None = None
    """When the URL ends: a date-time, or a Unix time in seconds."""
    expires_in: Annotated[int, Field(ge=60, le=604_800)] | None = None
    """Seconds until the URL ends, in place of `expires_at`; 3600 without both."""

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
