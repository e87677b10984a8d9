"""Retries of batches whose owner has canceled single items."""

from typing import cast

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import EngineJob, PageJob
from tests.builders.batches import batch_at, counts_of, items_at, make_batch
from tests.builders.service import Service


def test_canceled_item_stays_so_after_a_retry_of_the_failed_ones(service: Service) -> None:
    def fail_first(job: EngineJob) -> None:
        data = cast("PageJob", job).data
        if data is not None and data["n"] == 0:
            raise RenderFailure("template_runtime_error", "fails")

    service.engine.before_run = fail_first
    path = make_batch(service, 10)
    assert service.release_batches() == []
    render = items_at(service, path)[1]["render_id"]
    assert service.call("POST", f"/v1/renders/{render}/cancel").status == 200
    service.run_batches()
    assert counts_of(batch_at(service, path)) == (8, 1, 1, 0)
    service.engine.before_run = lambda _job: None

    retried = service.call("POST", f"{path}/retry-failed")

    assert counts_of(retried.json) == (8, 0, 1, 1)
    service.run_batches()
    batch = batch_at(service, path)
    assert (batch["status"], counts_of(batch)) == ("completed", (9, 0, 1, 0))
