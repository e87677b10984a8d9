"""Processes that share the limits of one workspace, beside a reference model."""

import datetime as dt
from typing import TYPE_CHECKING, Any, cast, override

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant

from chalicelib.core.clock import epoch_ms, format_rfc3339
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import RenderId, derived_id
from chalicelib.features.maintenance.reconcile_limits import ReconcileLimits
from chalicelib.features.workspaces.limits.billing_cycle import billing_cycle_at
from chalicelib.features.workspaces.limits.ended_holds.repository import EndedHolds
from chalicelib.features.workspaces.limits.model import (
    NOTHING,
    PREPAID,
    EndedHold,
    Hold,
    Reservation,
    ReservationRequest,
)
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.limits.request_rate import RequestRate
from tests.fakes.api_services import NOW, FixedClock
from tests.fakes.limits_model import DeletedBodies, LimitsModel
from tests.fakes.memory_table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from chalicelib.adapters.aws.table import Table
    from chalicelib.features.renders.repository import Renders
    from chalicelib.features.renders.run.bodies import RenderBodies

LEASE = dt.timedelta(seconds=3)
PROCESSES = st.integers(0, 2)
PAUSES = st.one_of(
    st.integers(0, 5_000).map(lambda ms: dt.timedelta(milliseconds=ms)),
    st.integers(1, 60).map(lambda seconds: dt.timedelta(seconds=seconds)),
    st.integers(1, 40).map(lambda days: dt.timedelta(days=days)),
)

type Claim = tuple[ReservationRequest, Reservation]


