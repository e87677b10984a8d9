"""Leases of work that creates no render, among admissions, against the same model."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import RenderId, derived_id
from chalicelib.features.workspaces.limits.model import Lease
from tests.fakes.limits_machine import LEASE, PROCESSES
from tests.unit.features.test_limits import Admission


class LeaseMachine(Admission):
    """Three processes that admit renders and do other synchronous work."""

    def __init__(self) -> None:
        super().__init__()
        self.places: list[Lease] = []

    @rule(process=PROCESSES, lost=st.booleans())
    def enter(self, *, process: int, lost: bool) -> None:
        self.count += 1
        model = self.model
        name = RenderId(derived_id("lease", model.now, str(self.count)))
        place = Lease(name, model.workspace, model.now + LEASE)
        self.table.loses_answer = lost
        if model.running_count < model.workspace.plan.sync_concurrency:
            self.processes[process].acquire_lease(place, model.now)
            model.leases[name] = int(place.until.timestamp())
            self.places.append(place)
        else:
            with pytest.raises(ServiceError) as refused:
                self.processes[process].acquire_lease(place, model.now)
            self.check_refusal(refused.value, "concurrency_limited")
        self.table.loses_answer = False

    @precondition(lambda self: self.places)
    @rule(process=PROCESSES, lost=st.booleans(), again=st.booleans(), data=st.data())
    def leave(self, *, process: int, lost: bool, again: bool, data: st.DataObject) -> None:
        place = data.draw(st.sampled_from(self.places))
        if not again:
            self.places.remove(place)
        self.table.loses_answer = lost
        self.processes[process].release(place.workspace.id, place.id)
        self.table.loses_answer = False
        self.model.leases.pop(place.id, None)


TestPlaces = LeaseMachine.TestCase
TestPlaces.settings = settings(max_examples=50, stateful_step_count=50, deadline=None)
