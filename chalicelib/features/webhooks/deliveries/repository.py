"""Repository of webhook deliveries: `WS#<ws>#WHD#<id>`, `META` and `TRY#<n>` for each attempt."""

import datetime as dt
from collections.abc import Iterator, Sequence
from copy import replace
from typing import Final

import msgspec

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.query_all import query_all
from chalicelib.adapters.aws.queues import DELAY_PRECISION
from chalicelib.adapters.aws.table import (
    BATCH_GET_LIMIT,
    ConditionFailed,
    QueryPage,
    Row,
    Table,
    Write,
)
from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import DeliveryId, WorkspaceId, id_created_at, is_id, lowest_id
from chalicelib.features.webhooks.deliveries.model import DeliveryAttempt, WebhookDelivery
from chalicelib.features.workspaces.model import Mode

DUE_DELIVERY: Final = DueKind("webhook_delivery", shards=8)
RETENTION: Final = dt.timedelta(days=30)
# Until a delivery whose message was sent is due itself: the message may wait in its queue.
MESSAGE_TIME: Final = dt.timedelta(minutes=2)
_CLAIM: Final = {"#claim": "claim", "#until": "claimed_until"}
_STATUS: Final = {"#status": "status"}
_RESULT_FIELDS: Final = (
    "status",
    "attempts_made",
    "scheduled_made",
    "is_replay",
    "first_attempt_at",
    "next_attempt_at",
    "sent_url",
    "sent_headers",
)
_FIELDS: Final = tuple(WebhookDelivery.__dataclass_fields__)


