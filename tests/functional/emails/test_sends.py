"""Sends: from a render that has succeeded to the provider, retries, and unknown outcomes."""

import datetime as dt
from typing import Any

import pytest

from chalicelib.core.mailbox import Mailbox
from chalicelib.engine.delivery.emails import EmailFault, RenderedEmail
from tests.builders.email_sends import (
    ADA,
    EMAIL,
    connect,
    deliver_emails,
    email_counts,
    event_types,
    hand_out_later,
    render_with_emails,
    send_emails,
    sends,
)
from tests.builders.service import Service
from tests.fakes.email_provider import (
    NO_ANSWER,
    REJECTED,
    UNAVAILABLE,
    FakeProvider,
)


def test_email_of_a_render_is_sent(service: Service, fake_provider: FakeProvider) -> None:
    connection = connect(service, reply_to="office@example.com")
    render = render_with_emails(service, connection)

    deliver_emails(service, fake_provider)

    (email,) = fake_provider.accepted
    assert email.to == (ADA,)
    assert email.cc == (Mailbox("cc@example.com"),)
    assert email.sender == Mailbox("billing@example.com", "Müller & Söhne")
    assert email.reply_to == Mailbox("office@example.com")
    assert (email.subject, email.html, email.text) == ("Your invoice", "<p>Hello</p>", "Hello")
    (file,) = email.files
    assert file.content.startswith(b"%PDF-")
    assert file.filename == render["files"][0]["filename"]
    assert email.message_id == f"<{email.send_id.lower()}@example.com>"
    assert fake_provider.credentials == [{"password": "secret"}]
    assert fake_provider.open_sessions == 0
    (send,) = sends(service)
    assert send["status"] == "sent"
    assert send["render_id"] == render["id"]
    assert send["to"] == [{"email": "ada@example.com", "name": "Ada"}]
    assert (send["cc_count"], send["bcc_count"], send["attempts"]) == (1, 0, 1)
    assert (send["mode"], send["test"], send["sandbox"]) == ("live", False, False)
    assert send["provider_message_id"] == "<m@provider.test>"
    assert send["error"] is None
    assert send["sent_at"] is not None
    (attachment,) = send["attachments"]
    assert attachment["mode"] == "attached"
    assert attachment["file_id"] == render["files"][0]["id"]
    assert event_types(service, send) == ["email.sent"]


def test_render_shows_its_emails(service: Service, fake_provider: FakeProvider) -> None:
    render = render_with_emails(service, connect(service))

    deliver_emails(service, fake_provider)

    (shown,) = service.call("GET", f"/v1/renders/{render['id']}").json["email"]
    (send,) = sends(service)
    names = ("id", "rule_id", "status", "provider_message_id", "error", "sent_at")
    assert shown == {name: send[name] for name in names} | {"to": ["ada@example.com"]}


def test_email_is_counted_and_sent_once(service: Service, fake_provider: FakeProvider) -> None:
    render = render_with_emails(service, connect(service))

    deliver_emails(service, fake_provider)

    assert email_counts(service, render) == {"sent": 1}
    stats = service.call("GET", "/v1/email-sends/stats").json
    assert stats["today"]["recipients"] == 2
    assert stats["today"]["limit"] == 1_000
    assert stats["last_30_days"]["sent"] == 1
    # Messages and due items that come again send nothing.
    hand_out_later(service, hours=1)
    send_emails(service, fake_provider)
    assert len(fake_provider.attempts) == 1


@pytest.mark.parametrize(
    ("email", "status", "reason", "code"),
    [
        (RenderedEmail(is_wanted=False), "skipped", "condition_false", None),
        (
            RenderedEmail(
                is_wanted=True, fault=EmailFault("email_too_large", "Too large.", "html")
            ),
            "failed",
            None,
            "email_too_large",
        ),
    ],
)
def test_email_that_cannot_or_need_not_be_sent(
    service: Service,
    fake_provider: FakeProvider,
    email: RenderedEmail,
    status: str,
    reason: str | None,
    code: str | None,
) -> None:
    render = render_with_emails(service, connect(service), [email])

    deliver_emails(service, fake_provider)

    (send,) = sends(service)
    assert (send["status"], send["skip_reason"]) == (status, reason)
    assert (send["error"] or {}).get("code") == code
    assert fake_provider.attempts == []
    assert event_types(service, send) == (["email.send_failed"] if status == "failed" else [])
    assert email_counts(service, render) == {status: 1}
    assert service.call("GET", "/v1/email-sends/stats").json["last_30_days"][status] == 1


