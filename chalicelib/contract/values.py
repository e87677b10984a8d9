"""Values that several models have: moments, language tags, time zones, the caller's own data."""

import re
from typing import Annotated, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AwareDatetime, BeforeValidator, Field, StringConstraints

LOCALE_PATTERN: Final = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}")
MetadataKey = Annotated[str, StringConstraints(min_length=1, max_length=40)]
MetadataText = Annotated[str, StringConstraints(max_length=500)]
Metadata = dict[MetadataKey, MetadataText | int | float | bool | None]


def language_tag(value: str) -> str:
    """Return a BCP 47 tag, or raise ValueError."""
    if LOCALE_PATTERN.fullmatch(value) is None:
        message = "a BCP 47 tag such as de-AT is expected"
        raise ValueError(message)
    return value


def time_zone(value: str) -> str:
    """Return an IANA name, or raise ValueError."""
    # Files such as localtime and posix/UTC lie in the same folder and are no IANA names.
    named = value in {"UTC", "GMT"} or ("/" in value and value[:1].isupper())
    try:
        return ZoneInfo(value if named and value.isascii() else "").key
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        message = "an IANA time zone such as Europe/Vienna is expected"
        raise ValueError(message) from unknown


def _dated(text: object) -> object:
    # pydantic would take a bare number for seconds since 1970.
    if isinstance(text, str) and not text[:5].endswith("-"):
        message = "an RFC 3339 time such as 2026-01-31T09:30:00Z is expected"
        raise ValueError(message)
    return text


Moment = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_dated)]
