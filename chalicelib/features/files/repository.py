"""Files by their own id: `FILE#<id>` in the main table, so that an address needs no tenant."""

from chalicelib.adapters.aws.table import Tables, Write
from chalicelib.core.ids import FileId, RenderId, WorkspaceId
from chalicelib.features.files.model import StoredFile


class Files:
    """The records that addresses of files lead to."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Keep them in this table."""
        self._tables = tables
        self._table = table

    def get(self, file_id: FileId) -> StoredFile | None:
        """Return the file, or None where it never was or is purged."""
        item = self._tables.get(self._table, f"FILE#{file_id}")
        if item is None or item.get("purged_at"):
            return None
        return StoredFile(**{name: item[name] for name in StoredFile._fields})

    def creation(self, file: StoredFile, workspace_id: WorkspaceId, render_id: RenderId) -> Write:
        """Return the write that makes the record; repeated, it writes the same again."""
        item = file._asdict() | {
            "PK": f"FILE#{file.id}",
            "SK": "META",
            "workspace_id": workspace_id,
            "render_id": render_id,
        }
        return Write(self._table, item=item)

    def removal(self, file_id: FileId) -> Write:
        """Return the write that removes the record, whether or not it is there."""
        return Write(self._table, key={"PK": f"FILE#{file_id}", "SK": "META"})

    def purge(self, file_id: FileId, at: str) -> Write:
        """Return the write that leaves no way to the file."""
        return Write(
            self._table,
            key={"PK": f"FILE#{file_id}", "SK": "META"},
            update="SET purged_at = :at",
            condition="attribute_exists(PK)",
            values={":at": at},
        )