@pytest.mark.parametrize("mode", ["skip", "redirect"])
def test_test_modes(service: Service, fake_provider: FakeProvider, mode: str) -> None:
    connection = connect(service)
    if mode == "redirect":
        row = service.services.emails.connections.one(service.workspace, connection["id"])
        service.services.emails.connections.replace(
            row._replace(test_mode=mode, test_recipient="me@example.com")
        )
    render_with_emails(service, connection, key=service.test)

    deliver_emails(service, fake_provider)

    (send,) = sends(service)
    assert (send["mode"], send["test"]) == (mode, True)
    if mode == "skip":
        assert (send["status"], send["skip_reason"]) == ("skipped", "test_mode")
        assert fake_provider.attempts == []
    else:
        assert send["status"] == "sent"
        assert send["to"][0]["email"] == "ada@example.com"
        (email,) = fake_provider.accepted
        assert (email.to, email.cc, email.subject) == (
            (Mailbox("me@example.com"),),
            (),
            "[Test] Your invoice",
        )
    # Test renders do not count against the cap.
    assert service.call("GET", "/v1/email-sends/stats").json["today"]["recipients"] == 0


def test_unavailable_provider_is_tried_for_a_day(
    service: Service, fake_provider: FakeProvider
) -> None:
    render = render_with_emails(service, connect(service))
    fake_provider.before = [UNAVAILABLE] * 100
    began = service.clock.now()

    deliver_emails(service, fake_provider)

    (send,) = sends(service)
    assert (send["status"], send["attempts"]) == ("retrying", 1)
    assert send["error"]["code"] == "email_provider_unavailable"
    assert email_counts(service, render) == {"pending": 1}
    attempts = [dt.timedelta()]
    while sends(service)[0]["status"] == "retrying":
        # Time passes faster, the longer the pauses are.
        hand_out_later(service, minutes=1 if len(attempts) < 3 else 15)
        send_emails(service, fake_provider)
        if len(fake_provider.attempts) > len(attempts):
            attempts.append(service.clock.now() - began)
    assert attempts[1] <= dt.timedelta(minutes=3)
    assert 8 <= len(attempts) <= 14
    (send,) = sends(service)
    assert (send["status"], send["error"]["code"]) == ("failed", "email_send_expired")
    assert service.clock.now() - began <= dt.timedelta(hours=24, minutes=30)
    assert fake_provider.accepted == []
    assert event_types(service, send) == ["email.send_failed"]
    assert email_counts(service, render) == {"failed": 1}


def test_email_that_was_retried_is_sent_once(service: Service, fake_provider: FakeProvider) -> None:
    render_with_emails(service, connect(service))
    fake_provider.before = [UNAVAILABLE, UNAVAILABLE]

    deliver_emails(service, fake_provider)
    for _ in range(20):
        hand_out_later(service, minutes=1)
        send_emails(service, fake_provider)

    (send,) = sends(service)
    assert (send["status"], send["attempts"], send["error"]) == ("sent", 3, None)
    assert len(fake_provider.accepted) == 1
    assert len({email.message_id for email in fake_provider.attempts}) == 1
    assert service.call("GET", "/v1/email-sends/stats").json["today"]["recipients"] == 2


@pytest.mark.parametrize(("answer", "status"), [(REJECTED, "failed"), (NO_ANSWER, "unknown")])
def test_final_answers_are_not_tried_again(
    service: Service, fake_provider: FakeProvider, answer: Any, status: str
) -> None:
    render = render_with_emails(service, connect(service))
    fake_provider.answers = [answer]

    deliver_emails(service, fake_provider)
    for _ in range(5):
        hand_out_later(service, hours=1)
        send_emails(service, fake_provider)

    (send,) = sends(service)
    assert send["status"] == status
    assert send["error"]["code"] == answer.code
    assert send["error"]["provider_status"] == answer.provider_status
    assert len(fake_provider.attempts) == 1
    assert event_types(service, send) == ["email.send_failed"]
    assert email_counts(service, render) == {status: 1}


def test_email_to_too_many_recipients_fails_alone(
    service: Service, fake_provider: FakeProvider
) -> None:
    many = tuple(Mailbox(f"a{number}@example.com", "ä" * 450) for number in range(1_000))
    fault = EmailFault("email_too_many_recipients", "Too many. " * 50_000)
    refused = RenderedEmail(is_wanted=True, to=many, fault=fault)
    render_with_emails(service, connect(service), [refused, EMAIL])

    deliver_emails(service, fake_provider)

    statuses = {send["status"]: send for send in sends(service)}
    assert statuses.keys() == {"failed", "sent"}
    assert len(statuses["failed"]["to"]) == 50
    assert len(statuses["failed"]["error"]["message"]) == 1_000
