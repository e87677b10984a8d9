"""Manifest of a backup: its moment, and the size and digest of each of its files.

The list of files has a line for each, as there may be millions. The manifest has the digest of the
list, and is written last: a backup without one did not end.
"""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import IO, Final, Literal

import msgspec

# Of manifest and list; a release that changes it reads the forms before, too.
FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
LIST: Final = "files.jsonl"
TABLES: Final = "tables/tables.db"
_FOLDERS: Final = frozenset({"tables", "objects", "keys"})


class UnusableBackupError(Exception):
    """The backup cannot be restored; the message says why."""


class BackupFile(msgspec.Struct, frozen=True):
    """File of a backup; `modified` in nanoseconds, from which the rules of the bucket count."""

    path: str
    size: int
    sha256: str
    modified: int

    def check(self, size: int, sha256: str) -> None:
        """Check what was read of the file; raises UnusableBackupError."""
        if (size, sha256) != (self.size, self.sha256):
            message = f"{self.path} is damaged: it is not what was backed up"
            raise UnusableBackupError(message)


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Manifest; `data_format` is that of the data folder, `size` that of all files together."""

    object: Literal["platen_backup"] = "platen_backup"
    format: int = FORMAT
    release: str
    data_format: int
    moment: str
    files: int
    size: int
    list_sha256: str

    def as_json(self) -> bytes:
        """Return the content of the manifest's file."""
        return msgspec.json.format(msgspec.json.encode(self)) + b"\n"

    @classmethod
    def read(cls, text: bytes, newest_data: int) -> "Manifest":
        """Read a manifest; raises UnusableBackupError, also for what a newer release has made."""
        try:
            header = msgspec.json.decode(text, type=_Header)
            if header.format <= FORMAT and header.data_format <= newest_data:
                return msgspec.json.decode(text, type=cls)
        except msgspec.MsgspecError as fault:
            message = f"{MANIFEST} is damaged, or that of another program: {fault}"
            raise UnusableBackupError(message) from fault
        message = (
            f"the backup was made by release {header.release}, which is newer than this one: "
            "install that release or a later one"
        )
        raise UnusableBackupError(message)


class _Header(msgspec.Struct):
    """Fields that manifests of all formats have."""

    object: Literal["platen_backup"]
    format: int
    release: str
    data_format: int


class FileList:
    """List of a backup's files as it is written."""

    def __init__(self, file: IO[bytes]) -> None:
        """Write to this file."""
        self._file = file
        self._sha256 = hashlib.sha256()
        self.files = 0
        self.size = 0

    def add(self, each: BackupFile) -> None:
        """Add a file."""
        line = msgspec.json.encode(each) + b"\n"
        self._file.write(line)
        self._sha256.update(line)
        self.files += 1
        self.size += each.size

    @property
    def sha256(self) -> str:
        """Return the digest of the list up to now."""
        return self._sha256.hexdigest()


def read_list(lines: Iterable[bytes], manifest: Manifest) -> Iterator[BackupFile]:
    """Yield the files of a list; raises UnusableBackupError, at the end where one is missing."""
    sha256 = hashlib.sha256()
    for line in lines:
        sha256.update(line)
        yield _read_line(line)
    if sha256.hexdigest() != manifest.list_sha256:
        message = f"{LIST} is damaged: it is not the list of this backup"
        raise UnusableBackupError(message)


def _read_line(line: bytes) -> BackupFile:
    try:
        each = msgspec.json.decode(line, type=BackupFile)
    except msgspec.MsgspecError as fault:
        message = f"{LIST} is damaged: {fault}"
        raise UnusableBackupError(message) from fault
    parts = PurePosixPath(each.path).parts
    is_inside = bool(parts) and parts[0] in _FOLDERS and ".." not in parts
    if not is_inside:
        message = f"{LIST} is damaged: a line names no file of a backup"
        raise UnusableBackupError(message)
    return each
