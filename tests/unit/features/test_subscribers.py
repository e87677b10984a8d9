"""Subscribers that several relays share: each relay handles its own events only."""

import itertools
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, Final, cast

import msgspec

from chalicelib.adapters.aws.queues import QueueMessage
from chalicelib.adapters.aws.table import ConditionFailed, Row, Write
from chalicelib.bootstrap.cold_start import build_type_descriptions
from chalicelib.bootstrap.event_types import EVENT_TYPES
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.ids import EndpointId, RenderId, WorkspaceId, derived_id
from chalicelib.engine.delivery.emails import EmailContents, EmailRule, RenderedEmail
from chalicelib.features.emails.sends.stores import EmailStores
from chalicelib.features.emails.sends.subscribe import QueueEmails
from chalicelib.features.events.model import DomainEvent, PublishEvent
from chalicelib.features.events.relay import OutboxRelay
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import row_of
from chalicelib.features.webhooks.deliveries.repository import Deliveries
from chalicelib.features.webhooks.endpoints.model import WebhookEndpoint
from chalicelib.features.webhooks.endpoints.repository import endpoints_partition
from chalicelib.features.webhooks.subscribe import QueueWebhooks
from chalicelib.features.workspaces.limits.model import NOTHING, Reservation
from tests.builders.threads import all_at_once
from tests.fakes.api_services import NOW, FixedClock

WORKSPACES: Final = tuple(WorkspaceId(f"ws_{n}") for n in range(4))
EVENTS: Final = 3
AT: Final = format_rfc3339(NOW)
CONTENTS: Final = EmailContents(
    (EmailRule(id="emr_1", connection_id="emc_1"),), (RenderedEmail(is_wanted=True, subject="Hi"),)
)


class Outbox:
    """Table with events, and a queue, as threads see them: each call is one step."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.rows: dict[tuple[str, str], Row] = {}
        self.sent: list[tuple[str, Mapping[str, Any]]] = []

    def get_many(self, keys: Sequence[tuple[str, str]]) -> list[Row]:
        with self.lock:
            return [self.rows[key] for key in keys if key in self.rows]

    def transact(self, writes: Sequence[Write]) -> None:
        with self.lock:
            for index, write in enumerate(writes):
                key = self.key(write)
                is_publication = "published_at" in (write.condition or "")
                if is_publication and "published_at" in self.rows[key]:
                    raise ConditionFailed(self.rows[key], index=index)
            for write in writes:
                self.rows[self.key(write)] = {
                    **self.rows.get(self.key(write), {}),
                    **(write.item or {"published_at": AT}),
                }

    def key(self, write: Write) -> tuple[str, str]:
        named: Any = write.item or write.key
        return named["PK"], named["SK"]

    def queue(self, name: str) -> Any:
        def send_all(messages: Sequence[QueueMessage]) -> None:
            self.sent += [(name, message.body) for message in messages]

        return SimpleNamespace(send_all=send_all)


def render_of(workspace_id: WorkspaceId, number: int) -> Render:
    return Render(
        id=RenderId(derived_id("rnd", NOW, workspace_id, str(number))),
        workspace_id=workspace_id,
        status="succeeded",
        mode="async",
        test=False,
        input={"type": "html"},
        output={"format": "pdf", "formats": None},
        delivery="url",
        expires_in_s=60,
        max_pages=1,
        engine="1",
        reservation=Reservation(NOTHING, has_lease=False, is_settled_by_relay=True),
        created_at=AT,
        request_id="req_1",
        template_id="tpl_1",
        email_count=1,
    )


def add_event(outbox: Outbox, workspace_id: WorkspaceId, number: int) -> PublishEvent:
    """Let a render with an email have succeeded; return the message that publishes its event."""
    row = row_of(render_of(workspace_id, number))
    event_id = derived_id("evt", NOW, row["id"])
    event = DomainEvent(event_id, "render.succeeded", workspace_id, row["PK"], "req_1", AT)
    created = EventOutbox(table=cast("Any", outbox)).creation(event)
    partition = endpoints_partition(workspace_id)
    outbox.rows |= {
        (row["PK"], "META"): row,
        outbox.key(created): dict(created.item or {}),
        (partition, "META"): {"PK": partition, "SK": "META", "endpoint_count": 1},
    }
    return PublishEvent(row["PK"], event.sort_key)


def endpoint_of(workspace_id: WorkspaceId) -> WebhookEndpoint:
    return WebhookEndpoint(
        id=EndpointId("whe_1"),
        workspace_id=workspace_id,
        url="https://hook.test",
        description=None,
        events=("render.succeeded",),
        template_ids=(),
        headers={},
        enabled=True,
        made_in_test_mode=False,
        test_only=False,
        sealed_secret="",
        created_at=AT,
        updated_at=AT,
    )


def relay_of(outbox: Outbox) -> OutboxRelay:
    """Return a relay with the subscribers that plan, over an endpoint and a connection."""
    table: Any = outbox
    events = EventOutbox(table=table)
    connection = SimpleNamespace(id="emc_1", provider="smtp", test_mode="skip")
    stores = EmailStores.over(table, events)._replace(
        connections=cast("Any", SimpleNamespace(all=lambda _workspace_id: [connection]))
    )
    contents = msgspec.json.encode(CONTENTS)
    view = SimpleNamespace(
        present=lambda *_: {}, request_webhook=lambda *_: None, is_internal=lambda *_: False
    )
    webhooks = QueueWebhooks(
        types=EVENT_TYPES,
        endpoints=cast("Any", SimpleNamespace(all=lambda ws: [endpoint_of(ws)])),
        deliveries=Deliveries(table=table),
        outbox=events,
        objects=cast("Any", None),
        view=lambda _workspace_id: cast("Any", view),
    )
    objects: Any = SimpleNamespace(get=lambda _key: contents)
    return OutboxRelay(
        table=table,
        outbox=events,
        types=EVENT_TYPES,
        subscribers=(webhooks, QueueEmails(stores=stores, objects=objects)),
        queues=outbox.queue,
        region="eu",
        clock=FixedClock(),
    )


def test_relays_in_threads_lose_no_email_and_no_webhook() -> None:
    build_type_descriptions()
    for _ in range(5):
        outbox = Outbox()
        relay = relay_of(outbox)
        groups = [[add_event(outbox, ws, n) for n in range(EVENTS)] for ws in WORKSPACES]

        # A queue may deliver each message twice, here at the same time.
        failures = all_at_once([partial(relay.publish, group) for group in groups * 4])

        assert failures == [{}] * len(failures)
        renders = {render_of(*named).id for named in itertools.product(WORKSPACES, range(EVENTS))}
        rows = outbox.rows.values()
        assert {row["render_id"] for row in rows if row.get("rule_id")} == renders
        assert len([row for row in rows if row.get("endpoint_id")]) == len(renders)
        assert {queue for queue, _ in outbox.sent} == {"emails", "webhooks"}
        told = {body.get("send_id") or body["delivery_id"] for _, body in outbox.sent}
        assert len(told) == 2 * len(renders)
