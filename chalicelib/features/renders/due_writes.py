"""Writes to rows of final renders that say when maintenance looks at them."""

from collections.abc import Mapping

from chalicelib.adapters.aws.table import RowValue, Write
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import due_shard, receipt_items, row_key


class DueWrites:
    """Writes of the due times of final renders."""

    def __init__(self, table: str) -> None:
        """Write to this table."""
        self._table = table

    def purge(self, render: Render, at: str, due_at: str) -> Write:
        """Return the write that purges a render's files; due at `due_at` to remove the objects."""
        update = "SET files_purged_at = :at, due_at = :due_at, DPK = :dpk"
        due = {":due_at": due_at, ":dpk": due_shard(render)}
        values: Mapping[str, RowValue] = {**due, ":at": at, ":null": None}
        return self._write(render, update, values, "files_purged_at = :null")

    def recheck(self, render: Render) -> Write:
        """Return the write that makes a final render due at its `claimed_until`."""
        due = {":dpk": due_shard(render)}
        return self._write(render, "SET due_at = claimed_until, DPK = :dpk", due)

    def removal(self, render: Render) -> Write:
        """Return the write that removes a final render from the due index."""
        return self._write(render, "REMOVE due_at, DPK", {})

    def removal_after_delivery(self, render: Render) -> Write:
        """Return the write that removes a render from the due index.

        It is refused if an email or an upload has ended since.
        """
        names: dict[str, str] = {}
        values: dict[str, RowValue] = {}
        conditions = []
        if render.email_counts is not None:
            conditions, values = ["emails = :emails"], {":emails": render.email_counts}
        if render.storage:
            conditions.append("#storage = :storage")
            names, values[":storage"] = {"#storage": "storage"}, receipt_items(render.storage)
        if render.upload_targets is not None:
            conditions.append("upload_targets.done = :done")
            values[":done"] = render.upload_targets.done
        write = self._write(render, "REMOVE due_at, DPK", values, " AND ".join(conditions))
        return write._replace(names=names)

    def _write(
        self,
        render: Render,
        update: str,
        values: Mapping[str, RowValue],
        condition: str = "attribute_exists(PK)",
    ) -> Write:
        key = row_key(render.workspace_id, render.id)
        return Write(self._table, key=key, update=update, condition=condition, values=values)
