"""Events of batches: steps, pause and end, each once, and the webhooks that carry them."""

import json
from collections.abc import Iterator
from copy import replace
from typing import Any

import pytest

from chalicelib.core.ids import FileId
from chalicelib.features.batches.model import CombinedFile
from chalicelib.features.webhooks.subscribe import MAX_OF_STEP
from chalicelib.features.workspaces.change import WorkspaceChanges
from chalicelib.features.workspaces.plans import PLANS
from tests.builders.batches import (
    BATCHES_PATH,
    batch_at,
    batch_events,
    cancel_batch,
    fail_items,
    make_batch,
    published_template,
    stored_batch,
)
from tests.builders.service import Service
from tests.builders.webhooks import deliver, deliveries, make_endpoint, receiver_of
from tests.fakes.webhook_receiver import WebhookReceiver

BOTH = ["batch.progress", "batch.completed"]


@pytest.fixture
def receiver(service: Service) -> Iterator[WebhookReceiver]:
    """Run a receiver that the service may send to; each delivery is verified at the end."""
    with receiver_of(service) as running:
        yield running


def progress_shown(service: Service, path: str) -> list[int]:
    """Return the ended items that the events of progress carry."""
    return [
        sum(row["detail"][name] for name in ("succeeded", "failed", "canceled"))
        for row in batch_events(service, path)
        if row["type"] == "batch.progress"
    ]


def run_and_deliver(service: Service) -> None:
    service.run_batches()
    for _ in range(4):
        service.deliver_webhooks()


def bodies(receiver: WebhookReceiver, path: str = "/hook") -> list[dict[str, Any]]:
    received = [each for each in receiver.received if each.path == path]
    return sorted((json.loads(each.body) for each in received), key=lambda body: body["id"][:14])


@pytest.mark.parametrize("items", [10, 23])
def test_each_tenth_of_a_larger_batch_has_one_event(service: Service, items: int) -> None:
    path = make_batch(service, items)

    service.run_batches(lambda: service.clock.advance(seconds=1))

    events = batch_events(service, path)
    types = [row["type"] for row in events]
    assert types == ["batch.progress"] * 10 + ["batch.completed"]
    assert progress_shown(service, path)[-1] == items
    assert sorted(progress_shown(service, path)) == progress_shown(service, path)
    assert all(row.get("published_at") for row in events)


def test_small_batch_has_one_event_for_each_advance(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PLANS, "scale", PLANS["scale"]._replace(bulk_concurrency=1))
    path = make_batch(service, 3)

    service.run_batches(lambda: service.clock.advance(seconds=1))

    assert progress_shown(service, path) == [1, 2, 3]


def test_items_that_end_together_are_one_advance(service: Service) -> None:
    path = make_batch(service, 3)

    service.run_batches()

    assert progress_shown(service, path) == [3]


def test_retry_reports_its_own_advances(service: Service) -> None:
    fail_items(service, {0, 1})
    path = make_batch(service, 4)
    service.run_batches()
    fail_items(service, set())
    service.clock.advance(minutes=1)
    service.call("POST", f"{path}/retry-failed")

    service.run_batches()

    assert progress_shown(service, path) == [4, 4]
    ended = [row for row in batch_events(service, path) if row["type"] == "batch.completed"]
    assert [row["detail"]["failed"] for row in ended] == [2, 0]
    assert len({row["SK"] for row in batch_events(service, path)}) == 4


def test_endpoint_gets_the_batch_and_nothing_of_its_renders(
    service: Service, receiver: WebhookReceiver
) -> None:
    template_id = published_template(service)
    make_endpoint(service, receiver.url)
    fail_items(service, {1})
    path = make_batch(service, 2, template_id=template_id, metadata={"a": 1})

    run_and_deliver(service)

    sent = [body for body in bodies(receiver) if body["type"] != "template.published"]
    assert sorted(body["type"] for body in sent) == sorted(BOTH)
    by_type = {body["type"]: body["data"]["object"] for body in sent}
    assert by_type["batch.completed"] == batch_at(service, path)
    progress = by_type["batch.progress"]
    assert (progress["status"], progress["progress"], progress["completed_at"]) == (
        "processing",
        1,
        None,
    )


