"""Examples of email connections, rules, previews and sends."""

from collections.abc import Mapping
from typing import Any, Final

from tests.builders.examples.documents import DATA
from tests.builders.examples.recorder import Recorder
from tests.builders.examples.service import MEMBER

_FROM: Final = {"email": "billing@acme.example", "name": "Acme Billing"}
_PROVIDERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "smtp": {
        "config": {"host": "smtp.acme.example", "port": 587, "username": "billing"},
        "credentials": {"password": "your-password"},
    },
    "postmark": {
        "config": {"message_stream": "outbound"},
        "credentials": {"server_token": "your-server-token"},
    },
    "resend": {"credentials": {"api_key": "your-api-key"}},
    "ses": {
        "config": {"region": "eu-central-1", "configuration_set": "invoices"},
        "credentials": {
            "access_key_id": "your-access-key-id",
            "secret_access_key": "your-secret-access-key",
        },
    },
    "microsoft365": {
        "config": {
            "tenant_id": "acme.example",
            "client_id": "11111111-2222-3333-4444-555555555555",
            "sender": "billing@acme.example",
        },
        "credentials": {"client_secret": "your-client-secret"},
    },
}
_TITLES: Final = {
    "smtp": "An SMTP server",
    "postmark": "Postmark",
    "resend": "Resend",
    "ses": "Amazon SES",
    "microsoft365": "Microsoft 365",
}
_TEXTS: Final = {
    "to": "{{ customer.email }}",
    "subject": "Invoice {{ number }}",
    "html": "<p>Dear customer,</p><p>please find your invoice attached.</p>{{ downloads }}",
}


def play_connections(recorder: Recorder) -> str:
    """Make connections to all providers, and change, test and delete some; return one's id."""
    made = recorder.call(
        "POST /v1/email-connections",
        "Brevo",
        name="brevo",
        body={
            "name": "Billing",
            "provider": "brevo",
            "default_from": _FROM,
            "credentials": {"api_key": "your-api-key"},
        },
    )
    recorder.service.register_for_events()
    others = [
        recorder.call(
            "POST /v1/email-connections",
            _TITLES[provider],
            name=provider,
            body={"name": _TITLES[provider], "provider": provider, "default_from": _FROM, **parts},
        )
        for provider, parts in _PROVIDERS.items()
    ]
    connection = {"id": made["id"]}
    recorder.service.list_senders()
    recorder.call(
        "POST /v1/email-connections/{id}/test",
        "Send an email to a member too",
        **connection,
        body={"send_to": MEMBER},
    )
    recorder.call("GET /v1/email-connections/{id}", **connection)
    recorder.call(
        "PATCH /v1/email-connections/{id}",
        "Fewer emails each second, and replies to another address",
        **connection,
        body={"reply_to": "office@acme.example", "config": {"max_per_second": 5}},
    )
    for other in others[1:]:
        recorder.call("DELETE /v1/email-connections/{id}", id=other["id"])
    recorder.call("GET /v1/email-connections")
    return str(made["id"])


def play_rules(recorder: Recorder, template: str, connection: str) -> str:
    """Make, preview, change and delete rules; return the id of one."""
    recorder.call(
        "POST /v1/email-rules/preview",
        "A rule that is not saved",
        body={
            "template_id": template,
            "rule": {"connection_id": connection, **_TEXTS},
            "data": DATA,
        },
    )
    made = recorder.call(
        "POST /v1/templates/{id}/email-rules",
        "The invoice to the customer",
        id=template,
        body={"name": "To the customer", "connection_id": connection, **_TEXTS},
    )
    rule = {"id": made["id"]}
    recorder.call("GET /v1/templates/{id}/email-rules", id=template)
    recorder.call("GET /v1/email-rules/{id}", **rule)
    recorder.call(
        "PATCH /v1/email-rules/{id}",
        "Only with an amount to pay",
        **rule,
        body={"condition": "total > 0"},
    )
    recorder.call(
        "POST /v1/email-rules/{id}/preview", "With data of the request", **rule, body={"data": DATA}
    )
    recorder.call(
        "POST /v1/email-rules/{id}/test",
        "To a member, with the default dataset",
        **rule,
        body={"to": MEMBER},
    )
    second = recorder.service.call(
        "POST",
        f"/v1/templates/{template}/email-rules",
        json_body={"name": "Copy", "connection_id": connection, **_TEXTS},
    )
    recorder.call("DELETE /v1/email-rules/{id}", id=second.json["id"])
    return str(made["id"])


def play_sends(recorder: Recorder, template: str, rule: str) -> None:
    """Read, count and repeat the emails of a render."""
    service = recorder.service
    body = {"input": {"type": "template", "template_id": template}, "data": DATA}
    render = service.call("POST", "/v1/renders", json_body=body).json
    service.deliver_emails()
    service.report_delivery()
    query: dict[str, Any] = {"render_id": render["id"], "status": "sent", "rule_id": rule}
    send = recorder.call("GET /v1/email-sends", query=query | {"limit": 20})["data"][0]["id"]
    recorder.call("GET /v1/email-sends/{id}", id=send)
    recorder.call("GET /v1/email-sends/{id}/events", id=send, query={"limit": 20})
    service.refuse_next_email()
    again = service.call("POST", "/v1/renders", json_body=body).json
    service.deliver_emails()
    listed = service.call("GET", f"/v1/email-sends?render_id={again['id']}").json["data"]
    recorder.call("POST /v1/email-sends/{id}/resend", id=listed[0]["id"])
    service.deliver_emails()
    recorder.call("GET /v1/email-sends/stats")
