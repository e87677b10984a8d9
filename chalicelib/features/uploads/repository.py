"""Repository of uploads: `UPL#<workspace>#<id>` in the table with a TTL, and of what they hold.

The item `UPL#<workspace>`, `HELD` has the sum of their bytes as `held`, announced ones and stored
ones until they expire, and one attribute `h<n>` for each hour since 1970 in which some were made.
Bytes of 25 hours ago are subtracted with the next upload that finds no room. A process that dies
between this item and the row of its upload leaves bytes that are counted until then: never too few.
"""

import datetime as dt
from collections.abc import Iterable
from typing import Final

import msgspec

from chalicelib.adapters.aws.objects import ObjectCopy
from chalicelib.adapters.aws.table import ConditionFailed, Row, Table, Write
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import UploadId, WorkspaceId
from chalicelib.features.uploads.model import Upload
from chalicelib.features.workspaces.model import Workspace

_GB: Final = 1_000_000_000
_HOUR_S: Final = 3_600
# The hour in which an upload is made, and its day.
_KEPT_HOURS: Final = 25
_MAX_TRIES: Final = 8


class Uploads(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Uploads of all workspaces; expired ones in the table are not returned."""

    table: Table

    def get_many(
        self, workspace_id: WorkspaceId, upload_ids: Iterable[UploadId], now: dt.datetime
    ) -> dict[UploadId, Upload]:
        """Return the existing uploads of a workspace by id."""
        keys = [(_partition(workspace_id, upload_id), "META") for upload_id in upload_ids]
        uploads = [_upload_of(item) for item in self.table.get_many(keys)]
        return {upload.id: upload for upload in uploads if upload.expires_at > format_rfc3339(now)}

    def put(self, upload: Upload) -> None:
        """Store a new upload."""
        ttl = int(parse_rfc3339(upload.expires_at).timestamp())
        item = upload._asdict() | _key(upload) | {"ttl": ttl}
        # A transaction: a late write would make an upload pending again whose bytes have left the
        # form's key, or bring a deleted one back.
        self.table.transact([Write(self.table, item=item)])

    def mark_ready(self, upload: Upload, copied: ObjectCopy) -> Upload | None:
        """Mark a pending upload as ready and return it; None if it was deleted meanwhile."""
        write = Write(
            self.table,
            key=_key(upload),
            update="SET #status = :ready, #bytes = :size, sha256 = :sha256",
            condition="#status = :pending",
            names={"#status": "status", "#bytes": "bytes"},
            values={
                ":ready": "ready",
                ":size": copied.size,
                ":sha256": copied.sha256,
                ":pending": "pending",
            },
        )
        try:
            item = self.table.write(write)
        except ConditionFailed as conflict:
            item = conflict.item
        return None if item is None else _upload_of(item)

    def delete(self, upload: Upload) -> bool:
        """Delete the row of an upload; False: it was deleted already."""
        try:
            self.table.write(Write(self.table, key=_key(upload), condition="attribute_exists(PK)"))
        except ConditionFailed:
            return False
        return True


class HeldBytes(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Bytes that the uploads of all workspaces hold."""

    table: Table
    clock: Clock

    def reserve(self, workspace: Workspace, upload: Upload) -> None:
        """Count an upload; raises `conflict` if the workspace has no room for it."""
        expired: dict[str, int] = {}
        for _ in range(_MAX_TRIES):
            try:
                self.table.write(self._taking(workspace, upload, expired))
            except ConditionFailed as refused:
                seen = refused.existing_item
                if seen["last"] == upload.id:
                    # This very call has counted it, but its response was lost.
                    return
                expired = self._expired_hours(seen)
                room = workspace.plan.upload_gb * _GB - (seen["held"] - sum(expired.values()))
                if upload.bytes > room:
                    raise _refusal(workspace, upload, room) from refused
            else:
                return
        raise Conflict("conflict", "Many uploads are made at once; send this one again.")

    def give_back(self, upload: Upload) -> None:
        """Count a deleted upload no more.

        One that was announced counts until it expires: its form may store an object meanwhile.
        """
        if upload.was_announced:
            return
        write = Write(
            self.table,
            key=_held_key(upload.workspace_id),
            update="ADD #hour :less, held :less",
            condition="#hour >= :bytes",
            names={"#hour": _hour(upload)},
            values={":less": -upload.bytes, ":bytes": upload.bytes},
        )
        try:
            self.table.write(write)
        except ConditionFailed:
            # Its hour is over.
            return

    def _taking(self, workspace: Workspace, upload: Upload, expired: dict[str, int]) -> Write:
        gone = sum(expired.values())
        names = {f"#e{number}": name for number, name in enumerate(expired)}
        conditions = ["(attribute_not_exists(held) OR (held <= :room AND #last <> :id))"]
        conditions += [f"#e{number} = :e{number}" for number in range(len(expired))]
        removal = f" REMOVE {', '.join(names)}" if names else ""
        ends_at = self.clock.now() + dt.timedelta(hours=_KEPT_HOURS + 1)
        return Write(
            self.table,
            key=_held_key(workspace.id),
            update=f"ADD #hour :bytes, held :more SET #last = :id, #ttl = :ttl{removal}",
            condition=" AND ".join(conditions),
            names={"#hour": _hour(upload), "#last": "last", "#ttl": "ttl", **names},
            values={
                ":bytes": upload.bytes,
                ":more": upload.bytes - gone,
                ":room": workspace.plan.upload_gb * _GB - upload.bytes + gone,
                ":id": upload.id,
                ":ttl": int(ends_at.timestamp()),
                **{f":e{number}": size for number, size in enumerate(expired.values())},
            },
        )

    def _expired_hours(self, item: Row) -> dict[str, int]:
        """Return the bytes of hours whose uploads have all expired."""
        first = int(self.clock.now().timestamp()) // _HOUR_S - _KEPT_HOURS
        return {
            name: size
            for name, size in item.items()
            if name[0] == "h" and name[1:].isdigit() and int(name[1:]) <= first
        }


def _partition(workspace_id: WorkspaceId, upload_id: UploadId) -> str:
    return f"UPL#{workspace_id}#{upload_id}"


def _key(upload: Upload) -> Row:
    return {"PK": _partition(upload.workspace_id, upload.id), "SK": "META"}


def _upload_of(item: Row) -> Upload:
    # Uploads of the release before have no `was_announced`.
    return Upload(**{name: item[name] for name in Upload._fields if name in item})


def _refusal(workspace: Workspace, upload: Upload, room: int) -> Conflict:
    return Conflict(
        "conflict",
        f"The uploads of a workspace have {workspace.plan.upload_gb} GB together on the plan "
        f"{workspace.plan_code}, announced ones counted; {max(0, room)} bytes are left, and this "
        f"one has {upload.bytes}. Wait until some expire, 24 hours after they were made.",
    )


def _hour(upload: Upload) -> str:
    return f"h{int(parse_rfc3339(upload.created_at).timestamp()) // _HOUR_S}"


def _held_key(workspace_id: WorkspaceId) -> dict[str, str]:
    return {"PK": f"UPL#{workspace_id}", "SK": "HELD"}
