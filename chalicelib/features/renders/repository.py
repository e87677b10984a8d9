"""Renders in the table: reads, and the conditional writes between their states."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.query_all import newest_listed
from chalicelib.adapters.aws.table import ConditionFailed, QueryPage, Row, RowValue, Table, Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.renders.model import (
    UNFINISHED_STATUSES,
    Attempt,
    BodyKey,
    ClaimResult,
    Render,
)
from chalicelib.features.renders.receipts.repository import ReceiptRows
from chalicelib.features.renders.rows import (
    body_key_text,
    due_shard,
    expiry_time,
    facets_of,
    history_entry,
    lists_partition,
    outcome_json,
    partition,
    receipt_items,
    render_of,
    row_key,
    row_of,
    storage_attributes,
)

_APPEND_HISTORY: Final = "history = list_append(history, :entry)"  # Attempts are few.


class ListCriteria(NamedTuple):
    """Attributes of the renders of a list: equal ones, one of the statuses, all of the facets."""

    equal: Mapping[str, RowValue]
    statuses: Sequence[str] = ()
    facets: Sequence[str] = ()

    def are_met(self, render: Render) -> bool:
        """Tell whether a render has the attributes."""
        return (
            all(getattr(render, name) == value for name, value in self.equal.items())
            and (not self.statuses or render.status in self.statuses)
            and set(self.facets) <= set(facets_of(render))
        )


class Renders:
    """Renders of all workspaces, one row each."""

    def __init__(self, table: Table, clock: Clock) -> None:
        """Read and write `table`; a row is absent from its `ttl` on."""
        self._table = table
        self._clock = clock
        self.due = DueWrites(table=table)
        self.receipts = ReceiptRows(table=table)

    def get(self, workspace_id: WorkspaceId, render_id: RenderId) -> Render | None:
        """Return one render of a workspace, or None."""
        item = self._table.get(partition(workspace_id, render_id))
        return self._render(item) if item and self._is_kept(item) else None

    def get_many(self, workspace_id: WorkspaceId, render_ids: Sequence[RenderId]) -> list[Render]:
        """Return up to 100 renders of a workspace, in the order of `render_ids`."""
        keys = [(partition(workspace_id, render_id), "META") for render_id in render_ids]
        rows = self._table.get_many(keys)
        return [self._render(row) for row in rows if self._is_kept(row)]

    def newest_page(
        self, workspace_id: WorkspaceId, ids: tuple[str, str], criteria: ListCriteria, limit: int
    ) -> QueryPage:
        """Return a page of the index between two ids, newest first."""
        return newest_listed(
            self._table,
            lists_partition(workspace_id),
            ids,
            criteria.equal,
            limit,
            statuses=criteria.statuses,
            facets=criteria.facets,
        )

    def _is_kept(self, item: Row) -> bool:  # DynamoDB deletes expired items late.
        return "ttl" not in item or item["ttl"] > self._clock.now().timestamp()

    def _render(self, item: Row) -> Render:
        return render_of(item).at(format_rfc3339(self._clock.now()))

    def rows(self, keys: Sequence[tuple[WorkspaceId, RenderId]]) -> list[Row]:
        """Return the raw rows of up to 100 renders of any workspaces."""
        return self._table.get_many([(partition(*key), "META") for key in keys])

    def get_with_claim(
        self, workspace_id: WorkspaceId, render_id: RenderId, at: str
    ) -> ClaimResult | None:
        """Return one render and whether it is free at the time `at`, or None if there is none."""
        item = self._table.get(partition(workspace_id, render_id))
        if item is None:
            return None
        return ClaimResult(render_of(item), is_mine=False, is_free=item["claimed_until"] <= at)

    def creation(self, render: Render, *, due_at: str | None, claimed_until: str) -> Write:
        """Return the write that creates a render, due for maintenance at `due_at`, if any.

        The attempt in the new row is reserved for its invocation until `claimed_until`.
        """
        due = {} if due_at is None else {"DPK": due_shard(render), "due_at": due_at}
        item = row_of(render) | due | {"claimed_until": claimed_until, "history": []}
        return Write(self._table, item=item, condition="attribute_not_exists(PK)")

    def claim(
        self, workspace_id: WorkspaceId, render_id: RenderId, attempt: Attempt
    ) -> ClaimResult | None:
        """Claim an attempt of an unfinished render, or return None if there is no render.

        Idempotent for one invocation. A claimed render is free again after `claimed_until`, or when
        the message of its attempt is delivered again: then its function has died (decision 5).
        """
        entry: Row = {"at": attempt.claimed_at, "begins": attempt.number, "by": attempt.invocation}
        write = Write(
            self._table,
            key=row_key(workspace_id, render_id),
            update="SET #status = :processing, attempt = :attempt, claimed_by = :by, "
            "message_id = :message_id, started_at = :at, claimed_until = :until, "
            f"{_APPEND_HISTORY}",
            condition="attribute_exists(PK) AND attempt < :attempt AND #status IN (:from0, :from1)",
            names={"#status": "status"},
            values={
                ":processing": "processing",
                ":attempt": attempt.number,
                ":by": attempt.invocation,
                ":message_id": attempt.message_id,
                ":at": attempt.claimed_at,
                ":until": attempt.claimed_until,
                ":entry": [entry],
                **_unfinished_values(),
            },
        )
        try:
            item = self._table.write(write)
        except ConditionFailed as lost:
            return _claim_result(lost.item, attempt) if lost.item is not None else None
        assert item is not None
        return ClaimResult(render_of(item), is_mine=True)

    def finish_write(self, render: Render) -> Write:
        """Return the write of a final state by the running attempt."""
        sets = [
            "#status = :status, #ttl = :ttl",
            "outcome = :outcome",
            "billed = :billed",
            "started_at = :started_at",
            "completed_at = :completed_at",
            "files_purged_at = :purged_at",
        ]
        also: dict[str, RowValue] = {"expires_at": render.expires_at} if render.expires_at else {}
        also |= storage_attributes(render)
        sets += [f"#{name} = :{name}" for name in also]
        return Write(
            self._table,
            key=row_key(render.workspace_id, render.id),
            update=f"SET {', '.join(sets)} REMOVE due_at, DPK",
            condition="attempt = :attempt AND #status IN (:from0, :from1) AND body_key = :body_key "
            "AND relay_settles = :relay_settles",
            names={"#status": "status", "#ttl": "ttl", **{f"#{name}": name for name in also}},
            values={
                ":status": render.status,
                ":ttl": expiry_time(render),
                ":outcome": outcome_json(render),
                ":billed": render.billed,
                ":started_at": render.started_at,
                ":completed_at": render.completed_at,
                ":purged_at": render.files_purged_at,
                ":attempt": render.attempt,
                ":body_key": body_key_text(render),
                ":relay_settles": render.reservation.is_settled_by_relay,
                **{f":{name}": value for name, value in also.items()},
                **_unfinished_values(),
            },
        )

    def announcement(self, render: Render) -> Write:
        """Return the write of the formats that an attempt announces before it stores files."""
        values: Mapping[str, RowValue] = {
            ":announced": render.announced,
            ":attempt": render.attempt,
        }
        return self._unfinished_write(
            render, "SET announced = :announced", values, "attempt = :attempt AND "
        )

    def end_write(self, render: Render, *, is_running: bool, only_queued: bool = False) -> Write:
        """Return the write that ends an unfinished render (a queued one) from outside.

        If `is_running`, the render stays due until `claimed_until`: maintenance then removes the
        remains of a dead function (decision 5).
        """
        code = (render.error or {}).get("code", render.status)
        due = ", due_at = claimed_until, DPK = :dpk" if is_running else " REMOVE due_at, DPK"
        return Write(
            self._table,
            key=row_key(render.workspace_id, render.id),
            update="SET #status = :status, #ttl = :ttl, outcome = :outcome, completed_at = :at, "
            f"{_APPEND_HISTORY}{due}",
            condition="attribute_exists(PK) AND #status IN (:from0, :from1)",
            names={"#status": "status", "#ttl": "ttl"},
            values={
                ":status": render.status,
                ":ttl": expiry_time(render),
                ":outcome": outcome_json(render),
                ":at": render.completed_at,
                ":entry": [history_entry(render.completed_at, f"ended from outside: {code}")],
                **({":dpk": due_shard(render)} if is_running else {}),
                **_unfinished_values() | ({":from1": "queued"} if only_queued else {}),
            },
        )

    def diagnostics_write(self, render: Render) -> Write:
        """Return the write of the last attempt's diagnostics to a canceled render."""
        return Write(
            self._table,
            key=row_key(render.workspace_id, render.id),
            update="SET outcome = :outcome",
            condition="attempt = :attempt AND #status = :canceled",
            names={"#status": "status"},
            values={
                ":outcome": outcome_json(render),
                ":attempt": render.attempt,
                ":canceled": "canceled",
            },
        )

    def background_write(
        self, render: Render, body_key: BodyKey, at: str, due_at: str, *, attempts_made: int | None
    ) -> Write:
        """Return the write that names the stored body of a render whose caller has left.

        From then on its row holds its quota (decision 2). With `attempts_made` None the present
        attempt continues. Otherwise that many are over, and the render is free for the next one.
        """
        is_running = attempts_made is None
        return self._unfinished_write(
            render,
            "SET body_key = :key, #status = :status, started_at = :started_at, "
            "relay_settles = :true, attempt = :tried, due_at = :due_at, DPK = :dpk, "
            f"claimed_until = {'claimed_until' if is_running else ':free'}, {_APPEND_HISTORY}",
            {
                ":key": str(body_key),
                ":true": True,
                ":due_at": due_at,
                ":dpk": due_shard(render),
                ":status": "processing" if is_running else render.status,
                ":started_at": render.started_at or (at if is_running else None),
                ":attempt": render.attempt,
                ":tried": render.attempt if attempts_made is None else attempts_made,
                ":entry": [history_entry(at, "left by its caller")],
                # A past time: the render is free even if the next function's clock is behind.
                **({} if is_running else {":free": render.created_at}),
            },
            "attempt = :attempt AND ",
        )

    def waive_attempt(self, render: Render, at: str) -> None:
        """Waive an attempt that a transient error ended, and free the render (decision 5)."""
        write = self._unfinished_write(
            render,
            f"SET waived_attempts = waived_attempts + :one, claimed_until = :at, {_APPEND_HISTORY}",
            {
                ":one": 1,
                ":at": at,
                ":attempt": render.attempt,
                ":entry": [{"at": at, "waives": render.attempt}],
            },
            "attempt = :attempt AND claimed_until > :at AND ",
        )
        with suppress(ConditionFailed):
            self._table.write(write)

    def postpone_write(self, render: Render, due_at: str) -> Write:
        """Return the write that moves the due time of an unfinished render."""
        values = {":due_at": due_at, ":dpk": due_shard(render)}
        return self._unfinished_write(render, "SET due_at = :due_at, DPK = :dpk", values)

    def _unfinished_write(
        self, render: Render, update: str, values: Mapping[str, RowValue], also: str = ""
    ) -> Write:
        """Return a write to the row of an unfinished render; `also` is a further condition."""
        return Write(
            self._table,
            key=row_key(render.workspace_id, render.id),
            update=update,
            condition=f"{also}#status IN (:from0, :from1)",
            names={"#status": "status"},
            values={**values, **_unfinished_values()},
        )


def _unfinished_values() -> dict[str, str]:
    return {f":from{n}": status for n, status in enumerate(UNFINISHED_STATUSES)}


def _claim_result(item: Row, attempt: Attempt) -> ClaimResult:
    render = render_of(item)
    is_mine = item.get("claimed_by") == attempt.invocation and not render.is_final
    is_redelivery = attempt.message_id is not None and item.get("message_id") == attempt.message_id
    is_expired = item["claimed_until"] <= attempt.claimed_at
    return ClaimResult(render, is_mine, is_free=is_redelivery or is_expired)


class DueWrites(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Writes of the due times of final renders."""

    table: Table

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
        return Write(self.table, key=key, update=update, condition=condition, values=values)
