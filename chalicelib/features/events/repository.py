"""Event outbox: rows `EVENT#<id>` in their subject's partition, due until they are published."""

import datetime as dt
from collections.abc import Iterable, Iterator
from copy import replace
from typing import Final

import msgspec

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.query_all import query_all
from chalicelib.adapters.aws.table import ConditionFailed, Row, Table, Write
from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.events.model import DomainEvent, RowKey

DUE_EVENT: Final = DueKind("event", shards=8)
# An event is sent at once; the tick sends it again if it is not published by then.
_RESEND_AFTER: Final = dt.timedelta(minutes=1)
# Longer than any retry; a subject may be kept longer or shorter.
_KEPT: Final = dt.timedelta(days=430)


class EventOutbox(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Events of all subjects; published ones stay, without `due_at` (decision 9)."""

    table: Table

    def creation(self, event: DomainEvent) -> Write:
        """Return the write of an event, for the transaction of its change."""
        due_at = parse_rfc3339(event.created_at) + _RESEND_AFTER
        item = event._asdict() | {
            "PK": event.subject,
            "SK": event.sort_key,
            "DPK": DUE_EVENT.partition(event.id),
            "due_at": format_rfc3339(due_at),
            "ttl": int((parse_rfc3339(event.created_at) + _KEPT).timestamp()),
        }
        return Write(self.table, item=item)

    def create(self, event: DomainEvent) -> bool:
        """Write an event outside a transaction; False: it exists already."""
        try:
            self.table.write(replace(self.creation(event), condition="attribute_not_exists(PK)"))
        except ConditionFailed:
            return False
        return True

    def read(self, keys: Iterable[RowKey], companions: Iterable[RowKey] = ()) -> dict[RowKey, Row]:
        """Return the rows of events (subject, sort key), of their subjects, and others, by key.

        They are 100 at most.
        """
        all_keys = set(companions) | {
            key for subject, sort_key in keys for key in ((subject, sort_key), (subject, "META"))
        }
        rows = self.table.get_many(sorted(all_keys))
        return {(row["PK"], row["SK"]): row for row in rows}

    def of_subject(self, subject: str) -> list[Row]:
        """Return the rows of a subject's events; they are few and fit into one page."""
        values = {":pk": subject, ":events": "EVENT#"}
        condition = "PK = :pk AND begins_with(SK, :events)"
        return self.table.query(condition, values).items

    def all_of_subject(self, subject: str) -> Iterator[Row]:
        """Yield the rows of all events of a subject, strongly consistent."""
        values = {":subject": subject, ":events": "EVENT#"}
        condition = "PK = :subject AND begins_with(SK, :events)"
        return query_all(self.table, condition, values, consistent=True)

    def publication(self, event: DomainEvent, at: str) -> Write:
        """Return the write that marks an event published; refused if it is already."""
        return Write(
            self.table,
            key={"PK": event.subject, "SK": event.sort_key},
            update="SET published_at = :at REMOVE due_at, DPK",
            condition="attribute_exists(PK) AND attribute_not_exists(published_at)",
            values={":at": at},
        )


def event_of(item: Row) -> DomainEvent:
    """Return the event of a row."""
    return DomainEvent(
        id=item["id"],
        type=item["type"],
        workspace_id=WorkspaceId(item["workspace_id"]),
        subject=item["PK"],
        request_id=item["request_id"],
        created_at=item["created_at"],
        detail=item.get("detail", {}),
    )
