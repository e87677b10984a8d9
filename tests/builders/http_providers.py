"""Connections to HTTP providers of a test, and the delivery of emails over them."""

from typing import Any, Final

from chalicelib.settings import ApiSettings
from tests.builders.email_sends import connect, render_with_emails, sends
from tests.builders.service import Service
from tests.fakes.http_provider import HttpProvider, ProviderReply

CONNECTIONS: Final[dict[str, dict[str, Any]]] = {
    "brevo": {"credentials": {"api_key": "key"}, "config": {}},
    "postmark": {"credentials": {"server_token": "key"}, "config": {}},
    "resend": {"credentials": {"api_key": "key"}, "config": {}},
    "ses": {
        "credentials": {"access_key_id": "AKIDEXAMPLE", "secret_access_key": "key"},
        "config": {"region": "eu-west-1", "configuration_set": "invoices"},
    },
    "microsoft365": {
        "credentials": {"client_secret": "key"},
        "config": {"tenant_id": "t-1", "client_id": "c-1", "sender": "billing@example.com"},
    },
}
ACCEPTANCES: Final = {
    "brevo": ProviderReply(201, {"messageId": "<1@relay.test>"}),
    "postmark": ProviderReply(200, {"ErrorCode": 0, "Message": "OK", "MessageID": "pm-1"}),
    "resend": ProviderReply(200, {"id": "re-1"}),
    "ses": ProviderReply(200, {"MessageId": "ses-1"}),
    "microsoft365": ProviderReply(202, raw=b""),
}
TOKEN: Final = ProviderReply(200, {"access_token": "token-1", "expires_in": 3599})

# Status and code of a send.
REJECTED: Final = "failed", "email_provider_rejected"
NO_AUTH: Final = "failed", "email_provider_auth_failed"
LIMITED: Final = "retrying", "email_rate_limited"
UNKNOWN: Final = "unknown", "email_outcome_unknown"
SECRET_TEXT: Final = "ada@example.com is not welcome"


def answer(status: int, **fields: object) -> ProviderReply:
    return ProviderReply(status, fields)


def ses(status: int, code: str) -> ProviderReply:
    return ProviderReply(status, {"message": SECRET_TEXT}, (("x-amzn-errortype", f"{code}:"),))


def graph(status: int, code: str) -> ProviderReply:
    return answer(status, error={"code": code, "message": SECRET_TEXT})


def reach(service: Service, provider: HttpProvider, allow: str | None = None) -> None:
    """Let all providers be this server."""
    base = provider.server.url("")
    settings = {f"email_base_{name}": base for name in CONNECTIONS}
    settings["egress_allow"] = provider.server.egress_allow if allow is None else allow
    service.settings = ApiSettings(**vars(service.settings) | settings)


def connection_to(service: Service, name: str, **config: Any) -> dict[str, Any]:
    """Make a connection to a provider."""
    fields = CONNECTIONS[name]
    config = fields["config"] | {"max_per_second": 100} | config
    return connect(service, provider=name, **fields | {"config": config})


def delivered(service: Service, name: str, **fields: Any) -> dict[str, Any]:
    """Return the one send of a render after an attempt over a provider."""
    render_with_emails(service, connection_to(service, name), **fields)
    assert service.relay_events() == []
    assert service.send_emails() == []
    (send,) = sends(service)
    return send
