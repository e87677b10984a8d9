"""Objects of one bucket in a folder: the tree of their keys as folders and files."""

import contextlib
import heapq
import os
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Final, NamedTuple
from urllib.parse import quote, unquote

from infra.local.objects.disk import Disk, FolderTree
from infra.local.objects.object_file import ObjectFile, Properties, write_end

# A name of a file has it and a name of a folder has not, so `x` can stand beside `x/y`.
_FILE: Final = "="
_EMPTY: Final = "%"
_MAX_NAME: Final = 255
_LOCKS: Final = 64


class KeyTooLongError(Exception):
    """A part of a key is longer than a name of a file can be."""


class ConditionError(Exception):
    """A conditional write finds another object, or none."""


class ListedObject(NamedTuple):
    """Key of an object, its file, and the time of its last change."""

    key: str
    path: Path
    modified: float


class ObjectFolder:
    """Durable objects: a write is on the disk, whole and under its name, when it returns.

    One process only uses a folder. A reader keeps the object that it has opened.
    """

    def __init__(self, root: Path, disk: Disk | None = None) -> None:
        """Use the folder, which is made; what a killed process has left incomplete is removed."""
        disk = disk or Disk()
        root.mkdir(0o700, parents=True, exist_ok=True)
        self.tree = FolderTree(root / "keys", disk)
        self._incoming = FolderTree(root / "incoming", disk).root
        for left in self._incoming.iterdir():
            left.unlink()
        self._locks = [threading.Lock() for _ in range(_LOCKS)]

    def put(
        self,
        key: str,
        write: Callable[[IO[bytes]], Properties],
        *,
        allowed: Callable[[ObjectFile | None], bool] | None = None,
    ) -> Properties:
        """Store what `write` writes under `key`, with the properties that it returns.

        An error of `write` leaves what was there. `allowed` decides by the object that is there;
        raises ConditionError where it does not allow, and KeyTooLongError.
        """
        return self.put_file(self._path(key), write, self.tree, allowed=allowed)

    def put_file(
        self,
        path: Path,
        write: Callable[[IO[bytes]], Properties],
        tree: FolderTree,
        *,
        allowed: Callable[[ObjectFile | None], bool] | None = None,
    ) -> Properties:
        """Store an object as the file `path` of a tree on the same file system."""
        incoming = self._incoming / uuid.uuid4().hex
        try:
            with _new_file(incoming) as file:
                properties = write(file)
                write_end(file, properties)
                file.flush()
                tree.disk.sync_file(file.fileno())
            with self._lock(path):
                if allowed is not None:
                    _check(allowed, path)
                tree.place(incoming, path)
        except BaseException:
            incoming.unlink(missing_ok=True)
            raise
        return properties

    def open(self, key: str) -> ObjectFile | None:
        """Open an object, which the caller closes; return None if there is none."""
        try:
            return ObjectFile.open(self._path(key))
        except KeyTooLongError:
            return None

    def delete(self, *keys: str) -> None:
        """Delete objects; absent ones are not an error."""
        paths = []
        for key in keys:
            with contextlib.suppress(KeyTooLongError):
                paths.append(self._path(key))
        self.tree.remove(*paths)

    def list(
        self, prefix: str = "", after: str = "", limit: int | None = None
    ) -> list[ListedObject]:
        """Return objects whose keys begin with `prefix` and come after `after`, in order."""
        found = (each for each in self.walk(prefix) if each.key > after)
        return sorted(found) if limit is None else heapq.nsmallest(limit, found)

    def walk(self, prefix: str = "") -> Iterator[ListedObject]:
        """Yield objects whose keys begin with `prefix`, in no order."""
        folders, _, _ = prefix.rpartition("/")
        top, begin = self.tree.root, ""
        if "/" in prefix:
            top = top.joinpath(*(_folder_name(part) for part in folders.split("/")))
            begin = f"{folders}/"
        yield from (each for each in _walk(top, begin) if each.key.startswith(prefix))

    def _path(self, key: str) -> Path:
        *folders, name = key.split("/")
        parts = [*map(_folder_name, folders), _FILE + quote(name, safe="")]
        if any(len(part) > _MAX_NAME for part in parts):
            raise KeyTooLongError
        return self.tree.root.joinpath(*parts)

    def _lock(self, path: Path) -> threading.Lock:
        return self._locks[hash(path) % _LOCKS]


def _new_file(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _check(allowed: Callable[[ObjectFile | None], bool], path: Path) -> None:
    there = ObjectFile.open(path)
    try:
        if not allowed(there):
            raise ConditionError
    finally:
        if there is not None:
            there.file.close()


def _folder_name(part: str) -> str:
    if not part.strip("."):
        return part.replace(".", "%2E") or _EMPTY
    return quote(part, safe="")


def _walk(folder: Path, begin: str) -> Iterator[ListedObject]:
    # A folder may go with its last object meanwhile.
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_FILE):
                with contextlib.suppress(FileNotFoundError):
                    modified = entry.stat().st_mtime
                    yield ListedObject(begin + unquote(entry.name[1:]), Path(entry.path), modified)
            else:
                name = "" if entry.name == _EMPTY else unquote(entry.name)
                yield from _walk(folder / entry.name, f"{begin}{name}/")
