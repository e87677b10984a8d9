"""Payloads of events: the object of the contract, built once, as bytes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, override

import pytest

from chalicelib.adapters.aws.table import Write
from chalicelib.bootstrap.event_types import EVENT_TYPES
from chalicelib.core.errors import RenderFailure
from chalicelib.features.events.model import EventDelivery, EventType, PublishEvent, Subscriber
from chalicelib.features.events.relay import OutboxRelay
from chalicelib.features.webhooks.subscribe import event_body
from tests.builders.batches import batch_at, make_batch
from tests.builders.service import Service

# The types of the contract that are published today, and those that stay inside.
PUBLIC = {
    "render.succeeded",
    "render.failed",
    "render.expired",
    "template.published",
    "usage.threshold_reached",
    "batch.progress",
    "batch.completed",
    "email.sent",
    "email.send_failed",
    "email.delivered",
    "email.bounced",
    "email.complained",
    "storage.upload_failed",
}
INTERNAL = {"webhook.step", "render.canceled", "render.purged"}


class Collector(Subscriber):
    """Subscriber that keeps its deliveries."""

    types = frozenset(PUBLIC | INTERNAL)

    def __init__(self) -> None:
        self.deliveries: list[EventDelivery] = []

    @override
    def writes(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, object]
    ) -> Sequence[Write]:
        self.deliveries += deliveries
        return ()


def published(service: Service, subject: str) -> list[EventDelivery]:
    """Publish the events of a subject; return their deliveries."""
    collector = Collector()
    relay = OutboxRelay(
        table=service.main_table,
        outbox=service.services.state.outbox,
        types=EVENT_TYPES,
        subscribers=[collector],
        queues=service.work_parts("relay").queue,
        region="eu",
        clock=service.clock,
    )
    rows = service.services.state.outbox.of_subject(subject)
    assert relay.publish([PublishEvent(row["PK"], row["SK"]) for row in rows]) == {}
    return collector.deliveries


def shape(value: Any) -> Any:
    """Return the names in a JSON value."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items()}
    return None


def payload_of(delivery: EventDelivery) -> dict[str, Any]:
    assert delivery.type.describe is not None
    shown = delivery.type.describe(delivery.event, delivery.subject_row)
    body = json.loads(json.dumps(event_body(delivery.event, shown, delivery.region)))
    assert body.keys() == {"id", "type", "created_at", "workspace_id", "region", "data"}
    assert (body["id"], body["region"]) == (delivery.event.id, "eu")
    payload: dict[str, Any] = body["data"]["object"]
    return payload


def test_registry_has_each_type_with_its_visibility() -> None:
    assert {each.name for each in EVENT_TYPES if each.is_public} == PUBLIC
    assert {each.name for each in EVENT_TYPES if not each.is_public} == INTERNAL


@pytest.mark.parametrize("event_type", [each for each in EVENT_TYPES if each.is_public])
def test_example_is_json_of_the_type(event_type: EventType) -> None:
    assert json.loads(json.dumps(event_type.example)) == event_type.example


@pytest.mark.parametrize("fails", [False, True])
def test_payload_of_a_final_render_is_the_render_without_addresses(
    service: Service, *, fails: bool
) -> None:
    def fail(_job: object) -> None:
        raise RenderFailure("template_runtime_error", "n is undefined")

    if fails:
        service.engine.before_run = fail
    render_id = service.render(mode="async").json["id"]
    service.run_queued()
    render = service.call("GET", f"/v1/renders/{render_id}").json
    for file in render["files"]:
        del file["url"], file["url_expires_at"]

    (delivery,) = published(service, f"WS#{service.workspace}#RND#{render_id}")

    # The emails are of the render alone, and where it is made is added with the addresses.
    del render["email"]
    assert payload_of(delivery) | {"region": "eu"} == render
    assert delivery.type.example.keys() == render.keys()
    assert delivery.type.example["status"] == render["status"]


def test_payload_of_an_expired_render_has_no_files(service: Service) -> None:
    render_id = service.render().json["id"]
    service.relay_events()
    service.clock.advance(days=400)
    service.tick()
    service.run_maintenance()

    deliveries = published(service, f"WS#{service.workspace}#RND#{render_id}")

    (expired,) = [each for each in deliveries if each.event.type == "render.expired"]
    payload = payload_of(expired)
    assert payload["files"] == expired.type.example["files"] == []
    assert payload["files_purged_at"]
    assert payload.keys() == expired.type.example.keys()


def test_payload_of_a_published_template_is_its_version(service: Service) -> None:
    template = service.call(
        "POST", "/v1/templates", json_body={"name": "Invoice", "html": "<p>", "publish": True}
    ).json
    version = service.call("GET", f"/v1/templates/{template['id']}/versions").json["data"][0]

    (delivery,) = published(service, f"WS#{service.workspace}#TPL#{template['id']}")

    assert payload_of(delivery) == version | {"name": "Invoice"}
    assert shape(delivery.type.example) == shape(payload_of(delivery))


def test_payload_of_a_threshold_is_that_of_its_example(service: Service) -> None:
    item = service.operator.limits.get(service.workspace)
    almost = {"used": item["included"] // 2 - 1}
    service.main_table.write(Write(service.main_table, item=item | almost))
    service.render()
    service.relay_events()
    service.run_maintenance()

    (delivery,) = published(service, f"WS#{service.workspace}")

    assert shape(payload_of(delivery)) == shape(delivery.type.example)
    assert payload_of(delivery)["threshold_percent"] == 50


def test_payload_of_a_batch_is_the_batch_as_it_was(service: Service) -> None:
    path = make_batch(service, 2, metadata={"run": "january"}, reference="2026-01")
    service.release_batches()
    service.run_queued("BatchItems")
    service.relay_events()
    service.release_batches()
    completed = batch_at(service, path)

    deliveries = published(service, f"WS#{service.workspace}#BAT#{completed['id']}")

    by_type = {each.event.type: each for each in deliveries}
    assert by_type.keys() == {"batch.progress", "batch.completed"}
    assert payload_of(by_type["batch.completed"]) == completed
    assert payload_of(by_type["batch.progress"]) == completed | {
        "status": "processing",
        "completed_at": None,
    }
    for delivery in deliveries:
        assert shape(payload_of(delivery)).keys() == shape(delivery.type.example).keys()
