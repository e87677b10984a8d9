"""Webhooks of requests: an address for the events of one render."""

import json
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from chalicelib.core.clock import SystemClock
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import EngineJob
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service
from tests.builders.webhooks import (
    DELIVERIES_PATH,
    ENDPOINTS_PATH,
    deliver,
    deliveries,
    make_endpoint,
)
from tests.fakes.webhook_receiver import WebhookReceiver

SECRET_PATH = f"{ENDPOINTS_PATH}/default-secret"
HTML = {"type": "html", "html": "<p>x"}


@pytest.fixture(autouse=True)
def _real_time(service: Service) -> None:
    # The verifier reads the clock of the machine.
    service.clock.moment = SystemClock().now().replace(microsecond=0)


def secret_of(service: Service) -> str:
    shown = service.call("GET", SECRET_PATH).json
    assert shown["object"] == "webhook_secret"
    secret: str = shown["secret"]
    return secret


def test_render_is_sent_to_the_address_of_its_request(
    service: Service, receiver: WebhookReceiver
) -> None:
    assert service.call("GET", SECRET_PATH).code == "not_found"
    render = service.render(webhook={"url": receiver.url}).json
    assert "webhook" not in render
    service.render()
    deliver(service)

    (received,) = receiver.received
    body = Webhook(secret_of(service)).verify(received.body.decode(), received.headers)
    assert (body["type"], body["data"]["object"]["id"]) == ("render.succeeded", render["id"])
    (delivery,) = deliveries(service)
    assert (delivery["endpoint_id"], delivery["status"]) == (None, "succeeded")
    assert delivery["request"]["url"] == receiver.url
    # Made once: the next request signs with the same.
    secret = secret_of(service)
    service.render(webhook={"url": receiver.url})
    assert secret_of(service) == secret


def test_default_endpoint_signs_and_hears_as_well(
    service: Service, receiver: WebhookReceiver
) -> None:
    endpoint = make_endpoint(service, receiver.url, headers={"X-Own": "1"})
    refusal = service.call("GET", SECRET_PATH)
    assert (refusal.status, refusal.code) == (409, "conflict")
    assert endpoint["id"] in refusal.json["detail"]

    service.render(webhook={"url": f"{receiver.url}/own"})
    deliver(service)

    by_path = {received.path: received for received in receiver.received}
    assert by_path.keys() == {"/hook", "/hook/own"}
    for received in by_path.values():
        Webhook(endpoint["secret"]).verify(received.body.decode(), received.headers)
    assert "x-own" not in by_path["/hook/own"].headers
    assert len({received.headers["webhook-id"] for received in by_path.values()}) == 1
    service.call("DELETE", f"{ENDPOINTS_PATH}/{endpoint['id']}")
    assert secret_of(service).startswith("whsec_")


def test_only_the_chosen_events_are_sent(service: Service, receiver: WebhookReceiver) -> None:
    def fail(_: EngineJob) -> None:
        raise RenderFailure("render_failed", "no")

    service.render(webhook={"url": receiver.url, "events": ["render.failed"]})
    service.engine.before_run = fail
    service.render(webhook={"url": receiver.url, "events": ["render.succeeded"]})
    service.render(webhook={"url": receiver.url})
    deliver(service)

    assert [json.loads(each.body)["type"] for each in receiver.received] == ["render.failed"]


def test_expired_files_are_sent_to_the_address_of_the_request(
    service: Service, receiver: WebhookReceiver
) -> None:
    webhook = {"url": receiver.url, "events": ["render.expired"]}
    render = service.render(webhook=webhook, key=service.test).json
    service.clock.advance(days=1, minutes=1)
    service.process_due()
    service.process_queues()

    (received,) = receiver.received
    body = json.loads(received.body)
    assert (body["type"], body["data"]["object"]["id"]) == ("render.expired", render["id"])
    assert body["data"]["object"]["files"] == []


def test_every_request_that_makes_a_render_takes_a_webhook(
    service: Service, receiver: WebhookReceiver
) -> None:
    webhook = {"url": receiver.url}
    requests: list[tuple[str, dict[str, Any]]] = [
        ("/v1/renders", {"input": HTML, "mode": "async"}),
        ("/v1/pdf/from-html", {"html": "<p>x"}),
        ("/v1/images/from-html", {"html": "<p>x"}),
        ("/v1/einvoices", {"profile": "EN16931", "invoice": invoice_json()}),
    ]
    for path, body in requests:
        answer = service.call("POST", path, json_body=body | {"webhook": webhook})
        assert answer.status in {200, 202}, answer.body
    short = {"html": "<p>x", "webhook_url": receiver.url}
    assert service.call("POST", "/v1/pdf/from-html", json_body=short).status == 200
    for _ in requests:
        service.process_queues()

    assert len(receiver.received) == len(requests) + 1


