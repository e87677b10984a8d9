"""Calls to AWS for templates, uploads, validators and the engine."""

import datetime as dt
import json

import pytest

from chalicelib.core.clock import epoch_ms, format_rfc3339
from chalicelib.core.ids import derived_id
from chalicelib.engine.remote.calls import MAX_INLINE_RESULT_BYTES
from chalicelib.features.batches.combine import combine_batch
from chalicelib.features.events.model import DomainEvent, PublishEvent
from chalicelib.features.webhooks.subscribe import MAX_OF_STEP
from tests.builders.batches import (
    batch_at,
    cancel_batch,
    fail_items,
    keep_limits,
    make_batch,
    published_template,
)
from tests.builders.examples.documents import text_pdf
from tests.builders.pages.merging import item as merged_item
from tests.builders.pdfs.requests import tool_request
from tests.builders.service import Service
from tests.builders.signed_links import LINKS_PATH, fetch, make_link, sign, signed_url
from tests.builders.templates import LARGE_HTML, make_template, put_draft, render_template
from tests.builders.uploads import announce_upload, post_upload, store_announced
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


def uploads_and_files_used_by_renders(service: Service) -> None:
    announced = {"filename": "a.html", "content_type": "text/html", "bytes": 4}
    upload = service.call("POST", "/v1/uploads", json_body=announced).json
    store_announced(service, upload["id"], b"<p>x")
    wanted = {"type": "html", "upload_id": upload["id"], "templating": True}
    assert service.render(input=wanted).status == 200
    assert service.call("DELETE", f"/v1/uploads/{upload['id']}").status == 204
    made = service.call("POST", "/v1/pdf-tools/rotate", json_body=tool_request("rotate")).json
    body = tool_request("watermark", source={"file_id": made["files"][0]["id"]})
    assert service.call("POST", "/v1/pdf-tools/watermark", json_body=body).status == 200


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
    _compared_versions(service)


def _compared_versions(service: Service) -> None:
    usual = service.engine.content
    service.engine.content, service.engine.page_count = text_pdf("Total"), 1
    path = make_template(service, publish=True)
    answer = service.call("POST", f"{path}/compare", json_body={"from": 1, "to": "live"})
    assert answer.status == 200, answer.body
    service.engine.content, service.engine.page_count = usual, 2


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
    make_batch(service, webhook={"url": receiver.url})
    service.run_batches()
    publish_threshold(service)
    service.process_queues()
    for endpoint in endpoints:
        assert service.call("DELETE", f"{ENDPOINTS_PATH}/{endpoint['id']}").status == 204
    service.clock.advance(days=31)
    for _ in range(3):
        service.process_due()
    while service.waiting("WebhooksSlow"):
        service.deliver_webhooks()


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


def links_of_every_kind(service: Service) -> None:
    """Make links, sign and fetch their URLs, let one fail, and delete them."""
    link = make_link(service)
    path = f"{LINKS_PATH}/{link['id']}"
    assert service.call("PATCH", path, json_body={"name": "B"}).status == 200
    assert service.call("GET", LINKS_PATH).status == 200
    for _ in range(2):
        assert fetch(service, signed_url(service, link).json["url"]).status == 200
    pages, service.engine.page_count = service.engine.page_count, 5_000
    assert fetch(service, sign(link, "a.pdf")).code == "page_limit_exceeded"
    service.engine.page_count = pages
    service.process_queues()
    assert service.call("DELETE", path).status == 204
    service.process_due()


def expiring_keys(service: Service) -> None:
    service.key("live", expires_at=service.clock.now() + dt.timedelta(days=20))
    service.clock.advance(days=7)
    service.process_due()


def batches_of_every_kind(service: Service) -> None:
    _batches_that_end(service)
    _combined_files(service)
    _batch_that_is_canceled(service)
    _batches_without_renders_left(service)
    _messages_of_batches_that_are_lost(service)
    _data_of_batches_past_their_retention(service)
    _batches_of_csv_files(service)


