"""Field types of several models: times, language tags, time zones, colours, metadata, sources."""

import datetime as dt
import re
from typing import Annotated, Final, Self
from urllib.parse import urlsplit, urlunsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import idna
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BeforeValidator,
    Field,
    GetPydanticSchema,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError, PydanticKnownError, core_schema
from pydantic_core.core_schema import ErrorType

from chalicelib.contract.base import Model
from chalicelib.contract.css_values import is_color
from chalicelib.core.json import Json
from chalicelib.core.text import pattern_with_form

LOCALE_PATTERN: Final = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}")
_DATE_PATTERN: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME_PATTERN: Final = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?"
_PATTERN_CONTEXT: Final = {"error": "another form"}

Count = Annotated[int, Field(ge=0)]
Cursor = Annotated[str, StringConstraints(max_length=1000)]
# A value of the caller's own, which pydantic takes as it was parsed.
UncheckedJson = Annotated[Json, GetPydanticSchema(lambda _type, _next: core_schema.any_schema())]
MetadataKey = Annotated[str, StringConstraints(min_length=1, max_length=40)]
MetadataText = Annotated[str, StringConstraints(max_length=500)]
Metadata = Annotated[
    dict[MetadataKey, MetadataText | int | float | bool | None],
    Field(
        max_length=50,
        description="At most 50 members: keys of 1 to 40 characters, texts of at most 500.",
    ),
]
Reference = Annotated[str, StringConstraints(max_length=255)]


def check_language_tag(value: str) -> str:
    """Return a BCP 47 language tag; raise ValueError for anything else."""
    if LOCALE_PATTERN.fullmatch(value) is None:
        message = "a BCP 47 tag such as de-AT is expected"
        raise ValueError(message)
    return value


def check_time_zone(value: str) -> str:
    """Return the name of an IANA time zone; raise ValueError for anything else."""
    # The folder of zones has other files, such as localtime and posix/UTC. Factory is no zone but
    # the entry of an unconfigured machine.
    is_zone_name = value[:1].isupper() and value != "Factory"
    try:
        return ZoneInfo(value if is_zone_name and value.isascii() else "").key
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        message = "an IANA time zone such as Europe/Vienna is expected"
        raise ValueError(message) from unknown


def _refuse_numbers(kind: ErrorType, context: dict[str, str]) -> BeforeValidator:
    """Return a validator that refuses numbers, which pydantic would read as seconds since 1970."""

    def check(value: object) -> object:
        if isinstance(value, int | float):
            raise PydanticKnownError(kind, context)
        return value

    return BeforeValidator(check)


def _require_pattern(
    form: str, kind: ErrorType, context: dict[str, str] | None = None
) -> BeforeValidator:
    """Return a validator for one spelling: pydantic also reads `on` as true and `5` as a time."""
    pattern = re.compile(form)

    def check(text: object) -> object:
        if isinstance(text, str) and pattern.fullmatch(text) is None:
            raise PydanticKnownError(kind, context)
        return text

    return BeforeValidator(check)


Day = Annotated[
    dt.date,
    Field(strict=False),
    _require_pattern(_DATE_PATTERN, "date_parsing", _PATTERN_CONTEXT),
    _refuse_numbers("date_parsing", _PATTERN_CONTEXT),
]
Timestamp = Annotated[
    AwareDatetime,
    Field(strict=False),
    _refuse_numbers("datetime_parsing", _PATTERN_CONTEXT),
    _require_pattern(
        f"{_DATE_PATTERN}[Tt ]{_TIME_PATTERN}([Zz]|[+-][0-9]{{2}}:[0-9]{{2}})",
        "datetime_parsing",
        _PATTERN_CONTEXT,
    ),
]
# Types of query parameters, which are always texts.
QueryFlag = Annotated[bool, Field(strict=False), _require_pattern("true|false", "bool_parsing")]
PageLimit = Annotated[
    int, Field(strict=False, ge=1, le=100), _require_pattern("-?[0-9]+", "int_parsing")
]


def _check_length_type(value: object) -> object:
    """Refuse a number where a CSS length is expected, and say so."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise PydanticCustomError("length_type", "must be a text with a unit, such as 10mm")
    return value


LengthText = Annotated[str, StringConstraints(max_length=16), BeforeValidator(_check_length_type)]


def _check_color(text: str) -> str:
    if not is_color(text):
        message = "must be a CSS color: a name, #rgb, #rrggbb, rgb(r, g, b) or hsl(h, s%, l%)"
        raise ValueError(message)
    return text


Color = Annotated[
    str,
    StringConstraints(max_length=64),
    AfterValidator(_check_color),
    Field(description="A CSS color: a name, #rgb, #rrggbb, rgb(r, g, b) or hsl(h, s%, l%)."),
]


UploadId = Annotated[str, StringConstraints(min_length=1, max_length=64)]
Url = Annotated[str, StringConstraints(min_length=8, max_length=2048)]


def _ascii_host(url: str) -> str:
    """Return a URL with its host as browsers read it: letters mapped, labels as A-labels (UTS 46).

    Other mistakes of URLs are found by the check of the addresses that may be sent to.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    userinfo, at, host_and_port = parts.netloc.rpartition("@")
    host, colon, port = host_and_port.partition(":")
    if host.isascii():
        return url
    try:
        ascii_host = idna.encode(host, uts46=True).decode()
    except idna.IDNAError as error:
        message = f"has a host that is no domain name: {error}"
        raise ValueError(message) from error
    return urlunsplit(parts._replace(netloc=f"{userinfo}{at}{ascii_host}{colon}{port}"))


# A URL that the service sends to.
TargetUrl = Annotated[Url, AfterValidator(_ascii_host)]
BASE64_PATTERN: Final = pattern_with_form(
    r"^[A-Za-z0-9+/\s]+=*\s*$", "base64 of A-Z, a-z, 0-9, + and /, without data:…, before it"
)
MEDIA_TYPE_PATTERN: Final = pattern_with_form(
    r"^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(?:;[ -~]*)?$",
    "a media type, such as text/css or text/css; charset=utf-8",
)
BareMediaType = Annotated[
    str,
    StringConstraints(
        max_length=255,
        pattern=pattern_with_form(
            r"^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+$", "a media type, such as text/csv"
        ),
    ),
]
DATA_PATH_PATTERN: Final = pattern_with_form(
    r"^[^.]+(?:\.[^.]+)*$", "keys separated by single dots, such as order.invoice"
)
HTTP_NAME_PATTERN: Final = pattern_with_form(
    r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", "the name of an HTTP header, without spaces and colons"
)
Base64 = Annotated[str, StringConstraints(min_length=1, pattern=BASE64_PATTERN)]


class ContentSource(Model):
    """Exactly one of `upload_id`, `url` and `content`."""

    upload_id: UploadId | None = None
    url: Url | None = None
    """A public http or https URL."""
    content: Annotated[str, StringConstraints(min_length=1, pattern=BASE64_PATTERN)] | None = None
    """The bytes in base64."""

    @model_validator(mode="after")
    def _check_exactly_one(self) -> Self:
        if sum(given is not None for given in (self.upload_id, self.url, self.content)) != 1:
            message = "needs exactly one of upload_id, url and content"
            raise ValueError(message)
        return self
