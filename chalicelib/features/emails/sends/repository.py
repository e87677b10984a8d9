"""Repository of email sends: `WS#<ws>#EMS#<id>`, listed by id in the `lists` index.

The id of a send begins with the time of its render, so the sends of a render stand together.
"""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from itertools import batched, islice
from typing import Final

import msgspec

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.query_all import listed_ids, newest_listed, query_all
from chalicelib.adapters.aws.queues import DELAY_PRECISION
from chalicelib.adapters.aws.table import (
    BATCH_GET_LIMIT,
    ConditionFailed,
    QueryPage,
    Row,
    Table,
    Write,
)
from chalicelib.core.clock import epoch_ms, format_rfc3339, parse_rfc3339
from chalicelib.core.ids import SendId, WorkspaceId, id_created_at, lowest_id
from chalicelib.features.emails.sends.model import DELIVERY_NAMES, EmailSend

DUE_EMAIL: Final = DueKind("email_send", shards=8)
# Until a send whose message was sent is due itself: the message may wait in its queue.
MESSAGE_TIME: Final = dt.timedelta(minutes=2)
_CLAIM: Final = {"#claim": "claim", "#until": "claimed_until", "#status": "status"}
_FIELDS: Final = tuple(EmailSend.__dataclass_fields__)
# What attempts never change.
_FIXED: Final = frozenset(
    {
        "id",
        "workspace_id",
        "render_id",
        "number",
        "template_id",
        "rule_id",
        "connection_id",
        "mode",
        "test",
        "created_at",
        "request_id",
        "history_days",
        "deletes_files",
        "batch_id",
        "provider",
        "skip_reason",
        "resend_of",
        "resent_as",
        "claims_made",
        "handed_over_at",
        "is_counted",
        *DELIVERY_NAMES,
    }
)
_CHANGING: Final = tuple(name for name in _FIELDS if name not in _FIXED)


