"""Samples: events that an endpoint gets on request."""

import json
from typing import Any

import pytest

from chalicelib.features.workspaces.change import WorkspaceChanges
from tests.builders.service import Service
from tests.builders.webhooks import ENDPOINTS_PATH, deliveries, make_endpoint
from tests.fakes.webhook_receiver import WebhookReceiver

TYPES = ("render.succeeded", "render.failed", "render.expired", "template.published")


@pytest.mark.parametrize("event", TYPES)
def test_sample_goes_out_whatever_the_filters_are(
    service: Service, receiver: WebhookReceiver, event: str
) -> None:
    endpoint = make_endpoint(
        service, receiver.url, events=["usage.threshold_reached"], template_ids=["tpl_1"]
    )
    path = f"{ENDPOINTS_PATH}/{endpoint['id']}/test"

    answers = [service.call("POST", path, json_body={"event": event}) for _ in range(2)]
    service.deliver_webhooks()

    assert [answer.status for answer in answers] == [202, 202]
    bodies = [json.loads(received.body) for received in receiver.received]
    assert {body["type"] for body in bodies} == {event}
    assert len({body["id"] for body in bodies}) == 2
    assert len({json.dumps(body["data"]) for body in bodies}) == 2
    assert {row["status"] for row in deliveries(service)} == {"succeeded"}
    assert {row["id"] for row in deliveries(service)} == {each.json["id"] for each in answers}


def sampled_render(service: Service, receiver: WebhookReceiver) -> dict[str, Any]:
    """Return the object of a sample as it arrives."""
    path = f"{ENDPOINTS_PATH}/{make_endpoint(service, receiver.url)['id']}/test"
    assert service.call("POST", path, json_body={"event": "render.succeeded"}).status == 202
    service.deliver_webhooks()
    render: dict[str, Any] = json.loads(receiver.received[-1].body)["data"]["object"]
    return render


def test_sample_names_one_object_by_one_id(service: Service, receiver: WebhookReceiver) -> None:
    render = sampled_render(service, receiver)

    (file,) = render["files"]
    assert render["input"]["template_id"] == render["template_id"]
    assert f"/{file['id']}/" in file["url"]


def test_sample_has_file_urls_as_the_workspace_wants(
    service: Service, receiver: WebhookReceiver
) -> None:
    members = sampled_render(service, receiver)["files"][0].keys()

    service.operator.change_workspace(service.workspace, WorkspaceChanges(webhook_file_urls=False))

    without = sampled_render(service, receiver)["files"][0].keys()
    assert members - without == {"url", "url_expires_at"}
    assert without < members


def test_paused_endpoint_gets_no_sample(service: Service, receiver: WebhookReceiver) -> None:
    endpoint = make_endpoint(service, receiver.url, enabled=False)

    path = f"{ENDPOINTS_PATH}/{endpoint['id']}/test"
    answer = service.call("POST", path, json_body={"event": "render.failed"})
    service.deliver_webhooks()

    assert (answer.status, answer.json["status"]) == (202, "canceled")
    assert receiver.received == []


@pytest.mark.parametrize(
    "event",
    ["usage.threshold_reached", "batch.completed", "render.canceled", "", "x" * 64, "x" * 65],
)
def test_event_without_a_sample_is_refused(service: Service, event: str) -> None:
    endpoint = make_endpoint(service, "https://example.com/")

    path = f"{ENDPOINTS_PATH}/{endpoint['id']}/test"
    answer = service.call("POST", path, json_body={"event": event})

    assert (answer.code, answer.pointers) == ("validation_error", ["/event"])
