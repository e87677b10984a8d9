"""Cancellation of batches, alone and while items end."""

import pytest

from tests.builders.batches import (
    ChangePlan,
    batch_at,
    batch_events,
    cancel_batch,
    counts_of,
    items_at,
    make_batch,
    published_template,
    statuses_at,
)
from tests.builders.service import Service


def test_pending_and_queued_items_are_canceled(service: Service, change_plan: ChangePlan) -> None:
    change_plan(bulk_concurrency=2)
    path = make_batch(service, 5, template_id=published_template(service))
    service.release_batches()
    queued = [item["render_id"] for item in items_at(service, path) if item["render_id"]]
    assert len(queued) == 2

    answer = cancel_batch(service, path, service.run_batches)

    batch = answer.json
    assert (answer.status, batch["status"], counts_of(batch)) == (200, "canceled", (0, 0, 5, 0))
    assert batch["completed_at"] is not None
    assert statuses_at(service, path) == ["canceled"] * 5
    for render_id in queued:
        assert service.call("GET", f"/v1/renders/{render_id}").json["status"] == "canceled"
    assert service.engine.jobs == []
    limits = service.limits()
    assert (limits["used"], limits["quota_left"]) == (0, 250_000)


def test_batch_that_has_released_nothing_is_canceled(service: Service) -> None:
    path = make_batch(service, 3)

    batch = cancel_batch(service, path, service.run_batches).json

    assert (batch["status"], counts_of(batch)) == ("canceled", (0, 0, 3, 0))
    assert [row["type"] for row in batch_events(service, path)] == ["batch.completed"]
    service.run_batches()
    assert service.engine.jobs == []


def test_items_in_flight_finish_before_the_batch_is_canceled(
    service: Service, change_plan: ChangePlan
) -> None:
    change_plan(bulk_concurrency=1)
    path = make_batch(service, 4, template_id=published_template(service))
    service.release_batches()
    shown = []

    def cancel_once(_job: object) -> None:
        service.engine.before_run = lambda _job: None
        shown.append(cancel_batch(service, path, service.release_batches).json)

    service.engine.before_run = cancel_once
    service.run_queued("BatchItems")
    service.run_batches()

    # The request has waited for five seconds, and the item was still being rendered.
    (first,) = shown
    assert (first["status"], first["completed_at"]) == ("processing", None)
    batch = batch_at(service, path)
    assert (batch["status"], counts_of(batch)) == ("canceled", (1, 0, 3, 0))
    assert statuses_at(service, path).count("succeeded") == 1
    assert service.limits()["used"] == 1


def test_nothing_ends_after_the_batch(service: Service, change_plan: ChangePlan) -> None:
    change_plan(bulk_concurrency=2)
    path = make_batch(service, 4, template_id=published_template(service))
    service.release_batches()
    cancel_batch(service, path, service.run_batches)
    before = batch_at(service, path), items_at(service, path)

    service.services.batches.wake(service.workspace)
    service.run_batches()
    for _ in range(2):
        service.clock.advance(minutes=5)
        service.process_due()

    assert (batch_at(service, path), items_at(service, path)) == before


@pytest.mark.parametrize("ending", ["completed", "canceled"])
def test_final_batch_is_a_conflict(service: Service, ending: str) -> None:
    path = make_batch(service, 2)
    if ending == "canceled":
        cancel_batch(service, path, service.run_batches)
    service.run_batches()
    before = batch_at(service, path)
    assert before["status"] == ending

    answer = cancel_batch(service, path)

    assert (answer.status, answer.code) == (409, "conflict")
    assert ending in answer.json["detail"]
    assert batch_at(service, path) == before


def test_cancellation_before_the_end_is_seen_cancels(service: Service) -> None:
    path = make_batch(service, 2)
    service.release_batches()
    service.run_queued("BatchItems")
    service.relay_events()

    # All items have ended, and the releaser has not looked at the batch since.
    batch = cancel_batch(service, path, service.run_batches).json

    assert (batch["status"], counts_of(batch)) == ("canceled", (2, 0, 0, 0))


def test_two_cancellations_at_once_are_one(service: Service) -> None:
    path = make_batch(service, 3)
    answers = []

    def cancel_again() -> None:
        if batch_at(service, path)["status"] == "queued":
            answers.append(cancel_batch(service, path, service.run_batches))

    answers.append(cancel_batch(service, path, cancel_again))

    second, first = answers
    assert (first.status, second.status) == (200, 200)
    assert first.json == second.json
    assert counts_of(first.json) == (0, 0, 3, 0)
    assert [row["type"] for row in batch_events(service, path)] == ["batch.completed"]


def test_other_batches_go_on(service: Service) -> None:
    template_id = published_template(service)
    canceled, other = (make_batch(service, 3, template_id=template_id) for _ in range(2))

    cancel_batch(service, canceled, service.run_batches)
    service.run_batches()

    assert counts_of(batch_at(service, other)) == (3, 0, 0, 0)
