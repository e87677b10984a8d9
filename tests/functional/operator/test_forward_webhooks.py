"""`platen webhooks forward`: each new event is posted once, signed, and nothing is written."""

import contextlib
import io
import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from chalicelib.adapters.aws.table import Write
from chalicelib.bootstrap.operator_webhooks import ForwardService
from chalicelib.core.clock import SystemClock
from chalicelib.features.forwarding import sources
from chalicelib.features.forwarding.forward import ForwardedEvent, ForwardEvents, ForwardTarget
from chalicelib.features.webhooks.signature import new_secret
from chalicelib.settings import ForwardSettings
from infra.operator import forward_webhooks
from tests.builders.operator import OperatorTool
from tests.builders.service import Service
from tests.builders.templates import make_template
from tests.builders.webhooks import make_endpoint
from tests.fakes.webhook_receiver import WebhookReceiver

SECRET = new_secret()


class Forwarding:
    """Forwarder of the workspace of a service to a receiver."""

    def __init__(self, service: Service, receiver: WebhookReceiver) -> None:
        settings = {
            name: getattr(service.settings, name) for name in ForwardSettings.__annotations__
        }
        self.service = ForwardService(ForwardSettings(**settings), service.clients, service.clock)
        self.events: ForwardEvents = self.service.make_forwarder(
            service.workspace, forward_webhooks._connect
        )
        self.target = ForwardTarget(url=receiver.url, secrets=[SECRET])

    def poll(self, **target: Any) -> list[ForwardedEvent]:
        chosen = {"url": self.target.url, "secrets": [SECRET], **target}
        return list(self.events.forward_new(ForwardTarget(**chosen)))

    def types(self) -> list[str]:
        return [event.type for event in self.poll()]


@pytest.fixture
def forwarding(service: Service, receiver: WebhookReceiver) -> Forwarding:
    """Give a forwarder that has not started yet."""
    service.clock.moment = SystemClock().now().replace(microsecond=0)
    return Forwarding(service, receiver)


def everything(service: Service) -> list[str]:
    """Return the rows of the main table and the messages that wait, as text."""
    table = service.clients.dynamodb.scan(TableName=service.settings.main_table)
    urls = service.clients.sqs.list_queues()["QueueUrls"]
    counts = [
        service.clients.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        for url in urls
    ]
    waiting = [row["ApproximateNumberOfMessages"] for row in counts]
    return sorted(repr(row) for row in [*table["Items"], waiting])


def test_event_is_posted_once_as_the_relay_would_send_it(
    service: Service, receiver: WebhookReceiver, forwarding: Forwarding
) -> None:
    service.render()
    service.clock.advance(seconds=1)
    forwarding.events.start()
    render = service.render(reference="Größe").json
    before = everything(service)

    (forwarded,) = forwarding.poll()

    assert forwarding.poll() == []
    assert everything(service) == before
    (received,) = receiver.received
    body = Webhook(SECRET).verify(received.body.decode(), received.headers)
    assert (forwarded.id, forwarded.type) == (body["id"], "render.succeeded")
    assert (forwarded.status_code, forwarded.error) == (200, None)
    assert body["data"]["object"]["id"] == render["id"]
    # The relay sends the same bytes with the same headers.
    make_endpoint(service, receiver.url)
    service.relay_events()
    service.deliver_webhooks()
    sent = next(each for each in receiver.received[1:] if each.body == received.body)
    own = {"webhook-signature", "host"}
    assert {k: v for k, v in sent.headers.items() if k not in own} == {
        k: v for k, v in received.headers.items() if k not in own
    }
    assert sent.headers["user-agent"] == "Platen-Webhooks/1.0"


def test_unfinished_render_of_before_is_forwarded_when_it_ends(
    service: Service, forwarding: Forwarding
) -> None:
    service.render(mode="async")
    service.clock.advance(minutes=3)
    for _ in range(3):
        service.render()
    service.clock.advance(seconds=1)
    forwarding.events.start()
    assert forwarding.types() == []

    service.run_queued()

    assert forwarding.types() == ["render.succeeded"]
    assert forwarding.types() == []


def test_renders_of_a_minute_arrive_in_the_order_of_time(
    service: Service, forwarding: Forwarding
) -> None:
    forwarding.events.start()
    ids = []
    for _ in range(4):
        service.clock.advance(seconds=7)
        ids.append(service.render(mode="async").json["id"])
        assert forwarding.types() == []
    service.clock.advance(seconds=1)
    service.run_queued()
    service.clock.advance(seconds=1)
    ids.append(service.render().json["id"])

    assert forwarding.types() == ["render.succeeded"] * 5
    assert forwarding.types() == []


