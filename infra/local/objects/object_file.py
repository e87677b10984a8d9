"""File of one object: its content, then a line of JSON about it, then the length of that line.

Content and properties are one file, so no crash can part them. Programs that read PDFs, pictures
or archives open it as it is.
"""

import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Final, Protocol, Self

_MARK: Final = b"\nplaten:"
_LENGTH_BYTES: Final = 8
_END_BYTES: Final = len(_MARK) + _LENGTH_BYTES
_PIECE_BYTES: Final = 1 << 20


class TornFileError(Exception):
    """A file is no whole object: something else than this store has written it."""


class Readable(Protocol):
    """Source of bytes."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; none only at the end."""


@dataclass(frozen=True, slots=True)
class Properties:
    """Properties of an object beside its key and its content.

    `headers` are those of its content (`content-type` and the like) and its metadata, by name in
    lower case. `sha256` is in base64, of an object in parts S3's composite form.
    """

    size: int
    etag: str
    sha256: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Digests:
    """Digests of content as it is written."""

    size: int = 0
    md5: "hashlib._Hash" = field(default_factory=lambda: hashlib.md5(usedforsecurity=False))
    sha256: "hashlib._Hash" = field(default_factory=hashlib.sha256)
    crc32: int = 0

    def update(self, piece: bytes) -> None:
        """Add the next bytes."""
        self.size += len(piece)
        self.md5.update(piece)
        self.sha256.update(piece)
        self.crc32 = zlib.crc32(piece, self.crc32)

    def copy(self, source: Readable, target: IO[bytes]) -> Self:
        """Copy all of `source` to `target`; return these digests."""
        while piece := source.read(_PIECE_BYTES):
            target.write(piece)
            self.update(piece)
        return self


def write_end(file: IO[bytes], properties: Properties) -> None:
    """Write the properties behind the content of an object."""
    text = json.dumps(asdict(properties), separators=(",", ":")).encode()
    file.write(_MARK + text + len(text).to_bytes(_LENGTH_BYTES))


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """Open file of an object, at the begin of its content."""

    file: IO[bytes]
    properties: Properties
    modified: float

    @classmethod
    def open(cls, path: Path) -> Self | None:
        """Open the object at `path`; return None if there is none, raise TornFileError."""
        try:
            file = path.open("rb")
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            status = os.fstat(file.fileno())
            properties = _read_end(file, status.st_size)
        except (ValueError, TypeError, OSError) as fault:
            file.close()
            message = f"{path} is no object of this store"
            raise TornFileError(message) from fault
        return cls(file, properties, status.st_mtime)

    def content(self) -> "Content":
        """Return a source of the content, from its begin."""
        self.file.seek(0)
        return Content(self.file, self.properties.size)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()


class Content:
    """Content of an open object, without the properties behind it."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        """Read the next `size` bytes."""
        self._file = file
        self._left = size

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; none only at the end."""
        piece = self._file.read(min(size, self._left))
        self._left -= len(piece)
        return piece


def _read_end(file: IO[bytes], length: int) -> Properties:
    file.seek(length - _LENGTH_BYTES)
    text_length = int.from_bytes(file.read(_LENGTH_BYTES))
    size = length - _END_BYTES - text_length
    file.seek(size)
    end = file.read(len(_MARK) + text_length)
    properties = Properties(**json.loads(end.removeprefix(_MARK)))
    if not end.startswith(_MARK) or properties.size != size:
        message = "the lengths do not fit"
        raise ValueError(message)
    file.seek(0)
    return properties
