"""Making of a backup while the server runs: rows, objects and keys of one moment.

The moment begins while nothing is removed or replaced: a read transaction fixes the rows, and the
keys are read. The store keeps each file of the moment from then on, until all are linked. A row is
written after the files that it names, so all of them are there.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from chalicelib.core.clock import SystemClock, format_rfc3339
from infra.local.objects.moment import Moment
from infra.local.paths import StackFolder
from infra.serve.backup.check import check_file, in_threads, listed_files, read_through
from infra.serve.backup.manifest import (
    LIST,
    MANIFEST,
    TABLES,
    BackupFile,
    FileList,
    Manifest,
    UnusableBackupError,
)
from infra.serve.backup.places import Place
from infra.serve.data_folder import DataFolder

_BUSY_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class _Source:
    """File on its way into a backup."""

    path: str
    file: Path


def back_up(data: DataFolder, place: Place) -> Manifest:
    """Back the data folder up; return the manifest.

    Raises UnusableFolderError, UnusableBackupError, MomentTakenError, MomentLostError, and
    FileExistsError where the place has files.
    """
    about = data.about_whole()
    folder = data.stack
    moments = [Moment(bucket) for bucket in folder.objects.iterdir()]
    with ExitStack() as held:
        for each in moments:
            held.enter_context(each.hold())
        place.begin()
        scratch = Path(held.enter_context(place.scratch()))
        rows = held.enter_context(closing(_open_tables(folder)))
        with ExitStack() as beginning:
            for each in moments:
                beginning.enter_context(each.begin())
            rows.execute("BEGIN")
            # The transaction begins with its first read.
            rows.execute("SELECT count(*) FROM sqlite_master").fetchone()
            keys = _keys(folder, scratch)
            moment = format_rfc3339(SystemClock().now())
        linked = [each.link_all() for each in moments]
        tables = _copy_tables(rows, scratch / "tables.db")
        sources = (tables, *keys, *_objects(linked))
        listed = _store(place, sources, scratch / LIST)
        manifest = Manifest(
            release=about["release"],
            data_format=about["format"],
            moment=moment,
            files=listed.files,
            size=listed.size,
            list_sha256=listed.sha256,
        )
        place.settle()
        for _ in in_threads(partial(check_file, place), listed_files(place, manifest)):
            pass
        place.add(MANIFEST, BytesIO(manifest.as_json()))
    place.settle()
    return manifest


def _open_tables(folder: StackFolder) -> sqlite3.Connection:
    address = f"{folder.tables_file.as_uri()}?mode=rw"
    return sqlite3.connect(address, uri=True, isolation_level=None, timeout=_BUSY_S)


def _keys(folder: StackFolder, scratch: Path) -> list[_Source]:
    """Copy the keys and secrets, which are few and small."""
    copies = []
    for file in sorted(folder.keys.glob("*.json")):
        copy = scratch / file.name
        copy.write_bytes(file.read_bytes())
        copies.append(_Source(f"keys/{file.name}", copy))
    return copies


def _copy_tables(rows: sqlite3.Connection, copy: Path) -> _Source:
    with closing(sqlite3.connect(copy, isolation_level=None)) as target:
        # It is synced when it is stored.
        target.execute("PRAGMA synchronous = OFF")
        rows.backup(target)
        rows.execute("COMMIT")
        found: list[Any] = target.execute("PRAGMA integrity_check").fetchall()
        if found != [("ok",)]:
            message = f"the tables are damaged: {found[0][0]}"
            raise UnusableBackupError(message)
        # One file, without a log beside it.
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return _Source(TABLES, copy)


def _objects(linked: list[Path]) -> Iterator[_Source]:
    for bucket in linked:
        for path, _, names in bucket.walk():
            for name in names:
                relative = (path / name).relative_to(bucket)
                yield _Source(f"objects/{bucket.parent.name}/{relative}", path / name)


def _store(place: Place, sources: tuple[_Source, ...], list_file: Path) -> FileList:
    with list_file.open("wb") as lines:
        listed = FileList(lines)
        for each in in_threads(partial(_store_one, place), sources):
            listed.add(each)
    with list_file.open("rb") as lines:
        place.add(LIST, lines)
    return listed


def _store_one(place: Place, source: _Source) -> BackupFile:
    with source.file.open("rb") as file:
        size, sha256 = read_through(file)
        file.seek(0)
        place.add(source.path, file)
    return BackupFile(source.path, size, sha256, source.file.stat().st_mtime_ns)
