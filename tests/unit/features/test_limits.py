"""Limits against a reference model, with stale reads, lost answers and processes that die."""

import datetime as dt
from copy import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import derived_id
from chalicelib.features.workspaces.limits.model import (
    NOTHING,
    PREPAID,
    EndedHold,
    Hold,
    Holder,
)
from tests.fakes.limits_machine import PAUSES, PROCESSES, LimitsMachine
from tests.fakes.limits_model import ModelRender, SmallWorkspace


class Admission(LimitsMachine):
    """Rules of what happens to renders and processes."""

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
        rates, model = self.rates[process], self.model
        self.table.loses_answer = lost
        if model.reads.has_room:
            state = rates.count(model.workspace, model.now)
            model.reads.fill()
            assert state.remaining == (model.reads.capacity - model.reads.level) // model.reads.step
        else:
            with pytest.raises(ServiceError) as refused:
                rates.count(model.workspace, model.now)
            wait_ms = int(refused.value.headers["Retry-After"]) * 1_000
            assert refused.value.code == "rate_limited"
            assert model.reads.level + model.reads.step - wait_ms <= model.reads.capacity
        self.table.loses_answer = False

    @precondition(lambda self: self.with_entries)
    @rule(process=PROCESSES, data=st.data())
    def ask_again(self, process: int, data: st.DataObject) -> None:
        claim, taken = data.draw(st.sampled_from(self.with_entries))
        before = dict(self.item)

        again = self.processes[process].admit(claim, self.model.now).reservation

        assert again.source == taken.source
        assert self.item == before

    @precondition(lambda self: self.guarded)
    @rule(process=PROCESSES, billed=st.booleans(), lost=st.booleans(), data=st.data())
    def settle(self, *, process: int, billed: bool, lost: bool, data: st.DataObject) -> None:
        claims = data.draw(st.lists(st.sampled_from(self.guarded), min_size=1, unique=True))
        for pair in claims:
            self.open.remove(pair)
            self.settled.append(pair)
        self.table.loses_answer = lost
        self.settle_claims(process, claims, billed=billed)
        self.table.loses_answer = False
        for claim, _ in claims:
            self.model.settle(claim.render_id, billed=billed)

    @precondition(lambda self: self.settled)
    @rule(process=PROCESSES, billed=st.booleans(), data=st.data())
    def settle_again(self, *, process: int, billed: bool, data: st.DataObject) -> None:
        claim = data.draw(st.sampled_from(self.settled))
        before = dict(self.item)

        self.settle_claims(process, [claim], billed=billed)

        # It may be reconciled once more.
        looked_after = {name: self.item.get(name) for name in ("due_at", "DPK")}
        assert self.item | looked_after == before | looked_after

    @precondition(lambda self: self.open)
    @rule(
        process=PROCESSES,
        data=st.data(),
        final=st.booleans(),
        succeeds=st.booleans(),
        dies=st.booleans(),
    )
    def write_row(
        self, *, process: int, data: st.DataObject, final: bool, succeeds: bool, dies: bool
    ) -> None:
        claim, taken = data.draw(st.sampled_from(self.open))
        known = self.model.renders.get(claim.render_id)
        if known is not None and known.is_final:
            return
        billed = final and succeeds and not claim.test
        reservation = known.reservation if known else taken
        made = ModelRender(claim.render_id, reservation, final, billed)
        self.model.renders[claim.render_id] = made
        if dies:
            self.processes[process] = self.new_process()
        elif taken.is_settled_by_relay:
            self.processes[process].confirm(self.model.workspace.id, [claim.render_id])

    @precondition(lambda self: self.guarded)
    @rule(data=st.data())
    def hand_over_to_the_background(self, data: st.DataObject) -> None:
        claim, taken = data.draw(st.sampled_from(self.guarded))
        render = self.model.renders.get(claim.render_id)
        if render is None or render.is_final or claim.render_id not in self.model.holds:
            return
        continued = taken._replace(is_settled_by_relay=True)
        self.model.renders[claim.render_id] = replace(render, reservation=continued)
        self.open[self.open.index((claim, taken))] = (claim, continued)

    @rule(process=PROCESSES, data=st.data(), dies=st.booleans(), lost=st.booleans())
    def count_ends(self, *, process: int, data: st.DataObject, dies: bool, lost: bool) -> None:
        """The relay publishes the ends of some renders whose rows hold; then it folds or dies."""
        ends = [
            (claim, taken)
            for claim, taken in self.open
            if (render := self.model.renders.get(claim.render_id)) is not None
            and (render.is_final, taken.is_settled_by_relay) == (True, True)
            and claim.render_id not in self.counted
        ]
        if not ends:
            return
        some = data.draw(st.lists(st.sampled_from(ends), min_size=1, unique=True))
        ws_id, limits = self.model.workspace.id, self.processes[process]
        billed = {claim.render_id: self.model.renders[claim.render_id].billed for claim, _ in some}
        increments = self.ended.increments(
            ws_id,
            some[0][0].render_id,
            [(Hold(taken.source), billed[claim.render_id]) for claim, taken in some],
        )
        for write in increments:
            self.table.write(write)
        for claim, taken in some:
            self.counted.add(claim.render_id)
            if taken.has_lease:
                limits.release(ws_id, claim.render_id)
            self.model.settle(claim.render_id, billed=billed[claim.render_id])
        if dies:
            self.processes[process] = self.new_process()
            return
        self.table.loses_answer = lost
        for source in {taken.source for _, taken in some} - {NOTHING}:
            limits.fold(ws_id, source)
        self.table.loses_answer = False

    @rule(processes=st.permutations(range(3)), source=st.sampled_from(["cycle", PREPAID]))
    def fold_twice_at_once(self, processes: list[int], source: str) -> None:
        ws_id = self.model.workspace.id
        name = self.item["cycle_end"] if source == "cycle" else source

        def fold_first() -> None:
            self.processes[processes[0]].fold(ws_id, name)

        self.table.before_write = fold_first
        self.processes[processes[1]].fold(ws_id, name)
        self.table.before_write = None

        assert self.unfolded(name) == (0, 0)

    @rule(process=PROCESSES, count=st.integers(1, 4), lost=st.booleans())
    def reserve_and_give_back(self, process: int, count: int, *, lost: bool) -> None:
        self.count += 1
        limits, model = self.processes[process], self.model
        holder_id = derived_id("blk", model.now, str(self.count))
        self.table.loses_answer = lost
        unfolded = self.unfolded_returns
        holder = Holder(holder_id, model.workspace, count)
        if model.next_hold is None:
            with pytest.raises(ServiceError, match="are used until"):
                limits.reserve(holder, model.now)
            self.table.loses_answer = False
            return
        hold = limits.reserve(holder, model.now)
        self.table.loses_answer = False
        kind = model.hold_one(hold.source, unfolded)
        left = model.left_included if kind == "included" else model.prepaid + 1
        model.prepaid += kind == "prepaid"
        # Fewer where the process has an older item in mind; the caller reserves the rest again.
        assert 1 <= hold.renders <= min(count, left)
        for _ in range(2):
            limits.settle(model.workspace.id, [EndedHold(holder_id, hold, billed=False)])

    @rule(process=PROCESSES, lost=st.booleans())
    def reconcile(self, *, process: int, lost: bool) -> None:
        self.table.loses_answer = lost
        self.reconciler(process)(self.model.workspace.id)
        self.table.loses_answer = False
        self.model.reconcile()
        self.forget_settled()

        assert ("due_at" in self.item) == bool(self.item["holds"] or self.item["leases"])
        assert (
            not {
                render.id
                for render in self.model.renders.values()
                if render.reservation.is_settled_by_relay
            }
            & self.item["holds"].keys()
        )

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
        # What has ended, but is not folded yet, is given back to the new number.
        self.model.prepaid = left + self.unfolded(PREPAID)[1]

    @rule(time=PAUSES)
    def wait(self, time: dt.timedelta) -> None:
        self.model.advance(time)


TestAdmission = Admission.TestCase
TestAdmission.settings = settings(max_examples=100, stateful_step_count=50, deadline=None)
