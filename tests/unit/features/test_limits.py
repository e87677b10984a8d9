"""Admission against a reference model, with stale reads of the limits item."""

import datetime as dt
from typing import TYPE_CHECKING, Any, cast, override

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from chalicelib.core.clock import epoch_ms, format_rfc3339
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import RenderId, derived_id
from chalicelib.features.maintenance.reconcile_limits import ReconcileLimits
from chalicelib.features.workspaces.limits.admission import NO_HOLD
from chalicelib.features.workspaces.limits.billing_cycle import billing_cycle_at
from chalicelib.features.workspaces.limits.model import Reservation, ReservationRequest
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from tests.fakes.api_services import NOW, FixedClock
from tests.fakes.limits_model import DeletedBodies, LimitsModel, ModelRender, SmallWorkspace
from tests.fakes.memory_table import MemoryTable

if TYPE_CHECKING:
    from chalicelib.adapters.aws.table import Tables
    from chalicelib.features.renders.repository import Renders
    from chalicelib.features.renders.run.bodies import RenderBodies

LEASE = dt.timedelta(seconds=3)
PROCESSES = st.integers(0, 2)
PAUSES = st.one_of(
    st.integers(0, 5_000).map(lambda ms: dt.timedelta(milliseconds=ms)),
    st.integers(1, 60).map(lambda seconds: dt.timedelta(seconds=seconds)),
    st.integers(1, 40).map(lambda days: dt.timedelta(days=days)),
)