def _combined_files(service: Service) -> None:
    """Combine files, also those of a batch that is retried or canceled meanwhile."""
    small = service.engine.content
    service.engine.content = merged_item("text")
    template_id = published_template(service)
    fail_items(service, {1})
    combine = {"zip": True, "merged_pdf": True}
    path = make_batch(service, 3, template_id=template_id, combine=combine)
    service.run_batches()
    (url, _) = (file["url"] for file in batch_at(service, path)["files"])
    target = url.removeprefix("https://files.test")
    assert service.call("GET", target, key=None).status == 302
    service.engine.before_run = lambda _job: None
    assert service.call("POST", f"{path}/retry-failed").status == 202
    service.run_batches()
    # Its item files go when the archive is there.
    combine = {"zip": True}
    make_batch(service, template_id=template_id, combine=combine, delivery={"hosted": False})
    service.run_batches()
    canceled = make_batch(service, template_id=template_id, combine=combine)
    service.release_batches()
    service.run_queued("BatchItems")
    service.relay_events()
    service.release_batches()
    with pytest.MonkeyPatch.context() as patch:
        # A function that begins an archive hands it on.
        patch.setattr(combine_batch, "_TIME_LIMIT", dt.timedelta(seconds=-1))
        assert service.combine_batches() == []
    assert cancel_batch(service, canceled, service.run_batches).json["status"] == "canceled"
    service.run_batches()
    service.engine.content = small


def _batches_that_end(service: Service) -> None:
    """Let batches end, with failed items that are retried, and read them."""
    template_id = published_template(service)
    fail_items(service, {1})
    headers = {"Idempotency-Key": "batch"}
    path, *_ = (
        make_batch(service, 3, template_id=template_id, key=key, headers=headers)
        for key in (service.live, service.test) * 2
    )
    service.run_batches()
    service.engine.before_run = lambda _job: None
    assert service.call("POST", f"{path}/retry-failed").status == 202
    service.run_batches()
    assert batch_at(service, path)["succeeded"] == 3
    for target in ("/v1/batches", path, f"{path}/items"):
        assert service.call("GET", target).status == 200
    emails = {"statuses": ["failed"]}
    assert service.call("POST", f"{path}/resend-emails", json_body=emails).status == 200


def _batch_that_is_canceled(service: Service) -> None:
    path = make_batch(service, 3)
    service.release_batches()
    assert cancel_batch(service, path, service.run_batches).json["status"] == "canceled"


def _batches_without_renders_left(service: Service) -> None:
    """Pause a live batch, and let the rate of test renders hold a test batch back."""
    left = service.operator.limits.get(service.workspace)["quota_left"]
    keep_limits(service, quota_left=0)
    path = make_batch(service, 2)
    service.run_batches()
    assert batch_at(service, path)["paused"]
    keep_limits(service, quota_left=left)
    service.clock.advance(minutes=2)
    service.process_due()
    service.run_batches()
    assert batch_at(service, path)["status"] == "completed"
    keep_limits(service, test_tat=epoch_ms(service.clock.now()) + 90_000)
    paced = make_batch(service, key=service.test)
    service.release_batches()
    assert batch_at(service, paced)["status"] == "queued"
    keep_limits(service, test_tat=0)
    service.clock.advance(minutes=2)
    service.process_due()
    service.run_batches()


def _messages_of_batches_that_are_lost(service: Service) -> None:
    """Lose the messages of released items."""
    path = make_batch(service, 2)
    service.release_batches()
    service.run_batch("BatchItems", lambda _lost: {"batchItemFailures": []})
    service.clock.advance(minutes=5)
    for _ in range(2):
        service.process_due()
    service.run_batches()
    assert batch_at(service, path)["status"] == "completed"


def _batches_of_csv_files(service: Service) -> None:
    csv = post_upload(service, b"n\n1\n", name="a.csv", kind="text/csv").json["id"]
    announced = announce_upload(service, filename="a.csv", content_type="text/csv").json["id"]
    store_announced(service, announced, b"n\n2\n")
    template_id = published_template(service)
    for upload_id in (csv, announced):
        body = {"template_id": template_id, "csv_upload_id": upload_id}
        assert service.call("POST", "/v1/batches", json_body=body).status == 202
    service.run_batches()


def _data_of_batches_past_their_retention(service: Service) -> None:
    service.clock.advance(days=31)
    for _ in range(4):
        service.process_due()
    assert not [key for key in service.objects() if key.endswith("/template")]
