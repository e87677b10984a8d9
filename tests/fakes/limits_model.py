"""Sequential reference model of the limits of a workspace, without any table."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, override

from chalicelib.core.clock import epoch_ms
from chalicelib.core.ids import RenderId, WorkspaceId, id_created_at
from chalicelib.features.renders.model import BodyKey
from chalicelib.features.workspaces.limits.billing_cycle import billing_cycle_at
from chalicelib.features.workspaces.limits.model import Reservation, ReservationRequest
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.plans import Plan
from tests.fakes.api_services import NOW

type HoldKind = Literal["nothing", "included", "prepaid", "top-up"]

ABANDONED_AFTER = dt.timedelta(minutes=2)
_PLANS = {
    "small": Plan("small", 3, 3, 2, 1, 15, 20, 1, 4, 2, 500, 2, 1_000),
    "larger": Plan("larger", 5, 3, 2, 1, 15, 20, 1, 4, 2, 900, 2, 1_000),
    "no packs": Plan("no packs", 3, 3, 2, 1, 15, 20, 1, 4, 2, 0),
}


class SmallWorkspace(Workspace):
    """A workspace on a plan so small that its limits are reached within a few requests."""

    @classmethod
    def on_plan(cls, plan_code: str, spend_cap_cents: int = 0) -> "SmallWorkspace":
        created_at = "2026-11-21T12:00:00.000Z"
        ws_id = WorkspaceId("ws_1")
        return cls(
            *(ws_id, "", plan_code, "active", None, True, ("eu",), (), created_at),
            spend_cap_cents=spend_cap_cents,
        )

    @property
    @override
    def plan(self) -> Plan:
        return _PLANS[self.plan_code]


@dataclass(frozen=True)
class ModelRender:
    """The fields of a render that the limits depend on."""

    id: RenderId
    reservation: Reservation
    is_final: bool = False
    billed: bool = False
    request_id: str = "req"


class ModelRenders(dict[RenderId, ModelRender]):
    """The renders that were created."""

    def get_many(self, _workspace: WorkspaceId, ids: Sequence[RenderId]) -> list[ModelRender]:
        return [self[render_id] for render_id in ids if render_id in self]


class DeletedBodies(list[BodyKey]):
    """Keys of the deleted bodies."""

    def delete(self, key: BodyKey) -> None:
        self.append(key)


class LeakyBucket:
    """A leaky bucket in milliseconds: a request pours `step` in, time lets it out."""

    def __init__(self, count: int, period_ms: int) -> None:
        self.step = period_ms // count
        self.capacity = count * self.step
        self.level = 0

    @property
    def has_room(self) -> bool:
        return self.level + self.step <= self.capacity

    def fill(self) -> None:
        self.level += self.step

    def leak(self, ms: int) -> None:
        self.level = max(0, self.level - ms)


class LimitsModel:
    """The limits of one small workspace."""

    def __init__(self) -> None:
        self.workspace = SmallWorkspace.on_plan("small")
        self.now = NOW
        self.requests = LeakyBucket(self.workspace.plan.rate_limit_rps, 1_000)
        self.reads = LeakyBucket(self.workspace.plan.rate_limit_rps, 1_000)
        self.tests = LeakyBucket(self.workspace.plan.test_renders_per_minute, 60_000)
        self.leases: dict[RenderId, int] = {}
        self.holds: dict[RenderId, HoldKind] = {}
        """Unsettled renders, and the hold of each."""
        self.used = 0
        self.prepaid = 0
        self.topups = 0
        self.renders = ModelRenders()

    @property
    def running_count(self) -> int:
        return sum(until > int(self.now.timestamp()) for until in self.leases.values())

    @property
    def left_included(self) -> int:
        held = list(self.holds.values()).count("included")
        return self.workspace.plan.included_renders - self.used - held

    @property
    def next_hold(self) -> HoldKind | None:
        """Return the hold of the next live render, or None if nothing is left."""
        plan = self.workspace.plan
        spent = plan.price_cents + (self.topups + 1) * plan.pack_cents
        if self.left_included > 0:
            return "included"
        if plan.pack_renders and self.prepaid > 0:
            return "prepaid"
        fits = plan.pack_renders > 0 and spent <= self.workspace.spend_cap_cents
        return "top-up" if fits else None

    def refusal(self, claim: ReservationRequest) -> str | None:
        """Return the code that a reservation request is refused with."""
        if not self.requests.has_room or (claim.test and not self.tests.has_room):
            return "rate_limited"
        if (
            claim.lease_until is not None
            and self.running_count >= self.workspace.plan.sync_concurrency
        ):
            return "concurrency_limited"
        return "render_limit_reached" if not claim.test and self.next_hold is None else None

    def admit(self, claim: ReservationRequest, source: str, unfolded: int) -> None:
        """Admit a render that was held of `source`; `unfolded` included ones wait to be folded."""
        self.requests.fill()
        if claim.test:
            self.tests.fill()
        kind: HoldKind = "nothing" if claim.test else self.hold_one(source, unfolded)
        self.holds[claim.render_id] = kind
        if claim.lease_until is not None:
            self.leases[claim.render_id] = int(claim.lease_until.timestamp())

    def hold_one(self, source: str, unfolded: int) -> HoldKind:
        if source != "prepaid":
            assert self.next_hold == "included"
            return "included"
        if self.prepaid == 0:
            assert self.next_hold == "top-up"
            self.topups += 1
            self.prepaid = self.workspace.plan.pack_renders
        assert self.left_included <= unfolded
        self.prepaid -= 1
        return "prepaid"

    def settle(self, render_id: RenderId, *, billed: bool) -> None:
        hold = self.holds.pop(render_id, "nothing")
        self.used += hold == "included" and billed
        self.prepaid += hold == "prepaid" and not billed
        self.leases.pop(render_id, None)

    def reconcile(self) -> None:
        """Settle final renders, and admissions long ago without a render.

        The relay counts the renders whose rows hold: of these only the lease ends.
        """
        for render_id in {*self.holds, *self.leases}:
            render = self.renders.get(render_id)
            if render is not None and render.reservation.is_settled_by_relay:
                if render.is_final:
                    self.leases.pop(render_id, None)
            elif render is not None and render.is_final:
                self.settle(render_id, billed=render.billed)
            elif render is None and id_created_at(render_id) < self.now - ABANDONED_AFTER:
                self.settle(render_id, billed=False)

    def advance(self, time: dt.timedelta) -> None:
        """Let time pass; in a new cycle nothing is used, and old holds do not count."""
        later = self.now + time
        ms = epoch_ms(later) - epoch_ms(self.now)
        self.requests.leak(ms)
        self.tests.leak(ms)
        self.reads.leak(ms)
        if billing_cycle_at(NOW, later) != billing_cycle_at(NOW, self.now):
            self.holds = {
                render_id: "prepaid" if hold == "prepaid" else "nothing"
                for render_id, hold in self.holds.items()
            }
            self.used = self.topups = 0
        self.now = later
