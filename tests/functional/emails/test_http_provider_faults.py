"""Emails over HTTP: what becomes of an email at each fault and refusal of its provider."""

import pytest

from chalicelib.core.mailbox import Mailbox
from chalicelib.engine.delivery.emails import RenderedEmail
from tests.builders.email_sends import SENDS_PATH, connect, render_with_emails, sends
from tests.builders.http_providers import (
    CONNECTIONS,
    LIMITED,
    NO_AUTH,
    REJECTED,
    SECRET_TEXT,
    TOKEN,
    UNKNOWN,
    answer,
    connection_to,
    delivered,
    graph,
    reach,
    ses,
)
from tests.builders.service import Service
from tests.fakes.http_provider import HttpProvider, ProviderReply
from tests.fakes.raw_server import reset

REFUSED_IP = (
    "We have detected you are using an unrecognised IP address 192.0.2.1. If you performed this "
    "action make sure to add the new IP address in this link: "
    "https://app.brevo.com/security/authorised_ips"
)
VALIDATION = "account_under_validation"
HOUR = (("x-sib-ratelimit-reset", "3600"),)


@pytest.mark.parametrize(
    ("name", "reply", "outcome", "provider_code"),
    [
        (
            "brevo",
            answer(401, code="unauthorized", message="Key not found"),
            NO_AUTH,
            "unauthorized",
        ),
        (
            "brevo",
            answer(401, code="unauthorized", message=REFUSED_IP),
            ("failed", "email_ip_not_authorized"),
            "unauthorized",
        ),
        ("brevo", answer(400, code="invalid_parameter"), REJECTED, "invalid_parameter"),
        ("brevo", answer(402, code="not_enough_credits"), REJECTED, "not_enough_credits"),
        ("brevo", answer(403, code="permission_denied"), NO_AUTH, "permission_denied"),
        (
            "brevo",
            answer(403, code="account_under_validation"),
            REJECTED,
            "account_under_validation",
        ),
        (
            "brevo",
            answer(400, code="max_emails_per_day_exceeded"),
            LIMITED,
            "max_emails_per_day_exceeded",
        ),
        ("brevo", answer(400, code="duplicate_request"), UNKNOWN, "duplicate_request"),
        ("postmark", answer(401, ErrorCode=10, Message=SECRET_TEXT), NO_AUTH, "10"),
        ("postmark", answer(422, ErrorCode=406, Message=SECRET_TEXT), REJECTED, "406"),
        (
            "postmark",
            answer(422, ErrorCode=411, Message=SECRET_TEXT),
            ("failed", "email_attachment_type_not_allowed"),
            "411",
        ),
        ("postmark", answer(500, ErrorCode=0), UNKNOWN, "0"),
        ("resend", answer(401, name="missing_api_key"), NO_AUTH, "missing_api_key"),
        ("resend", answer(403, name="invalid_api_key"), NO_AUTH, "invalid_api_key"),
        ("resend", answer(403, name="validation_error"), REJECTED, "validation_error"),
        ("resend", answer(429, name="daily_quota_exceeded"), LIMITED, "daily_quota_exceeded"),
        (
            "resend",
            answer(409, name="concurrent_idempotent_requests"),
            UNKNOWN,
            "concurrent_idempotent_requests",
        ),
        ("ses", ses(403, "SignatureDoesNotMatch"), NO_AUTH, "SignatureDoesNotMatch"),
        ("ses", ses(400, "MessageRejected"), REJECTED, "MessageRejected"),
        ("ses", ses(429, "TooManyRequestsException"), LIMITED, "TooManyRequestsException"),
        ("microsoft365", graph(403, "ErrorAccessDenied"), NO_AUTH, "ErrorAccessDenied"),
        ("microsoft365", graph(403, "ErrorSendAsDenied"), REJECTED, "ErrorSendAsDenied"),
        ("microsoft365", graph(429, "ApplicationThrottled"), LIMITED, "ApplicationThrottled"),
        ("microsoft365", graph(503, "ErrorServerBusy"), UNKNOWN, "ErrorServerBusy"),
    ],
)
def test_refusals_of_each_provider(
    service: Service,
    provider: HttpProvider,
    name: str,
    reply: ProviderReply,
    outcome: tuple[str, str],
    provider_code: str,
) -> None:
    provider.replies = [TOKEN, reply, TOKEN] if name == "microsoft365" else []
    provider.usual = reply

    send = delivered(service, name)

    error = send["error"]
    assert (send["status"], error["code"]) == outcome
    assert (error["provider_code"], error["provider_status"]) == (provider_code, reply.status)
    shown = service.call("GET", f"{SENDS_PATH}/{send['id']}").body
    assert SECRET_TEXT.encode() not in shown
    assert b"192.0.2.1" not in shown


