"""Values that several models have: moments, language tags, time zones, the caller's own data."""

import datetime as dt
import re
from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AwareDatetime, BeforeValidator, Field, StringConstraints
from pydantic_core import PydanticKnownError

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
    # Files such as localtime and posix/UTC lie in the same folder and are no IANA names; that of
    # Factory says that there is no zone.
    named = value[:1].isupper() and value != "Factory"
    try:
        return ZoneInfo(value if named and value.isascii() else "").key
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        message = "an IANA time zone such as Europe/Vienna is expected"
        raise ValueError(message) from unknown


def _no_number(kind: Any, context: dict[str, str]) -> BeforeValidator:
    """Refuse numbers, which pydantic takes for seconds."""

    def check(value: object) -> object:
        if isinstance(value, int | float):
            raise PydanticKnownError(kind, context)
        return value

    return BeforeValidator(check)


def _written(form: str, kind: Any, context: dict[str, str] | None = None) -> BeforeValidator:
    """Hold a text to one way of writing: pydantic takes numbers for times and `on` for true."""
    pattern = re.compile(form)

    def check(text: object) -> object:
        if isinstance(text, str) and pattern.fullmatch(text) is None:
            raise PydanticKnownError(kind, context)
        return text

    return BeforeValidator(check)


_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME: Final = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?"
_NO_FORM: Final = {"error": "another form"}

Day = Annotated[
    dt.date,
    Field(strict=False),
    _written(_DAY, "date_parsing", _NO_FORM),
    _no_number("date_parsing", _NO_FORM),
]
Moment = Annotated[
    AwareDatetime,
    Field(strict=False),
    _no_number("datetime_parsing", _NO_FORM),
    _written(f"{_DAY}[Tt ]{_TIME}([Zz]|[+-][0-9]{{2}}:[0-9]{{2}})", "datetime_parsing", _NO_FORM),
]
# Of query parameters, which are texts.
QueryFlag = Annotated[bool, Field(strict=False), _written("true|false", "bool_parsing")]
PageLimit = Annotated[int, Field(strict=False, ge=1, le=100), _written("-?[0-9]+", "int_parsing")]
