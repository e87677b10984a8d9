"""Webhooks: endpoints and their secrets, deliveries, signatures in the browser, hostile answers."""

import json
from typing import Any

import pytest

from chalicelib.core.ids import WorkspaceId
from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenants
from tests.builders.waiting import eventually
from tests.fakes.webhook_receiver import WebhookReceiver
from tests.integration.console.deliveries.conftest import delivered, listed, made
from tests.integration.console.deliveries.forms import (
    confirm,
    fill,
    kept_texts,
    markup,
    submit_twice,
)
from tests.integration.console.person import Person

pytestmark = pytest.mark.integration

ATTACK = "<script>window.attacked = 1</script><img src=x onerror='window.attacked = 1'>"
SECRET = "document.querySelector('dialog[open] .secret input')?.value"
# A client of JavaScript that reads and writes these again changes their order and their form.
AWKWARD = {"b": "ü€\u2028", "10": "</script>", "9": 'quote " and \\'}


@pytest.fixture
def endpoint(client: ApiClient, receiver: WebhookReceiver) -> dict[str, Any]:
    return made(client, "/webhook-endpoints", {"url": receiver.url})


def open_delivery(person: Person, endpoint: dict[str, Any], delivery: dict[str, Any]) -> None:
    person.enter(f"/deliveries/webhooks/{endpoint['id']}/{delivery['id']}")


def test_double_click_creates_one_endpoint_and_shows_its_secret_once(
    person: Person, client: ApiClient, receiver: WebhookReceiver
) -> None:
    url = f"{receiver.url}/once"
    person.enter("/deliveries/webhooks")
    person.press("New endpoint")
    fill(person, "URL", url)
    fill(person, "Headers", "X-Team: billing: all")

    submit_twice(person)

    secret = person.browser.wait_for(f"{SECRET}?.startsWith('whsec_') && {SECRET}")
    assert secret not in kept_texts(person)
    confirm(person, "I have stored it")
    person.reads(url, within=".cards")
    assert secret not in markup(person)
    (endpoint,) = [each for each in listed(client, "/webhook-endpoints") if each["url"] == url]
    assert endpoint["headers"] == {"X-Team": "billing: all"}
    assert len(endpoint["events"]) == 13
    assert delivered(client, endpoint)["status"] == "succeeded"
    assert receiver.received[-1].verified([secret])


def test_refused_field_says_why(person: Person, client: ApiClient) -> None:
    before = listed(client, "/webhook-endpoints")
    person.enter("/deliveries/webhooks")
    person.press("New endpoint")
    fill(person, "URL", "https://example.com/")
    fill(person, "Headers", "Host: example.com")

    submit_twice(person)

    person.press("/headers/Host")
    faulty = "document.activeElement.getAttribute('aria-invalid')"
    assert person.browser.value(f"[document.activeElement.value, {faulty}]") == [
        "Host: example.com",
        "true",
    ]
    assert listed(client, "/webhook-endpoints") == before


def test_test_event_leads_to_its_delivery(
    person: Person, endpoint: dict[str, Any], receiver: WebhookReceiver
) -> None:
    person.enter(f"/deliveries/webhooks/{endpoint['id']}")

    person.press("Send test event")
    person.press("render.failed")

    person.reads("Answered 200", within=".side + .side")
    person.reads("thanks", within=".side + .side")
    assert json.loads(receiver.received[-1].body)["type"] == "render.failed"


def test_signature_is_checked_in_the_browser(
    person: Person, client: ApiClient, endpoint: dict[str, Any], receiver: WebhookReceiver
) -> None:
    client.render(reference=ATTACK, metadata=AWKWARD).raise_for_status()
    eventually(lambda: [each for each in receiver.received if b"window.attacked" in each.body])
    query = f"/webhook-deliveries?endpoint_id={endpoint['id']}"
    (delivery,) = client.http.get(query).json()["data"]
    open_delivery(person, endpoint, delivery)

    fill(person, "Signing secret", endpoint["secret"])

    person.reads("The signature is genuine", within=".signature")
    fill(person, "Signing secret", "whsec_" + "A" * 43 + "=")
    person.reads("This secret did not sign it", within=".signature")
    fill(person, "Signing secret", "hello, world")
    person.reads("This is not a secret", within=".signature")
    fill(person, "Signing secret", endpoint["secret"])
    assert endpoint["secret"] not in kept_texts(person)
    secret_part = endpoint["secret"].removeprefix("whsec_")
    assert all(secret_part not in str(request) for request in person.browser.requests)
    person.browser.value("navigator.clipboard.writeText = async (text) => { window.copied = text }")
    person.press("Copy body")
    sent = [each for each in receiver.received if b"window.attacked" in each.body][-1]
    assert person.browser.wait_for("window.copied").encode() == sent.body


