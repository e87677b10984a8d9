"""Forwarded events: each new public event of a workspace, once, and nothing is written."""

import json

import pytest
from standardwebhooks.webhooks import Webhook

from chalicelib.adapters.aws.table import Write
from chalicelib.core.errors import RenderFailure
from chalicelib.features.forwarding import sources
from tests.builders.batches import make_batch, published_template
from tests.builders.forwarding import SECRET, Forwarding
from tests.builders.service import Service
from tests.builders.templates import make_template
from tests.builders.webhooks import make_endpoint
from tests.fakes.webhook_receiver import WebhookReceiver


def everything(service: Service) -> list[str]:
    """Return the rows of the main table and the messages that wait, as text."""
    table = service.clients.dynamodb.scan(TableName=service.settings.main_table)
    urls = [made["Ref"] for made in service.resources.values() if "QueueName" in made]
    counts = [
        service.clients.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        for url in urls
    ]
    waiting = [row["ApproximateNumberOfMessages"] for row in counts]
    return sorted(json.dumps(row, sort_keys=True) for row in [*table["Items"], waiting])


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
    service.render(mode="async")
    for _ in range(2):
        service.render(mode="async", priority="low")
    service.run_queued()

    # Those of low priority stay in the queue.
    assert [*forwarding.types(), *forwarding.types()] == ["render.succeeded"]
    # A new render comes before those that wait.
    service.render()
    assert forwarding.types() == ["render.succeeded"]


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
    service.main_table.write(Write(service.main_table, item=almost))
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


def test_events_of_batches_are_forwarded(service: Service, forwarding: Forwarding) -> None:
    def fail(_job: object) -> None:
        raise RenderFailure("template_runtime_error", "n is undefined")

    service.engine.before_run = fail
    template_id = published_template(service)
    path = make_batch(service, template_id=template_id)
    service.run_batches()
    service.clock.advance(seconds=1)
    forwarding.events.start()
    assert forwarding.types() == []

    # A new run of a batch that had ended before.
    service.clock.advance(seconds=1)
    assert service.call("POST", f"{path}/retry-failed").status == 202
    service.run_batches()
    assert sorted(forwarding.types()) == ["batch.completed", "batch.progress"]

    service.clock.advance(seconds=1)
    make_batch(service, template_id=template_id)
    service.run_batches()
    assert sorted(forwarding.types()) == ["batch.completed", "batch.progress"]
    assert forwarding.types() == []


def test_filters_choose_the_events(service: Service, forwarding: Forwarding) -> None:
    forwarding.events.start()
    service.render()
    assert forwarding.poll(test_only=True) == []
    service.render(key=service.test)
    assert len(forwarding.poll(test_only=True)) == 1
    service.render()
    assert forwarding.poll(types=["render.failed"]) == []
    assert forwarding.poll() == []


def test_renders_of_a_batch_are_left_to_its_own_events(
    service: Service, forwarding: Forwarding
) -> None:
    forwarding.events.start()
    service.render()
    make_batch(service, 2)
    service.run_batches()

    assert sorted(forwarding.types()) == [
        "batch.completed",
        "batch.progress",
        "render.succeeded",
        "template.published",
    ]
