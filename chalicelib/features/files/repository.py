"""Files by their own id: `FILE#<id>` in the main table, since URLs name no tenant (decision 3)."""

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.table import Row, Table, Write
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import FileId, RenderId, WorkspaceId
from chalicelib.features.files.model import StoredFile

# Expired files are removed late if maintenance is.
_KEPT: Final = dt.timedelta(days=30)


DUE_FILE: Final = DueKind("file", shards=8)


class FileOwner(NamedTuple):
    """Render of a file."""

    workspace_id: WorkspaceId
    render_id: RenderId


class FileRecord(NamedTuple):
    """Record of a file with its owner."""

    file: StoredFile
    owner: FileOwner
    is_purged: bool


class DueFile(NamedTuple):
    """File whose record is due for all files of its render."""

    owner: FileOwner
    key: str


# Records that are written in one transaction with the row of their render and its event.
MAX_FINAL_RECORDS: Final = 90


class Files(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Records that signed file URLs resolve to."""

    table: Table

    def get(self, file_id: FileId) -> tuple[StoredFile, WorkspaceId] | None:
        """Return the file and its workspace, or None if it does not exist or is purged."""
        item = self.table.get(f"FILE#{file_id}")
        if item is None or item.get("purged_at"):
            return None
        return _file(item), WorkspaceId(item["workspace_id"])

    def records(self, file_ids: Sequence[FileId]) -> list[FileRecord]:
        """Return the records of up to 100 files, also of purged ones."""
        items = self.table.get_many([(f"FILE#{each}", "META") for each in file_ids])
        return [FileRecord(_file(item), _owner(item), "purged_at" in item) for item in items]

    def due(self, file_id: FileId) -> DueFile | None:
        """Return a file whose record is due, or None if it is not, or no longer."""
        item = self.table.get(f"FILE#{file_id}")
        if item is None or "due_at" not in item:
            return None
        return DueFile(_owner(item), item["key"])

    def creations(self, files: Sequence[StoredFile], owner: FileOwner) -> Iterator[Write]:
        """Yield the writes that create the records of a render's stored files; idempotent.

        The first record is due when the files expire: it is smaller than the row of their render.
        """
        for number, file in enumerate(files):
            assert file.expires_at is not None, file.id
            # Later the URL leads to a file that has expired, with a record or without.
            ttl = int((parse_rfc3339(file.expires_at) + _KEPT).timestamp())
            item = {**file._asdict(), **owner._asdict(), **_key(file.id), "ttl": ttl}
            due = {"due_at": file.expires_at, "DPK": DUE_FILE.partition(file.id)}
            yield Write(self.table, item=item if number else item | due)

    def lasting(self, file: StoredFile, workspace_id: WorkspaceId) -> Write:
        """Return the write that creates the record of a file without expiry or render."""
        item = {**file._asdict(), "workspace_id": workspace_id, **_key(file.id)}
        return Write(self.table, item=item)

    def expiry(self, file_id: FileId) -> Write:
        """Return the write that ends the files of a due record; refused if that has happened."""
        return Write(
            self.table,
            key=_key(file_id),
            update="REMOVE due_at, DPK",
            condition="attribute_exists(due_at)",
        )

    def removal(self, file_id: FileId) -> Write:
        """Return the write that removes the record; idempotent."""
        return Write(self.table, key=_key(file_id))

    def purges(self, files: Sequence[StoredFile], at: str) -> Iterator[Write]:
        """Yield the writes that mark a render's files as purged; their URLs end then.

        The first is refused if they have expired, with their event.
        """
        for number, file in enumerate(files):
            yield self._purge(
                file.id, at, "attribute_exists(PK)" if number else "attribute_exists(due_at)"
            )

    def purge(self, file_id: FileId, at: str) -> Write:
        """Return the write that marks one file as purged; refused if there is no record of it."""
        return self._purge(file_id, at, "attribute_exists(PK)")

    def _purge(self, file_id: FileId, at: str, condition: str) -> Write:
        return Write(
            self.table,
            key=_key(file_id),
            update="SET purged_at = :at REMOVE due_at, DPK",
            condition=condition,
            values={":at": at},
        )


def _file(item: Row) -> StoredFile:
    # Records of earlier releases have no part.
    return StoredFile(**{name: item[name] for name in StoredFile._fields if name in item})


def _owner(item: Row) -> FileOwner:
    return FileOwner(WorkspaceId(item["workspace_id"]), RenderId(item["render_id"]))


def _key(file_id: FileId) -> Row:
    return {"PK": f"FILE#{file_id}", "SK": "META"}
