"""Endpoints and deliveries against a model: deaths, lost answers, late and repeated requests."""

import datetime as dt
import json
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule, run_state_machine_as_test

from chalicelib.adapters.aws import table
from chalicelib.adapters.aws.messages import QueueConsumer
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.crash_points import CrashPoint as P
from chalicelib.core.ids import DeliveryId
from chalicelib.engine.ports import FetchResponse
from chalicelib.features.webhooks.deliveries.message import DeliverWebhook
from tests.builders.in_process_aws import MotoAws
from tests.fakes.fault_injector import FaultInjector
from tests.fakes.webhook_machine import WebhookMachine
from tests.fakes.webhook_model import ModelDelivery, ModelEndpoint

MAX_ENDPOINTS = 3
MAX_DELIVERIES = 30
# Fewer deaths than end a delivery.
MAX_KILLS = 7
MAX_DAYS = dt.timedelta(days=20)
PAUSES = st.sampled_from(
    [
        dt.timedelta(seconds=1),
        dt.timedelta(seconds=5),
        dt.timedelta(seconds=41),
        dt.timedelta(minutes=6),
        dt.timedelta(minutes=45),
        dt.timedelta(hours=5),
        dt.timedelta(hours=11),
        dt.timedelta(hours=30),
        dt.timedelta(days=5),
    ]
)
ANSWERS = st.sampled_from([500, 302, 200, 410])
DEATHS = st.sampled_from(
    [P.WEBHOOK_CLAIMED, P.WEBHOOK_LEASED, P.WEBHOOK_SENT, P.WEBHOOK_RECORDED, P.WEBHOOK_RELEASED]
)
RELAY_DEATHS = st.sampled_from([P.RELAY_PREPARED, P.RELAY_PUBLISHED])