class Sends(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Sends of all workspaces."""

    table: Table

    def creation(self, send: EmailSend) -> Write:
        """Return the write of a new send; the message of an open one is sent at once."""
        row = {name: value for name, value in _values(send, _FIELDS).items() if value is not None}
        due: Row = {}
        if send.next_attempt_at is not None:
            due = _due(send, parse_rfc3339(send.next_attempt_at) + MESSAGE_TIME)
        return Write(
            self.table,
            item=row
            | send_key(send.workspace_id, send.id)
            | {"LPK": list_partition(send.workspace_id), "LSK": send.id}
            | {"ttl": expiry(send)}
            | due,
            condition="attribute_not_exists(PK)",
        )

    def get(self, workspace_id: WorkspaceId, send_id: SendId) -> EmailSend | None:
        """Return a send, or None."""
        row = self.table.get(send_partition(workspace_id, send_id))
        return None if row is None else send_of(row)

    def get_many(self, workspace_id: WorkspaceId, ids: Sequence[SendId]) -> list[EmailSend]:
        """Return the existing ones of up to 100 sends, in this order."""
        keys = [(send_partition(workspace_id, each), "META") for each in ids]
        return [send_of(row) for row in self.table.get_many(keys)]

    def newest_page(
        self,
        workspace_id: WorkspaceId,
        ids: tuple[str, str],
        equal: Mapping[str, str | bool],
        limit: int,
    ) -> QueryPage:
        """Return a page of the index between two ids, newest first."""
        return newest_listed(self.table, list_partition(workspace_id), ids, equal, limit)

    def of_render(
        self, workspace_id: WorkspaceId, render_id: str, max_count: int | None = None
    ) -> list[EmailSend]:
        """Return the sends of a render, also those that repeat others: the first `max_count`."""
        first, last = ids_of_render(render_id)
        rows = query_all(
            self.table,
            "LPK = :list AND LSK BETWEEN :first AND :last",
            {":list": list_partition(workspace_id), ":first": first, ":last": last},
            index="lists",
        )
        found: list[EmailSend] = []
        send_ids = (SendId(row["LSK"]) for row in islice(rows, max_count))
        for ids in batched(send_ids, BATCH_GET_LIMIT, strict=False):
            found += self.get_many(workspace_id, ids)
        return [send for send in found if send.render_id == render_id]

    def claim(
        self,
        workspace_id: WorkspaceId,
        send_id: SendId,
        *,
        claim: str,
        now: dt.datetime,
        until: dt.datetime,
    ) -> EmailSend | None:
        """Claim the next attempt of a send and return the send as the attempt has it.

        The result is None if it is not due, another process has the claim, or no attempt is to
        come.
        """
        # A queue delays by whole seconds.
        soon = now + DELAY_PRECISION
        times = {":until": until, ":now": now, ":soon": soon}
        write = Write(
            self.table,
            key=send_key(workspace_id, send_id),
            update="SET #claim = :claim, #until = :until, due_at = :until, #status = :sending "
            "ADD claims_made :one",
            condition="next_attempt_at <= :soon "
            "AND (attribute_not_exists(#until) OR #until <= :now)",
            names=_CLAIM,
            values={name: format_rfc3339(moment) for name, moment in times.items()}
            | {":claim": claim, ":sending": "sending", ":one": 1},
        )
        try:
            row = self.table.write(write)
        except ConditionFailed as refused:
            # This very call has claimed it, but its response was lost.
            is_own = refused.item is not None and refused.item.get("claim") == claim
            return send_of(refused.existing_item) if is_own else None
        assert row is not None
        return send_of(row)

    def hand_over(self, send: EmailSend, *, claim: str, at: str, until: str) -> Write:
        """Return the write of the moment from which the provider may have the email."""
        return Write(
            self.table,
            key=send_key(send.workspace_id, send.id),
            update="SET handed_over_at = :at, #until = :until, due_at = :until, is_counted = :yes",
            condition="#claim = :claim AND attribute_not_exists(handed_over_at)",
            names={"#claim": "claim", "#until": "claimed_until"},
            values={":at": at, ":until": until, ":claim": claim, ":yes": True},
        )

    def postpone(self, send: EmailSend, *, at: dt.datetime, claim: str | None = None) -> bool:
        """Let the next attempt of an open send wait, unclaimed; False: another process has it."""
        condition = "attribute_exists(next_attempt_at) AND attribute_not_exists(#until)"
        values = {":at": format_rfc3339(at), ":due": format_rfc3339(at + MESSAGE_TIME)}
        if claim is not None:
            condition, values = "#claim = :claim", values | {":claim": claim}
        write = Write(
            self.table,
            key=send_key(send.workspace_id, send.id),
            update="SET next_attempt_at = :at, due_at = :due, #status = :status "
            "REMOVE #claim, #until, claims_made",
            condition=condition,
            names=_CLAIM,
            values=values | {":status": "retrying" if send.attempts else "pending"},
        )
        try:
            # A transaction: a repeated write would take its own effect for that of another process.
            self.table.transact([write])
        except ConditionFailed:
            return False
        return True

    def result_write(self, after: EmailSend, *, claim: str) -> Write:
        """Return the write of the state after an attempt that was claimed."""
        return self._change(
            after,
            condition="#claim = :claim",
            names={"#claim": "claim"},
            values={":claim": claim},
        )

    def end_waiting(self, before: EmailSend, after: EmailSend, now: str) -> Write:
        """Return the write of a final state of an open send that is due and no process has."""
        return self._change(
            after,
            condition="#status = :before AND next_attempt_at <= :now "
            "AND (attribute_not_exists(#until) OR #until <= :now)",
            names={},
            values={":before": before.status, ":now": now},
        )

    def _change(
        self,
        after: EmailSend,
        *,
        condition: str,
        names: Mapping[str, str],
        values: Mapping[str, str],
    ) -> Write:
        fields = _values(after, _CHANGING)
        sets = {name: value for name, value in fields.items() if value is not None}
        removed = [name for name in fields if name not in sets]
        if after.next_attempt_at is not None:
            sets["due_at"] = format_rfc3339(parse_rfc3339(after.next_attempt_at) + MESSAGE_TIME)
        else:
            removed += ["due_at", "DPK"]
        return Write(
            self.table,
            key=send_key(after.workspace_id, after.id),
            update="SET "
            + ", ".join(f"#{name} = :{name}" for name in sets)
            + " REMOVE #claim, #until, claims_made, handed_over_at"
            + "".join(f", #{name}" for name in removed),
            condition=condition,
            names=dict(names)
            | {f"#{name}": name for name in [*sets, *removed]}
            | {"#claim": "claim", "#until": "claimed_until"},
            values=dict(values) | {f":{name}": value for name, value in sets.items()},
        )

    def resent(self, before: EmailSend, send_id: SendId) -> Write:
        """Return the write that names the send which repeats another; refused for a second one."""
        return Write(
            self.table,
            key=send_key(before.workspace_id, before.id),
            update="SET resent_as = :new",
            condition="#status = :status AND attribute_not_exists(resent_as)",
            names={"#status": "status"},
            values={":new": send_id, ":status": before.status},
        )

    def erase(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase all sends of a workspace; yield after each step."""
        for each in listed_ids(self.table, list_partition(workspace_id)):
            self.table.delete_partition(send_partition(workspace_id, each))
            yield


def ids_of_render(render_id: str) -> tuple[str, str]:
    """Return the bounds of the ids of a render's sends, which begin with the time of the render."""
    milliseconds = epoch_ms(id_created_at(render_id))
    return lowest_id("ems", milliseconds), lowest_id("ems", milliseconds + 1)


def list_partition(workspace_id: WorkspaceId) -> str:
    """Return the partition of a workspace's sends in the `lists` index."""
    return f"WS#{workspace_id}#EMS"


def send_partition(workspace_id: WorkspaceId, send_id: str) -> str:
    """Return the partition of a send and its events."""
    return f"WS#{workspace_id}#EMS#{send_id}"


def send_key(workspace_id: WorkspaceId, send_id: str) -> Row:
    """Return the key of a send's `META` row."""
    return {"PK": send_partition(workspace_id, send_id), "SK": "META"}


def send_of(row: Row) -> EmailSend:
    """Return the send of a row."""
    return msgspec.convert({name: row[name] for name in _FIELDS if name in row}, EmailSend)


def _values(send: EmailSend, names: Sequence[str]) -> Row:
    fields: Row = msgspec.to_builtins(send)
    return {name: fields[name] for name in names}


def _due(send: EmailSend, at: dt.datetime) -> Row:
    return {"due_at": format_rfc3339(at), "DPK": DUE_EMAIL.partition(send.id)}


def expiry(send: EmailSend) -> int:
    """Return the Unix second until which a send is kept."""
    kept = parse_rfc3339(send.created_at) + dt.timedelta(days=send.history_days)
    return int(kept.timestamp())
