"""Items that fail, their neighbours, and the retry of failed items."""

from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from tests.builders.batches import (
    batch_at,
    batch_events,
    cancel_batch,
    counts_of,
    fail_items,
    items_at,
    make_batch,
    published_template,
    statuses_at,
)
from tests.builders.openapi import api_document, validator
from tests.builders.service import Service

SCHEMA = {
    "type": "object",
    "required": ["n"],
    "properties": {"n": {"type": "integer"}, "lines": {"type": "array", "maxItems": 1}},
}


def retry(service: Service, path: str, **more: Any) -> Any:
    return service.call("POST", f"{path}/retry-failed", **more)


def test_failed_item_leaves_its_neighbours_right(service: Service) -> None:
    def fail(job: Any) -> None:
        if job.data["n"] == 2:
            raise RenderFailure("template_runtime_error", "n is undefined")

    service.engine.before_run = fail
    path = make_batch(service, 5)
    service.run_batches()

    batch, items = batch_at(service, path), items_at(service, path)

    assert (batch["status"], batch["error"], batch["progress"]) == ("completed", None, 1)
    assert counts_of(batch) == (4, 1, 0, 0)
    assert [item["status"] for item in items] == ["succeeded"] * 2 + ["failed"] + ["succeeded"] * 2
    assert [item["error"] for item in items if item["index"] != 2] == [None] * 4
    error = items[2]["error"]
    assert (error["code"], "n is undefined" in error["message"]) == ("template_runtime_error", True)
    render = service.call("GET", f"/v1/renders/{items[2]['render_id']}").json
    assert (render["status"], render["error"]["code"]) == ("failed", "template_runtime_error")
    listed = service.call("GET", f"{path}/items").json
    validator(api_document()["components"]["schemas"]["BatchItemList"]).validate(listed)


def test_data_against_the_schema_fail_with_their_pointer(service: Service) -> None:
    template_id = published_template(service, schema=SCHEMA)
    path = make_batch(
        service,
        [
            {"data": {"n": 0}},
            {"data": {"n": "one"}},
            {},
            {"data": {"n": 3, "lines": [1, 2]}},
            {"data": {"n": 4, "lines": [1]}},
        ],
        template_id=template_id,
    )
    service.run_batches()

    items = items_at(service, path)

    assert statuses_at(service, path) == ["succeeded", "failed", "failed", "failed", "succeeded"]
    assert [item["error"]["code"] for item in items[1:4]] == ["data_schema_mismatch"] * 3
    pointers = [[each["path"] for each in item["error"]["errors"]] for item in items[1:4]]
    assert pointers == [["/items/1/data/n"], ["/items/2/data"], ["/items/3/data/lines"]]


def test_lost_function_is_the_failure_of_its_item(service: Service) -> None:
    path = make_batch(service, 2)
    service.release_batches()
    service.run_batch("BatchItems", lambda _lost: {"batchItemFailures": []})
    service.clock.advance(days=2)
    for _ in range(3):
        service.process_due()

    assert batch_at(service, path)["status"] == "completed"
    codes = [item["error"]["code"] for item in items_at(service, path)]
    assert codes == ["render_lost"] * 2


def test_item_whose_message_was_lost_is_sent_again(service: Service) -> None:
    path = make_batch(service, 2)
    service.release_batches()
    service.run_batch("BatchItems", lambda _lost: {"batchItemFailures": []})
    service.clock.advance(minutes=5)
    service.tick()
    service.run_maintenance()
    assert service.waiting("Renders") == 0

    service.run_batches()

    assert counts_of(batch_at(service, path)) == (2, 0, 0, 0)


def test_retry_renders_the_failed_items_again(service: Service) -> None:
    fail_items(service, {1, 3})
    path = make_batch(service, 5)
    service.run_batches()
    before = items_at(service, path)
    service.clock.advance(minutes=1)
    fail_items(service, {3})

    answer = retry(service, path)

    assert answer.status == 202
    again = answer.json
    assert (again["status"], again["completed_at"]) == ("processing", None)
    assert (counts_of(again), again["progress"]) == ((3, 0, 0, 2), 0.6)
    pending = items_at(service, path)[1]
    assert pending["status"] == "pending"
    assert (pending["render_id"], pending["previous_render_id"], pending["error"]) == (
        None,
        before[1]["render_id"],
        None,
    )

    service.run_batches()

    batch, after = batch_at(service, path), items_at(service, path)
    assert (batch["status"], counts_of(batch)) == ("completed", (4, 1, 0, 0))
    assert batch["completed_at"] == "2026-11-21T12:01:00.000Z"
    for index in (1, 3):
        assert after[index]["render_id"] not in {None, before[index]["render_id"]}
        assert after[index]["previous_render_id"] == before[index]["render_id"]
    assert (after[1]["status"], after[1]["error"]) == ("succeeded", None)
    assert after[3]["error"]["previous_render_id"] == before[3]["render_id"]
    assert [after[index] for index in (0, 2, 4)] == [before[index] for index in (0, 2, 4)]
    types = [row["type"] for row in batch_events(service, path)]
    assert types.count("batch.completed") == 2


def test_failed_items_can_be_retried_until_all_succeed(service: Service) -> None:
    template_id = published_template(service)
    path = make_batch(service, 3, template_id=template_id)
    for failing in ({0, 1, 2}, {0, 1}, {0}, set[int]()):
        fail_items(service, failing)
        service.run_batches()
        assert counts_of(batch_at(service, path)) == (3 - len(failing), len(failing), 0, 0)
        assert (retry(service, path).status == 202) == bool(failing)

    assert len(service.engine.jobs) == 3 + 3 + 2 + 1
    assert service.limits()["used"] == 3


def test_retry_of_a_batch_that_runs_is_a_conflict(service: Service) -> None:
    fail_items(service, {0})
    path = make_batch(service, 2)
    assert retry(service, path).code == "conflict"
    service.run_batches()
    assert retry(service, path).status == 202

    answer = retry(service, path)

    assert (answer.status, answer.code) == (409, "conflict")
    assert "processing" in answer.json["detail"]


def test_retry_of_a_canceled_batch_is_a_conflict(service: Service) -> None:
    path = make_batch(service, 2)
    cancel_batch(service, path, service.run_batches)

    answer = retry(service, path)

    assert (answer.status, answer.code) == (409, "conflict")
    assert "canceled" in answer.json["detail"]


def test_retry_without_failed_items_is_a_conflict(service: Service) -> None:
    path = make_batch(service, 2)
    service.run_batches()

    answer = retry(service, path)

    assert (answer.status, answer.code) == (409, "conflict")
    assert batch_at(service, path)["status"] == "completed"


@pytest.mark.parametrize(("mode", "kept"), [("live", {"days": 30}), ("test", {"hours": 24})])
def test_failed_items_can_be_retried_while_their_data_are_kept(
    service: Service, mode: str, kept: dict[str, float]
) -> None:
    key = service.live if mode == "live" else service.test
    fail_items(service, {0})
    path, other = (make_batch(service, key=key) for _ in range(2))
    service.run_batches()
    service.clock.advance(**kept)
    service.clock.advance(seconds=-1)
    assert retry(service, other).status == 202
    service.clock.advance(seconds=1)

    answer = retry(service, path)

    assert (answer.status, answer.code) == (409, "conflict")
