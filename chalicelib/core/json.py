"""Strict JSON: refuses documents that parsers read differently, and writes canonical bytes."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, NoReturn

from chalicelib.core.errors import ServiceError

# A JSON value, read-only: lists and dicts as parsed, and tuples and mappings of our own.
type Json = str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None
type JsonObject = Mapping[str, Json]
if TYPE_CHECKING:
    type OpaqueObject = JsonObject
else:
    # The same for a field of a msgspec.Struct, which cannot have a recursive type.
    OpaqueObject = Mapping[str, object]

MAX_DEPTH: Final = 100
# No double holds a number of more digits, and Python's conversion takes quadratic time.
MAX_INTEGER_DIGITS: Final = 300
_MAX_EXACT_INTEGER: Final = 2**53
_INFINITY: Final = float("inf")

# An unclosed string matches up to the end of the text: the scan stays linear.
_STRING: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_STRING_OR_BRACKET: Final = re.compile(_STRING.pattern + r"|[\[\]{}]", re.DOTALL)
_BRACKET: Final = re.compile(r"[\[\]{}]")
_LARGE_NUMBER: Final = re.compile(rf"\d[eE]|\d{{{MAX_INTEGER_DIGITS}}}")
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE_PAIR: Final = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_DEPTH_STEP: Final = {"[": 1, "{": 1, "]": -1, "}": -1}
# A float that may be a whole number, such as 1.0 or 1e3, in the output of json.dumps.
_WHOLE_FLOAT: Final = re.compile(r"\d(?:\.0[,\]}]|\.0$|e)")


def loads(data: bytes) -> Json:
    """Parse one JSON document (RFC 8259, UTF-8 without BOM); raise ServiceError `invalid_json`.

    Duplicate keys, NaN and Infinity, lone surrogates, numbers beyond a double and more than
    MAX_DEPTH levels are refused.
    """
    text = _decode_utf8(data)
    bare = _STRING.sub("", text)
    _check_depth(text, bare)
    # The fast decoder parses numbers in C; Python code is needed only if one may be too large.
    decoder = _BOUNDED_DECODER if _LARGE_NUMBER.search(bare) else _FAST_DECODER
    try:
        value: Json = decoder.decode(text)
    except json.JSONDecodeError as error:
        raise _invalid_json(error.msg, text, error.pos) from None
    except _InvalidJsonError as error:
        raise _invalid_json(str(error)) from None
    _check_surrogates(text)
    return value


def canonical_bytes(value: Json) -> bytes:
    """Serialise a value so that equal JSON gives equal bytes: sorted keys, no blanks, 1.0 as 1."""
    text = _sorted_json(value)
    return (_sorted_json(_normalize_numbers(value)) if _WHOLE_FLOAT.search(text) else text).encode()


def dumps(value: object) -> str:
    """Serialise a value compactly, in the form of responses."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def strings_in(value: Json) -> Iterator[str]:
    """Yield the strings in a JSON value, keys apart."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from strings_in(member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from strings_in(member)


def loads_own(text: str | bytes) -> Any:
    """Parse a text that `dumps` wrote, without the checks of `loads`."""
    return json.loads(text)


class _InvalidJsonError(Exception):
    """JSON that the standard parser accepts and this service refuses; its position is unknown."""


def _decode_utf8(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        raise _invalid_json("a byte that is not UTF-8", before, len(before)) from None
    if text.startswith("\ufeff"):
        raise _invalid_json("a byte order mark before the document")
    if not text or text.isspace():
        raise _invalid_json("the body is empty")
    return text


def _check_depth(text: str, without_strings: str) -> None:
    # Before parsing, because the parser recurses and its limit depends on the thread's stack.
    if without_strings.count("[") + without_strings.count("{") <= MAX_DEPTH:
        return
    steps = map(_DEPTH_STEP.__getitem__, _BRACKET.findall(without_strings))
    if max(accumulate(steps)) <= MAX_DEPTH:
        return
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        depth += _DEPTH_STEP.get(token[0], 0)
        if depth > MAX_DEPTH:
            raise _invalid_json(f"nesting deeper than {MAX_DEPTH} levels", text, token.start())


def _check_surrogates(text: str) -> None:
    if _SURROGATE.search(text) is None:
        return
    # Blanks of the same length keep all positions.
    single = _SURROGATE_PAIR.sub(" " * 12, text.replace("\\\\", "  "))
    lone = _SURROGATE.search(single)
    if lone is not None:
        raise _invalid_json("half of a surrogate pair", text, lone.start())


def _build_object(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        duplicate = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        message = f"the key {duplicate[:100]!r} stands twice in one object"
        raise _InvalidJsonError(message)
    return result


def _refuse_constant(name: str) -> NoReturn:
    message = f"{name} is not a JSON number"
    raise _InvalidJsonError(message)


def _parse_float(digits: str) -> float:
    number = float(digits)
    if number in (_INFINITY, -_INFINITY):
        message = "a number larger than a double can hold"
        raise _InvalidJsonError(message)
    return number


def _parse_integer(digits: str) -> int:
    if len(digits) > MAX_INTEGER_DIGITS:
        message = f"a whole number of more than {MAX_INTEGER_DIGITS} digits"
        raise _InvalidJsonError(message)
    return int(digits)


def _sorted_json(value: Json) -> str:
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def _normalize_numbers(value: Json) -> Json:
    # By value, as in RFC 8785: 1, 1.0 and 1e0 are the same number.
    if isinstance(value, float) and value.is_integer() and abs(value) < _MAX_EXACT_INTEGER:
        return int(value)
    if isinstance(value, Mapping):
        return {key: _normalize_numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_normalize_numbers(item) for item in value]
    return value


def _invalid_json(reason: str, text: str | None = None, position: int = 0) -> ServiceError:
    if text is None:
        return ServiceError("invalid_json", f"The body is not valid JSON: {reason}.")
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    detail = f"The body is not valid JSON: {reason} (line {line}, column {column})."
    return ServiceError("invalid_json", detail, line=line, column=column)


_FAST_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_build_object, parse_constant=_refuse_constant
)
_BOUNDED_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_build_object,
    parse_constant=_refuse_constant,
    parse_float=_parse_float,
    parse_int=_parse_integer,
)