class LimitsMachine(RuleBasedStateMachine):
    """Three processes, each with a separate copy of one limits item.

    The entry of a sync render holds to its end. The row of an async render holds once it exists;
    the relay counts its end, and any process folds the counts.
    """

    def __init__(self) -> None:
        super().__init__()
        self.model = LimitsModel()
        self.table = MemoryTable()
        table = cast("Table", self.table)
        self.new_process: Callable[[], WorkspaceLimits] = lambda: WorkspaceLimits(
            table, FixedClock()
        )
        self.processes = [self.new_process() for _ in range(3)]
        self.rates = [RequestRate(table, FixedClock()) for _ in range(3)]
        for write in self.processes[0].creations(self.model.workspace, NOW):
            self.table.write(write)
        self.ended = EndedHolds(table=table)
        self.open: list[Claim] = []
        self.settled: list[Claim] = []
        self.counted: set[RenderId] = set()
        self.bodies = DeletedBodies()
        self.count = 0

    @property
    def item(self) -> dict[str, Any]:
        return self.table.items["WS#ws_1#LIM", "META"]

    @invariant()
    def item_equals_the_model(self) -> None:
        item, now = self.item, epoch_ms(self.model.now)
        assert max(0, item["rate_tat"] - now) == self.model.requests.level
        assert max(0, item["test_tat"] - now) == self.model.tests.level
        rate = self.table.items["WS#ws_1#LIM", "RATE"]
        assert max(0, rate["rate_tat"] - now) == self.model.reads.level
        assert self.model.holds.keys() - item["holds"].keys() == {
            render_id
            for render_id in self.model.holds.keys() - item["holds"].keys()
            if self.model.renders[render_id].reservation.is_settled_by_relay
        }
        running = [until for until in item["leases"].values() if until * 1_000 > now]
        assert (
            len(running) == self.model.running_count <= self.model.workspace.plan.sync_concurrency
        )
        if item["cycle_end"] == format_rfc3339(billing_cycle_at(NOW, self.model.now).end):
            used, returned = self.unfolded(item["cycle_end"])
            assert item["used"] + used == self.model.used
            assert item["quota_left"] + returned == self.model.left_included
            assert item["topups"] == self.model.topups
        assert item["prepaid_left"] + self.unfolded(PREPAID)[1] == self.model.prepaid
        assert item["included"] == self.model.workspace.plan.included_renders

    @invariant()
    def reservations_have_due_items(self) -> None:
        assert "due_at" in self.item or not (self.item["holds"] or self.item["leases"])

    @invariant()
    def only_absent_renders_lose_their_body(self) -> None:
        assert (
            not {key.object_key.rpartition("/")[2] for key in self.bodies}
            & self.model.renders.keys()
        )

    @override
    def teardown(self) -> None:
        self.settle_claims(0, self.guarded, billed=True)
        guarded_ids = {claim.render_id for claim, _ in self.guarded}
        assert not guarded_ids & self.item["holds"].keys()
        assert not guarded_ids & self.item["leases"].keys()

    @property
    def guarded(self) -> list[Claim]:
        return [(claim, taken) for claim, taken in self.open if not taken.is_settled_by_relay]

    @property
    def with_entries(self) -> list[Claim]:
        return [pair for pair in self.open if pair[0].render_id in self.item["holds"]]

    def unfolded(self, source: str) -> tuple[int, int]:
        """Return how many used and returned renders of a source are counted, but not folded."""
        used, returned = self.ended.totals(self.model.workspace.id, source)
        if source == PREPAID:
            return 0, returned - self.item["folded_prepaid"]
        return used - self.item["folded_used"], returned - self.item["folded_returned"]

    @property
    def unfolded_returns(self) -> int:
        """Return how many included renders of the current cycle wait to be folded."""
        end = format_rfc3339(billing_cycle_at(NOW, self.model.now).end)
        return self.unfolded(end)[1] if self.item["cycle_end"] == end else 0

    def settle_claims(self, process: int, claims: list[Claim], *, billed: bool) -> None:
        ended = [EndedHold(claim.render_id, Hold(taken.source), billed) for claim, taken in claims]
        if ended:
            self.processes[process].settle(self.model.workspace.id, ended)

    def claim(self, process: int, *, test: bool, sync: bool) -> None:
        self.count += 1
        until = self.model.now + LEASE if sync else None
        render_id = RenderId(derived_id("rnd", self.model.now, str(self.count)))
        claim = ReservationRequest(render_id, self.model.workspace, test, until)
        admitted, refusal, unfolded = None, None, self.unfolded_returns
        try:
            admitted = self.processes[process].admit(claim, self.model.now)
        except ServiceError as error:
            refusal = error
        # Evaluated now: another process may have changed it in between.
        expected = self.model.refusal(claim)
        if expected is not None:
            self.check_refusal(refusal, expected)
            return
        assert admitted is not None, refusal
        taken, rate, _ = admitted
        self.model.admit(claim, taken.source, unfolded)
        self.open.append((claim, taken))
        assert (taken.source == NOTHING, taken.has_lease) == (test, sync)
        assert taken.is_settled_by_relay == (not sync)
        self.check_rate(rate.remaining)
        assert self.item["due_at"] >= format_rfc3339(NOW)

    def reconciler(self, process: int) -> ReconcileLimits:
        clock = FixedClock()
        clock.moment = self.model.now
        renders = cast("Renders", self.model.renders)
        bodies = cast("RenderBodies", self.bodies)
        limits = self.processes[process]
        return ReconcileLimits(
            renders=renders,
            limits=limits,
            bodies=bodies,
            handle_due=lambda *_: None,
            reconcile_others=lambda *_: None,
            notify_thresholds=lambda *_: None,
            clock=clock,
        )

    def forget_settled(self) -> None:
        """Forget renders that a reconciliation has settled; only a repeat settles them again."""
        gone = [pair for pair in self.open if pair[0].render_id not in self.model.holds]
        self.open = [pair for pair in self.open if pair not in gone]
        self.settled += gone

    def check_rate(self, remaining: int) -> None:
        bucket = self.model.requests
        assert remaining == (bucket.capacity - bucket.level) // bucket.step

    def check_refusal(self, refusal: ServiceError | None, code: str) -> None:
        assert refusal is not None
        assert refusal.code == code
        if code != "rate_limited":
            return
        wait_ms = int(refusal.headers["Retry-After"]) * 1_000
        empty = self.model.tests if self.model.requests.has_room else self.model.requests
        assert empty.level + empty.step - wait_ms <= empty.capacity
