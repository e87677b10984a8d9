"""Webhooks as they arrive are those of the reference: headers, body and example."""

import json
from typing import Any

import pytest

from chalicelib.adapters.aws.table import Write
from chalicelib.bootstrap.event_types import EVENT_TYPES
from chalicelib.core.errors import RenderFailure
from tests.builders.batches import make_batch
from tests.builders.email_sends import connect, deliver_emails, render_with_emails
from tests.builders.http_providers import reach
from tests.builders.openapi import validator, webhook, webhook_body
from tests.builders.provider_events import event, register, report, sent_email
from tests.builders.service import Service
from tests.builders.storage_uploads import make_destination, render_to, upload
from tests.builders.templates import make_template
from tests.builders.webhooks import deliver, make_endpoint
from tests.fakes.email_provider import REJECTED, FakeProvider
from tests.fakes.http_provider import http_provider
from tests.fakes.store import DENIED, FakeStore
from tests.fakes.webhook_receiver import ReceivedWebhook, WebhookReceiver

# What Brevo reports for an event.
REPORTED = {
    "email.delivered": "delivered",
    "email.bounced": "hard_bounce",
    "email.complained": "spam",
}
SENT = [each.name for each in EVENT_TYPES if each.is_public]


def provoke(service: Service, event_type: str) -> None:  # noqa: C901 -- a case for each
    """Do what an event of a type tells of."""

    def fail(_job: object) -> None:
        raise RenderFailure("template_runtime_error", "n is undefined")

    match event_type:
        case "render.failed":
            service.engine.before_run = fail
            service.render()
        case "template.published":
            make_template(service, publish=True)
        case "usage.threshold_reached":
            reach_threshold(service)
        case "batch.progress" | "batch.completed":
            make_batch(service)
            service.run_batches()
        case "email.sent" | "email.send_failed":
            send_email(service, event_type)
        case "storage.upload_failed":
            fail_upload(service)
        case name if name in REPORTED:
            report_email(service, REPORTED[name])
        case _:
            service.render()
    if event_type == "render.expired":
        service.relay_events()
        service.clock.advance(days=400)
        service.tick()
        service.run_maintenance()


def reach_threshold(service: Service) -> None:
    item = service.operator.limits.get(service.workspace)
    almost = {"used": item["included"] // 2 - 1}
    service.main_table.write(Write(service.main_table, item=item | almost))
    service.render()
    service.relay_events()
    service.run_maintenance()


def fail_upload(service: Service) -> None:
    store = FakeStore()
    store.failures["write"] = DENIED
    service.stores = store.openers
    render_to(service, make_destination(service))
    upload(service)


def send_email(service: Service, event_type: str) -> None:
    provider = FakeProvider(*([REJECTED] if event_type == "email.send_failed" else []))
    render_with_emails(service, connect(service))
    deliver_emails(service, provider)


def report_email(service: Service, kind: str) -> None:
    with http_provider() as provider:
        allowed = f"{service.settings.egress_allow},{provider.server.egress_allow}"
        reach(service, provider, allowed)
        connection, path = register(service, provider)
        sent_email(service, provider, connection)
    assert report(service, path, event(kind)).status == 204


def received(service: Service, receiver: WebhookReceiver, event_type: str) -> ReceivedWebhook:
    make_endpoint(service, receiver.url, events=[event_type])
    provoke(service, event_type)
    deliver(service)
    (only,) = receiver.received
    return only


def names_in_files(value: Any) -> Any:
    """Return the names of what an object has in its files."""
    return [file.keys() for file in value.get("files", ())]


@pytest.mark.parametrize("event_type", SENT)
def test_webhook_is_the_one_of_the_reference(
    service: Service, receiver: WebhookReceiver, event_type: str
) -> None:
    request = received(service, receiver, event_type)
    body = json.loads(request.body)

    described = webhook_body(event_type)
    validator(described["schema"]).validate(body)
    for parameter in webhook(event_type)["parameters"]:
        validator(parameter["schema"]).validate(request.headers[parameter["name"]])
    example = described["example"]
    assert body.keys() == example.keys()
    sent, shown = body["data"]["object"], example["data"]["object"]
    assert sent.keys() == shown.keys()
    # The batch of the example has a combined file.
    if event_type != "batch.completed":
        assert names_in_files(sent) == names_in_files(shown)
