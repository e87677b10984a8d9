"""Repository of uploads: `UPLOAD#<n>` in the partition of their render, one row for each target.

Their receipts stand in the row of the render, and each transaction changes both. Those of many
files stand in rows of their own, which are the states of the files, too (decision 50).
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from copy import replace
from typing import Final

import msgspec

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.query_all import query_all
from chalicelib.adapters.aws.queues import DELAY_PRECISION
from chalicelib.adapters.aws.table import ConditionFailed, Row, RowValue, Table, Write
from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.destinations.uploads.message import (
    UPLOADS_PREFIX,
    UploadFilesMessage,
    uploads_sort_key,
)
from chalicelib.features.destinations.uploads.model import FileUpload, TargetUploads
from chalicelib.features.destinations.uploads.receipts import present_upload, receipt_of
from chalicelib.features.renders.receipts.repository import ReceiptPlace, ReceiptRows
from chalicelib.features.renders.rows import (
    DUE_RENDER,
    partition,
    receipt_items,
    render_of,
    row_key,
)

DUE_UPLOADS: Final = DueKind("storage_uploads", shards=8)
# Until uploads whose message was sent are due themselves: the message may wait in its queue.
MESSAGE_TIME: Final = dt.timedelta(minutes=2)
_CLAIM: Final = {"#claim": "claim", "#until": "claimed_until"}
_FIELDS: Final = tuple(TargetUploads.__dataclass_fields__)


class StorageUploads:
    """Uploads of all workspaces."""

    def __init__(self, table: Table) -> None:
        """Store uploads in this table."""
        self._table = table
        self._receipts = ReceiptRows(table=table)

    def creation(self, uploads: TargetUploads) -> Write:
        """Return the write of new uploads; the message of open ones is sent at once."""
        kept = parse_rfc3339(uploads.created_at) + dt.timedelta(days=uploads.history_days)
        fields: Row = msgspec.to_builtins(uploads)
        due: Row = {}
        if uploads.next_attempt_at is not None:
            due_at = parse_rfc3339(uploads.next_attempt_at) + MESSAGE_TIME
            due = {"due_at": format_rfc3339(due_at), "DPK": _due_partition(uploads)}
        return Write(
            self._table,
            item={name: value for name, value in fields.items() if value is not None}
            | _key(UploadFilesMessage.of(uploads))
            | {"ttl": int(kept.timestamp())}
            | due,
            condition="attribute_not_exists(PK)",
        )

    def get(self, message: UploadFilesMessage) -> TargetUploads | None:
        """Return uploads, or None."""
        key = _key(message)
        row = self._table.get(str(key["PK"]), str(key["SK"]))
        return None if row is None else self._with_files(row)

    def of_render(self, workspace_id: WorkspaceId, render_id: RenderId) -> list[TargetUploads]:
        """Return the uploads of a render, target by target."""
        rows = query_all(
            self._table,
            "PK = :pk AND begins_with(SK, :prefix)",
            {":pk": partition(workspace_id, render_id), ":prefix": UPLOADS_PREFIX},
            consistent=True,
        )
        return [self._with_files(row) for row in rows]

    def claim(
        self, message: UploadFilesMessage, *, claim: str, now: dt.datetime, until: dt.datetime
    ) -> TargetUploads | None:
        """Claim the next attempt and return the uploads as the attempt has them.

        The result is None if it is not due, another process has the claim, or no attempt is to
        come.
        """
        # A queue delays by whole seconds.
        times = {":until": until, ":now": now, ":soon": now + DELAY_PRECISION}
        write = Write(
            self._table,
            key=_key(message),
            update="SET #claim = :claim, #until = :until, due_at = :until ADD claims_made :one",
            condition="next_attempt_at <= :soon "
            "AND (attribute_not_exists(#until) OR #until <= :now)",
            names=_CLAIM,
            values={name: format_rfc3339(moment) for name, moment in times.items()}
            | {":claim": claim, ":one": 1},
        )
        try:
            row = self._table.write(write)
        except ConditionFailed as refused:
            # This very call has claimed it, but its response was lost.
            is_own = refused.item is not None and refused.item.get("claim") == claim
            return self._with_files(refused.existing_item) if is_own else None
        assert row is not None
        return self._with_files(row)

    def extend_claim(self, uploads: TargetUploads, *, claim: str, until: dt.datetime) -> bool:
        """Keep the uploads claimed until then; False: another process has them."""
        write = Write(
            self._table,
            key=_key(UploadFilesMessage.of(uploads)),
            update="SET #until = :until, due_at = :until",
            condition="#claim = :claim",
            names=_CLAIM,
            values={":until": format_rfc3339(until), ":claim": claim},
        )
        try:
            self._table.write(write)
        except ConditionFailed:
            return False
        return True

    def progress(
        self, after: TargetUploads, changed: Sequence[FileUpload], *, claim: str
    ) -> Iterator[Write]:
        """Yield the writes of files that have changed; the claim goes on."""
        yield Write(
            self._table,
            key=_key(UploadFilesMessage.of(after)),
            # Of many files their rows say it.
            update="SET #claim = :claim" + "".join(f", {name} = :{name}" for name in _files(after)),
            condition="#claim = :claim",
            names={"#claim": "claim"},
            values={":claim": claim} | {f":{name}": value for name, value in _files(after).items()},
        )
        yield from self.receipts(after, changed)

    def result_write(
        self, after: TargetUploads, changed: Sequence[FileUpload], *, claim: str
    ) -> Iterator[Write]:
        """Yield the writes of the state after an attempt that was claimed."""
        yield self._end(after, "#claim = :claim", {":claim": claim})
        yield from self.receipts(after, changed)

    def end_waiting(
        self, after: TargetUploads, changed: Sequence[FileUpload], now: str
    ) -> Iterator[Write]:
        """Yield the writes of a final state of uploads that are due and no process has."""
        condition = "next_attempt_at <= :now AND (attribute_not_exists(#until) OR #until <= :now)"
        yield self._end(after, condition, {":now": now})
        yield from self.receipts(after, changed)

    def _end(self, after: TargetUploads, condition: str, values: dict[str, RowValue]) -> Write:
        sets: dict[str, RowValue] = {**_files(after), "attempts": after.attempts}
        removed = "#claim, #until, claims_made"
        if after.next_attempt_at is None:
            removed += ", next_attempt_at, due_at, DPK"
        else:
            sets["next_attempt_at"] = after.next_attempt_at
            due_at = parse_rfc3339(after.next_attempt_at) + MESSAGE_TIME
            sets["due_at"] = format_rfc3339(due_at)
        assigned = ", ".join(f"{name} = :{name}" for name in sets)
        return Write(
            self._table,
            key=_key(UploadFilesMessage.of(after)),
            update=f"SET {assigned} REMOVE {removed}",
            condition=condition,
            names=_CLAIM,
            values=values | {f":{name}": value for name, value in sets.items()},
        )

    def receipts(self, after: TargetUploads, changed: Sequence[FileUpload]) -> Iterator[Write]:
        """Yield the write of changed receipts into the row of the render, if there are some.

        A render whose files are kept only for delivery becomes due: maintenance looks whether
        others wait for them.
        """
        if not changed:
            return
        names: dict[str, str] = {}
        sets: list[str] = []
        values: dict[str, RowValue] = {}
        if after.receipts_attempt is None:
            names = {"#storage": "storage"}
            sets = [f"#storage[{file.receipt}] = :receipt{file.receipt}" for file in changed]
            items = receipt_items([receipt_of(after, file) for file in changed])
            values = {
                f":receipt{file.receipt}": item for file, item in zip(changed, items, strict=True)
            }
        else:
            receipts = [receipt_of(after, file) for file in changed]
            place = _receipts_place(after, after.receipts_attempt)
            yield from self._receipts.changes(place, receipts, after.kept_until)
        are_done = not after.open_files and (
            after.deletes_failed or all(file.status == "succeeded" for file in after.files)
        )
        if after.deletes_files and are_done:
            sets.append("due_at = :due_at, DPK = :dpk")
            values |= {":due_at": after.created_at, ":dpk": DUE_RENDER.partition(after.render_id)}
            if after.receipts_attempt is not None:
                sets.append("upload_targets.done = upload_targets.done + :one")
                values[":one"] = 1
        if sets:
            yield Write(
                self._table,
                key=row_key(after.workspace_id, after.render_id),
                update=f"SET {', '.join(sets)}",
                condition="attribute_exists(PK)",
                names=names,
                values=values,
            )

    def _with_files(self, row: Row) -> TargetUploads:
        """Return the uploads of a row; with many files their states are in rows of their own."""
        uploads = uploads_of(row)
        if uploads.receipts_attempt is None:
            return uploads
        key = partition(uploads.workspace_id, uploads.render_id), "META"
        found = self._table.get_many([key])
        if not found:
            return uploads
        render = render_of(found[0])
        receipts = self._receipts.of_target(render, uploads.number)
        first = uploads.number * len(render.files)
        files = tuple(present_upload(render, first + n, each) for n, each in enumerate(receipts))
        return replace(uploads, files=files)


def uploads_of(row: Row) -> TargetUploads:
    """Return the uploads of a row, without the files of which other rows have the states."""
    return msgspec.convert({name: row[name] for name in _FIELDS if name in row}, TargetUploads)


def _files(uploads: TargetUploads) -> Row:
    """Return the attribute with the files, unless rows of receipts have their states."""
    if uploads.receipts_attempt is not None:
        return {}
    return {"files": msgspec.to_builtins(uploads.files)}


def _receipts_place(uploads: TargetUploads, attempt: int) -> ReceiptPlace:
    return ReceiptPlace(uploads.workspace_id, uploads.render_id, attempt, uploads.number)


def _key(message: UploadFilesMessage) -> Row:
    return {
        "PK": partition(message.workspace_id, message.render_id),
        "SK": uploads_sort_key(message.number),
    }


def _due_partition(uploads: TargetUploads) -> str:
    return DUE_UPLOADS.partition(uploads.render_id)
