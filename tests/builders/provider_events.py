"""Delivery events of Brevo, sent to the address that a connection has registered."""

from typing import Any, Final
from urllib.parse import urlsplit

from tests.builders.email_sends import SENDS_PATH, render_with_emails, sends
from tests.builders.http import ApiAnswer
from tests.builders.http_providers import ACCEPTANCES, connection_to
from tests.builders.service import Service
from tests.fakes.http_provider import HttpProvider, ProviderReply

MESSAGE_ID: Final = "<1@relay.test>"
# 2026-02-01 12:00:00 UTC
TIME_MS: Final = 1_769_947_200_000
REGISTERED: Final = ProviderReply(201, {"id": 7})


def register(service: Service, provider: HttpProvider) -> tuple[dict[str, Any], str]:
    """Return a new connection to Brevo and the path that it registers for events."""
    connection = connection_to(service, "brevo")
    return connection, registered_path(service, provider)


def registered_path(service: Service, provider: HttpProvider) -> str:
    """Run the registration that is due, and return the path that the provider was told."""
    provider.replies.append(REGISTERED)
    service.tick()
    assert service.send_emails() == []
    call = provider.calls[-1]
    assert call.path == "/webhooks"
    url: str = call.fields["url"]
    return urlsplit(url).path


def sent_email(
    service: Service, provider: HttpProvider, connection: dict[str, Any]
) -> dict[str, Any]:
    """Return a send that the provider has accepted with MESSAGE_ID."""
    provider.usual = ACCEPTANCES["brevo"]
    render_with_emails(service, connection)
    assert service.relay_events() == []
    assert service.send_emails() == []
    send = sends(service)[0]
    assert send["status"] == "sent", send
    return send


def event(kind: str, **fields: Any) -> dict[str, Any]:
    """Return an event as Brevo sends it."""
    usual = {"event": kind, "email": "ada@example.com", "message-id": MESSAGE_ID}
    return usual | {"ts_epoch": TIME_MS, "id": 42, "tags": [], "reason": " sent"} | fields


def report(service: Service, path: str, body: Any) -> ApiAnswer:
    """Send events as Brevo does: without a key."""
    return service.call("POST", path, json_body=body, key=None)


def reports(service: Service, send: dict[str, Any], query: str = "") -> Any:
    """Return the list of the reports on a send."""
    return service.call("GET", f"{SENDS_PATH}/{send['id']}/events{query}").json


def delivery(service: Service, send: dict[str, Any]) -> dict[str, int]:
    """Return the counts of a send that are not 0."""
    shown = service.call("GET", f"{SENDS_PATH}/{send['id']}").json["delivery"]
    return {name: count for name, count in shown.items() if count}
