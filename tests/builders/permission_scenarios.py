"""What templates, uploads, validators and the engine make the functions do on AWS."""

import json

from chalicelib.core.clock import format_rfc3339
from chalicelib.core.ids import derived_id
from chalicelib.engine.remote.calls import MAX_INLINE_RESULT_BYTES
from chalicelib.features.events.model import DomainEvent, PublishEvent
from chalicelib.features.webhooks.subscribe import MAX_OF_STEP
from tests.builders.service import Service
from tests.builders.templates import LARGE_HTML, make_template, put_draft, render_template
from tests.builders.uploads import store_announced
from tests.builders.validation_results import fake_large_documents
from tests.builders.webhooks import (
    DELIVERIES_PATH,
    ENDPOINTS_PATH,
    deliver,
    deliveries,
    make_endpoint,
)
from tests.fakes.webhook_receiver import WebhookReceiver


def validated_documents(service: Service) -> None:
    with fake_large_documents(service):
        assert service.render(output={"pdf": {"pdfa": "3b"}}).status == 200


def uploads_used_by_a_render(service: Service) -> None:
    announced = {"filename": "a.html", "content_type": "text/html", "bytes": 4}
    upload = service.call("POST", "/v1/uploads", json_body=announced).json
    store_announced(service, upload["id"], b"<p>x")
    wanted = {"type": "html", "upload_id": upload["id"], "templating": True}
    assert service.render(input=wanted).status == 200
    assert service.call("DELETE", f"/v1/uploads/{upload['id']}").status == 204


def templates_of_every_size(service: Service) -> None:
    for html in ("<p>", LARGE_HTML):
        path = make_template(service, html=html, schema={"type": "object"}, publish=True)
        assert put_draft(service, path, html=html + "2").status == 200
        assert put_draft(service, path, html=html + "3").status == 200
        assert service.call("GET", f"{path}/draft").status == 200
        assert service.call("GET", f"{path}/versions").status == 200
        assert render_template(service, path).status == 200
        dataset = service.call("POST", f"{path}/datasets", json_body={"name": "A", "data": {}})
        place = f"{path}/datasets/{dataset.json['id']}"
        assert service.call("DELETE", place).status == 204
        assert service.call("DELETE", path).status == 200
    service.clock.advance(days=30)
    service.process_due()
    assert service.call("GET", "/v1/templates?deleted=true").json["data"] == []


def webhooks_of_every_size(service: Service, receiver: WebhookReceiver) -> None:
    receiver.statuses = [500]
    endpoint = make_endpoint(service, receiver.url)
    path = f"{ENDPOINTS_PATH}/{endpoint['id']}"
    assert service.call("POST", f"{path}/roll-secret").status == 200
    assert service.call("PATCH", path, json_body={"description": "x"}).status == 200
    for metadata in ({}, {f"k{n}": "x" * 490 for n in range(40)}, {}):
        assert service.render(metadata=metadata).status == 200
        deliver(service)
    shown = deliveries(service, f"?endpoint_id={endpoint['id']}")
    assert {row["status"] for row in shown} == {"succeeded", "retrying"}
    assert service.call("POST", f"{DELIVERIES_PATH}/{shown[-1]['id']}/replay").status == 202
    service.process_due()
    assert service.call("DELETE", path).status == 204
    service.clock.advance(days=31)
    for _ in range(3):
        service.process_due()
    assert deliveries(service) == []


def webhooks_of_requests_and_of_many_endpoints(service: Service, receiver: WebhookReceiver) -> None:
    """Show the secret of requests, and let more endpoints hear an event than one step writes."""
    assert service.render(webhook={"url": receiver.url}).status == 200
    assert service.call("GET", f"{ENDPOINTS_PATH}/default-secret").status == 200
    deliver(service)
    endpoints = [
        make_endpoint(service, receiver.url, enabled=False) for _ in range(MAX_OF_STEP + 1)
    ]
    assert service.render(webhook={"url": receiver.url}).status == 200
    make_template(service, publish=True)
    publish_threshold(service)
    service.process_queues()
    for endpoint in endpoints:
        assert service.call("DELETE", f"{ENDPOINTS_PATH}/{endpoint['id']}").status == 204
    service.clock.advance(days=31)
    for _ in range(3):
        service.process_due()


def publish_threshold(service: Service) -> None:
    """Publish the event of a usage threshold."""
    now = service.clock.now()
    event = DomainEvent(
        id=derived_id("evt", now, service.workspace),
        type="usage.threshold_reached",
        workspace_id=service.workspace,
        subject=f"WS#{service.workspace}",
        request_id="threshold-50",
        created_at=format_rfc3339(now),
    )
    assert service.services.state.outbox.create(event)
    service.send("Events", json.dumps(PublishEvent.of_event(event, settled=True).to_json()))


def large_engine_calls(service: Service) -> None:
    """Let calls of the engine exceed an invocation: a result, and a job that is only linted."""
    small = service.engine.content
    service.engine.content = b"%PDF-" + b"x" * MAX_INLINE_RESULT_BYTES
    assert service.render().status == 200
    service.engine.content = small
    # These numbers grow when serialized and exceed the limit of an invocation.
    numbers = ",".join(["1e15"] * 700_000)
    wanted = '{"input":{"type":"html","html":"{{ n }}","templating":true},"data":{"n":['
    body = f"{wanted}{numbers}]}}}}".encode()
    assert service.call("POST", "/v1/renders/preflight", body=body).status == 200
    path = make_template(service, html="<p>{{ n }}</p>")
    dataset = {"name": "A", "data": {"n": 1}}
    assert service.call("POST", f"{path}/datasets", json_body=dataset).status == 201
    assert service.call("POST", f"{path}/publish").status == 201
    service.process_due()
