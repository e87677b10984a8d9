"""Repository of idempotency records: the render of each Idempotency-Key, for 24 hours."""

import datetime as dt
from dataclasses import asdict

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Row, Table, Write
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.ids import RenderId
from chalicelib.features.renders.idempotency.model import (
    RETENTION,
    Accepted202,
    IdempotencyKey,
    IdempotencyRecord,
    key_reused_error,
)


class IdempotencyRecords(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Idempotency records in the table with TTL."""

    table: Table

    def find(self, key: IdempotencyKey, now: dt.datetime) -> IdempotencyRecord | None:
        """Return the record of a key; raises `idempotency_key_reused` for another body."""
        item = self.table.get(key.partition)
        return self.read(item, key, now)

    def read(
        self, item: Row | None, key: IdempotencyKey, now: dt.datetime
    ) -> IdempotencyRecord | None:
        """Return the record of an item that was read already; raises as `find` does."""
        # DynamoDB deletes expired items late.
        if item is None or item["expires_at"] <= format_rfc3339(now):
            return None
        if item["body_sha256"] != key.body_sha256:
            raise key_reused_error()
        accepted = Accepted202(**item["accepted"]) if item["accepted"] else None
        return IdempotencyRecord(RenderId(item["render_id"]), accepted)

    def creation(
        self,
        key: IdempotencyKey,
        render_id: RenderId,
        now: dt.datetime,
        accepted: Accepted202 | None,
    ) -> Write:
        """Return the write that creates a record; refused while another one has not expired."""
        expires_at = now + RETENTION
        return Write(
            self.table,
            item={
                "PK": key.partition,
                "SK": "META",
                "render_id": render_id,
                "body_sha256": key.body_sha256,
                "accepted": asdict(accepted) if accepted else None,
                "expires_at": format_rfc3339(expires_at),
                "ttl": int(expires_at.timestamp()),
            },
            condition="attribute_not_exists(PK) OR expires_at <= :now",
            values={":now": format_rfc3339(now)},
        )

    def removal(self, key: IdempotencyKey, render_id: RenderId) -> Write:
        """Return the write that frees a key, so that its request can be sent again."""
        return Write(
            self.table,
            key={"PK": key.partition, "SK": "META"},
            condition="render_id = :id",
            values={":id": render_id},
        )

    def mark_accepted(
        self, key: IdempotencyKey, render_id: RenderId, accepted: Accepted202
    ) -> None:
        """Save the 202 answer, so that repeats get the same."""
        write = Write(
            self.table,
            key={"PK": key.partition, "SK": "META"},
            update="SET accepted = :accepted",
            condition="render_id = :id",
            values={":accepted": asdict(accepted), ":id": render_id},
        )
        try:
            self.table.write(write)
        except ConditionFailed:
            return
