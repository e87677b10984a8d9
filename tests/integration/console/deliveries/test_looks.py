"""How the deliveries look: barriers, windows of all widths, pictures."""

from typing import Any

import pytest

from tests.builders.stack.api_client import ApiClient
from tests.builders.storage.recording_store import RecordingStore
from tests.builders.waiting import eventually
from tests.fakes.webhook_receiver import WebhookReceiver
from tests.integration.console.deliveries.conftest import delivered, listed, made
from tests.integration.console.looks import look_at
from tests.integration.console.person import Person

pytestmark = pytest.mark.integration

MAIL = """<!doctype html><meta name="color-scheme" content="light dark">
<style>
  .sheet { max-width: 560px; margin: 24px auto; padding: 32px; font: 16px/24px Georgia, serif;
           background: #fffdf7; color: #222; border: 1px solid #e7dfcc; }
  h1 { font-size: 24px; line-height: 32px; color: #7a3b1d; }
  @media (prefers-color-scheme: dark) {
    body { background: #141210; } .sheet { background: #1f1b17; color: #eee; border-color: #333; }
    h1 { color: #f0b48f; }
  }
</style>
<div class="sheet"><h1>Invoice {{ n }}</h1><p>Dear customer,</p>
<p>your invoice is attached. It is due in 14 days.</p>
<p><a href="https://example.com/pay" style="padding: 10px 18px; background: #7a3b1d; color: #fff">
Pay now</a></p><p>{{ downloads }}</p></div>"""
LIST = "document.querySelector('.card, .rows .row-link') !== null"
SHOWN = {
    "webhooks": "document.querySelector('.day-bar') !== null",
    "endpoint": "document.querySelector('.day-strip.large .day-bar') !== null",
    "delivery": "document.querySelector('.code-block pre') !== null",
    "sends": LIST,
    "send": "document.querySelector('.facts') !== null",
    "rules": LIST,
    "rule": "document.querySelector('.mail-frame') !== null",
    "connections": LIST,
    "connection": "document.querySelector('.facts') !== null",
    "storage": LIST,
    "destination": "document.querySelector('.facts') !== null",
    "links": LIST,
    "link": "document.querySelector('.builder') !== null",
}


@pytest.fixture(scope="module")
def addresses(
    client: ApiClient,
    running_receiver: WebhookReceiver,
    store: RecordingStore,
    template: str,
    connection: dict[str, Any],
) -> dict[str, str]:
    """Give the address of each view, with something to see."""
    url = running_receiver.url
    endpoint = made(client, "/webhook-endpoints", {"url": url, "description": "Bookkeeping"})
    running_receiver.statuses = [200, 200, 500, 200, 404]
    running_receiver.answer = b'{"error": "The ledger is closed."}'
    deliveries = [delivered(client, endpoint) for _ in range(5)]
    running_receiver.answer = b"thanks"
    destination = made(client, "/storage-destinations", {"name": "Archive", **store.destination})
    link = made(client, "/signed-links", {"name": "Badge", "template_id": template})
    rule = made(
        client,
        f"/templates/{template}/email-rules",
        {
            "name": "To the customer",
            "connection_id": connection["id"],
            "to": "{{ email }}",
            "subject": "Your invoice {{ n }}",
            "html": MAIL,
        },
    )
    target = {"destination_id": destination["id"]}
    source = {"type": "template", "template_id": template}
    fields = {"input": source, "data": {"n": 7, "email": "ada@example.com"}}
    made(client, "/renders", fields | {"delivery": {"storage": [target]}})
    sends = eventually(lambda: listed(client, "/email-sends"), pause_s=0.1)
    failed = deliveries[2]["id"]
    return {
        "webhooks": "/deliveries",
        "endpoint": f"/deliveries/webhooks/{endpoint['id']}",
        "delivery": f"/deliveries/webhooks/{endpoint['id']}/{failed}",
        "sends": "/deliveries/emails",
        "send": f"/deliveries/emails/sends/{sends[0]['id']}",
        "rules": f"/deliveries/emails/rules?template_id={template}",
        "rule": f"/deliveries/emails/rules/{rule['id']}",
        "connections": "/deliveries/emails/connections",
        "connection": f"/deliveries/emails/connections/{connection['id']}",
        "storage": "/deliveries/storage",
        "destination": f"/deliveries/storage/{destination['id']}",
        "links": "/deliveries/links",
        "link": f"/deliveries/links/{link['id']}",
    }


@pytest.mark.parametrize("view", SHOWN)
def test_view_has_no_barrier(person: Person, addresses: dict[str, str], view: str) -> None:
    look_at(person, f"deliveries-{view}", addresses[view], SHOWN[view])
