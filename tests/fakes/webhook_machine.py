"""Endpoints and deliveries of a service, driven beside a reference model."""

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast, override

from hypothesis.stateful import RuleBasedStateMachine, invariant

from chalicelib.adapters.aws.table import Row
from chalicelib.core.crash_points import CrashPoint
from chalicelib.core.ids import DeliveryId
from chalicelib.engine.ports import FetchResponse
from chalicelib.features.webhooks.deliveries.log import DeliveryFilter
from chalicelib.features.webhooks.deliveries.repository import Deliveries
from tests.builders.in_process_aws import MotoAws
from tests.builders.service import Service
from tests.builders.webhooks import leases_held, make_endpoint
from tests.fakes.fault_injector import FaultInjector
from tests.fakes.mortal_functions import mortal_functions
from tests.fakes.unreliable_dynamodb import UnreliableDynamodb
from tests.fakes.webhook_model import ModelDelivery, ModelEndpoint, signatures

_MOMENT = dt.timedelta(milliseconds=1)


class Request(NamedTuple):
    """Request as it arrived, and its answer."""

    endpoint: ModelEndpoint
    event_id: str
    answer: int


class WebhookMachine(RuleBasedStateMachine):
    """One workspace whose functions die, and whose tables lose answers and repeat requests."""

    def __init__(self, aws: MotoAws, points: Path) -> None:
        super().__init__()
        self.service = Service(aws)
        self.dynamodb = UnreliableDynamodb(self.service.clients.dynamodb, FaultInjector(0, {}))
        self._dying = mortal_functions(self.service, points)
        self.functions = self._dying.__enter__()
        self.service.clients.dynamodb = cast("Any", self.dynamodb)
        self.endpoints: list[ModelEndpoint] = []
        self.deliveries: dict[str, ModelDelivery] = {}
        self.unpublished: list[tuple[str, str, str]] = []
        self.requests: list[Request] = []
        self.refusals: list[AssertionError] = []
        self.begun = self.service.clock.now()
        self.kills = 0
        self.has_late_requests = False

    @property
    def now(self) -> dt.datetime:
        return self.service.clock.now()

    @property
    def living(self) -> list[ModelEndpoint]:
        return [endpoint for endpoint in self.endpoints if not endpoint.is_deleted]

    @property
    def repository(self) -> Deliveries:
        return Deliveries(table=self.service.main_table)

    def call(self, method: str, target: str, **body: Any) -> Any:
        """Send a request that must succeed, a moment after the one before."""
        self.service.clock.moment += _MOMENT
        answer = self.service.call(method, f"/v1/{target}", json_body=body or None)
        assert answer.status < 300, answer.body
        return answer.json if answer.body else None

    def add_endpoint(self) -> None:
        """Create an endpoint."""
        url = f"https://example.com/{len(self.endpoints)}"
        made = make_endpoint(self.service, url, events=["render.succeeded"])
        self.endpoints.append(ModelEndpoint(made["id"], url, made["secret"]))

    def add_delivery(self, row: Row, endpoint: ModelEndpoint) -> None:
        """Take a new delivery into the model."""
        made = ModelDelivery(row["id"], row["event_id"], row["created_at"], endpoint)
        if not endpoint.enabled or made.created_at < endpoint.enabled_since:
            made.status = "canceled"
        self.deliveries[made.id] = made
        endpoint.deliveries.append(made)

    def receive(self, _method: str, url: str, **options: Any) -> FetchResponse:
        """Answer an attempt."""
        (endpoint,) = (each for each in self.endpoints if each.url == url)
        headers, body = options["headers"], options["body"]
        event_id = headers["webhook-id"]
        delivery = self.delivery_of(endpoint, event_id)
        try:
            # What this run has recorded so far decides.
            self.take_recorded(delivery)
            delivery.check_request(self.now)
            self.check_signatures(endpoint, headers, body)
        except AssertionError as refusal:
            self.refusals.append(refusal)
        self.requests.append(Request(endpoint, event_id, endpoint.answer))
        return FetchResponse(url, endpoint.answer, {}, b"answer")

    def check_signatures(
        self, endpoint: ModelEndpoint, headers: Mapping[str, str], body: bytes
    ) -> None:
        """Assert that each valid secret has signed, and no other one."""
        timestamp = int(headers["webhook-timestamp"])
        assert timestamp == int(self.now.timestamp())
        secrets = endpoint.secrets(self.now)
        assert len(secrets) <= 2
        expected = signatures(secrets, headers["webhook-id"], timestamp, body)
        assert set(headers["webhook-signature"].split()) == expected

    def delivery_of(self, endpoint: ModelEndpoint, event_id: str) -> ModelDelivery:
        """Return the delivery of an event to an endpoint."""
        (delivery,) = (each for each in endpoint.deliveries if each.event_id == event_id)
        return delivery

    def take_recorded(self, delivery: ModelDelivery) -> int:
        """Let the model take the attempts that are in the log; return how many are new."""
        (row,) = self.repository.get_many(self.service.workspace, [DeliveryId(delivery.id)])
        attempts = self.repository.attempts(row)
        assert [attempt.number for attempt in attempts] == list(range(1, len(attempts) + 1))
        assert row.attempts_made == len(attempts)
        fresh = attempts[len(delivery.answers) :]
        for attempt in fresh:
            assert attempt.status_code == delivery.endpoint.answer
            delivery.finish_attempt(delivery.endpoint.answer, self.now)
        return len(fresh)

    def deliver(self, dies_at: CrashPoint | None = None) -> None:
        """Run the webhook function; each of its requests is in the log, unless it has died."""
        self.requests.clear()
        has_died = False
        before = {each.id: len(each.answers) for each in self.deliveries.values()}
        if dies_at is None:
            assert self.service.deliver_webhooks() == []
        else:
            has_died = self.functions.has_died(self.service.deliver_webhooks, dies_at)
            self.kills += has_died
        for refusal in self.refusals:
            raise refusal
        sent = Counter(self.delivery_of(each.endpoint, each.event_id).id for each in self.requests)
        for delivery_id in sent:
            self.take_recorded(self.deliveries[delivery_id])
        unrecorded = sum(sent.values()) - sum(
            len(each.answers) - before[each.id] for each in self.deliveries.values()
        )
        assert 0 <= unrecorded <= has_died

    def relay(self, dies_at: CrashPoint | None = None) -> None:
        """Run the relay, and take the deliveries of its published events."""
        if dies_at is None:
            assert self.service.relay_events() == []
        else:
            self.functions.has_died(self.service.relay_events, dies_at)
        for entry in list(self.unpublished):
            subject, sort_key, event_id = entry
            row = self.service.main_table.get(subject, sort_key)
            assert row is not None
            if "published_at" not in row:
                continue
            self.unpublished.remove(entry)
            made = [shown for shown in self.shown() if shown.event_id == event_id]
            by_endpoint = {shown.endpoint_id: shown for shown in made}
            assert len(made) == len(by_endpoint)
            assert by_endpoint.keys() == {endpoint.id for endpoint in self.living}
            for endpoint in self.living:
                shown = by_endpoint[cast("Any", endpoint.id)]
                fields = {"id": shown.id, "event_id": event_id, "created_at": shown.created_at}
                self.add_delivery(fields, endpoint)

    def shown(self) -> Any:
        """Return all deliveries as the log shows them."""
        page = self.service.services.webhooks.log.page(
            self.service.workspace, DeliveryFilter(None, None), limit=100, after=None
        )
        assert page.next_after is None
        return page.deliveries

    @invariant()
    def log_equals_the_model(self) -> None:
        shown = {row.id: row for row in self.shown()}
        known = list(self.deliveries.values())
        assert shown.keys() >= {each.id for each in known}
        for each in known:
            row = shown[cast("Any", each.id)]
            assert (row.status, row.attempts_made) == (each.status, len(each.answers)), each
            assert row.is_open == (each.status in {"pending", "retrying"})
            assert not row.is_open or row.next_attempt_at is not None
            assert row.scheduled_made == each.scheduled

    @override
    def teardown(self) -> None:
        try:
            self.finish()
        finally:
            self.dynamodb.faults.is_on = False
            self._dying.__exit__(None, None, None)

    def finish(self) -> None:
        """Let time pass until every delivery has ended; the receivers are well again."""
        for endpoint in self.endpoints:
            endpoint.answer = 200
        for _ in range(12):
            self.service.clock.advance(hours=4)
            self.service.tick()
            self.relay()
            self.deliver()
            if not self.unpublished and not any(row.next_attempt_at for row in self.shown()):
                break
        self.log_equals_the_model()
        assert self.unpublished == []
        assert not any(each.is_replay for each in self.deliveries.values())
        assert not {each.status for each in self.deliveries.values()} & {"pending", "retrying"}
        self.dynamodb.deliver_late()
        self.log_equals_the_model()
        self.service.clock.advance(seconds=41)
        assert leases_held(self.service) == []