def test_hostile_answers_are_shown_as_texts(
    person: Person, client: ApiClient, endpoint: dict[str, Any], receiver: WebhookReceiver
) -> None:
    receiver.answer = ATTACK.encode() + b"\x00\xff" + b"x" * 1_000_000
    receiver.statuses = [500]
    delivery = delivered(client, endpoint)

    open_delivery(person, endpoint, delivery)

    person.reads("window.attacked", within=".side + .side pre")
    person.reads("Answered 500", within=".side + .side")
    person.reads("The first 1,000 characters", within=".side + .side")


def test_each_attempt_has_its_answer(
    person: Person, client: ApiClient, endpoint: dict[str, Any], receiver: WebhookReceiver
) -> None:
    receiver.answer, receiver.statuses = b"closed for today", [503]
    delivery = delivered(client, endpoint)
    receiver.answer = b"thanks"
    open_delivery(person, endpoint, delivery)
    person.reads("closed for today", within=".side + .side")

    person.press("Replay")

    person.reads("2 attempts", within=".side + .side")
    person.reads("thanks", within=".side + .side")
    person.browser.value("document.querySelector('.attempts button').click()")
    person.reads("closed for today", within=".side + .side")
    assert person.browser.value("location.search") == "?attempt=1"


def test_what_a_pause_canceled_is_replayed(
    person: Person, client: ApiClient, endpoint: dict[str, Any], receiver: WebhookReceiver
) -> None:
    person.enter(f"/deliveries/webhooks/{endpoint['id']}")
    person.press("Turn off")
    person.reads("Off", within=".thing-head")
    path = f"/webhook-endpoints/{endpoint['id']}"
    assert client.http.get(path).json()["enabled"] is False
    for _ in range(2):
        made(client, f"{path}/test", {"event": "render.expired"})
    person.press("Turn on")
    person.reads("On", within=".thing-head")

    person.press("Replay 2 not delivered")

    eventually(lambda: len(receiver.received) == 2)
    person.browser.wait_for("!document.querySelector('.filters').innerText.includes('Replay')")


def test_rolled_secret_overlaps_and_is_shown_once(
    person: Person, client: ApiClient, endpoint: dict[str, Any], receiver: WebhookReceiver
) -> None:
    person.enter(f"/deliveries/webhooks/{endpoint['id']}")
    person.press("Roll secret")

    submit_twice(person)

    secret = person.browser.wait_for(f"{SECRET}?.startsWith('whsec_') && {SECRET}")
    assert len(person.sent("POST", f"/webhook-endpoints/{endpoint['id']}/roll-secret")) == 1
    assert secret != endpoint["secret"]
    confirm(person, "I have stored it")
    person.reads("signs beside the new one", within=".facts")
    delivered(client, endpoint)
    assert receiver.received[-1].verified([secret]) == receiver.received[-1].verified(
        [endpoint["secret"]]
    )


def test_endpoint_is_deleted_after_a_question(
    person: Person, client: ApiClient, endpoint: dict[str, Any]
) -> None:
    person.enter(f"/deliveries/webhooks/{endpoint['id']}")
    person.press("Delete")
    person.reads("Delete this endpoint?", within="dialog[open]")
    assert client.http.get(f"/webhook-endpoints/{endpoint['id']}").is_success

    confirm(person, "Delete endpoint")

    person.browser.wait_for("location.pathname.endsWith('/deliveries/webhooks')")
    assert client.http.get(f"/webhook-endpoints/{endpoint['id']}").status_code == 404


def test_filters_are_in_the_address(
    person: Person, client: ApiClient, endpoint: dict[str, Any]
) -> None:
    delivered(client, endpoint, event="template.published")

    person.enter(f"/deliveries/webhooks?endpoint_id={endpoint['id']}")

    rows = "[...document.querySelectorAll('.rows .row-link')].map((each) => each.innerText)"
    person.browser.wait_for(f"{rows}.length === 1")
    assert person.browser.value(rows) == ["template.published"]
    person.press("Failed")
    person.reads("No delivery matches these filters.")
    assert "status=failed" in person.browser.value("location.search")


def test_reader_is_offered_nothing_that_changes(
    person: Person, stack: RunningStack, tenants: Tenants, endpoint: dict[str, Any]
) -> None:
    scopes = ["webhooks:read", "account:read"]
    keys = tenants.operator.manage_keys
    new = keys.create(WorkspaceId(stack.workspace), mode="test", scopes=scopes)

    person.enter("/deliveries", key=new.text)

    person.reads(endpoint["url"], within=".cards")
    tabs = "[...document.querySelectorAll('.deliveries-head .tab')].map((each) => each.innerText)"
    person.browser.wait_for(f"{tabs}.join() === 'Webhooks'")
    person.enter(f"/deliveries/webhooks/{endpoint['id']}", key=new.text)
    person.reads(endpoint["id"], within=".facts")
    buttons = "[...document.querySelectorAll('.actions button')].map((each) => each.innerText)"
    person.browser.wait_for(f"{buttons}.join() === 'Copy as'")
    person.enter("/deliveries/storage", key=new.text)
    person.reads("This key cannot open this view (scope storage:read).")
