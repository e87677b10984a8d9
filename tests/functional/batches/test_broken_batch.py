"""A batch that cannot go on: the others of its workspace do."""

import pytest

from tests.builders.batches import batch_at, make_batch, statuses_at, stored_batch
from tests.builders.service import Service


def test_batch_without_its_template_holds_up_no_other(service: Service) -> None:
    broken = make_batch(service, 2)
    (template,) = (key for key in service.objects() if key.endswith("/template"))
    service.services.state.objects.delete(template)
    other = make_batch(service, 2)

    failed = service.release_batches()

    assert failed
    assert statuses_at(service, other) == ["queued", "queued"]
    assert batch_at(service, broken)["status"] == "queued"


def test_batch_whose_counters_are_wrong_stays_open_and_is_measured(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    miscounted = make_batch(service, 2)
    service.release_batches()
    batch = stored_batch(service, miscounted)
    state = service.services.state
    # A failure is counted in the place of a success.
    swap = {"failed": 1, "succeeded": -1}
    state.main_table.write(state.batch_stores.batches.increment(batch.key, batch.run, swap, 0))

    service.run_batches()

    assert batch_at(service, miscounted)["status"] == "processing"
    assert '"MiscountedBatches"' in capsys.readouterr().out