def test_more_renders_than_a_poll_reads_are_read_in_turn(
    service: Service, forwarding: Forwarding, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_ROWS_READ", 2)
    forwarding.events.start()
    for _ in range(5):
        service.render(mode="async")
        service.clock.advance(seconds=1)
    forwarding.poll()
    service.run_queued()
    service.clock.advance(seconds=1)
    service.render()

    # A new render comes before those that have waited.
    counts = [len(forwarding.poll()) for _ in range(4)]
    assert sum(counts) == 6
    assert counts[0] > 0


def test_published_templates_are_forwarded(service: Service, forwarding: Forwarding) -> None:
    old = make_template(service, publish=True)
    make_template(service)
    service.clock.advance(seconds=1)
    forwarding.events.start()
    assert forwarding.types() == []

    service.clock.advance(seconds=1)
    assert service.call("POST", f"{old}/publish", json_body={}).status == 201
    make_template(service, publish=True)
    assert forwarding.types() == ["template.published"] * 2
    service.clock.advance(seconds=1)
    assert service.call("POST", f"{old}/publish", json_body={}).status == 201
    (version,) = forwarding.poll()
    assert version.type == "template.published"
    assert forwarding.types() == []


def test_usage_threshold_is_forwarded(service: Service, forwarding: Forwarding) -> None:
    item = service.operator.limits.get(service.workspace)
    used = item["included"] // 2 - 1
    almost = item | {"used": used, "quota_left": item["included"] - used}
    service.services.state.tables.write(Write(service.settings.main_table, item=almost))
    forwarding.events.start()
    service.render()
    assert forwarding.types() == ["render.succeeded"]

    service.clock.advance(seconds=1)
    service.tick()
    service.run_maintenance()

    assert forwarding.types() == ["usage.threshold_reached"]
    assert forwarding.types() == []


def test_expiry_is_forwarded(service: Service, forwarding: Forwarding) -> None:
    other = service.create_workspace()
    service.render(key=service.key("live", other))
    service.render()
    service.clock.advance(days=30, seconds=-60)
    forwarding.events.start()
    service.clock.advance(seconds=31)
    assert forwarding.types() == []

    service.clock.advance(seconds=31)
    service.tick()
    service.run_maintenance()

    assert forwarding.types() == ["render.expired"]
    assert forwarding.types() == []


def test_expiry_is_found_after_hours(service: Service, forwarding: Forwarding) -> None:
    forwarding.events.start()
    service.render(key=service.test)
    assert forwarding.types() == ["render.succeeded"]
    for seconds in (86_400 - 45, 31, 31):
        service.clock.advance(seconds=seconds)
        assert forwarding.types() == []
    service.tick()
    service.run_maintenance()

    assert forwarding.types() == ["render.expired"]


def test_filters_choose_the_events(service: Service, forwarding: Forwarding) -> None:
    forwarding.events.start()
    service.render()
    assert forwarding.poll(test_only=True) == []
    service.render(key=service.test)
    assert len(forwarding.poll(test_only=True)) == 1
    service.render()
    assert forwarding.poll(types=["render.failed"]) == []
    assert forwarding.poll() == []


def test_failed_post_is_reported_and_not_repeated(
    service: Service, receiver: WebhookReceiver, forwarding: Forwarding
) -> None:
    forwarding.events.start()
    receiver.statuses = [500]
    service.render()
    assert forwarding.poll()[0].status_code == 500
    service.render()
    (failed,) = forwarding.poll(url="http://127.0.0.1:1/")
    assert (failed.status_code, failed.error) == (None, "127.0.0.1:1 could not be connected to")
    assert forwarding.poll() == []


def test_failure_of_aws_loses_no_event(
    service: Service, forwarding: Forwarding, monkeypatch: pytest.MonkeyPatch
) -> None:
    forwarding.events.start()
    service.render()
    service.render()
    calls = ("query", "batch_get_item")
    dynamodb = service.clients.dynamodb
    for number in range(6):
        failing = fail_at(number, {name: getattr(dynamodb, name) for name in calls})
        with monkeypatch.context() as patch, contextlib.suppress(ConnectionError):
            for name in calls:
                patch.setattr(dynamodb, name, failing(name), raising=False)
            assert forwarding.types() == []

    assert forwarding.types() == ["render.succeeded"] * 2


def fail_at(number: int, calls: dict[str, Callable[..., Any]]) -> Callable[[str], Any]:
    """Return calls of which the one with this number, and all after it, fail."""
    made = 0

    def failing(name: str) -> Any:
        def call(**options: Any) -> Any:
            nonlocal made
            made += 1
            if made > number:
                raise ConnectionError
            return calls[name](**options)

        return call

    return failing


@pytest.fixture
def local(tool: OperatorTool, service: Service, monkeypatch: pytest.MonkeyPatch) -> OperatorTool:
    """Give the tool on a machine whose stack has the service; the second pause ends it."""
    tool.forget_service()
    tool.write_run_files(
        service.settings.main_table, os.getpid(), service.resources, service.workspace
    )
    service.clock.moment = SystemClock().now()
    pauses: Iterator[str] = iter(("render", "end"))

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
    assert "secret of the default endpoint cannot be opened" in done.stderr
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