class Deliveries(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Deliveries of all workspaces."""

    table: Table

    def creation(self, delivery: WebhookDelivery) -> Write:
        """Return the write of a new delivery, for the transaction that publishes its event.

        Its message is sent at once.
        """
        key = delivery_key(delivery.workspace_id, delivery.id)
        lists = {"LPK": list_partition(delivery.workspace_id), "LSK": delivery.id}
        fields = {name: getattr(delivery, name) for name in _FIELDS}
        row = {name: value for name, value in fields.items() if value is not None}
        due_at = expiry(delivery)
        if delivery.next_attempt_at is not None:
            due_at = format_rfc3339(parse_rfc3339(delivery.next_attempt_at) + MESSAGE_TIME)
        return Write(self.table, item=row | key | lists | _due(delivery.id, due_at))

    def create(self, delivery: WebhookDelivery) -> None:
        """Store a new delivery outside the relay."""
        self.table.transact([self.creation(delivery)])

    def one(self, workspace_id: WorkspaceId, delivery_id: str, mode: Mode) -> WebhookDelivery:
        """Return a delivery that keys of a mode may see; raises `not_found`."""
        row = None
        if is_id("whd", delivery_id):
            pk = delivery_partition(workspace_id, delivery_id)
            row = self.table.get(pk)
        if row is None or (mode == "test" and not row["test"]):
            raise delivery_not_found(delivery_id)
        return _delivery_of(row)

    def find_in_workspaces(
        self, workspace_ids: Sequence[WorkspaceId], delivery_id: str
    ) -> WebhookDelivery | None:
        """Return a delivery of one of up to 100 workspaces, or None."""
        keys = [(delivery_partition(each, delivery_id), "META") for each in workspace_ids]
        rows = self.table.get_many(keys)
        return _delivery_of(rows[0]) if rows else None

    def ids_of_time(self, workspace_id: WorkspaceId, milliseconds: int) -> Iterator[DeliveryId]:
        """Yield the ids that begin with a time: those of the deliveries of its events."""
        rows = query_all(
            self.table,
            "LPK = :list AND LSK BETWEEN :first AND :last",
            {
                ":list": list_partition(workspace_id),
                ":first": lowest_id("whd", milliseconds),
                ":last": lowest_id("whd", milliseconds + 1),
            },
            index="lists",
        )
        return (DeliveryId(row["LSK"]) for row in rows)

    def attempts(self, delivery: WebhookDelivery) -> list[DeliveryAttempt]:
        """Return the last 100 finished attempts of a delivery, in order."""
        page = self.table.query(
            "PK = :pk AND begins_with(SK, :attempts)",
            {
                ":pk": delivery_partition(delivery.workspace_id, delivery.id),
                ":attempts": "TRY#",
            },
            newest_first=True,
        )
        return [
            DeliveryAttempt(**{name: row[name] for name in DeliveryAttempt._fields})
            for row in reversed(page.items)
        ]

    def get_many(
        self, workspace_id: WorkspaceId, delivery_ids: Sequence[DeliveryId]
    ) -> list[WebhookDelivery]:
        """Return the existing ones of up to 100 deliveries, in this order."""
        assert len(delivery_ids) <= BATCH_GET_LIMIT
        keys = [(delivery_partition(workspace_id, each), "META") for each in delivery_ids]
        return [_delivery_of(row) for row in self.table.get_many(keys)]

    def newest_page(
        self, workspace_id: WorkspaceId, below: str, statuses: Sequence[str], limit: int
    ) -> QueryPage:
        """Return a page of the index below a sort key, newest first, in given statuses or all."""
        values = {f":status{number}": status for number, status in enumerate(statuses)}
        return self.table.query(
            "LPK = :list AND LSK < :below",
            {":list": list_partition(workspace_id), ":below": below, **values},
            index="lists",
            filter_expression=f"#status IN ({', '.join(values)})" if values else None,
            names=_STATUS if values else None,
            limit=limit,
            newest_first=True,
        )

    def claim(
        self,
        workspace_id: WorkspaceId,
        delivery_id: DeliveryId,
        *,
        claim: str,
        now: dt.datetime,
        until: dt.datetime,
    ) -> WebhookDelivery | None:
        """Claim the next attempt of a delivery and return the delivery.

        The result is None if it is not due, another process has the claim, or no attempt is to
        come. The claim ends at `until`; the same attempt is then made again.
        """
        write = Write(
            self.table,
            key=delivery_key(workspace_id, delivery_id),
            update="SET #claim = :claim, #until = :until, due_at = :until ADD claims_made :one",
            condition="next_attempt_at <= :soon "
            "AND (attribute_not_exists(#until) OR #until <= :now)",
            names=_CLAIM,
            values={
                ":claim": claim,
                ":until": format_rfc3339(until),
                ":now": format_rfc3339(now),
                # A queue delays by whole seconds.
                ":soon": format_rfc3339(now + DELAY_PRECISION),
                ":one": 1,
            },
        )
        try:
            row = self.table.write(write)
        except ConditionFailed as refused:
            # This very call has claimed it, but its response was lost.
            is_own = refused.item is not None and refused.item.get("claim") == claim
            return _delivery_of(refused.existing_item) if is_own else None
        assert row is not None
        return _delivery_of(row)

    def postpone(self, delivery: WebhookDelivery, *, claim: str, due_at: dt.datetime) -> bool:
        """End a claim without an attempt; False: another process has the claim."""
        write = Write(
            self.table,
            key=delivery_key(delivery.workspace_id, delivery.id),
            update="SET due_at = :due_at REMOVE #claim, #until, claims_made",
            condition="#claim = :claim",
            names=_CLAIM,
            values={":due_at": format_rfc3339(due_at), ":claim": claim},
        )
        try:
            # A transaction: a repeated write would take its own effect for that of another process.
            self.table.transact([write])
        except ConditionFailed:
            return False
        return True

    def result_writes(
        self,
        delivery: WebhookDelivery,
        attempt: DeliveryAttempt | None,
        *,
        claim: str,
    ) -> Sequence[Write]:
        """Return the writes of a delivery's new state after an attempt that was claimed."""
        sets = {name: getattr(delivery, name) for name in _RESULT_FIELDS}
        sets["due_at"] = delivery.next_attempt_at or expiry(delivery)
        change = Write(
            self.table,
            key=delivery_key(delivery.workspace_id, delivery.id),
            update="SET "
            + ", ".join(f"#{name} = :{name}" for name in sets)
            + " REMOVE #claim, #until, claims_made",
            condition="#claim = :claim",
            names={f"#{name}": name for name in sets} | _CLAIM,
            values={f":{name}": value for name, value in sets.items()} | {":claim": claim},
        )
        return [change, *([self._attempt(delivery, attempt)] if attempt else [])]

    def _attempt(self, delivery: WebhookDelivery, attempt: DeliveryAttempt) -> Write:
        pk = delivery_partition(delivery.workspace_id, delivery.id)
        row = attempt._asdict() | {"PK": pk, "SK": f"TRY#{attempt.number:06d}"}
        return Write(self.table, item=row, condition="attribute_not_exists(PK)")

    def replay(self, delivery: WebhookDelivery, now: str) -> WebhookDelivery | None:
        """Make a replay the next attempt and return the delivery, or None while another is made."""
        replayed = replace(delivery, is_replay=True, next_attempt_at=now)
        write = Write(
            self.table,
            key=delivery_key(delivery.workspace_id, delivery.id),
            update="SET is_replay = :true, next_attempt_at = :now, due_at = :now",
            condition="attribute_exists(PK) AND attribute_not_exists(claimed_until)",
            values={":true": True, ":now": now},
        )
        try:
            self.table.transact([write])
        except ConditionFailed:
            return None
        return replayed

    def give_up(self, workspace_id: WorkspaceId, delivery_id: DeliveryId, now: str) -> bool:
        """End an open delivery as failed; False: it has ended, waits, or a function has it."""
        write = Write(
            self.table,
            key=delivery_key(workspace_id, delivery_id),
            update="SET #status = :failed, due_at = :expiry "
            "REMOVE next_attempt_at, #until, #claim, claims_made",
            condition="#status IN (:pending, :retrying) AND next_attempt_at <= :now "
            "AND (attribute_not_exists(#until) OR #until <= :now)",
            names=_STATUS | _CLAIM,
            values={
                ":now": now,
                ":failed": "failed",
                ":expiry": format_rfc3339(id_created_at(delivery_id) + RETENTION),
                ":pending": "pending",
                ":retrying": "retrying",
            },
        )
        try:
            self.table.transact([write])
        except ConditionFailed:
            return False
        return True

    def erase(self, workspace_id: WorkspaceId, delivery_id: str) -> None:
        """Delete the rows of a delivery."""
        self.table.delete_partition(delivery_partition(workspace_id, delivery_id))


def expiry(delivery: WebhookDelivery) -> str:
    """Return when the log of a delivery ends."""
    return format_rfc3339(parse_rfc3339(delivery.created_at) + RETENTION)


def list_partition(workspace_id: WorkspaceId) -> str:
    """Return the partition of a workspace's deliveries in the `lists` index."""
    return f"WS#{workspace_id}#WHD"


def delivery_partition(workspace_id: WorkspaceId, delivery_id: str) -> str:
    """Return the partition of a delivery and its attempts."""
    return f"WS#{workspace_id}#WHD#{delivery_id}"


def delivery_key(workspace_id: WorkspaceId, delivery_id: str) -> Row:
    """Return the key of a delivery's `META` row."""
    return {"PK": delivery_partition(workspace_id, delivery_id), "SK": "META"}


def _due(delivery_id: str, due_at: str) -> Row:
    return {"due_at": due_at, "DPK": DUE_DELIVERY.partition(delivery_id)}


def delivery_not_found(delivery_id: str) -> NotFound:
    """Return `not_found` for a delivery."""
    return NotFound("not_found", f"There is no webhook delivery {delivery_id[:64]}.")


def _delivery_of(row: Row) -> WebhookDelivery:
    fields = {name: row[name] for name in _FIELDS if name in row}
    return WebhookDelivery(**{"payload": None, "payload_key": None, "endpoint_id": None} | fields)
