"""Tests of connections to HTTP providers: their steps, the senders they find, what is refused."""

from typing import Any, Final

import pytest

from tests.builders.email_connections import PATH, failed_step, made_connection, run_test
from tests.builders.email_rules import create_rule, template_id_of
from tests.builders.http_providers import (
    ACCEPTANCES,
    CONNECTIONS,
    SECRET_TEXT,
    TOKEN,
    answer,
    connection_to,
    graph,
    ses,
)
from tests.builders.service import Service
from tests.fakes.http_provider import HttpProvider, ProviderReply
from tests.fakes.raw_server import reset

REFUSED_IP: Final = "You are using an unrecognised IP address 192.0.2.1."
ACCOUNT: Final = answer(200, email="owner@example.com", plan=[])
PEOPLE: Final = answer(
    200,
    senders=[
        {"id": 1, "name": "Billing", "email": "billing@example.com", "active": True},
        {"id": 2, "name": "News", "email": "news@example.com", "active": False},
        {"id": 3, "email": ["no text"]},
        "no object",
    ],
)
DOMAINS: Final = answer(200, domains=[{"domain_name": "example.com", "verified": True}])
BREVO: Final = [ACCOUNT, PEOPLE, DOMAINS, ACCEPTANCES["brevo"]]
IDENTITIES: Final = answer(
    200,
    EmailIdentities=[
        {
            "IdentityType": "DOMAIN",
            "IdentityName": "example.com",
            "SendingEnabled": True,
            "VerificationStatus": "SUCCESS",
        },
        {
            "IdentityType": "EMAIL_ADDRESS",
            "IdentityName": "ada@example.com",
            "SendingEnabled": False,
            "VerificationStatus": "PENDING",
        },
    ],
)
SES: Final = [answer(200, SendingEnabled=True), IDENTITIES]
RESEND: Final = answer(
    200,
    data=[
        {"id": "d-1", "name": "example.com", "status": "verified"},
        {"id": "d-2", "name": "example.org", "status": "pending"},
    ],
)


def listed(email: str, kind: str, *, verified: bool, name: str | None = None) -> dict[str, Any]:
    return {"email": email, "kind": kind, "name": name, "verified": verified}


@pytest.mark.parametrize(
    ("name", "replies", "steps", "senders"),
    [
        (
            "brevo",
            BREVO,
            ["credentials", "senders", "sandbox_send"],
            [
                listed("billing@example.com", "sender", verified=True, name="Billing"),
                listed("news@example.com", "sender", verified=False, name="News"),
                listed("example.com", "domain", verified=True),
            ],
        ),
        ("postmark", [answer(200, ID=1, Name="Server")], ["credentials"], []),
        (
            "resend",
            [RESEND],
            ["credentials"],
            [
                listed("example.com", "domain", verified=True),
                listed("example.org", "domain", verified=False),
            ],
        ),
        ("resend", [answer(401, name="restricted_api_key")], ["credentials"], []),
        (
            "ses",
            SES,
            ["credentials", "senders"],
            [
                listed("example.com", "domain", verified=True),
                listed("ada@example.com", "sender", verified=False),
            ],
        ),
        ("microsoft365", [TOKEN], ["credentials"], []),
    ],
)
def test_good_connection_passes_all_steps(
    service: Service,
    provider: HttpProvider,
    name: str,
    replies: list[ProviderReply],
    steps: list[str],
    senders: list[dict[str, Any]],
) -> None:
    provider.replies = [*replies]
    connection = connection_to(service, name)

    result = run_test(service, connection).json

    assert result["ok"], result
    assert [each["name"] for each in result["steps"]] == steps
    assert result["senders"] == senders
    shown = service.call("GET", f"{PATH}/{connection['id']}").json
    assert (shown["status"], shown["last_test_status"]) == ("active", "succeeded")
    assert shown["senders"] == senders
    assert provider.replies == []


def test_each_provider_is_asked_with_its_credentials(
    service: Service, provider: HttpProvider
) -> None:
    for name, replies in [("brevo", BREVO), ("postmark", [answer(200)]), ("resend", [RESEND])]:
        provider.replies = [*replies]
        run_test(service, connection_to(service, name))
    *asked, sandboxed, server, domains = provider.calls

    assert [call.path for call in asked] == ["/account", "/senders", "/senders/domains"]
    assert {call.headers["api-key"] for call in [*asked, sandboxed]} == {"key"}
    assert sandboxed.fields["headers"]["X-Sib-Sandbox"] == "drop"
    assert sandboxed.fields["to"] == [{"email": "billing@example.com"}]
    assert (server.path, server.headers["x-postmark-server-token"]) == ("/server", "key")
    assert (domains.path, domains.headers["authorization"]) == ("/domains", "Bearer key")