class Webhooks(WebhookMachine):
    """Rules of what may happen."""

    @initialize(seed=st.integers(0, 2**16), answers=st.lists(ANSWERS, min_size=2, max_size=2))
    def begin(self, seed: int, answers: list[int]) -> None:
        for answer in answers:
            self.add_endpoint()
            self.endpoints[-1].answer = answer
            self.sample(self.endpoints[-1])
        self.dynamodb.faults = FaultInjector(seed, {"conflict": 0.2, "lost": 0.2})
        self.dynamodb.faults.is_on = True
        self.deliver()

    @precondition(lambda self: len(self.living) < MAX_ENDPOINTS)
    @rule()
    def make_another_endpoint(self) -> None:
        self.service.clock.advance(milliseconds=1)
        self.add_endpoint()

    @precondition(lambda self: len(self.deliveries) < MAX_DELIVERIES)
    @rule(dies_at=st.none() | RELAY_DEATHS)
    def render(self, dies_at: P | None) -> None:
        self.service.clock.advance(milliseconds=1)
        render_id = self.service.render().json["id"]
        (event,) = self.service.events(render_id)
        self.unpublished.append((event["PK"], event["SK"], event["id"]))
        self.relay(dies_at)

    @precondition(lambda self: self.living and len(self.deliveries) < MAX_DELIVERIES)
    @rule(data=st.data())
    def send_sample(self, data: st.DataObject) -> None:
        self.sample(data.draw(st.sampled_from(self.living)))

    @precondition(lambda self: self.unpublished)
    @rule(dies_at=st.none() | RELAY_DEATHS)
    def run_relay(self, dies_at: P | None) -> None:
        self.relay(dies_at)

    @rule()
    def run_deliver(self) -> None:
        self.service.tick()
        self.deliver()

    @precondition(lambda self: self.kills < MAX_KILLS)
    @rule(dies_at=DEATHS)
    def run_deliver_and_die(self, dies_at: P) -> None:
        self.deliver(dies_at)

    @precondition(lambda self: self.now - self.begun < MAX_DAYS)
    @rule(time=PAUSES)
    def pass_time(self, time: dt.timedelta) -> None:
        self.service.clock.moment += time
        self.service.tick()
        self.deliver()

    @precondition(lambda self: self.now - self.begun < MAX_DAYS)
    @rule()
    def pass_two_days(self) -> None:
        for _ in range(5):
            self.service.clock.advance(hours=10)
            self.service.tick()
            self.deliver()

    @precondition(lambda self: self.living)
    @rule(data=st.data(), answer=ANSWERS)
    def change_receiver(self, data: st.DataObject, answer: int) -> None:
        data.draw(st.sampled_from(self.living)).answer = answer

    @precondition(lambda self: self.living)
    @rule(data=st.data())
    def pause(self, data: st.DataObject) -> None:
        endpoint = data.draw(st.sampled_from(self.living))
        self.call("PATCH", f"webhook-endpoints/{endpoint.id}", enabled=False)
        endpoint.pause()

    @precondition(lambda self: self.living)
    @rule(data=st.data())
    def enable(self, data: st.DataObject) -> None:
        endpoint = data.draw(st.sampled_from(self.living))
        self.call("PATCH", f"webhook-endpoints/{endpoint.id}", enabled=True)
        endpoint.enable(format_rfc3339(self.now))

    @precondition(lambda self: self.living)
    @rule(data=st.data(), overlap_s=st.sampled_from([0, 40, 604_800]))
    def roll(self, data: st.DataObject, overlap_s: int) -> None:
        endpoint = data.draw(st.sampled_from(self.living))
        path = f"webhook-endpoints/{endpoint.id}/roll-secret"
        secret = self.call("POST", path, expire_previous_in=overlap_s)["secret"]
        endpoint.roll(secret, self.now, overlap_s)

    @precondition(lambda self: len(self.living) > 1)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        endpoint = data.draw(st.sampled_from(self.living))
        self.call("DELETE", f"webhook-endpoints/{endpoint.id}")
        endpoint.delete()

    @precondition(lambda self: self.deliveries)
    @rule(data=st.data())
    def replay(self, data: st.DataObject) -> None:
        delivery = self.draw_delivery(data)
        self.service.clock.advance(milliseconds=1)
        answer = self.service.call("POST", f"/v1/webhook-deliveries/{delivery.id}/replay")
        if answer.status == 202:
            assert not delivery.endpoint.is_deleted
            delivery.is_replay = True
        else:
            # A function had the delivery when it died, or its claim arrived again after its end.
            assert answer.code == "conflict"
            assert delivery.endpoint.is_deleted or self.kills or self.has_late_requests

    @precondition(lambda self: self.deliveries)
    @rule(data=st.data(), queue=st.sampled_from(["Webhooks", "WebhooksSlow"]))
    def repeat_message(self, data: st.DataObject, queue: str) -> None:
        self.service.send(queue, self.message_of(self.draw_delivery(data)))

    @rule()
    def deliver_late_requests(self) -> None:
        self.has_late_requests = True
        self.dynamodb.deliver_late()

    def sample(self, endpoint: ModelEndpoint) -> None:
        """Send a sample to an endpoint."""
        path = f"webhook-endpoints/{endpoint.id}/test"
        self.add_delivery(self.call("POST", path, event="render.failed"), endpoint)

    def draw_delivery(self, data: st.DataObject) -> ModelDelivery:
        return data.draw(st.sampled_from(list(self.deliveries.values())))

    def message_of(self, delivery: ModelDelivery) -> str:
        """Return the message of a delivery."""
        named = DeliverWebhook(self.service.workspace, DeliveryId(delivery.id), "req_1")
        return json.dumps(named.to_json())


@pytest.mark.parametrize("examples", [2, pytest.param(12, marks=pytest.mark.breadth)])
def test_deliveries_equal_the_model(
    aws: MotoAws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examples: int
) -> None:
    machines: list[Webhooks] = []

    def machine() -> Webhooks:
        machines.append(Webhooks(aws, tmp_path))
        return machines[-1]

    def receive(_: GuardedEgress, *request: str, **options: Any) -> FetchResponse:
        return machines[-1].receive(*request, **options)

    monkeypatch.setattr(GuardedEgress, "request", receive)
    # One message after the other, so that a failure can be repeated.
    monkeypatch.setattr(QueueConsumer, "process_concurrently", QueueConsumer.process_batch)
    monkeypatch.setattr(table, "_pause", lambda _: None)

    run_state_machine_as_test(
        cast("Any", machine),
        settings=settings(max_examples=examples, stateful_step_count=30, deadline=None),
    )
