"""`platen webhooks forward`: whose events, which secret, and what is printed."""

import contextlib
import io
import json
import os
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from chalicelib.core.clock import SystemClock
from tests.builders.operator import OperatorTool
from tests.builders.service import Service
from tests.builders.webhooks import make_endpoint
from tests.fakes.webhook_receiver import WebhookReceiver


@pytest.fixture
def local(tool: OperatorTool, service: Service, monkeypatch: pytest.MonkeyPatch) -> OperatorTool:
    """Give the tool on a machine whose stack has the service; the second pause ends it."""
    tool.forget_service()
    tool.write_run_files(
        service.settings.main_table, os.getpid(), service.resources, service.workspace
    )
    service.clock.moment = SystemClock().now()
    pauses = iter(("render", "end"))

    def pause(_seconds: float) -> None:
        if next(pauses) == "end":
            raise KeyboardInterrupt
        service.clock.moment = SystemClock().now()
        # The log of the functions is no output of the tool.
        with contextlib.redirect_stdout(io.StringIO()):
            service.render(key=service.test)
            service.render()

    monkeypatch.setattr("infra.operator.forward_webhooks.time.sleep", pause)
    return tool


def lines(tool: OperatorTool, *arguments: str) -> list[dict[str, Any]]:
    done = tool.run("webhooks", "forward", *arguments, "--json")
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_demo_workspace_gives_its_test_events(
    local: OperatorTool, service: Service, receiver: WebhookReceiver
) -> None:
    start, forwarded = lines(local, receiver.url)

    assert start["object"] == "forwarding"
    assert (start["workspace"], start["test_only"]) == (service.workspace, True)
    (received,) = receiver.received
    body = Webhook(start["secret"]).verify(received.body.decode(), received.headers)
    assert body["data"]["object"]["test"] is True
    assert forwarded.keys() == {
        "object",
        "id",
        "type",
        "created_at",
        "status_code",
        "latency_ms",
        "error",
    }
    assert (forwarded["id"], forwarded["status_code"]) == (body["id"], 200)


def test_named_workspace_gives_all_events_signed_by_its_endpoint(
    local: OperatorTool, service: Service, receiver: WebhookReceiver
) -> None:
    endpoint = make_endpoint(service, "https://example.com/")
    make_endpoint(service, "https://example.com/second")

    start, *forwarded = lines(local, receiver.url, "--workspace", service.workspace)

    assert (start["endpoint_id"], start["secret"]) == (endpoint["id"], None)
    assert len(forwarded) == 2
    for received in receiver.received:
        Webhook(endpoint["secret"]).verify(received.body.decode(), received.headers)


def test_without_an_endpoint_the_workspace_signs_as_for_its_requests(
    local: OperatorTool, service: Service, receiver: WebhookReceiver
) -> None:
    service.render(webhook={"url": "https://example.com/"})
    own = service.call("GET", "/v1/webhook-endpoints/default-secret").json["secret"]

    start, _ = lines(local, receiver.url)

    assert (start["endpoint_id"], start["secret"]) == (None, None)
    (received,) = receiver.received
    Webhook(own).verify(received.body.decode(), received.headers)


def test_secret_that_cannot_be_opened_is_replaced(
    local: OperatorTool, service: Service, receiver: WebhookReceiver
) -> None:
    endpoint = make_endpoint(service, "https://example.com/")
    service.clients.dynamodb.update_item(
        TableName=service.settings.main_table,
        Key={"PK": {"S": f"WS#{service.workspace}#WHE"}, "SK": {"S": endpoint["id"]}},
        UpdateExpression="SET sealed_secret = :cut",
        ExpressionAttributeValues={":cut": {"S": "v1.cut"}},
    )
    done = local.run("webhooks", "forward", receiver.url)

    assert done.exit_code == 0
    assert "secret of the workspace cannot be opened" in done.stderr
    assert "whsec_" in done.stdout
    assert endpoint["secret"] not in done.stdout


def test_people_read_a_line_for_each_event(
    local: OperatorTool, service: Service, receiver: WebhookReceiver
) -> None:
    receiver.status = 404
    done = local.run("webhooks", "forward", receiver.url, "--events", "render.succeeded")

    assert done.exit_code == 0
    first, second, event = done.stdout.splitlines()
    assert first == f"New test events of {service.workspace} go to {receiver.url}"
    assert second.startswith("signed with whsec_")
    kind, event_id, status, _, unit = event.split()
    assert (kind, status, unit) == ("render.succeeded", "404", "ms")
    assert event_id == receiver.received[0].headers["webhook-id"]


@pytest.mark.parametrize(
    "url", ["example.com", "ftp://a/", "http://", "http://a:99999/", "http://["]
)
def test_wrong_url_is_a_wrong_use(tool: OperatorTool, url: str) -> None:
    assert tool.run("webhooks", "forward", url).exit_code == 2


def test_workspace_is_needed_away_from_the_stack_of_this_machine(
    tool: OperatorTool, receiver: WebhookReceiver
) -> None:
    done = tool.run("webhooks", "forward", receiver.url)
    assert done.exit_code == 2
    assert "--workspace" in done.stderr
    code, _ = tool.refusal("webhooks", "forward", receiver.url, "--workspace", "ws_unknown")
    assert code == "not_found"
