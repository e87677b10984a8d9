"""`platen webhook`: list of deliveries and their redrive; deliveries in a trace."""

import json
import socket
from typing import Any

import pytest

from chalicelib.core.clock import SystemClock
from tests.builders.operator import OperatorTool
from tests.builders.service import Service
from tests.builders.webhooks import deliver, deliveries, make_endpoint
from tests.fakes.webhook_receiver import WebhookReceiver

UNKNOWN = "whd_01ARZ3NDEKTSV4RRFFQ69G5FAV"


def listed(tool: OperatorTool, service: Service, *options: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tool.json("webhook", "deliveries", service.workspace, *options)[
        "data"
    ]
    return rows


def webhook_entries(tool: OperatorTool, render_id: str) -> list[dict[str, Any]]:
    found = tool.json("render", "trace", render_id)
    return [row for row in found["events"] if row["source"] == "webhooks"]


def test_deliveries_are_listed_newest_first(
    tool: OperatorTool, service: Service, receiver: WebhookReceiver
) -> None:
    receiver.statuses = [503]
    failing = make_endpoint(service, receiver.url)
    service.render()
    deliver(service)
    service.clock.advance(seconds=1)
    service.render()
    deliver(service)
    other = make_endpoint(service, receiver.url, enabled=False)
    service.clock.advance(seconds=1)
    service.render()
    deliver(service)

    rows = listed(tool, service)

    assert [row["id"] for row in rows] == [row["id"] for row in deliveries(service)]
    assert {row["event_type"] for row in rows} == {"render.succeeded"}
    assert rows[-1]["status"] == "retrying"
    assert rows[-1]["attempts"] == 1
    assert rows[-1]["endpoint_id"] == failing["id"]
    (canceled,) = listed(tool, service, "--endpoint", other["id"])
    assert canceled["status"] == "canceled"
    assert len(listed(tool, service, "--status", "succeeded")) == 2
    assert [row["id"] for row in listed(tool, service, "--limit", "2")] == [
        row["id"] for row in rows[:2]
    ]
    lines = tool.table("webhook", "deliveries", service.workspace)
    assert lines[0].split()[:4] == ["id", "event_type", "status", "attempts"]
    assert len([line for line in lines if not line.startswith(" ")]) == 5
    assert max(map(len, lines)) <= 100


def test_list_of_many_deliveries_goes_beyond_one_page(
    tool: OperatorTool,
    service: Service,
    receiver: WebhookReceiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("chalicelib.features.webhooks.deliveries.log._MAX_ROWS_READ", 100)
    sought = make_endpoint(service, receiver.url, enabled=False)
    service.render()
    deliver(service)
    # The event of each sample is newer than the one that is sought.
    other = make_endpoint(service, receiver.url, enabled=False)
    for _ in range(105):
        service.clock.advance(seconds=1)
        path = f"/v1/webhook-endpoints/{other['id']}/test"
        answer = service.call("POST", path, json_body={"event": "render.failed"})
        assert answer.status == 202

    assert len(listed(tool, service, "--endpoint", sought["id"])) == 1
    assert len(listed(tool, service, "--limit", "103")) == 103


def test_deliveries_of_an_unknown_workspace_are_refused(
    tool: OperatorTool, service: Service
) -> None:
    assert listed(tool, service) == []
    assert tool.refusal("webhook", "deliveries", "ws_unknown")[0] == "not_found"
    wrong = tool.run("webhook", "deliveries", service.workspace, "--status", "lost")
    assert wrong.exit_code == 2


def test_redrive_sends_a_delivery_again(
    tool: OperatorTool, service: Service, receiver: WebhookReceiver
) -> None:
    # The tool reads the clock of the machine.
    service.clock.moment = SystemClock().now()
    service.create_workspace()
    make_endpoint(service, receiver.url)
    service.render()
    deliver(service)
    (row,) = listed(tool, service)

    sent = tool.json("webhook", "redrive", row["id"])

    assert (sent["id"], sent["workspace"]) == (row["id"], service.workspace)
    assert sent["request_id"].startswith("req_")
    service.clock.moment = SystemClock().now()
    service.deliver_webhooks()
    assert len(receiver.received) == 2
    named = ("--workspace", service.workspace)
    assert tool.json("webhook", "redrive", row["id"], *named)["attempts"] == 2


def test_redrive_tells_why_it_is_refused(
    tool: OperatorTool, service: Service, receiver: WebhookReceiver
) -> None:
    other = service.create_workspace()
    endpoint = make_endpoint(service, receiver.url)
    service.render()
    deliver(service)
    (row,) = listed(tool, service)

    for named in ((row["id"], "--workspace", other), (UNKNOWN,), ("rnd_1",), ("x" * 10_000,)):
        assert tool.refusal("webhook", "redrive", *named)[0] == "not_found"
    service.call("DELETE", f"/v1/webhook-endpoints/{endpoint['id']}")
    refused = tool.refusal("webhook", "redrive", row["id"])
    assert refused == ("conflict", f"The webhook endpoint {endpoint['id']} is deleted.")


def test_trace_shows_each_attempt_of_each_delivery(
    tool: OperatorTool, service: Service, receiver: WebhookReceiver
) -> None:
    receiver.statuses = [503, 503]
    url = f"{receiver.url}?token=hidden"
    endpoint = make_endpoint(service, url, headers={"Authorization": "hidden-too"})
    render = service.render().json
    # Another one of the same millisecond.
    service.render()
    deliver(service)
    service.clock.advance(seconds=6)
    service.tick()
    service.deliver_webhooks()
    service.call("DELETE", f"/v1/webhook-endpoints/{endpoint['id']}")

    found = tool.json("render", "trace", render["id"])

    (shown,) = found["deliveries"]
    assert shown["endpoint_id"] == endpoint["id"]
    assert shown["event_type"] == "render.succeeded"
    entries = [row for row in found["events"] if row["source"] == "webhooks"]
    assert entries[0]["event"] == "delivery of render.succeeded"
    attempts = [row for row in entries if row["event"].startswith("attempt")]
    answers = [row["detail"]["status_code"] for row in attempts]
    assert answers == [503, 200]
    assert all(row["detail"]["delivery"] == shown["id"] for row in entries)
    assert [row["at"] for row in found["events"]] == sorted(row["at"] for row in found["events"])
    assert "hidden" not in json.dumps(found)
    assert "thanks" not in json.dumps(found)
    assert endpoint["secret"] not in json.dumps(found)


def test_trace_shows_the_next_attempt_and_the_error(
    tool: OperatorTool,
    service: Service,
    receiver: WebhookReceiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A name that leads to this machine.
    address = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 8443))
    with monkeypatch.context() as resolver:
        resolver.setattr(socket, "getaddrinfo", lambda *_, **__: [address])
        make_endpoint(service, "https://receiver.example:8443/?token=hidden")
        render = service.render().json
        deliver(service)

    created, made, due = webhook_entries(tool, render["id"])

    assert created["event"] == "delivery of render.succeeded"
    assert made["event"] == "attempt 1 not answered"
    assert made["detail"]["status_code"] is None
    assert "private or internal" in made["detail"]["error"]
    assert "hidden" not in json.dumps(made)
    assert (due["event"], due["at"] > made["at"]) == ("attempt 2 due", True)
    assert receiver.received == []


def test_delivery_of_a_request_is_shown_and_redriven(
    tool: OperatorTool, service: Service, receiver: WebhookReceiver
) -> None:
    service.clock.moment = SystemClock().now()
    render = service.render(webhook={"url": f"{receiver.url}?token=hidden"}).json
    deliver(service)

    (row,) = listed(tool, service)
    found = tool.json("render", "trace", render["id"])

    assert row["endpoint_id"] is None
    assert [shown["id"] for shown in found["deliveries"]] == [row["id"]]
    assert [entry["event"] for entry in webhook_entries(tool, render["id"])] == [
        "delivery of render.succeeded",
        "attempt 1 answered 200",
    ]
    assert "hidden" not in json.dumps(found)
    tool.json("webhook", "redrive", row["id"])
    service.clock.moment = SystemClock().now()
    service.deliver_webhooks()
    assert len(receiver.received) == 2


def test_trace_shows_what_pausing_has_canceled(
    tool: OperatorTool, service: Service, receiver: WebhookReceiver
) -> None:
    receiver.statuses = [503]
    endpoint = make_endpoint(service, receiver.url)
    render = service.render().json
    deliver(service)
    path = f"/v1/webhook-endpoints/{endpoint['id']}"
    assert service.call("PATCH", path, json_body={"enabled": False}).status == 200

    (shown,) = tool.json("render", "trace", render["id"])["deliveries"]

    assert shown["status"] == "canceled"
    assert webhook_entries(tool, render["id"])[-1]["event"] == "attempt 1 answered 503"
