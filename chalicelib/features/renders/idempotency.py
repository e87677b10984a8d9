"""Idempotency records: which render a key of the caller's stands for, for 24 hours."""

import datetime as dt
import hashlib
from dataclasses import asdict, dataclass
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Item, Tables, Write
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.renders.model import RenderStatus
from chalicelib.features.workspaces.model import Mode

_RETENTION: Final = dt.timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A caller's key with its scope, and the body that it came with."""

    workspace_id: WorkspaceId
    mode: Mode
    route: str
    key: str
    body_sha256: str

    @property
    def partition(self) -> str:
        """Return where the record stands; the key itself may hold any characters."""
        digest = hashlib.sha256(self.key.encode()).hexdigest()
        return f"IDEM#{self.workspace_id}#{self.mode}#{self.route}#{digest}"


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """The render that a key stands for; `accepted`: as it was when it was answered with a 202."""

    render_id: RenderId
    accepted: "Accepted202 | None"


@dataclass(frozen=True, slots=True)
class Accepted202:
    """How an unfinished render was first shown."""

    status: RenderStatus
    started_at: str | None


class IdempotencyRecords:
    """The records, in the table whose items run out by themselves."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Keep them in this table."""
        self._tables = tables
        self._table = table

    def find(self, key: IdempotencyKey, now: dt.datetime) -> IdempotencyRecord | None:
        """Return the record of a key; raises `idempotency_key_reused` for another body."""
        item = self._tables.get(self._table, key.partition)
        return self.read(item, key, now)

    def read(
        self, item: Item | None, key: IdempotencyKey, now: dt.datetime
    ) -> IdempotencyRecord | None:
        """Read a record as `find` does."""
        if item is None or item["expires_at"] <= format_rfc3339(now):
            return None
        if item["body_sha256"] != key.body_sha256:
            raise ServiceError(
                "idempotency_key_reused",
                "This Idempotency-Key came with another body before. Use a new key for a new "
                "request, and the same body for a repeat.",
            )
        accepted = Accepted202(**item["accepted"]) if item["accepted"] else None
        return IdempotencyRecord(RenderId(item["render_id"]), accepted)

    def creation(
        self,
        key: IdempotencyKey,
        render_id: RenderId,
        now: dt.datetime,
        accepted: Accepted202 | None,
    ) -> Write:
        """Return the write that makes the record where there is none that still holds."""
        expires = now + _RETENTION
        return Write(
            self._table,
            item={
                "PK": key.partition,
                "SK": "META",
                "render_id": render_id,
                "body_sha256": key.body_sha256,
                "accepted": asdict(accepted) if accepted else None,
                "expires_at": format_rfc3339(expires),
                "ttl": int(expires.timestamp()),
            },
            condition="attribute_not_exists(PK) OR expires_at <= :now",
            values={":now": format_rfc3339(now)},
        )

    def removal(self, key: IdempotencyKey, render_id: RenderId) -> Write:
        """Return the write that frees a key whose request is to be sent again."""
        return Write(
            self._table,
            key={"PK": key.partition, "SK": "META"},
            condition="render_id = :id",
            values={":id": render_id},
        )

    def mark_accepted(
        self, key: IdempotencyKey, render_id: RenderId, accepted: Accepted202
    ) -> None:
        """Remember that the first answer was a 202, and what it showed, for its repeats."""
        write = Write(
            self._table,
            key={"PK": key.partition, "SK": "META"},
            update="SET accepted = :accepted",
            condition="render_id = :id",
            values={":accepted": asdict(accepted), ":id": render_id},
        )
        try:
            self._tables.write(write)
        except ConditionFailed:
            return
