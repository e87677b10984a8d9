"""Files by their own id: `FILE#<id>` in the main table, since URLs name no tenant (decision 3)."""

import datetime as dt
from typing import Final

from chalicelib.adapters.aws.table import Item, Tables, Write
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import FileId, RenderId, WorkspaceId
from chalicelib.features.files.model import StoredFile

# Expired files are removed late if maintenance is.
_KEPT: Final = dt.timedelta(days=30)


class Files:
    """Records that signed file URLs resolve to."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Store records in this table."""
        self._tables = tables
        self._table = table

    def get(self, file_id: FileId) -> StoredFile | None:
        """Return the file, or None if it does not exist or is purged."""
        item = self._tables.get(self._table, f"FILE#{file_id}")
        if item is None or item.get("purged_at"):
            return None
        return StoredFile(**{name: item[name] for name in StoredFile._fields})

    def creation(self, file: StoredFile, workspace_id: WorkspaceId, render_id: RenderId) -> Write:
        """Return the write that creates the record; idempotent."""
        item: Item = file._asdict() | {
            "PK": f"FILE#{file.id}",
            "SK": "META",
            "workspace_id": workspace_id,
            "render_id": render_id,
        }
        if file.expires_at is not None:
            # Later the URL leads to a file that has expired, with a record or without.
            item["ttl"] = int((parse_rfc3339(file.expires_at) + _KEPT).timestamp())
        return Write(self._table, item=item)

    def removal(self, file_id: FileId) -> Write:
        """Return the write that removes the record; idempotent."""
        return Write(self._table, key={"PK": f"FILE#{file_id}", "SK": "META"})

    def purge(self, file_id: FileId, at: str) -> Write:
        """Return the write that marks the file as purged; its URLs end then."""
        return Write(
            self._table,
            key={"PK": f"FILE#{file_id}", "SK": "META"},
            update="SET purged_at = :at",
            condition="attribute_exists(PK)",
            values={":at": at},
        )
