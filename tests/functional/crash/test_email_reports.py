"""Functions killed over delivery events: each is stored and told once, and somebody asks for it."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from chalicelib.core.crash_points import CrashPoint as P
from tests.builders.crash.in_process.stack import ServiceStack
from tests.builders.crash.workspace import CrashWorkspace
from tests.builders.http_providers import ACCEPTANCES
from tests.builders.provider_events import event
from tests.fakes.http_provider import HttpProvider, http_provider


@pytest.fixture
def provider() -> Iterator[HttpProvider]:
    with http_provider() as running:
        running.usual = ACCEPTANCES["brevo"]
        yield running


@pytest.fixture
def crash(stack: ServiceStack, provider: HttpProvider) -> CrashWorkspace:
    stack.allow(provider.server.egress_allow, email_base_brevo=provider.server.url(""))
    return CrashWorkspace(stack)


def connect(crash: CrashWorkspace) -> dict[str, Any]:
    return crash.call(
        "POST",
        "/email-connections",
        json={
            "name": "Brevo",
            "provider": "brevo",
            "credentials": {"api_key": "key"},
            "default_from": {"email": "billing@example.com"},
        },
    )


def registered_urls(provider: HttpProvider, connection: dict[str, Any]) -> list[str]:
    calls = [call for call in provider.calls if call.path == "/webhooks"]
    return [call.fields["url"] for call in calls if connection["id"] in call.fields["url"]]


def unregistered(crash: CrashWorkspace, connection: dict[str, Any]) -> list[str]:
    """Return what a registration that is over has not left."""
    shown = crash.call("GET", f"/email-connections/{connection['id']}")["events"]
    jobs = [row["SK"] for row in crash.rows() if row["SK"].startswith("REGISTRATION#")]
    due = [row["SK"] for row in crash.rows() if row["SK"] in jobs and "due_at" in row]
    return due if list(shown.values()) == ["registered"] else [f"shows {shown}"]


def sent_email(crash: CrashWorkspace, connection: dict[str, Any]) -> str:
    """Return the id of a send that the provider has accepted."""
    template = crash.call("POST", "/templates", json={"name": "T", "html": "<p>", "publish": True})
    rule = {"name": "R", "connection_id": connection["id"]}
    texts = {"to": "ada@example.com", "subject": "S", "html": "<p>"}
    crash.call("POST", f"/templates/{template['id']}/email-rules", json=rule | texts)
    source = {"type": "template", "template_id": template["id"]}
    crash.call("POST", "/renders", json={"input": source, "mode": "async"})

    def sends() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = crash.call("GET", "/email-sends")["data"]
        return found

    crash.settle(lambda: [send["status"] for send in sends()] != ["sent"])
    return str(sends()[0]["id"])


def test_registration_is_made_again(
    crash: CrashWorkspace, stack: ServiceStack, provider: HttpProvider
) -> None:
    armed = crash.arm(P.EMAIL_EVENTS_REGISTERED)
    connection = connect(crash)
    stack.service.tick()
    crash.await_kill(armed)

    crash.settle(lambda: unregistered(crash, connection))

    first, *more = registered_urls(provider, connection)
    assert more == [first]


def test_report_is_told_once(crash: CrashWorkspace, provider: HttpProvider) -> None:
    connection = connect(crash)
    crash.settle(lambda: unregistered(crash, connection))
    send_id = sent_email(crash, connection)
    path = urlsplit(registered_urls(provider, connection)[0]).path.removeprefix("/v1")
    body = event("delivered", **{"X-Mailin-custom": send_id})

    crash.call_killed(P.EMAIL_REPORT_STORED, "POST", path, json=body)
    assert crash.http.post(path, json=body).status_code == 204

    def told() -> list[Any]:
        rows = [row for row in crash.rows() if row.get("type") == "email.delivered"]
        return [row.get("published_at") for row in rows]

    crash.settle(lambda: None in told())
    assert len(told()) == 1
    send = crash.call("GET", f"/email-sends/{send_id}")
    assert send["delivery"]["delivered"] == 1
