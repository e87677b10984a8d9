"""Repository of uploads: `UPL#<workspace>#<id>` in the table with a TTL."""

import datetime as dt
from collections.abc import Iterable

from chalicelib.adapters.aws.table import ConditionFailed, Row, Tables, Write
from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.ids import UploadId, WorkspaceId
from chalicelib.features.uploads.model import Upload


class Uploads:
    """Uploads of all workspaces; expired ones in the table are not returned."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Store uploads in this table."""
        self._tables = tables
        self._table = table

    def get_many(
        self, workspace_id: WorkspaceId, upload_ids: Iterable[UploadId], now: dt.datetime
    ) -> dict[UploadId, Upload]:
        """Return the existing uploads of a workspace by id."""
        keys = [(_partition(workspace_id, upload_id), "META") for upload_id in upload_ids]
        uploads = [_upload_of(item) for item in self._tables.get_many(self._table, keys)]
        return {upload.id: upload for upload in uploads if upload.expires_at > format_rfc3339(now)}

    def put(self, upload: Upload) -> None:
        """Store a new upload."""
        ttl = int(parse_rfc3339(upload.expires_at).timestamp())
        item = upload._asdict() | _key(upload) | {"ttl": ttl}
        # A transaction: a late write would make an upload pending again whose bytes have left the
        # form's key, or bring a deleted one back.
        self._tables.transact([Write(self._table, item=item)])

    def mark_ready(self, upload: Upload, size: int) -> Upload | None:
        """Mark a pending upload as ready and return it; None if it was deleted meanwhile."""
        write = Write(
            self._table,
            key=_key(upload),
            update="SET #status = :ready, #bytes = :size",
            condition="#status = :pending",
            names={"#status": "status", "#bytes": "bytes"},
            values={":ready": "ready", ":size": size, ":pending": "pending"},
        )
        try:
            item = self._tables.write(write)
        except ConditionFailed as conflict:
            item = conflict.item
        return None if item is None else _upload_of(item)

    def delete(self, upload: Upload) -> bool:
        """Delete the row of an upload; False: it was deleted already."""
        try:
            self._tables.write(
                Write(self._table, key=_key(upload), condition="attribute_exists(PK)")
            )
        except ConditionFailed:
            return False
        return True


def _partition(workspace_id: WorkspaceId, upload_id: UploadId) -> str:
    return f"UPL#{workspace_id}#{upload_id}"


def _key(upload: Upload) -> Row:
    return {"PK": _partition(upload.workspace_id, upload.id), "SK": "META"}


def _upload_of(item: Row) -> Upload:
    # Uploads of the release before have no `was_announced`.
    return Upload(**{name: item[name] for name in Upload._fields if name in item})
