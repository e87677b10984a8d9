"""Answers with an object: whole, a range of it, or its headers only."""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import IO, Final

from infra.local.objects.answers import Answer, RefusedError, http_time
from infra.local.objects.object_file import ObjectFile, Properties

_RANGE: Final = re.compile(r"bytes=(\d*)-(\d*)")
_OVERRIDES: Final = "response-"
_PIECE_BYTES: Final = 256 * 1024


class Slice:
    """Bytes of an open object, which is closed with it; a WSGI server iterates over it."""

    def __init__(self, file: IO[bytes], begin: int, length: int) -> None:
        """Give `length` bytes from `begin`."""
        file.seek(begin)
        self.file = file
        self.length = length

    def __iter__(self) -> "Slice":
        return self

    def __next__(self) -> bytes:
        piece = self.file.read(min(self.length, _PIECE_BYTES))
        if not piece:
            raise StopIteration
        self.length -= len(piece)
        return piece

    def close(self) -> None:
        """Close the object."""
        self.file.close()


def read_answer(
    found: ObjectFile, headers: Mapping[str, str], query: Mapping[str, str], *, is_head: bool
) -> Answer:
    """Return the answer to a GET or HEAD of an object, which is closed with it."""
    properties = found.properties
    try:
        if (refusal := _unmet(properties, headers)) is not None:
            found.file.close()
            return refusal
        begin, end = _asked_range(headers.get("range"), properties.size)
    except RefusedError:
        found.file.close()
        raise
    answered = {
        **object_headers(found, query),
        "content-length": str(end - begin),
        "accept-ranges": "bytes",
    }
    status = HTTPStatus.OK
    if (begin, end) != (0, properties.size) or "range" in headers:
        status = HTTPStatus.PARTIAL_CONTENT
        answered["content-range"] = f"bytes {begin}-{end - 1}/{properties.size}"
    elif headers.get("x-amz-checksum-mode", "").upper() == "ENABLED":
        answered["x-amz-checksum-sha256"] = properties.sha256
    if is_head:
        found.file.close()
        return Answer(status, answered)
    return Answer(status, answered, Slice(found.file, begin, end - begin))


def object_headers(found: ObjectFile, query: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of an object; a signed query replaces some of its content."""
    return {
        "content-type": "binary/octet-stream",
        **found.properties.headers,
        **{
            name.removeprefix(_OVERRIDES): value
            for name, value in query.items()
            if name.startswith(_OVERRIDES)
        },
        "etag": found.properties.etag,
        "last-modified": http_time(found.modified),
    }


def _unmet(properties: Properties, headers: Mapping[str, str]) -> Answer | None:
    wanted = headers.get("if-match")
    if wanted not in {None, "*"} and not _names(wanted, properties.etag):
        text = "At least one of the preconditions you specified did not hold."
        raise RefusedError(HTTPStatus.PRECONDITION_FAILED, "PreconditionFailed", text)
    known = headers.get("if-none-match")
    if known is not None and (known == "*" or _names(known, properties.etag)):
        return Answer(HTTPStatus.NOT_MODIFIED, {"etag": properties.etag})
    return None


def _names(header: str | None, etag: str) -> bool:
    return etag.strip('"') in [each.strip().strip('"') for each in (header or "").split(",")]


def _asked_range(header: str | None, size: int) -> tuple[int, int]:
    """Return begin and end of the bytes that a request asks for, half-open (RFC 9110, 14.1.2)."""
    matched = _RANGE.fullmatch(header or "")
    if matched is None or not any(matched.groups()):
        return 0, size
    first, last = matched.groups()
    begin = int(first) if first else max(0, size - int(last))
    end = min(size, int(last) + 1) if first and last else size
    if begin >= end:
        text = "The requested range is not satisfiable"
        raise RefusedError(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, "InvalidRange", text)
    return begin, end