@pytest.mark.parametrize("name", CONNECTIONS)
def test_email_goes_to_the_member_who_is_named(
    service: Service, provider: HttpProvider, name: str
) -> None:
    service.operator.manage_members.add(service.workspace, "ada@example.com", "developer")
    service.operator.manage_members.verify(service.workspace, "ada@example.com")
    good = {"brevo": BREVO, "resend": [RESEND], "ses": SES, "microsoft365": [TOKEN]}
    provider.replies = [*good.get(name, [answer(200)])]
    provider.usual = ACCEPTANCES[name]

    result = run_test(service, connection_to(service, name), send_to="ada@example.com").json

    assert result["ok"], result
    assert result["steps"][-1] == {"name": "send", "ok": True, "detail": None}
    assert b"ada@example.com" in provider.calls[-1].content
    assert b"X-Sib-Sandbox" not in provider.calls[-1].content


@pytest.mark.parametrize(
    ("name", "replies", "step", "code"),
    [
        (
            "brevo",
            [answer(401, code="unauthorized", message="Key not found")],
            "credentials",
            "email_provider_auth_failed",
        ),
        (
            "brevo",
            [answer(401, code="unauthorized", message=REFUSED_IP)],
            "credentials",
            "email_ip_not_authorized",
        ),
        ("brevo", [ACCOUNT, answer(429)], "senders", None),
        (
            "brevo",
            [*BREVO[:3], answer(400, code="invalid_parameter", message=SECRET_TEXT)],
            "sandbox_send",
            None,
        ),
        ("postmark", [answer(401, ErrorCode=10)], "credentials", "email_provider_auth_failed"),
        ("postmark", [answer(503)], "credentials", None),
        ("postmark", [reset], "credentials", None),
        (
            "resend",
            [answer(401, name="missing_api_key")],
            "credentials",
            "email_provider_auth_failed",
        ),
        (
            "ses",
            [ses(403, "SignatureDoesNotMatch")],
            "credentials",
            "email_provider_auth_failed",
        ),
        ("ses", [answer(200, SendingEnabled=False)], "credentials", None),
        ("ses", [SES[0], ses(400, "BadRequestException")], "senders", None),
        (
            "microsoft365",
            [answer(401, error="invalid_client")],
            "credentials",
            "email_provider_auth_failed",
        ),
        ("microsoft365", [graph(500, "busy")], "credentials", None),
    ],
)
def test_refusal_ends_the_steps(
    service: Service,
    provider: HttpProvider,
    name: str,
    replies: list[Any],
    step: str,
    code: str | None,
) -> None:
    provider.replies = [*replies]
    connection = connection_to(service, name)

    failed, detail = failed_step(service, connection)

    shown = service.call("GET", f"{PATH}/{connection['id']}").json
    assert failed == step
    assert detail
    assert SECRET_TEXT not in detail
    assert shown["status"] == ("active" if code is None else "failing")
    assert (shown["last_error"] or {}).get("code") == code


@pytest.mark.parametrize("name", CONNECTIONS)
def test_connection_without_credentials_is_not_connected(
    service: Service, provider: HttpProvider, name: str
) -> None:
    config = CONNECTIONS[name]["config"]
    connection = made_connection(service, provider=name, config=config, credentials=None)

    result = run_test(service, connection).json

    assert (result["ok"], result["connection"]["last_error"]["code"]) == (
        False,
        "email_credentials_removed",
    )
    assert provider.calls == []


def test_rule_with_a_sender_that_is_not_listed_is_warned_about(
    service: Service, provider: HttpProvider
) -> None:
    provider.replies = [RESEND]
    connection = connection_to(service, "resend")
    run_test(service, connection)
    template_id = template_id_of(service)

    good, bad = (
        create_rule(service, template_id, connection["id"], from_email=f"me@{domain}").json
        for domain in ("example.com", "example.net")
    )

    assert good["warnings"] == []
    assert [each["code"] for each in bad["warnings"]] == ["email_sender_unverified"]


def test_list_that_never_ends_is_cut(service: Service, provider: HttpProvider) -> None:
    many = [{"name": f"d{number}.example", "status": "verified"} for number in range(500)]
    provider.replies = [answer(200, data=many)]

    assert len(run_test(service, connection_to(service, "resend")).json["senders"]) == 100
