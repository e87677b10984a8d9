"""Limits items of workspaces: `WS#<ws>#LIM`, with retried conditional writes (decision 2)."""

import datetime as dt
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from chalicelib.adapters.aws.due_shard import due_shard
from chalicelib.adapters.aws.table import ConditionFailed, Item, Tables, Throttled, Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.workspaces.limits import admission, model, quota, rate
from chalicelib.features.workspaces.limits.model import (
    Lease,
    RateState,
    Reservation,
    ReservationRequest,
)
from chalicelib.features.workspaces.limits.rate import RateLimited, rate_state
from chalicelib.features.workspaces.limits.update_builder import LimitsUpdate, LimitsUpdateBuilder
from chalicelib.features.workspaces.model import Workspace

_MAX_TRIES: Final = 12
# Cached items are only guesses: a dropped one costs a read.
_MAX_CACHED_ITEMS: Final = 256


class WorkspaceLimits:
    """Repository of limits; admits and settles each render exactly once."""

    def __init__(self, tables: Tables, table: str, clock: Clock) -> None:
        """Store the table, its name and the clock."""
        self._tables = tables
        self._table = table
        self._clock = clock
        self._cached_items: dict[WorkspaceId, Item] = {}

    def creation(self, workspace: Workspace, now: dt.datetime) -> Write:
        """Return the write that creates the limits of a workspace."""
        item = model.new_limits(workspace, now)
        return Write(self._table, item=item, condition="attribute_not_exists(PK)")

    def change(
        self, workspace: Workspace, *, more_renders: int = 0, prepaid: int | None = None
    ) -> Write:
        """Return the write that adds `more_renders` (negative for a smaller plan) to the quota.

        `prepaid` is the new number of renders left of packs, without those of unfinished renders.
        """
        builder = LimitsUpdateBuilder(
            sets=[
                "quota_left = quota_left + :more",
                # Due at once: usage thresholds are shares of a quota that has changed.
                "due_at = :now",
                "DPK = if_not_exists(DPK, :dpk)",
            ],
            values={":more": more_renders} | self._due_now_values(workspace.id),
        )
        if prepaid is not None:
            builder.sets.append("prepaid_left = :prepaid")
            builder.values[":prepaid"] = prepaid
        return Write(
            self._table,
            key=_key(workspace.id),
            update=builder.build().update,
            condition="attribute_exists(PK)",
            values=builder.values,
        )

    def find(self, workspace_id: WorkspaceId) -> Item | None:
        """Return the limits item, or None if there is no such workspace."""
        return self._tables.get(self._table, _key(workspace_id)["PK"])

    def erase(self, workspace_id: WorkspaceId) -> None:
        """Delete the limits of a workspace."""
        self._tables.write(Write(self._table, key=_key(workspace_id)))

    def get(self, workspace_id: WorkspaceId) -> Item:
        """Return the limits item of an existing workspace."""
        item = self.find(workspace_id)
        assert item is not None, workspace_id
        return item

    def admit(self, request: ReservationRequest, now: dt.datetime) -> tuple[Reservation, RateState]:
        """Take rate, lease and quota for one render, all or nothing; idempotent by its id.

        Raise `rate_limited`, `concurrency_limited` or `render_limit_reached`.
        """
        item = self._apply(
            request.workspace.id,
            lambda seen: admission.plan_admission(request, seen, self._time_of_try(now)),
        )
        reservation = Reservation(
            item["holds"][request.render_id], request.render_id in item["leases"]
        )
        return reservation, rate_state(request.workspace.plan, item, now)

    def count_request(self, workspace: Workspace, now: dt.datetime) -> RateState:
        """Take one request from the rate; raise `rate_limited`."""
        token = secrets.token_hex(8)
        item = self._apply(
            workspace.id,
            lambda seen: admission.plan_request(workspace, token, seen, self._time_of_try(now)),
        )
        return rate_state(workspace.plan, item, now)

    def acquire_lease(self, lease: Lease, now: dt.datetime) -> None:
        """Take a lease; idempotent. Raise `concurrency_limited`."""
        self._apply(
            lease.workspace.id,
            lambda seen: admission.plan_lease(lease, seen, self._time_of_try(now)),
        )

    def release_lease(self, lease: Lease) -> None:
        """Release a lease; idempotent. Raise Throttled under too much contention."""
        guess = {"holds": {}, "leases": {lease.id: 0}}
        try:
            self._apply(
                lease.workspace.id,
                lambda seen: admission.plan_settlement(lease.id, seen, billed=False),
                guess,
            )
        except ServiceError as contention:
            raise Throttled from contention

    def require_known_rate(self, workspace: Workspace, now: dt.datetime) -> None:
        """Raise `rate_limited` if the cached item shows it already; nothing is read.

        A rate recovers with time only, so an old item never refuses too much (decision 6).
        """
        seen = self._cached_items.get(workspace.id)
        if seen is not None:
            plan = workspace.plan
            rate.require_rate([rate.request_window(plan)], plan, seen, self._time_of_try(now))

    def settle(
        self,
        workspace_id: WorkspaceId,
        render_id: RenderId,
        reservation: Reservation,
        *,
        billed: bool,
    ) -> None:
        """Free a final render's lease and turn its hold into a used render, or give it back.

        Idempotent: a settled render stays settled. Raise Throttled under too much contention.
        """
        guess = {
            "holds": {render_id: reservation.hold},
            "leases": {render_id: 0} if reservation.has_lease else {},
            "cycle_end": reservation.hold,
        }
        try:
            item = self._apply(
                workspace_id,
                lambda seen: admission.plan_settlement(render_id, seen, billed=billed),
                guess,
            )
        except ServiceError as contention:
            raise Throttled from contention
        if billed and quota.has_reached_threshold(item, reservation.hold):
            self._make_due_now(workspace_id)

    def _make_due_now(self, workspace_id: WorkspaceId) -> None:
        """Make the item due at once; if this is lost, it is due within minutes anyway."""
        write = Write(
            self._table,
            key=_key(workspace_id),
            update="SET due_at = :now, DPK = if_not_exists(DPK, :dpk)",
            condition="attribute_exists(PK)",
            values=self._due_now_values(workspace_id),
        )
        with suppress(ConditionFailed):
            self._tables.write(write)

    def _due_now_values(self, workspace_id: WorkspaceId) -> dict[str, str]:
        return {":now": format_rfc3339(self._clock.now()), ":dpk": due_shard(workspace_id)}

    def save_notified_thresholds(
        self, workspace_id: WorkspaceId, cycle_by_threshold: Mapping[str, str]
    ) -> None:
        """Save the cycle for which each threshold was last notified."""
        write = Write(
            self._table,
            key=_key(workspace_id),
            update="SET notified_thresholds = :thresholds",
            condition="attribute_exists(PK)",
            values={":thresholds": cycle_by_threshold},
        )
        self._tables.write(write)

    def clear_due(self, workspace_id: WorkspaceId, seen: Item) -> None:
        """Remove `due_at`, unless the item has holds or leases or has changed since `seen`.

        A change of the plan or of packs sets a new `due_at`, so the item stays due then.
        """
        if "due_at" not in seen:
            return
        write = Write(
            self._table,
            key=_key(workspace_id),
            update="REMOVE due_at, DPK",
            condition="size(holds) = :none AND size(leases) = :none AND used = :used "
            "AND cycle_end = :cycle_end AND due_at = :due_at",
            values={":none": 0, **{f":{n}": seen[n] for n in ("used", "cycle_end", "due_at")}},
        )
        with suppress(ConditionFailed):
            self._tables.write(write)

    def _time_of_try(self, now: dt.datetime) -> dt.datetime:
        """Return the time of this try; a retry may see GCRA times later than `now`."""
        return max(now, self._clock.now())

    def _apply(
        self,
        workspace_id: WorkspaceId,
        build_update: Callable[[Item], LimitsUpdate | None],
        guess: Item | None = None,
    ) -> Item:
        """Write the update that `build_update` returns; return the item as it is afterwards.

        The first try uses a guess. An error that results from a guess is not raised: the item is
        read and the update built again.
        """
        seen, is_guess = guess or self._cached_items.get(workspace_id), True
        for _ in range(_MAX_TRIES):
            if seen is None:
                seen, is_guess = self.get(workspace_id), False
            try:
                update = build_update(seen)
            except ServiceError:
                if not is_guess:
                    self._cache_item(workspace_id, seen)
                    raise
                update = None
            if update is None and not is_guess:
                return seen
            if update is None:
                seen = None
                continue
            seen, written = self._write(workspace_id, update)
            if written:
                return seen
            is_guess = False
        raise RateLimited("Too many requests at once.", 1, RateState(0, 0, 1))

    def _write(self, workspace_id: WorkspaceId, update: LimitsUpdate) -> tuple[Item, bool]:
        """Return the current item, and whether the update was written."""
        write = Write(
            self._table,
            key=_key(workspace_id),
            update=update.update,
            condition=update.condition,
            names=update.names,
            values=update.values,
        )
        try:
            item = self._tables.write(write)
        except ConditionFailed as failure:
            return failure.existing_item, False
        assert item is not None
        self._cache_item(workspace_id, item)
        return item, True

    def _cache_item(self, workspace_id: WorkspaceId, item: Item) -> None:
        if len(self._cached_items) >= _MAX_CACHED_ITEMS:
            self._cached_items.clear()
        self._cached_items[workspace_id] = item


def _key(workspace_id: WorkspaceId) -> dict[str, str]:
    return {"PK": f"WS#{workspace_id}#LIM", "SK": "META"}
