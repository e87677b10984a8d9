"""Data in the query of a signed URL: dotted names are paths into the data."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, quote

from chalicelib.core import json
from chalicelib.core.errors import ServiceError, json_pointer, validation_error
from chalicelib.core.json import Json, JsonObject

MAX_NAMES: Final = 1_000
MAX_LEVELS: Final = 32
_MAX_EXP_DIGITS: Final = 12
# The service's own names in the query.
_OWN_NAMES: Final = frozenset({"exp", "sig"})


class LinkQuery(NamedTuple):
    """Content of a query: the Unix second at which the URL ends, if any, and the data."""

    exp: int | None
    data: dict[str, Json]


def read_query(query: str) -> LinkQuery:
    """Read a query without its signature; raises `validation_error` at `/query/<name>`.

    Names and values are form-encoded (`+` is a space) UTF-8. A name stands once.
    """
    try:
        pairs = parse_qsl(
            query, keep_blank_values=True, errors="strict", max_num_fields=MAX_NAMES + 1
        )
    except UnicodeDecodeError:
        raise validation_error("/query", "is not percent-encoded UTF-8", "wrong_format") from None
    except ValueError:
        message = f"has more than {MAX_NAMES} names"
        raise validation_error("/query", message, "too_long") from None
    values: dict[str, str] = {}
    for name, value in pairs:
        if name in values:
            raise _refusal(name, "is given more than once", "repeated")
        values[name] = value
    if "sig" in values:
        raise _refusal("sig", "is given more than once: it stands last, once", "repeated")
    exp = values.pop("exp", None)
    return LinkQuery(None if exp is None else _unix_second(exp), _nest(values))


def flatten(data: JsonObject) -> list[tuple[str, str]]:
    """Return the names and values of a query that gives these data; null is left out.

    Raises `validation_error` at `/params` for data that no query can carry: an array, an empty
    object, a name of the service's own, and two paths that are the same or go through one another.
    """
    pairs = list(_leaves(data, ()))
    seen: dict[str, str] = {}
    for name, value in pairs:
        if name in _OWN_NAMES:
            raise validation_error(json_pointer([name], "/params"), "is a name of the URL's own")
        if name in seen:
            raise validation_error("/params", f"has the path {name[:100]} twice", "repeated")
        seen[name] = value
    if len(pairs) > MAX_NAMES:
        raise validation_error("/params", f"has more than {MAX_NAMES} values", "too_long")
    try:
        _nest(seen)
    except ServiceError as refused:
        (error,) = refused.errors
        raise validation_error("/params", f"{error.path}: {error.message}", error.code) from None
    return pairs


def query_text(pairs: Sequence[tuple[str, str]]) -> str:
    """Return the query of names and values, percent-encoded."""
    return "&".join(f"{_percent_encode(name)}={_percent_encode(value)}" for name, value in pairs)


def _percent_encode(text: str) -> str:
    return quote(text, safe="")


def _unix_second(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > _MAX_EXP_DIGITS:
        message = f"must be a Unix time in seconds, of at most {_MAX_EXP_DIGITS} digits"
        raise _refusal("exp", message, "wrong_format")
    return int(text)


def _nest(values: dict[str, str]) -> dict[str, Json]:
    data: dict[str, Json] = {}
    for name, value in values.items():
        *path, last = name.split(".")
        if not all((*path, last)):
            raise _refusal(name, "has an empty step in its path", "wrong_format")
        if len(path) >= MAX_LEVELS:
            raise _refusal(name, f"is a path of more than {MAX_LEVELS} steps", "too_long")
        inner = data
        for step in path:
            following = inner.setdefault(step, {})
            if not isinstance(following, dict):
                raise _conflict(name)
            inner = following
        if last in inner:
            raise _conflict(name)
        inner[last] = value
    return data


def _conflict(name: str) -> ServiceError:
    return _refusal(name, "is a value and a path at the same time", "repeated")


def _refusal(name: str, message: str, code: str) -> ServiceError:
    return validation_error(json_pointer([name[:100]], "/query"), message, code)


def _leaves(value: Json, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    pointer = json_pointer(path, "/params")
    if isinstance(value, dict):
        if path and not value:
            raise validation_error(pointer, "is empty: a URL has values only", "too_short")
        for name, member in value.items():
            yield from _leaves(member, (*path, name))
    elif isinstance(value, list):
        message = "an array cannot stand in a URL: give its entries names of their own"
        raise validation_error(pointer, message, "wrong_type")
    elif value is not None:
        yield ".".join(path), value if isinstance(value, str) else json.dumps(value)
