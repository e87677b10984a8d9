"""Limits of workspaces: admission, settlement and reconciliation (decision 2)."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Row, Table, Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import WorkspaceId, id_created_at
from chalicelib.features.workspaces.limits import admission, model, quota, rate
from chalicelib.features.workspaces.limits.ended_holds.repository import EndedHolds, plan_fold
from chalicelib.features.workspaces.limits.item.repository import ConditionalItem
from chalicelib.features.workspaces.limits.item.update import LimitsUpdate
from chalicelib.features.workspaces.limits.model import (
    PREPAID,
    Admission,
    EndedHold,
    Hold,
    Holder,
    Lease,
    RateState,
    Reservation,
    ReservationRequest,
)
from chalicelib.features.workspaces.limits.rate import rate_state
from chalicelib.features.workspaces.limits.request_rate import at_arrival, count_once
from chalicelib.features.workspaces.model import Workspace

# Entries that one admission removes. Beyond these numbers reconciliation does.
_MAX_CONFIRMED: Final = 40
_MAX_WORKSPACES: Final = 256
# From this number of unconfirmed entries on, their rows are read, so that the item stays small.
_MANY_UNCONFIRMED: Final = 8
# A younger holder is probably being written by another process, which confirms it.
_CONFIRMED_WITHIN: Final = dt.timedelta(seconds=5)


class WorkspaceLimits:
    """Limits of all workspaces; each render is admitted and settled exactly once."""

    def __init__(self, table: Table, clock: Clock) -> None:
        """Read and write this table."""
        self._table = table
        self._clock = clock
        self._limits = ConditionalItem(table, "META")
        self._ended = EndedHolds(table=table)
        self._confirmed: defaultdict[WorkspaceId, set[str]] = defaultdict(set)

    def creations(self, workspace: Workspace, now: dt.datetime) -> Sequence[Write]:
        """Return the writes that create the limits of a workspace."""
        items = (model.new_limits(workspace, now), model.new_rate(workspace))
        return [
            Write(self._table, item=item, condition="attribute_not_exists(PK)") for item in items
        ]

    def change(
        self, workspace: Workspace, *, more_renders: int = 0, prepaid: int | None = None
    ) -> Write:
        """Return the write that adds `more_renders` to the quota (negative for a smaller plan).

        The item is due at once: thresholds are shares of the quota. `prepaid` is the new number of
        renders left of packs, without those of renders that are unfinished or not folded yet.
        """
        builder = quota.plan_change(more_renders, prepaid)
        builder.sets += ["due_at = :now", "DPK = if_not_exists(DPK, :dpk)"]
        return Write(
            self._table,
            key=model.limits_key(workspace.id),
            update=builder.build().update,
            condition="attribute_exists(PK)",
            values=builder.values | self._due_now_values(workspace.id),
        )

    def find(self, workspace_id: WorkspaceId) -> Row | None:
        """Return the limits item, or None if there is no such workspace."""
        return self._limits.find(workspace_id)

    def get(self, workspace_id: WorkspaceId) -> Row:
        """Return the limits item of an existing workspace."""
        return self._limits.get(workspace_id)

    def erase(self, workspace_id: WorkspaceId) -> None:
        """Delete the limits of a workspace."""
        self._table.delete_partition(model.limits_partition(workspace_id))

    def admit(self, request: ReservationRequest, now: dt.datetime) -> Admission:
        """Take rate, lease and quota for one render, all or nothing; a retried call takes once.

        Raise `rate_limited`, `concurrency_limited` or `render_limit_reached`.
        """
        workspace = request.workspace
        item = self._take(
            workspace.id,
            lambda seen, *, may_top_up: at_arrival(
                lambda at: admission.plan_admission(request, seen, at, may_top_up=may_top_up),
                now,
                self._clock,
            ),
        )
        source = Hold.from_text(item["holds"][request.render_id]).source
        has_lease = request.render_id in item["leases"]
        return Admission(
            Reservation(source, has_lease, is_settled_by_relay=request.is_settled_by_relay),
            rate_state(workspace.plan, item, now),
            self._ids_to_confirm(workspace.id, item, now),
        )

    def reserve(self, holder: Holder, now: dt.datetime) -> Hold:
        """Hold up to `holder.renders` live renders of one source; a retried call holds once.

        Once the holder's row has the hold, `confirm` it. Raise `render_limit_reached`.
        """
        item = self._take(
            holder.workspace.id,
            lambda seen, *, may_top_up: admission.plan_reservation(
                holder, seen, now, may_top_up=may_top_up
            ),
        )
        return Hold.from_text(item["holds"][holder.id])

    def confirm(self, workspace_id: WorkspaceId, holder_ids: Iterable[str]) -> None:
        """Note that the rows of these holders hold by themselves.

        Their entries are removed with this process's next admission, or by reconciliation.
        """
        if len(self._confirmed) >= _MAX_WORKSPACES:
            self._confirmed.clear()
        confirmed = self._confirmed[workspace_id]
        if len(confirmed) < _MAX_CONFIRMED:
            confirmed.update(holder_ids)

    def count_creation(self, workspace: Workspace, now: dt.datetime) -> RateState:
        """Take one from the rate of admissions, for a refused or repeated creation.

        Raise `rate_limited`.
        """
        return count_once(self._limits, workspace, now, self._clock)

    def acquire_lease(self, lease: Lease, now: dt.datetime) -> None:
        """Take a lease; idempotent. Raise `concurrency_limited`."""
        self._limits.apply(
            lease.workspace.id,
            lambda seen: admission.plan_lease(lease, seen, max(now, self._clock.now())),
        )

    def release(
        self, workspace_id: WorkspaceId, holder_id: str, *, keeps_lease: bool = False
    ) -> None:
        """Remove the lease and the entry of a holder whose row holds, if any; idempotent."""
        write = Write(
            self._table,
            key=model.limits_key(workspace_id),
            update="REMOVE holds.#r" + ("" if keeps_lease else ", leases.#r"),
            condition="attribute_exists(PK)",
            names={"#r": holder_id},
        )
        with suppress(ConditionFailed):
            self._table.write(write)

    def require_known_rate(self, workspace: Workspace, now: dt.datetime) -> None:
        """Raise `rate_limited` if the cached item shows it already; nothing is read.

        A rate recovers with time only, so an old item never refuses too much (decision 6).
        """
        seen = self._limits.last_seen(workspace.id)
        if seen is not None:
            plan = workspace.plan
            rate.require_rate([rate.request_window(plan)], plan, seen, now)

    def settle(self, workspace_id: WorkspaceId, ended: Sequence[EndedHold]) -> bool:
        """Settle ended holds that have entries, and release their leases.

        Idempotent: a settled hold stays settled. Return whether a threshold is reached: then the
        item is due at once. Raise Throttled under too much contention.
        """
        guess = admission.guess_before_settlement(ended)
        item = self._limits.apply_or_throttle(
            workspace_id, lambda seen: admission.plan_settlement(ended, seen), guess
        )
        crash_if_armed(CrashPoint.LIMITS_SETTLED)
        billed = [hold for _, hold, is_billed in ended if is_billed]
        used = sum(hold.renders for hold in billed if hold.source == item["cycle_end"])
        has_used_prepaid = any(hold.source == PREPAID for hold in billed)
        return self._check_thresholds(workspace_id, item, used, has_used_prepaid=has_used_prepaid)

    def fold(self, workspace_id: WorkspaceId, source: str) -> bool:
        """Fold the totals of ended holds of a source into the limits item; return as `settle`."""
        used_before = 0

        def plan(seen: Row) -> LimitsUpdate | None:
            nonlocal used_before
            used_before = seen["used"]
            totals = self._ended.totals(workspace_id, source)
            return plan_fold(source, totals, seen, self._clock.now())

        item = self._limits.apply_or_throttle(workspace_id, plan)
        crash_if_armed(CrashPoint.LIMITS_FOLDED)
        used, is_prepaid = item["used"] - used_before, source == PREPAID
        return self._check_thresholds(workspace_id, item, used, has_used_prepaid=is_prepaid)

    def save_notified_thresholds(
        self, workspace_id: WorkspaceId, seen: Row, cycle_by_threshold: Mapping[str, str]
    ) -> None:
        """Save the cycle for which each threshold was last notified, unless it has changed."""
        write = Write(
            self._table,
            key=model.limits_key(workspace_id),
            update="SET notified_thresholds = :thresholds",
            condition="notified_thresholds = :seen",
            values={":thresholds": cycle_by_threshold, ":seen": seen["notified_thresholds"]},
        )
        with suppress(ConditionFailed):
            self._table.write(write)

    def clear_due(self, workspace_id: WorkspaceId, seen: Row) -> None:
        """Remove `due_at`, unless the item has entries or has changed since `seen`.

        A change of the plan or of packs sets a new `due_at`, so the item stays due then.
        """
        write = Write(
            self._table,
            key=model.limits_key(workspace_id),
            update="REMOVE due_at, DPK",
            condition="size(holds) = :none AND size(leases) = :none AND used = :used "
            "AND cycle_end = :cycle_end AND due_at = :due_at",
            values={":none": 0, ":due_at": seen.get("due_at")}
            | {f":{name}": seen[name] for name in ("used", "cycle_end")},
        )
        with suppress(ConditionFailed):
            self._table.write(write)

    def _take(self, workspace_id: WorkspaceId, plan: admission.PlanTaking) -> Row:
        """Apply an update that takes of the quota, and remove confirmed entries with it.

        Returned renders are folded in before a pack is bought or the renders are refused.
        """
        # Read in one call: other threads add to it and remove from it.
        confirmed = list(self._confirmed.get(workspace_id, ()))[:_MAX_CONFIRMED]

        def build_update(seen: Row, *, may_top_up: bool = False) -> LimitsUpdate | None:
            update = plan(seen, may_top_up=may_top_up)
            return update and admission.with_confirmed(update, confirmed)

        try:
            item = self._limits.apply(workspace_id, build_update)
        except ServiceError as refusal:
            if refusal.code != "render_limit_reached":
                raise
            seen = self._limits.last_seen(workspace_id) or self.get(workspace_id)
            self.fold(workspace_id, seen["cycle_end"])
            self.fold(workspace_id, PREPAID)
            crash_if_armed(CrashPoint.LIMITS_RECOUNTED)
            item = self._limits.apply(workspace_id, partial(build_update, may_top_up=True))
        if confirmed:
            self._confirmed[workspace_id].difference_update(set(confirmed) - item["holds"].keys())
        return item

    def _ids_to_confirm(
        self, workspace_id: WorkspaceId, item: Row, now: dt.datetime
    ) -> Sequence[str]:
        known = item["leases"].keys() | self._confirmed.get(workspace_id, set())
        before = now - _CONFIRMED_WITHIN
        ids = [
            holder_id
            for holder_id in item["holds"]
            if holder_id not in known and id_created_at(holder_id) < before
        ]
        return ids[:_MAX_CONFIRMED] if len(ids) >= _MANY_UNCONFIRMED else ()

    def _check_thresholds(
        self, workspace_id: WorkspaceId, item: Row, newly_used: int, *, has_used_prepaid: bool
    ) -> bool:
        """Note the thresholds that were passed, and make the item due at once; tell whether it is.

        Where only nothing is left, an item that is due already is left as it is.
        """
        passed = quota.passed_thresholds(item, newly_used) if newly_used else []
        now = self._due_now_values(workspace_id)
        if not passed:
            is_end = (newly_used or has_used_prepaid) and quota.is_used_up(item)
            if not is_end or item.get("due_at", now[":now"]) < now[":now"]:
                return False
        for percent in passed:
            self._note_passed(workspace_id, item, percent)
        write = Write(
            self._table,
            key=model.limits_key(workspace_id),
            update="SET due_at = :now, DPK = if_not_exists(DPK, :dpk)",
            condition="attribute_exists(PK)",
            values=now,
        )
        with suppress(ConditionFailed):
            self._table.write(write)
        crash_if_armed(CrashPoint.LIMITS_DUE)
        return True

    def _note_passed(self, workspace_id: WorkspaceId, item: Row, percent: int) -> None:
        """Note when a threshold was passed: maintenance may read the item after more renders."""
        used = quota.threshold_count(item, percent)
        passed = model.PassedThreshold(format_rfc3339(self._clock.now()), used)
        write = Write(
            self._table,
            key=model.limits_key(workspace_id),
            update="SET #passed = :passed",
            condition="cycle_end = :cycle_end AND attribute_not_exists(#passed)",
            names={"#passed": model.passed_attribute(f"{percent}")},
            values={":passed": list(passed), ":cycle_end": item["cycle_end"]},
        )
        with suppress(ConditionFailed):
            self._table.write(write)

    def _due_now_values(self, workspace_id: WorkspaceId) -> dict[str, str]:
        partition = model.DUE_LIMITS.partition(workspace_id)
        return {":now": format_rfc3339(self._clock.now()), ":dpk": partition}
