"""String formats that are checked; any other `format` is an annotation only."""

import datetime as dt
import re
from collections.abc import Callable, Mapping
from typing import Final

_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
# date-time of RFC 3339, section 5.6.
_DATE_TIME: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,20})?(?:[Zz]|[+-]\d{2}:\d{2})", re.ASCII
)
_EMAIL: Final = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}"
)
_MAX_EMAIL_CHARACTERS: Final = 320


def is_date(text: str) -> bool:
    """Tell whether a text is a date (RFC 3339 full-date)."""
    return _DATE.fullmatch(text) is not None and _is_valid_date_time(text)


def is_date_time(text: str) -> bool:
    """Tell whether a text is a time with its offset (RFC 3339 date-time)."""
    if _DATE_TIME.fullmatch(text) is None:
        return False
    # RFC 3339 allows leap seconds, which Python does not parse.
    return _is_valid_date_time(text[:17] + "59" + text[19:] if text[17:19] == "60" else text)


def is_email(text: str) -> bool:
    """Tell whether a text is an email address."""
    if len(text) > _MAX_EMAIL_CHARACTERS or _EMAIL.fullmatch(text) is None:
        return False
    local = text.rpartition("@")[0]
    return not (local.startswith(".") or local.endswith(".") or ".." in local)


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "date": is_date,
    "date-time": is_date_time,
    "email": is_email,
}


def _is_valid_date_time(text: str) -> bool:
    try:
        dt.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
