"""Field types of several models, and of the texts that typed options name (`options/values.py`)."""

import binascii
import datetime as dt
import re
from typing import Annotated, Final
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
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError, PydanticKnownError, core_schema
from pydantic_core.core_schema import ErrorType

from chalicelib.contract.css_values import is_color, length_in_inches
from chalicelib.contract.options.assets import MAX_ASSET_PATH_CHARS, checked_path
from chalicelib.core.json import Json
from chalicelib.core.passwords import prepare_password
from chalicelib.core.text import is_safe_filename, pattern_with_form

LOCALE_PATTERN: Final = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}")
LENGTH_PATTERN: Final = r"^(?:0|[0-9]{1,6}(?:\.[0-9]{1,4})?(?:mm|cm|in|px|pt|pc))$"
MAX_INCHES: Final = 200
PAGE_RANGES_PATTERN: Final = (
    r"^ *[0-9]{1,5}(?: *- *[0-9]{1,5})?(?: *, *[0-9]{1,5}(?: *- *[0-9]{1,5})?)* *$"
)
# AES-256 uses the first 127 bytes of a password (ISO 32000-2, 7.6.4.3.3).
MAX_PASSWORD_BYTES: Final = 127
# A PDF date has four digits for the year (ISO 32000-1 7.9.4). The bounds keep them in every time
# zone.
_MIN_YEAR: Final = 1001
_MAX_YEAR: Final = 9998
_DATE_PATTERN: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME_PATTERN: Final = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?"
_FIRST_PRINTABLE: Final = 0x20
_DELETE: Final = 0x7F
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
DATA_URI_PATTERN: Final = pattern_with_form(
    r"^data:application/pdf(?:;[^;,]*)*;base64,[A-Za-z0-9+/\s]+=*\s*$",
    "data:application/pdf;base64, and behind it the PDF in base64",
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


def _check_length_type(value: object) -> object:
    """Refuse a number where a CSS length is expected, and say so."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise PydanticCustomError("length_type", "must be a text with a unit, such as 10mm")
    return value


def _check_length(text: str) -> str:
    if re.fullmatch(LENGTH_PATTERN, text) is None:
        message = "must be 0 or a number with one of the units mm, cm, in, px, pt, pc"
        raise ValueError(message)
    if length_in_inches(text) > MAX_INCHES:
        message = f"must be at most {MAX_INCHES}in"
        raise ValueError(message)
    return text


def _check_positive_length(text: str) -> str:
    if not length_in_inches(text):
        message = "must be more than 0"
        raise ValueError(message)
    return text


def _check_page_ranges(text: str) -> str:
    is_valid = re.fullmatch(PAGE_RANGES_PATTERN, text) is not None and all(
        1 <= int(first) <= int(last or first)
        for first, _, last in (part.partition("-") for part in text.split(","))
    )
    if not is_valid:
        message = "must be pages and ascending ranges of pages, counted from 1, such as 1-3,5"
        raise ValueError(message)
    return text


def _check_filename(text: str) -> str:
    if not is_safe_filename(text):
        message = (
            "must be the name of a file on any system: without folders, drives, control characters "
            "and a dot or blank at its end, and no name of a device"
        )
        raise ValueError(message)
    return text


def _check_document_date(moment: dt.datetime) -> dt.datetime:
    if not _MIN_YEAR <= moment.year <= _MAX_YEAR:
        message = f"must lie in the years {_MIN_YEAR} to {_MAX_YEAR}"
        raise ValueError(message)
    return moment


Length = Annotated[
    str,
    StringConstraints(max_length=16),
    BeforeValidator(_check_length_type),
    AfterValidator(_check_length),
    Field(
        description="0, or a number with one of the units mm, cm, in, px, pt, pc; at most 200in.",
        json_schema_extra={"pattern": LENGTH_PATTERN},
    ),
]
PositiveLength = Annotated[Length, AfterValidator(_check_positive_length)]
PageRanges = Annotated[
    str,
    StringConstraints(max_length=500),
    AfterValidator(_check_page_ranges),
    Field(json_schema_extra={"pattern": PAGE_RANGES_PATTERN}),
]
FileName = Annotated[
    str, StringConstraints(min_length=1, max_length=255), AfterValidator(_check_filename)
]
DocumentDate = Annotated[Timestamp, AfterValidator(_check_document_date)]
DocumentLanguage = Annotated[
    str, StringConstraints(max_length=35), AfterValidator(check_language_tag)
]


def _check_password(text: str) -> str:
    if len(text.encode()) > MAX_PASSWORD_BYTES:
        message = f"must have at most {MAX_PASSWORD_BYTES} bytes in UTF-8"
        raise ValueError(message)
    return text


Password = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_PASSWORD_BYTES),
    AfterValidator(_check_password),
]


def _check_new_password(text: str) -> str:
    _check_password(prepare_password(text))
    return text


NewPassword = Annotated[Password, AfterValidator(_check_new_password)]


def _check_no_line_breaks(text: str) -> str:
    if any(character in text for character in "\r\n\0"):
        message = "must have no line breaks"
        raise ValueError(message)
    return text


def _check_cookie_text(text: str) -> str:
    """Check what a cookie may hold (RFC 6265bis 5.6): browsers refuse it whole otherwise."""
    if ";" in text or any(ord(each) < _FIRST_PRINTABLE or ord(each) == _DELETE for each in text):
        message = "must have no ; and no control characters: encode them, such as ; by %3B"
        raise ValueError(message)
    if text != text.strip(" "):
        message = "must neither begin nor end with a blank"
        raise ValueError(message)
    return text


def _check_cookie_name(name: str) -> str:
    if "=" in name:
        message = "must have no ="
        raise ValueError(message)
    return name


_CookieText = AfterValidator(_check_cookie_text)
CookieName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=256),
    _CookieText,
    AfterValidator(_check_cookie_name),
]
CookieValue = Annotated[str, StringConstraints(max_length=4096), _CookieText]
CookieDomain = Annotated[str, StringConstraints(max_length=253), _CookieText]
CookiePath = Annotated[str, StringConstraints(max_length=1024), _CookieText]
HeaderName = Annotated[
    str, StringConstraints(min_length=1, max_length=256, pattern=HTTP_NAME_PATTERN)
]
HeaderValue = Annotated[
    str, StringConstraints(max_length=8192), AfterValidator(_check_no_line_breaks)
]
UserAgent = Annotated[str, StringConstraints(max_length=512), AfterValidator(_check_no_line_breaks)]
LanguageTag = Annotated[str, AfterValidator(check_language_tag)]
TimeZone = Annotated[str, AfterValidator(check_time_zone)]


def _check_asset_path(path: str) -> str:
    checked_path(path)
    return path


def _check_base64(content: str) -> str:
    try:
        binascii.a2b_base64(content)
    except binascii.Error as error:
        message = f"is not base64: {error}"
        raise ValueError(message) from None
    return content


AssetPath = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_ASSET_PATH_CHARS),
    AfterValidator(_check_asset_path),
]
AssetContent = Annotated[
    str,
    StringConstraints(min_length=4, pattern=BASE64_PATTERN),
    AfterValidator(_check_base64),
]
MediaType = Annotated[str, StringConstraints(max_length=255, pattern=MEDIA_TYPE_PATTERN)]
FileId = Annotated[str, StringConstraints(min_length=1, max_length=64)]
RenderId = Annotated[str, StringConstraints(min_length=1, max_length=64)]
RightAngle = Annotated[int, Field(ge=-3600, le=3600, multiple_of=90)]
DataUri = Annotated[str, StringConstraints(pattern=DATA_URI_PATTERN)]


def _read_pdfua(value: object) -> object:
    """Read the part of PDF/UA that a document must conform to, the only one, as true."""
    return True if value == "1" else value


# One schema of requests and answers: with two, each model that has it would be two.
PdfUa = Annotated[
    bool,
    BeforeValidator(_read_pdfua),
    WithJsonSchema({"anyOf": [{"type": "boolean"}, {"const": "1", "type": "string"}]}),
]
