"""Holds of a batch's steps: none is left once it has ended."""

from tests.builders.batches import batch_at, make_batch
from tests.builders.service import Service


def test_ended_batch_leaves_no_hold(service: Service) -> None:
    path = make_batch(service, 2)

    service.run_batches()

    assert batch_at(service, path)["succeeded"] == 2
    assert service.operator.limits.get(service.workspace)["holds"] == {}
