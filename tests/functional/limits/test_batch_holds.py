"""Holds of batches: what a dead releaser has left of them is reconciled."""

from pathlib import Path

import pytest

from chalicelib.core.crash_points import CrashPoint as P
from chalicelib.features.workspaces.limits.model import Holder
from tests.builders.batches import batch_at, make_batch
from tests.builders.service import Service
from tests.fakes.mortal_functions import mortal_functions

INCLUDED = 250_000


def reconcile(service: Service) -> None:
    """Let the time pass after which entries are compared with rows."""
    service.clock.advance(minutes=5)
    service.tick()
    while service.waiting("Maintenance"):
        assert service.run_maintenance() == []


def holds(service: Service) -> dict[str, str]:
    """Return the entries of the limits item."""
    entries: dict[str, str] = service.operator.limits.get(service.workspace)["holds"]
    return entries


def die_while_releasing(service: Service, points: Path, point: P) -> None:
    """Release, with a function that dies at a point."""
    with mortal_functions(service, points) as functions:
        functions.run(service.release_batches, point)


def test_entry_of_a_step_whose_function_died_goes_without_a_change_of_the_quota(
    service: Service, tmp_path: Path
) -> None:
    path = make_batch(service, 3)
    die_while_releasing(service, tmp_path, P.BATCH_RELEASED)
    assert list(holds(service)) == [f"{path.rpartition('/')[2]}-1"]

    reconcile(service)

    assert holds(service) == {}
    assert service.limits()["quota_left"] == INCLUDED - 3
    service.run_batches()
    assert batch_at(service, path)["succeeded"] == 3
    assert (service.limits()["used"], service.limits()["quota_left"]) == (3, INCLUDED - 3)
    assert service.limits()["holds"] == {}


def test_hold_of_a_step_that_is_still_to_come_is_kept(service: Service, tmp_path: Path) -> None:
    path = make_batch(service, 3)
    die_while_releasing(service, tmp_path, P.BATCH_RESERVED)
    entries = holds(service)
    assert len(entries) == 1

    service.clock.advance(minutes=5)
    service.tick()
    service.run_maintenance()

    assert holds(service) == entries
    service.run_batches()
    reconcile(service)
    assert batch_at(service, path)["succeeded"] == 3
    assert (holds(service), service.limits()["quota_left"]) == ({}, INCLUDED - 3)


@pytest.mark.parametrize("is_known", [True, False], ids=["final", "gone"])
def test_hold_of_a_batch_that_releases_no_more_is_given_back(
    service: Service, *, is_known: bool
) -> None:
    path = make_batch(service, 2)
    service.run_batches()
    batch = path.rpartition("/")[2] if is_known else "bat_01J8Z6Y3K4M5N6P7Q8R9S0T1V2"
    workspace = service.operator.workspaces.get(service.workspace)
    assert workspace is not None
    # Of a function that was slow, and has lost its lease.
    service.operator.limits.reserve(Holder(f"{batch}-2", workspace, 7), service.clock.now())
    assert service.limits()["quota_left"] == INCLUDED - 2 - 7

    reconcile(service)

    assert holds(service) == {}
    assert (service.limits()["used"], service.limits()["quota_left"]) == (2, INCLUDED - 2)
    assert service.tick() == 0