def test_replay_goes_to_the_stored_address(service: Service, receiver: WebhookReceiver) -> None:
    receiver.statuses = [500]
    service.render(webhook={"url": receiver.url})
    deliver(service)
    (delivery,) = deliveries(service)
    assert delivery["status"] == "retrying"
    endpoint = make_endpoint(service, "https://example.com/")

    answer = service.call("POST", f"{DELIVERIES_PATH}/{delivery['id']}/replay")
    assert answer.status == 202
    service.deliver_webhooks()

    received = receiver.received[-1]
    Webhook(endpoint["secret"]).verify(received.body.decode(), received.headers)
    (after,) = deliveries(service)
    assert (after["status"], len(after["attempts"])) == ("succeeded", 2)
    service.clock.advance(seconds=10)
    service.tick()
    service.deliver_webhooks()
    assert len(receiver.received) == 2


@pytest.mark.parametrize(
    ("webhook", "code", "pointer"),
    [
        ({}, "validation_error", "/webhook/url"),
        ({"url": "https:/"}, "validation_error", "/webhook/url"),
        ({"url": "https://a" + "a" * 2_040}, "validation_error", "/webhook/url"),
        ({"url": "ftp://example.com/"}, "validation_error", "/webhook/url"),
        ({"url": "https://u:p@example.com/"}, "validation_error", "/webhook/url"),
        ({"url": "http://example.com/"}, "validation_error", "/webhook/url"),
        ({"url": "https://2130706433/"}, "url_not_allowed", "/webhook/url"),
        ({"url": "https://api.test/"}, "url_not_allowed", "/webhook/url"),
        ({"url": "https://example.com:22/"}, "url_not_allowed", "/webhook/url"),
        ({"url": "https://example.com/", "events": []}, "validation_error", "/webhook/events"),
        (
            {"url": "https://example.com/", "events": ["batch.completed"]},
            "validation_error",
            "/webhook/events/0",
        ),
        ({"url": "https://example.com/", "x": 1}, "validation_error", "/webhook/x"),
    ],
)
def test_bad_webhook_is_refused(
    service: Service, webhook: dict[str, Any], code: str, pointer: str
) -> None:
    body = {"input": HTML, "webhook": webhook}

    answer = service.call("POST", "/v1/renders", json_body=body)
    report = service.call("POST", "/v1/renders/preflight", json_body=body)

    assert (answer.code, answer.pointers) == (code, [pointer])
    assert [error["path"] for error in report.json["errors"]] == [pointer]
    assert service.call("GET", SECRET_PATH).code == "not_found"
    assert service.call("GET", "/v1/renders").json["data"] == []


def test_test_keys_may_use_http(service: Service) -> None:
    body = {"input": HTML, "webhook": {"url": "http://example.com/"}}

    assert service.call("POST", "/v1/renders", json_body=body, key=service.test).status == 200


def test_secret_needs_the_scope_to_write(service: Service) -> None:
    reader = service.key("live", scopes=["webhooks:read"])

    assert service.call("GET", SECRET_PATH, key=reader).code == "insufficient_scope"


def test_deliveries_are_listed_by_render(service: Service, receiver: WebhookReceiver) -> None:
    make_endpoint(service, receiver.url)
    first, other = (service.render(webhook={"url": receiver.url}).json["id"] for _ in range(2))
    for _ in range(4):
        service.process_queues()

    def listed(query: str) -> list[dict[str, Any]]:
        data = service.call("GET", f"/v1/webhook-deliveries?{query}").json["data"]
        assert isinstance(data, list)
        return data

    found = listed(f"render_id={first}")
    assert len(found) == 2
    assert {each["id"] for each in found}.isdisjoint(
        each["id"] for each in listed(f"render_id={other}")
    )
    assert len(listed("")) == 4
    page = service.call("GET", f"/v1/webhook-deliveries?render_id={first}&limit=1").json
    assert [each["id"] for each in page["data"]] == [found[0]["id"]]
    rest = listed(f"render_id={first}&limit=1&cursor={page['next_cursor']}")
    assert [each["id"] for each in rest] == [found[1]["id"]]
    assert listed("render_id=rnd_x") == []
    assert listed(f"render_id={first}&status=failed") == []
