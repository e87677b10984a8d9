"""Where a workspace's limits are kept, and the loops that write them conditionally."""

import datetime as dt
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from chalicelib.adapters.aws.due import due_shard
from chalicelib.adapters.aws.table import ConditionFailed, Item, Tables, Throttled, Write
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.workspaces import admission, limits, rate, thresholds
from chalicelib.features.workspaces.limits import Claim, Place, RateState, Taken
from chalicelib.features.workspaces.limits_update import LimitsUpdate, Parts
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.rate import RateLimited, rate_state

_TRIES: Final = 12
# Guesses only: forgetting one costs a read.
_REMEMBERED: Final = 256


class Limits:
    """Admits renders and takes them out again, each exactly once."""

    def __init__(self, tables: Tables, table: str, clock: Clock) -> None:
        """Keep the limits items in this table."""
        self._tables = tables
        self._table = table
        self._clock = clock
        self._seen: dict[WorkspaceId, Item] = {}

    def creation(self, workspace: Workspace, now: dt.datetime) -> Write:
        """Return the write that makes a new workspace's limits."""
        item = limits.new_limits(workspace, now)
        return Write(self._table, item=item, condition="attribute_not_exists(PK)")

    def change(
        self, workspace: Workspace, *, more_renders: int = 0, prepaid: int | None = None
    ) -> Write:
        """Return the write that adds what a new plan includes more, or takes away what less.

        `prepaid`: what is left of packs from now on, beside what unfinished renders hold of them.
        """
        parts = Parts(
            sets=[
                "quota_left = quota_left + :more",
                # What is used may be another part of it now.
                "due_at = :now",
                "DPK = if_not_exists(DPK, :dpk)",
            ],
            values={":more": more_renders} | self._due_now(workspace.id),
        )
        if prepaid is not None:
            parts.sets.append("prepaid_left = :prepaid")
            parts.values[":prepaid"] = prepaid
        return Write(
            self._table,
            key=_key(workspace.id),
            update=parts.update().update,
            condition="attribute_exists(PK)",
            values=parts.values,
        )

    def find(self, workspace_id: WorkspaceId) -> Item | None:
        """Return the limits item, or None where there is no such workspace."""
        return self._tables.get(self._table, _key(workspace_id)["PK"])

    def erase(self, workspace_id: WorkspaceId) -> None:
        """Delete the limits of a workspace."""
        self._tables.write(Write(self._table, key=_key(workspace_id)))

    def get(self, workspace_id: WorkspaceId) -> Item:
        """Return the limits item."""
        item = self.find(workspace_id)
        assert item is not None, workspace_id
        return item

    def admit(self, claim: Claim, now: dt.datetime) -> tuple[Taken, RateState]:
        """Take rate, lease and quota for one render, all or nothing; repeatable by its id.

        Raises `rate_limited`, `concurrency_limited` or `render_limit_reached`.
        """
        item = self._apply(
            claim.workspace.id, lambda seen: admission.plan(claim, seen, self._since(now))
        )
        taken = Taken(item["holds"][claim.render_id], claim.render_id in item["leases"])
        return taken, rate_state(claim.workspace.plan, item, now)

    def count_request(self, workspace: Workspace, now: dt.datetime) -> RateState:
        """Take one request from the rate; raises `rate_limited`."""
        token = secrets.token_hex(8)
        item = self._apply(
            workspace.id,
            lambda seen: admission.plan_request(workspace, token, seen, self._since(now)),
        )
        return rate_state(workspace.plan, item, now)

    def enter(self, place: Place, now: dt.datetime) -> None:
        """Take a place in the concurrency; repeatable. Raises `concurrency_limited`."""
        self._apply(
            place.workspace.id,
            lambda seen: admission.plan_place(place, seen, self._since(now)),
        )

    def leave(self, place: Place) -> None:
        """Give a place back; repeatable. Raises Throttled where there is no room."""
        guess = {"holds": {}, "leases": {place.id: 0}}
        try:
            self._apply(
                place.workspace.id,
                lambda seen: admission.plan_settlement(place.id, seen, billed=False),
                guess,
            )
        except ServiceError as crowded:
            raise Throttled from crowded

    def refuse_surely(self, workspace: Workspace, now: dt.datetime) -> None:
        """Raise `rate_limited` where the item as last seen shows it already; nobody is asked.

        Others may have taken more meanwhile, never given back.
        """
        seen = self._seen.get(workspace.id)
        if seen is not None:
            plan = workspace.plan
            rate.require_room([rate.requests(plan)], plan, seen, self._since(now))

    def settle(
        self,
        workspace_id: WorkspaceId,
        render_id: RenderId,
        taken: Taken,
        *,
        billed: bool,
    ) -> None:
        """Free a final render's lease and turn its hold into a used render, or give it back.

        Repeatable: what is out already stays out. Raises Throttled where there is no room.
        """
        guess = {
            "holds": {render_id: taken.hold},
            "leases": {render_id: 0} if taken.leased else {},
            "cycle_end": taken.hold,
        }
        try:
            item = self._apply(
                workspace_id,
                lambda seen: admission.plan_settlement(render_id, seen, billed=billed),
                guess,
            )
        except ServiceError as crowded:
            raise Throttled from crowded
        if billed and thresholds.is_met(item, taken.hold):
            self._look_now(workspace_id)

    def _look_now(self, workspace_id: WorkspaceId) -> None:
        """Let the item be due at once; where that is lost, it is due within minutes anyway."""
        write = Write(
            self._table,
            key=_key(workspace_id),
            update="SET due_at = :now, DPK = if_not_exists(DPK, :dpk)",
            condition="attribute_exists(PK)",
            values=self._due_now(workspace_id),
        )
        with suppress(ConditionFailed):
            self._tables.write(write)

    def _due_now(self, workspace_id: WorkspaceId) -> dict[str, str]:
        return {":now": rfc3339(self._clock.now()), ":dpk": due_shard(workspace_id)}

    def told(self, workspace_id: WorkspaceId, marks: Mapping[str, str]) -> None:
        """Remember for which cycle each threshold was told."""
        write = Write(
            self._table,
            key=_key(workspace_id),
            update="SET told = :told",
            condition="attribute_exists(PK)",
            values={":told": marks},
        )
        self._tables.write(write)

    def reconciled(self, workspace_id: WorkspaceId, seen: Item) -> None:
        """Let the item be due no more, unless a render stands in it or was used meanwhile.

        Nor where it was made due anew, since its plan or its packs are others now.
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

    def _since(self, now: dt.datetime) -> dt.datetime:
        """Return the time of this try: after a slow one, the others' requests are newer."""
        return max(now, self._clock.now())

    def _apply(
        self,
        workspace_id: WorkspaceId,
        plan: Callable[[Item], LimitsUpdate | None],
        guess: Item | None = None,
    ) -> Item:
        """Write what `plan` builds from the item as guessed; only the item itself refuses."""
        seen, is_guess = guess or self._seen.get(workspace_id), True
        for _ in range(_TRIES):
            if seen is None:
                seen, is_guess = self.get(workspace_id), False
            try:
                update = plan(seen)
            except ServiceError:
                if not is_guess:
                    self._remember(workspace_id, seen)
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
        """Return the item as it is now, and whether the update was written."""
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
        except ConditionFailed as refused:
            return refused.found, False
        assert item is not None
        self._remember(workspace_id, item)
        return item, True

    def _remember(self, workspace_id: WorkspaceId, item: Item) -> None:
        if len(self._seen) >= _REMEMBERED:
            self._seen.clear()
        self._seen[workspace_id] = item


def _key(workspace_id: WorkspaceId) -> dict[str, str]:
    return {"PK": f"WS#{workspace_id}#LIM", "SK": "META"}
