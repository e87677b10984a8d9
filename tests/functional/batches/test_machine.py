"""Batches in any order of events: deaths, lost answers, conflicts, repeats, cancellations."""

from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule, run_state_machine_as_test

from chalicelib.adapters.aws import table
from chalicelib.adapters.aws.table import Row
from chalicelib.core.crash_points import CrashPoint as P
from tests.builders.in_process_aws import MotoAws
from tests.fakes.batch_machine import BatchMachine
from tests.fakes.fault_injector import FaultInjector

MAX_BATCHES = 3
RELEASER_DEATHS = st.sampled_from(
    [
        P.BATCH_LEASED,
        P.BATCH_RESERVED,
        P.BATCH_RELEASED,
        P.BATCH_ENQUEUED,
        P.BATCH_PROGRESSED,
        P.BATCH_PAUSED,
        P.BATCH_ENDED,
        P.BATCH_ITEM_CANCELED,
    ]
)
RELAY_DEATHS = st.sampled_from([P.RELAY_PREPARED, P.RELAY_PUBLISHED, P.RELAY_FOLDED])
FAILING = st.sampled_from([set(), {0, 3}, {1, 2, 5, 6, 11}])
RENDERS_LEFT = st.sampled_from([50, 3, 0, 20])
SIZES = st.sampled_from([12, 7, 4])


class BatchRules(BatchMachine):
    """Rules of what may happen."""

    @initialize(seed=st.integers(0, 2**16), size=SIZES, failing=FAILING, left=RENDERS_LEFT)
    def begin(self, seed: int, size: int, failing: set[int], left: int) -> None:
        self.failing = failing
        self.set_renders_left(left)
        self.add_batch(size)
        self.dynamodb.faults = FaultInjector(seed, {"conflict": 0.2, "lost": 0.2})
        self.dynamodb.faults.is_on = True

    @precondition(lambda self: len(self.batches) < MAX_BATCHES)
    @rule(size=SIZES)
    def make_another_batch(self, size: int) -> None:
        self.add_batch(size)

    @rule(dies_at=st.none() | RELEASER_DEATHS, seconds=st.sampled_from([61, 0]))
    def release(self, dies_at: P | None, seconds: int) -> None:
        # A lease of a dead function has expired then.
        self.service.clock.advance(seconds=seconds)
        self.wake()
        self.run(self.service.release_batches, dies_at)

    @rule(dies_at=st.none() | RELAY_DEATHS)
    def relay(self, dies_at: P | None) -> None:
        self.run(self.service.relay_events, dies_at)

    @rule(dies_at=st.none() | st.sampled_from([P.RENDER_CLAIMED, P.RENDER_FINISHED]))
    def run_items(self, dies_at: P | None) -> None:
        self.run(lambda: self.service.run_queued("BatchItems"), dies_at)

    @rule()
    def work_without_faults(self) -> None:
        self.dynamodb.faults.is_on = False
        self.service.run_batches()
        self.dynamodb.faults.is_on = True

    @rule(data=st.data())
    def run_any_item(self, data: st.DataObject) -> None:
        renders = {row["id"]: row for row in self.rows().renders}
        if renders:
            self.serve(renders[data.draw(st.sampled_from(list(renders)))])

    @rule(failing=FAILING)
    def change_what_fails(self, failing: set[int]) -> None:
        self.failing = failing

    @rule(data=st.data())
    def cancel_item(self, data: st.DataObject) -> None:
        queued = [row["id"] for row in self.rows().renders if row["status"] == "queued"]
        if queued:
            render = data.draw(st.sampled_from(queued))
            assert self.call("POST", f"/v1/renders/{render}/cancel").status == 200
            self.canceled_renders.add(render)

    @precondition(lambda self: self.batches and not self.canceled)
    @rule(data=st.data())
    def cancel_batch(self, data: st.DataObject) -> None:
        row = self.draw_batch(data)
        if row["status"] in {"queued", "processing"}:
            self.cancel(row)

    @precondition(lambda self: self.batches)
    @rule(data=st.data(), dies_at=st.none() | st.just(P.BATCH_RETRIED))
    def retry_failed(self, data: st.DataObject, dies_at: P | None) -> None:
        batch = self.draw_batch(data)["id"]
        path = f"/v1/batches/{batch}"
        shown = self.call("GET", path).json
        may_retry = shown["status"] == "completed" and shown["failed"]

        def send() -> None:
            answer = self.call("POST", f"{path}/retry-failed")
            assert answer.status == (202 if may_retry else 409), answer.body

        self.run(send, dies_at if may_retry else None)
        self.runs[batch] += bool(may_retry)

    @rule(left=RENDERS_LEFT)
    def change_renders_left(self, left: int) -> None:
        self.set_renders_left(left)

    @rule(seconds=st.sampled_from([5, 62, 330]))
    def let_time_pass(self, seconds: int) -> None:
        self.pass_time(seconds=seconds)

    def draw_batch(self, data: st.DataObject) -> Row:
        batches = self.rows().batches
        return batches[data.draw(st.integers(0, len(batches) - 1))]


@pytest.mark.parametrize("examples", [2, pytest.param(6, marks=pytest.mark.breadth)])
def test_batches_equal_their_items_whatever_happens(
    aws: MotoAws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examples: int
) -> None:
    monkeypatch.setattr(table, "_pause", lambda _: None)

    run_state_machine_as_test(
        cast("Any", lambda: BatchRules(aws, tmp_path)),
        settings=settings(max_examples=examples, stateful_step_count=24, deadline=None),
    )
