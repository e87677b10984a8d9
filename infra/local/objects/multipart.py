"""Multipart uploads: parts as files of a folder for each upload, until they become one object."""

import base64
import hashlib
import json
import re
import shutil
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Final, NamedTuple

from infra.local.objects.disk import FolderTree
from infra.local.objects.folder import ObjectFolder
from infra.local.objects.object_file import ObjectFile, Properties

MIN_PART_BYTES: Final = 5 << 20
_ID: Final = re.compile("[0-9a-f]{32}")
_UPLOAD: Final = "upload"


class NoSuchUploadError(Exception):
    """There is no such upload: it was completed or aborted, or never begun."""


class InvalidPartError(Exception):
    """A part that completes an upload is not there, or is another one."""


class PartTooSmallError(Exception):
    """A part that is not the last is smaller than S3 allows."""


class Upload(NamedTuple):
    """Upload that is not completed."""

    id: str
    key: str
    begun: float


class ListedPart(NamedTuple):
    """Part of an upload."""

    number: int
    properties: Properties
    modified: float


class NamedPart(NamedTuple):
    """Part as its uploader names it; `sha256` in base64, if it is named."""

    number: int
    etag: str
    sha256: str | None


class Uploads:
    """Multipart uploads to one folder of objects; parts are as durable as objects."""

    def __init__(self, objects: ObjectFolder, root: Path) -> None:
        """Keep uploads below `root`, on the file system of the objects."""
        self._objects = objects
        self._tree = FolderTree(root, objects.tree.disk)
        # An upload is completed once, and takes no part meanwhile.
        self._lock = threading.Lock()

    def begin(self, key: str, headers: Mapping[str, str]) -> str:
        """Begin an upload of an object with these headers; return its id."""
        upload_id = uuid.uuid4().hex
        about = json.dumps({"key": key, "headers": dict(headers)}).encode()

        def write(file: IO[bytes]) -> Properties:
            file.write(about)
            return Properties(len(about), "", "")

        self._objects.put_file(self._file(upload_id, _UPLOAD), write, self._tree)
        return upload_id

    def put_part(
        self, upload_id: str, key: str, number: int, write: Callable[[IO[bytes]], Properties]
    ) -> Properties:
        """Store a part; raises NoSuchUploadError."""
        self._headers(upload_id, key)

        def is_open(_: ObjectFile | None) -> bool:
            self._headers(upload_id, key)
            return True

        path = self._file(upload_id, f"{number:05d}")
        return self._objects.put_file(path, write, self._tree, allowed=is_open)

    def parts(self, upload_id: str, key: str) -> list[ListedPart]:
        """Return the parts in order; raises NoSuchUploadError."""
        self._headers(upload_id, key)
        listed = []
        for name in sorted(self._names(upload_id)):
            part = ObjectFile.open(self._file(upload_id, name)) if name != _UPLOAD else None
            if part is not None:
                with part:
                    listed.append(ListedPart(int(name), part.properties, part.modified))
        return listed

    def complete(self, upload_id: str, key: str, named: Sequence[NamedPart]) -> Properties:
        """Make the object of the named parts, and forget the upload.

        Raises NoSuchUploadError, InvalidPartError and PartTooSmallError.
        """
        with self._lock:
            headers = self._headers(upload_id, key)
            there = {part.number: part.properties for part in self.parts(upload_id, key)}
            found = [_part_of(there, part) for part in named]
            if not found:
                raise InvalidPartError
            if any(part.size < MIN_PART_BYTES for part in found[:-1]):
                raise PartTooSmallError

            def write(file: IO[bytes]) -> Properties:
                for part in named:
                    opened = ObjectFile.open(self._file(upload_id, f"{part.number:05d}"))
                    if opened is None:
                        raise InvalidPartError
                    with opened:
                        content = opened.content()
                        while piece := content.read(1 << 20):
                            file.write(piece)
                return _properties_of(found, headers)

            properties = self._objects.put(key, write)
            self._remove(upload_id)
            return properties

    def abort(self, upload_id: str, key: str | None = None) -> None:
        """Delete an upload; raises NoSuchUploadError."""
        with self._lock:
            if key is not None:
                self._headers(upload_id, key)
            self._remove(upload_id)

    def all(self, prefix: str = "") -> Iterator[Upload]:
        """Yield the uploads to keys that begin with `prefix`, in no order."""
        for folder in self._tree.root.iterdir():
            upload_id = folder.name
            opened = ObjectFile.open(self._file(upload_id, _UPLOAD))
            if opened is not None:
                with opened:
                    key = json.loads(opened.file.read(opened.properties.size))["key"]
                    if key.startswith(prefix):
                        yield Upload(upload_id, key, opened.modified)

    def file_of(self, upload: Upload) -> Path:
        """Return the file by whose time an upload is as old as it is."""
        return self._file(upload.id, _UPLOAD)

    def _headers(self, upload_id: str, key: str) -> Mapping[str, str]:
        if not _ID.fullmatch(upload_id):
            raise NoSuchUploadError
        opened = ObjectFile.open(self._file(upload_id, _UPLOAD))
        if opened is None:
            raise NoSuchUploadError
        with opened:
            about = json.loads(opened.file.read(opened.properties.size))
        if about["key"] != key:
            raise NoSuchUploadError
        headers: Mapping[str, str] = about["headers"]
        return headers

    def _names(self, upload_id: str) -> list[str]:
        try:
            return [each.name for each in (self._tree.root / upload_id).iterdir()]
        except FileNotFoundError:
            return []

    def _remove(self, upload_id: str) -> None:
        # What is known by its file `upload` is gone with it, even if a crash leaves parts.
        names = sorted(self._names(upload_id), key=lambda name: name != _UPLOAD)
        self._tree.remove(*(self._file(upload_id, name) for name in names))

    def _file(self, upload_id: str, name: str) -> Path:
        return self._tree.root / upload_id / name

    def remove_leftovers(self) -> None:
        """Remove parts of uploads that were given up by a process that was killed."""
        for folder in self._tree.root.iterdir():
            if _UPLOAD not in self._names(folder.name):
                shutil.rmtree(folder, ignore_errors=True)


def _part_of(there: Mapping[int, Properties], part: NamedPart) -> Properties:
    found = there.get(part.number)
    if (
        found is None
        or found.etag.strip('"') != part.etag.strip('"')
        or part.sha256 not in {None, found.sha256}
    ):
        raise InvalidPartError
    return found


def _properties_of(parts: Sequence[Properties], headers: Mapping[str, str]) -> Properties:
    """Return the properties of the object: its digests are S3's, of the digests of its parts."""
    tags = b"".join(bytes.fromhex(part.etag.strip('"')) for part in parts)
    sums = b"".join(base64.b64decode(part.sha256) for part in parts)
    etag = hashlib.md5(tags, usedforsecurity=False).hexdigest()
    sha256 = base64.b64encode(hashlib.sha256(sums).digest()).decode()
    return Properties(
        sum(part.size for part in parts),
        f'"{etag}-{len(parts)}"',
        f"{sha256}-{len(parts)}",
        headers,
    )
