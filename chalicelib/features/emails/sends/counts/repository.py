"""Counts of sends: on their render, on their batch, and by the day of their creation.

They change in the transaction of the state that they count.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.query_all import query_all
from chalicelib.adapters.aws.table import Row, Table, Write
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.emails.sends.model import (
    COUNT_NAMES,
    STATISTIC_NAMES,
    CountName,
    EmailSend,
    SendStatus,
)
from chalicelib.features.renders.model import DONE_EMAIL_COUNTS
from chalicelib.features.renders.rows import DUE_RENDER, row_key

# Parallel transactions on one row would conflict.
_SHARDS: Final = 8
_DAYS_KEPT: Final = 40
_DAY_S: Final = 86_400


class DayCounts(NamedTuple):
    """Recipients of live emails of one day (UTC), and the sends created that day."""

    recipients: int
    sends: Mapping[SendStatus, int]


class SendCounts(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Writes of counts, and the counts of days."""

    table: Table

    def creations(self, renders: Sequence[Sequence[EmailSend]]) -> Iterator[Write]:
        """Yield the writes that count the first sends of renders of one workspace.

        All go into one transaction, so each row is written once.
        """
        for sends in renders:
            yield self._render_counts(sends[0], Counter(send.count_name for send in sends))
        by_batch: defaultdict[str | None, list[EmailSend]] = defaultdict(list)
        by_day: defaultdict[str, list[EmailSend]] = defaultdict(list)
        for send in (send for sends in renders for send in sends):
            by_batch[send.batch_id].append(send)
            by_day[send.created_at[:10]].append(send)
        for sends in (each for batch_id, each in by_batch.items() if batch_id is not None):
            yield from self._others(sends[0], Counter(send.count_name for send in sends), {})
        for sends in by_day.values():
            yield from self._others(sends[0], {}, Counter(send.statistic_name for send in sends))

    def _render_counts(self, send: EmailSend, counts: Mapping[CountName, int]) -> Write:
        """Return the write of the counts of a send's render."""
        is_done = DONE_EMAIL_COUNTS.issuperset(counts)
        due, values = _due_render(send, send.created_at, is_done=is_done)
        return Write(
            self.table,
            key=row_key(send.workspace_id, send.render_id),
            update=f"SET emails = :counts{due}",
            condition="attribute_exists(PK)",
            values={":counts": {name: counts.get(name, 0) for name in COUNT_NAMES}, **values},
        )

    def move(self, before: EmailSend, after: EmailSend) -> Iterator[Write]:
        """Yield the writes that count a send in its new state, or a repeat in its place."""
        here, there = before.count_name, after.count_name
        if here != there:
            due, values = _due_render(after, after.sent_at, is_done=there in DONE_EMAIL_COUNTS)
            yield Write(
                self.table,
                key=row_key(after.workspace_id, after.render_id),
                update="SET emails.#here = emails.#here - :one, "
                f"emails.#there = emails.#there + :one{due}",
                names={"#here": here, "#there": there},
                values={":one": 1, **values},
            )
        by_batch: Counter[CountName] = Counter({there: 1})
        by_batch.subtract({here: 1})
        by_day: Counter[SendStatus] = Counter({after.statistic_name: 1})
        if before.id == after.id:
            by_day.subtract({before.statistic_name: 1})
        yield from self._others(after, by_batch, by_day)

    def _others(
        self,
        send: EmailSend,
        by_batch: Mapping[CountName, int],
        by_day: Mapping[SendStatus, int],
    ) -> Iterator[Write]:
        shard = f"{ord(send.id[-1]) % _SHARDS:02}"
        if send.batch_id is not None and any(by_batch.values()):
            yield self._addition(
                send, f"{_batch_prefix(send.batch_id)}{shard}", by_batch, send.history_days
            )
        if any(by_day.values()):
            yield self._addition(send, f"DAY#{send.created_at[:10]}#{shard}", by_day, _DAYS_KEPT)

    def _addition(
        self,
        send: EmailSend,
        sort_key: str,
        counts: Mapping[CountName, int] | Mapping[SendStatus, int],
        days: int,
    ) -> Write:
        more = {name: count for name, count in counts.items() if count}
        return Write(
            self.table,
            key={"PK": counts_partition(send.workspace_id), "SK": sort_key},
            update="SET #ttl = :ttl ADD " + ", ".join(f"#{name} :{name}" for name in more),
            names={f"#{name}": name for name in more} | {"#ttl": "ttl"},
            values={f":{name}": count for name, count in more.items()}
            | {":ttl": _ttl(send.created_at, days)},
        )

    def recipients(self, send: EmailSend, at: str, limit: int) -> Write:
        """Return the write that counts the recipients of a live send; refused beyond `limit`."""
        return Write(
            self.table,
            key={"PK": counts_partition(send.workspace_id), "SK": f"DAY#{at[:10]}"},
            update="SET #ttl = :ttl ADD recipients :more",
            condition="attribute_not_exists(recipients) OR recipients <= :most",
            names={"#ttl": "ttl"},
            values={
                ":more": send.recipient_count,
                ":most": limit - send.recipient_count,
                ":ttl": _ttl(at, _DAYS_KEPT),
            },
        )

    def days(self, workspace_id: WorkspaceId, first: str, last: str) -> Mapping[str, DayCounts]:
        """Return the counts by day (`YYYY-MM-DD`), of days that have some."""
        rows = query_all(
            self.table,
            "PK = :pk AND SK BETWEEN :first AND :last",
            {
                ":pk": counts_partition(workspace_id),
                ":first": f"DAY#{first}",
                ":last": f"DAY#{last}~",
            },
        )
        by_day: dict[str, list[Row]] = {}
        for row in rows:
            by_day.setdefault(row["SK"].split("#")[1], []).append(row)
        return {day: _day_counts(of_day) for day, of_day in by_day.items()}

    def of_batch(self, workspace_id: WorkspaceId, batch_id: str) -> Mapping[str, int]:
        """Return the counts of the newest sends of each rule of a batch's renders."""
        rows = self.table.query(
            "PK = :pk AND begins_with(SK, :batch)",
            {":pk": counts_partition(workspace_id), ":batch": _batch_prefix(batch_id)},
        ).items
        return {name: sum(row.get(name, 0) for row in rows) for name in COUNT_NAMES}

    def erase(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase all counts of a workspace; yield after each step."""
        return self.table.delete_partition_in_steps(counts_partition(workspace_id))


def counts_partition(workspace_id: WorkspaceId) -> str:
    """Return the partition with the counts of days and batches."""
    return f"WS#{workspace_id}#EMD"


def _day_counts(rows: Sequence[Row]) -> DayCounts:
    sends = {name: sum(row.get(name, 0) for row in rows) for name in STATISTIC_NAMES}
    return DayCounts(sum(row.get("recipients", 0) for row in rows), sends)


def _batch_prefix(batch_id: str) -> str:
    return f"BATCH#{batch_id}#"


def _due_render(send: EmailSend, at: str | None, *, is_done: bool) -> tuple[str, Mapping[str, str]]:
    """Return the update that makes a render due whose files may be kept for this email alone.

    Maintenance looks whether others wait: one write of many cannot.
    """
    if not send.deletes_files or not is_done or at is None:
        return "", {}
    due = {":due_at": at, ":dpk": DUE_RENDER.partition(send.render_id)}
    return ", due_at = :due_at, DPK = :dpk", due


def _ttl(at: str, days: int) -> int:
    return int(parse_rfc3339(at).timestamp()) + days * _DAY_S