class Admission(RuleBasedStateMachine):
    """Three processes, each with a separate copy of one limits item."""

    def __init__(self) -> None:
        super().__init__()
        self.model = LimitsModel()
        self.table = MemoryTable()
        tables = cast("Tables", self.table)
        self.processes = [WorkspaceLimits(tables, "main", FixedClock()) for _ in range(3)]
        self.table.write(self.processes[0].creation(self.model.workspace, NOW))
        self.open: list[tuple[ReservationRequest, Reservation]] = []
        self.settled: list[tuple[ReservationRequest, Reservation]] = []
        self.bodies = DeletedBodies()
        self.count = 0

    @property
    def item(self) -> dict[str, Any]:
        return next(iter(self.table.items.values()))

    @rule(process=PROCESSES, test=st.booleans(), sync=st.booleans(), lost=st.booleans())
    def admit(self, *, process: int, test: bool, sync: bool, lost: bool) -> None:
        self.table.loses_answer = lost
        self.claim(process, test=test, sync=sync)
        self.table.loses_answer = False

    @rule(processes=st.permutations(range(3)), test=st.booleans(), sync=st.booleans(), time=PAUSES)
    def admit_two_at_once(
        self, *, processes: list[int], test: bool, sync: bool, time: dt.timedelta
    ) -> None:
        self.model.advance(time)
        self.table.before_write = lambda: self.claim(processes[0], test=test, sync=sync)
        self.claim(processes[1], test=test, sync=sync)
        self.table.before_write = None

    @rule(process=PROCESSES, lost=st.booleans())
    def count_request(self, *, process: int, lost: bool) -> None:
        limits, model = self.processes[process], self.model
        self.table.loses_answer = lost
        if model.requests.has_room:
            state = limits.count_request(model.workspace, model.now)
            model.requests.fill()
            self.check_rate(state.remaining)
        else:
            with pytest.raises(ServiceError) as refused:
                limits.count_request(model.workspace, model.now)
            self.check_refusal(refused.value, "rate_limited")
        self.table.loses_answer = False

    @precondition(lambda self: self.open)
    @rule(process=PROCESSES, data=st.data())
    def ask_again(self, process: int, data: st.DataObject) -> None:
        claim, taken = data.draw(st.sampled_from(self.open))
        before = dict(self.item)

        again, _ = self.processes[process].admit(claim, self.model.now)

        assert again.hold == taken.hold
        assert self.item == before

    @precondition(lambda self: self.open)
    @rule(process=PROCESSES, billed=st.booleans(), lost=st.booleans(), data=st.data())
    def settle(self, *, process: int, billed: bool, lost: bool, data: st.DataObject) -> None:
        claim, taken = data.draw(st.sampled_from(self.open))
        self.open.remove((claim, taken))
        self.settled.append((claim, taken))
        self.table.loses_answer = lost
        limits = self.processes[process]
        limits.settle(self.model.workspace.id, claim.render_id, taken, billed=billed)
        self.table.loses_answer = False
        self.model.settle(claim.render_id, billed=billed)

    @precondition(lambda self: self.settled)
    @rule(process=PROCESSES, billed=st.booleans(), data=st.data())
    def settle_again(self, *, process: int, billed: bool, data: st.DataObject) -> None:
        claim, taken = data.draw(st.sampled_from(self.settled))
        before = dict(self.item)
        limits = self.processes[process]

        limits.settle(self.model.workspace.id, claim.render_id, taken, billed=billed)

        # It may be reconciled once more.
        looked_after = {name: self.item.get(name) for name in ("due_at", "DPK")}
        assert self.item | looked_after == before | looked_after

    @precondition(lambda self: self.open)
    @rule(data=st.data(), final=st.booleans(), succeeds=st.booleans())
    def create_renders(self, *, data: st.DataObject, final: bool, succeeds: bool) -> None:
        claim, _ = data.draw(st.sampled_from(self.open))
        known = self.model.renders.get(claim.render_id)
        if known is None or not known.is_final:
            billed = final and succeeds and not claim.test
            made = ModelRender(claim.render_id, final, billed)
            self.model.renders[claim.render_id] = made

    @rule(process=PROCESSES, lost=st.booleans())
    def reconcile(self, *, process: int, lost: bool) -> None:
        self.table.loses_answer = lost
        self.reconciler(process)(self.model.workspace.id)
        self.table.loses_answer = False
        self.model.reconcile()
        self.forget_settled()

        assert ("due_at" in self.item) == bool(self.item["holds"] or self.item["leases"])

    @rule(processes=st.permutations(range(3)), test=st.booleans(), sync=st.booleans())
    def reconcile_while_one_is_admitted(
        self, *, processes: list[int], test: bool, sync: bool
    ) -> None:
        self.table.before_write = lambda: self.claim(processes[0], test=test, sync=sync)
        self.reconciler(processes[1])(self.model.workspace.id)
        self.table.before_write = None
        self.model.reconcile()
        self.forget_settled()

    @rule(processes=st.permutations(range(3)))
    def reconcile_twice_at_once(self, processes: list[int]) -> None:
        ws_id = self.model.workspace.id
        self.table.before_write = lambda: self.reconciler(processes[0])(ws_id)
        self.reconciler(processes[1])(ws_id)
        self.table.before_write = None
        self.model.reconcile()
        self.forget_settled()

    @rule(
        process=PROCESSES,
        plan_code=st.sampled_from(["small", "larger", "no packs"]),
        cap=st.sampled_from([0, 1_500, 2_899, 2_900]),
    )
    def change_plan(self, process: int, plan_code: str, cap: int) -> None:
        changed = SmallWorkspace.on_plan(plan_code, cap)
        more = changed.plan.included_renders - self.model.workspace.plan.included_renders
        self.table.write(self.processes[process].change(changed, more_renders=more))
        self.model.workspace = changed

    @rule(process=PROCESSES, left=st.integers(0, 3))
    def sell_packs(self, process: int, left: int) -> None:
        limits = self.processes[process]
        self.table.write(limits.change(self.model.workspace, prepaid=left))
        self.model.prepaid = left

    @rule()
    def forget_fields_of_this_release(self) -> None:
        model = self.model
        if not (model.prepaid or model.topups or "prepaid" in model.holds.values()):
            self.item.pop("prepaid_left", None)
            self.item.pop("topups", None)
            for limits in self.processes:
                limits._cached_items.clear()

    @rule(time=PAUSES)
    def wait(self, time: dt.timedelta) -> None:
        self.model.advance(time)

    @invariant()
    def item_equals_the_model(self) -> None:
        item, now = self.item, epoch_ms(self.model.now)
        assert max(0, item["rate_tat"] - now) == self.model.requests.level
        assert max(0, item["test_tat"] - now) == self.model.tests.level
        assert item["holds"].keys() == self.model.holds.keys()
        running = [until for until in item["leases"].values() if until * 1_000 > now]
        assert (
            len(running) == self.model.running_count <= self.model.workspace.plan.sync_concurrency
        )
        if item["cycle_end"] == format_rfc3339(billing_cycle_at(NOW, self.model.now).end):
            assert (item["used"], item["quota_left"]) == (self.model.used, self.model.left_included)
            assert item.get("topups", 0) == self.model.topups
        assert item.get("prepaid_left", 0) == self.model.prepaid

    @invariant()
    def allowance_is_used_reserved_or_left(self) -> None:
        item = self.item
        held = sum(end == item["cycle_end"] for end in item["holds"].values())
        included = self.model.workspace.plan.included_renders
        assert item["used"] + item["quota_left"] + held == included

    @invariant()
    def reservations_have_due_items(self) -> None:
        assert "due_at" in self.item or not (self.item["holds"] or self.item["leases"])

    @invariant()
    def only_absent_renders_lose_their_body(self) -> None:
        assert not {key.rpartition("/")[2] for key in self.bodies} & self.model.renders.keys()

    @override
    def teardown(self) -> None:
        for claim, taken in self.open:
            limits = self.processes[0]
            limits.settle(self.model.workspace.id, claim.render_id, taken, billed=True)
        open_ids = {claim.render_id for claim, _ in self.open}
        assert self.item["holds"] == {}
        assert not open_ids & self.item["leases"].keys()

    def claim(self, process: int, *, test: bool, sync: bool) -> None:
        self.count += 1
        until = self.model.now + LEASE if sync else None
        render_id = RenderId(derived_id("rnd", self.model.now, str(self.count)))
        claim = ReservationRequest(render_id, self.model.workspace, test, until)
        admitted, refusal = None, None
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
        taken, rate = admitted
        self.model.admit(claim)
        self.open.append((claim, taken))
        assert (taken.hold == NO_HOLD, taken.has_lease) == (test, sync)
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


TestAdmission = Admission.TestCase
TestAdmission.settings = settings(max_examples=100, stateful_step_count=50, deadline=None)
