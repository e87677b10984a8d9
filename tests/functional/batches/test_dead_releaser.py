"""A releaser that dies holds up its workspace no longer than its lease."""

from pathlib import Path

from chalicelib.core.crash_points import CrashPoint
from tests.builders.batches import batch_at, make_batch
from tests.builders.service import Service
from tests.fakes.mortal_functions import mortal_functions


def test_batch_goes_on_once_the_lease_of_a_dead_function_has_expired(
    service: Service, tmp_path: Path
) -> None:
    path = make_batch(service, 3)
    service.clock.advance(seconds=30)
    with mortal_functions(service, tmp_path) as functions:
        functions.run(service.release_batches, CrashPoint.BATCH_LEASED)
    service.clock.advance(seconds=31)
    # Its message comes while the lease still stands.
    service.tick()
    service.run_batches()
    assert batch_at(service, path)["pending"] == 3

    service.clock.advance(seconds=30)
    service.tick()
    service.run_batches()

    assert batch_at(service, path)["succeeded"] == 3