def test_endpoint_of_a_template_gets_its_batches(
    service: Service, receiver: WebhookReceiver
) -> None:
    mine, other = published_template(service), published_template(service)
    make_endpoint(service, receiver.url, template_ids=[mine], events=["batch.completed"])
    make_batch(service, template_id=other)
    path = make_batch(service, template_id=mine)

    run_and_deliver(service)

    (body,) = bodies(receiver)
    assert f"{BATCHES_PATH}/{body['data']['object']['id']}" == path


@pytest.mark.parametrize("events", [None, ["batch.completed"], ["batch.progress"]])
def test_webhook_of_the_request_gets_the_chosen_events(
    service: Service, receiver: WebhookReceiver, events: list[str] | None
) -> None:
    chosen = {} if events is None else {"events": events}
    path = make_batch(service, 3, webhook={"url": f"{receiver.url}/own", **chosen})
    make_batch(service)

    run_and_deliver(service)

    sent = bodies(receiver, "/hook/own")
    assert sorted(body["type"] for body in sent) == sorted(events or BOTH)
    assert {f"{BATCHES_PATH}/{body['data']['object']['id']}" for body in sent} == {path}
    assert {each["endpoint_id"] for each in deliveries(service)} == {None}


def test_events_of_a_test_batch_are_marked(service: Service, receiver: WebhookReceiver) -> None:
    make_batch(service, key=service.test, webhook={"url": receiver.url})

    run_and_deliver(service)

    assert [body["data"]["object"]["test"] for body in bodies(receiver)] == [True, True]


def test_canceled_batch_has_its_end_only(service: Service, receiver: WebhookReceiver) -> None:
    path = make_batch(service, 3, webhook={"url": receiver.url})
    cancel_batch(service, path, service.run_batches)

    run_and_deliver(service)

    (body,) = bodies(receiver)
    assert (body["type"], body["data"]["object"]) == ("batch.completed", batch_at(service, path))


def test_event_reaches_more_endpoints_than_one_step_writes(
    service: Service, receiver: WebhookReceiver
) -> None:
    template_id = published_template(service)
    for _ in range(MAX_OF_STEP + 1):
        make_endpoint(service, receiver.url, enabled=False)
    make_endpoint(service, receiver.url, events=["batch.completed"])
    for endpoint in service.call("GET", "/v1/webhook-endpoints?limit=100").json["data"]:
        if not endpoint["enabled"]:
            service.call(
                "PATCH",
                f"/v1/webhook-endpoints/{endpoint['id']}",
                json_body={"enabled": True, "events": ["batch.completed"]},
            )
    make_batch(service, template_id=template_id)

    service.run_batches()

    listed = service.call("GET", "/v1/webhook-deliveries?limit=100").json["data"]
    assert len(listed) == MAX_OF_STEP + 2


@pytest.mark.parametrize("shows_urls", [True, False])
def test_completed_event_has_the_combined_files(
    service: Service, receiver: WebhookReceiver, *, shows_urls: bool
) -> None:
    service.operator.change_workspace(
        service.workspace, WorkspaceChanges(webhook_file_urls=shows_urls)
    )
    path = make_batch(service, webhook={"url": receiver.url})
    service.release_batches()
    service.run_queued("BatchItems")
    service.relay_events()
    service.release_batches()
    batch = stored_batch(service, path)
    file = CombinedFile(
        kind="zip",
        file_id=FileId("file_" + "0" * 26),
        filename="batch.zip",
        content_type="application/zip",
        bytes=22,
        pages=None,
        expires_at="2026-12-21T12:00:00.000Z",
        key="ws/zip",
    )
    stores = service.services.state.batch_stores
    stores.table.write(stores.batches.change(batch, replace(batch, files=(file,))))

    deliver(service)

    files = {body["type"]: body["data"]["object"]["files"] for body in bodies(receiver)}
    (shown,) = batch_at(service, path)["files"]
    if not shows_urls:
        del shown["url"], shown["url_expires_at"]
    assert files == {"batch.progress": [], "batch.completed": [shown]}