@pytest.mark.parametrize("name", CONNECTIONS)
def test_no_answer_leaves_the_outcome_unknown(
    service: Service, provider: HttpProvider, name: str
) -> None:
    provider.replies = [TOKEN, reset] if name == "microsoft365" else [reset]

    send = delivered(service, name)

    assert (send["status"], send["error"]["code"]) == UNKNOWN
    assert len(provider.calls) == (2 if name == "microsoft365" else 1)


@pytest.mark.parametrize("name", CONNECTIONS)
def test_provider_out_of_reach_is_tried_again(
    service: Service, provider: HttpProvider, name: str
) -> None:
    # Without an exemption, egress refuses the base like any private address.
    reach(service, provider, allow="")

    send = delivered(service, name)

    assert (send["status"], send["error"]["code"]) == ("retrying", "email_provider_unavailable")
    assert provider.server.connections == 0
    assert service.call("GET", "/v1/email-sends/stats").json["today"]["recipients"] == 0


@pytest.mark.parametrize(
    ("name", "headers"), [("resend", (("retry-after", "3600"),)), ("brevo", HOUR)]
)
def test_provider_says_when_to_come_again(
    service: Service, provider: HttpProvider, name: str, headers: tuple[tuple[str, str], ...]
) -> None:
    provider.usual = ProviderReply(429, {}, headers)

    send = delivered(service, name)

    assert (send["status"], send["error"]["code"]) == LIMITED
    for minutes, count in ((58, 1), (10, 2)):
        service.clock.advance(minutes=minutes)
        service.tick()
        assert service.send_emails() == []
        # The tick has registrations for delivery events done, too.
        emails = [call for call in provider.calls if call.path != "/webhooks"]
        assert len(emails) == count


@pytest.mark.parametrize("name", CONNECTIONS)
def test_acceptance_without_a_readable_answer_counts(
    service: Service, provider: HttpProvider, name: str
) -> None:
    provider.replies = [TOKEN] if name == "microsoft365" else []
    provider.usual = ProviderReply(200, raw=b"<html>OK</html>")

    send = delivered(service, name)

    assert (send["status"], send["provider_message_id"]) == ("sent", None)


def test_postmark_tells_which_recipients_get_nothing(
    service: Service, provider: HttpProvider
) -> None:
    text = "Message OK, but will not deliver to these inactive addresses: cc@example.com. Inactive"
    provider.usual = answer(200, ErrorCode=0, Message=text, MessageID="pm-1")

    send = delivered(service, "postmark")

    assert send["status"] == "sent"
    assert send["error"]["message"] == "1 of 2 recipients were refused."


@pytest.mark.parametrize("name", ["brevo", "resend"])
def test_attachment_that_a_provider_does_not_take_is_not_sent(
    service: Service, provider: HttpProvider, name: str
) -> None:
    render_with_emails(
        service, connection_to(service, name), output={"formats": ["webp"], "filename": "a"}
    )

    assert service.relay_events() == []
    assert service.send_emails() == []

    (send,) = sends(service)
    outcome = ("failed", "email_attachment_type_not_allowed") if name == "brevo" else ("sent", None)
    assert (send["status"], send["error"] and send["error"]["code"]) == outcome
    assert len(provider.calls) == (0 if name == "brevo" else 1)


@pytest.mark.parametrize("name", ["brevo", "postmark", "resend", "ses", "microsoft365"])
def test_address_beyond_ascii_is_not_sent(
    service: Service, provider: HttpProvider, name: str
) -> None:
    email = RenderedEmail(
        is_wanted=True, to=(Mailbox("jürgen@example.com"),), subject="S", text="t"
    )

    send = delivered(service, name, emails=[email])

    assert (send["status"], send["error"]["code"]) == ("failed", "email_address_invalid")
    assert provider.calls == []


def test_key_that_no_header_carries_is_refused(service: Service, provider: HttpProvider) -> None:
    connection = connect(
        service, provider="resend", config={}, credentials={"api_key": "schlüssel"}
    )
    render_with_emails(service, connection)

    assert service.relay_events() == []
    assert service.send_emails() == []

    (send,) = sends(service)
    assert (send["status"], send["error"]["code"]) == NO_AUTH
    assert provider.calls == []
