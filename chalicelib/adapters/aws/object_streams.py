"""Streams from and to objects: a reader that outlives its connection, a check of sent bytes."""

import hashlib
import io
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, Self

if TYPE_CHECKING:
    from types import TracebackType

    from botocore.response import StreamingBody

# Memory that a stream takes: one chunk when reading, one part of a multipart upload when sending.
CHUNK_BYTES: Final = 1 << 20
PART_BYTES: Final = 8 << 20


class ObjectChangedError(Exception):
    """The object has been replaced or deleted since this version of it was found."""


class ContentMismatchError(Exception):
    """A stream has another length or SHA-256 than announced; nothing of it is stored."""


class ObjectVersion(NamedTuple):
    """Object with one content: its key, its size in bytes, and the tag that S3 gave it."""

    key: str
    size: int
    etag: str


class StoredContent(NamedTuple):
    """Size in bytes and SHA-256 of the content that a stream has stored."""

    size: int
    sha256: bytes


class Readable(Protocol):
    """Source of bytes, such as an open file, a response body or an ObjectReader."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; none only at the end."""


class ObjectReader:
    """Bytes `begin` to `end` (half-open) of one version of an object, read once, in order.

    After a lost connection it requests the rest of the same version. It holds a connection until
    it is closed, which the end of a `with` block does.
    """

    def __init__(
        self,
        version: ObjectVersion,
        begin: int,
        end: int,
        open_range: Callable[[ObjectVersion, int, int], "StreamingBody"],
        body: "StreamingBody | None" = None,
    ) -> None:
        """Read from `body`; after a fault from `open_range` with the version, begin and end."""
        self.version = version
        self._position = begin
        self._end = end
        self._open_range = open_range
        self._body = body

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: "TracebackType | None",
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[bytes]:
        """Yield the rest in chunks of CHUNK_BYTES."""
        while chunk := self.read(CHUNK_BYTES):
            yield chunk

    def read(self, size: int = -1) -> bytes:
        """Return the next `size` bytes, or all that are left; fewer only at the end.

        Raises ObjectChangedError if the rest had to be requested and the object has changed, and
        botocore's error when the connection is lost three times before these bytes are there.
        """
        from botocore.exceptions import (  # noqa: PLC0415 -- imported with the first client
            IncompleteReadError,
            ReadTimeoutError,
            ResponseStreamingError,
        )

        left = self._end - self._position
        wanted = left if size < 0 else min(size, left)
        for last in (False, False, True):
            try:
                chunk = self._read_exactly(wanted)
            except (IncompleteReadError, ReadTimeoutError, ResponseStreamingError):
                # botocore retries calls, but not the reading of a streamed response body.
                self.close()
                if last:
                    raise
            else:
                self._position += wanted
                return chunk
        raise AssertionError

    def close(self) -> None:
        """Give the connection back; repeatable."""
        body, self._body = self._body, None
        if body is not None:
            body.close()

    def _read_exactly(self, wanted: int) -> bytes:
        if not wanted:
            return b""
        if self._body is None:
            # From the last byte that a caller has: what a failed read has got is dropped.
            self._body = self._open_range(self.version, self._position, self._end)
        chunk = self._body.read(wanted)
        if len(chunk) == wanted:
            return chunk
        from botocore.exceptions import IncompleteReadError  # noqa: PLC0415 -- see `read`

        raise IncompleteReadError(actual_bytes=len(chunk), expected_bytes=wanted)


class CheckedReader:
    """Reader that fails at the end of a stream without its announced length or digest."""

    def __init__(self, source: Readable, length: int | None, sha256: bytes | None) -> None:
        """Read from `source`; `length` and `sha256` are None where they are not announced."""
        self._source = source
        self._length = length
        self._sha256 = sha256
        self._size = 0
        self._hash = hashlib.sha256()

    @property
    def content(self) -> StoredContent:
        """Return size and digest of the bytes that have been read so far."""
        return StoredContent(self._size, self._hash.digest())

    def read(self, size: int = -1) -> bytes:
        """Return `size` bytes, or all that are left; fewer only at the end.

        A socket may return fewer, which would make a part that S3 refuses as too small. Raises
        ContentMismatchError.
        """
        # Its value is no copy, unlike that of joined chunks.
        gathered = io.BytesIO()
        missing = size if size >= 0 else sys.maxsize
        while missing and (chunk := self._source.read(min(missing, CHUNK_BYTES))):
            self._add(chunk)
            gathered.write(chunk)
            missing -= len(chunk)
        if missing:
            self._check_end()
        return gathered.getvalue()

    def _add(self, chunk: bytes) -> None:
        self._size += len(chunk)
        self._hash.update(chunk)
        if self._length is not None and self._size > self._length:
            message = f"the stream has more than the announced {self._length} bytes"
            raise ContentMismatchError(message)

    def _check_end(self) -> None:
        if self._length is not None and self._size != self._length:
            message = f"the stream ended after {self._size} of {self._length} bytes"
            raise ContentMismatchError(message)
        if self._sha256 is not None and self._hash.digest() != self._sha256:
            message = f"the {self._size} bytes of the stream have another SHA-256 than announced"
            raise ContentMismatchError(message)
