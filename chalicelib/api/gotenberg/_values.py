"""Values of form fields, as Gotenberg 8 reads them; ValueError says what is expected."""

import re
from typing import Final

from chalicelib.core import json
from chalicelib.core.errors import ServiceError
from chalicelib.core.json import Json, JsonObject

_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})
_LENGTH: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(in|pt|px|mm|cm|pc)?")
_DURATION: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)")
_UNIT_MS: Final = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1, "s": 1e3, "m": 6e4, "h": 3.6e6}


def read_bool(text: str) -> bool:
    """Return true or false."""
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    message = "must be true or false"
    raise ValueError(message)


def read_int(text: str) -> int:
    """Return a whole number."""
    if not re.fullmatch(r"-?\d{1,9}", text, re.ASCII):
        message = "must be a whole number"
        raise ValueError(message)
    return int(text)


def read_number(text: str) -> float:
    """Return a number."""
    if not re.fullmatch(r"-?\d{1,9}(\.\d{0,9})?", text, re.ASCII):
        message = "must be a number"
        raise ValueError(message)
    return float(text)


def read_length(text: str) -> str:
    """Return a CSS length; a number without a unit is in inches."""
    matched = _LENGTH.fullmatch(text)
    if matched is None:
        message = "must be a length such as 210mm, 72pt or 96px; without a unit it is in inches"
        raise ValueError(message)
    return f"{matched[1]}{matched[2] or 'in'}"


def read_duration_ms(text: str) -> int:
    """Return the milliseconds of a duration such as `5s` or `1m30s`."""
    parts = _DURATION.findall(text)
    if not parts or "".join(map("".join, parts)) != text:
        message = "must be a duration such as 500ms or 5s"
        raise ValueError(message)
    return round(sum(float(number) * _UNIT_MS[unit] for number, unit in parts))


def read_object(text: str) -> JsonObject:
    """Return a JSON object."""
    value = _read_json(text)
    if not isinstance(value, dict):
        message = "must be a JSON object"
        raise ValueError(message)  # noqa: TRY004 -- the value is wrong, not a type in the code
    return value


def read_list(text: str) -> list[Json]:
    """Return a JSON array."""
    value = _read_json(text)
    if not isinstance(value, list):
        message = "must be a JSON array"
        raise ValueError(message)  # noqa: TRY004 -- the value is wrong, not a type in the code
    return value


def _read_json(text: str) -> Json:
    try:
        return json.loads(text.encode())
    except ServiceError as fault:
        raise ValueError(f"must be JSON: {fault.detail}") from None
