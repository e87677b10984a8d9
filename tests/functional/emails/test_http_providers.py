"""Emails over HTTP: what each provider is sent."""

import base64
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from chalicelib.core.mailbox import Mailbox
from chalicelib.engine.delivery.emails import RenderedEmail
from tests.builders.email_sends import render_with_emails, sends
from tests.builders.http_providers import (
    ACCEPTANCES,
    CONNECTIONS,
    TOKEN,
    connection_to,
    delivered,
)
from tests.builders.service import Service
from tests.fakes.http_provider import HttpProvider

EMAIL = RenderedEmail(
    is_wanted=True,
    from_name='Müller, "Söhne"',
    reply_to=Mailbox("reply@exämple.com"),
    to=(Mailbox("ada@exämple.com", "Ada, PhD"), Mailbox("bo@example.com")),
    cc=(Mailbox("cc@example.com"),),
    bcc=(Mailbox("hidden@example.com", "Hidden"),),
    subject="Rechnung für März",
    html="<p>Hallo</p>",
    text="Hallo",
)
FROM = r'"Müller, \"Söhne\"" <billing@example.com>'
ADA = '"Ada, PhD" <ada@xn--exmple-cua.com>'
HIDDEN = '"Hidden" <hidden@example.com>'


def sent_fields(service: Service, provider: HttpProvider, name: str) -> Any:
    """Return what a provider is sent of the email, which it accepts."""
    provider.usual = ACCEPTANCES[name]
    if name == "microsoft365":
        provider.replies = [TOKEN]

    send = delivered(service, name, emails=[EMAIL])

    assert (send["status"], send["error"]) == ("sent", None)
    return provider.calls[-1].fields


def is_pdf(content: str) -> bool:
    return base64.b64decode(content).startswith(b"%PDF-")


def test_brevo_gets_the_email(service: Service, provider: HttpProvider) -> None:
    fields = sent_fields(service, provider, "brevo")

    (call,) = provider.calls
    assert (call.path, call.headers["api-key"]) == ("/smtp/email", "key")
    assert fields["sender"] == {"email": "billing@example.com", "name": 'Müller, "Söhne"'}
    assert fields["to"] == [
        {"email": "ada@xn--exmple-cua.com", "name": "Ada, PhD"},
        {"email": "bo@example.com"},
    ]
    assert fields["bcc"] == [{"email": "hidden@example.com", "name": "Hidden"}]
    assert fields["replyTo"] == {"email": "reply@xn--exmple-cua.com"}
    assert (fields["htmlContent"], fields["textContent"]) == ("<p>Hallo</p>", "Hallo")
    assert fields["headers"].keys() == {"idempotencyKey", "X-Mailin-custom"}
    (attachment,) = fields["attachment"]
    assert attachment["name"].endswith(".pdf")
    assert is_pdf(attachment["content"])
    assert sends(service)[0]["provider_message_id"] == "<1@relay.test>"


def test_brevo_gets_a_text_as_html(service: Service, provider: HttpProvider) -> None:
    email = RenderedEmail(is_wanted=True, to=EMAIL.to, subject="S", text="a < b")

    delivered(service, "brevo", emails=[email])

    assert "a &lt; b" in provider.calls[0].fields["htmlContent"]


def test_brevo_makes_the_text_of_a_template(service: Service, provider: HttpProvider) -> None:
    email = RenderedEmail(is_wanted=True, to=EMAIL.to, subject="S", params={"n": 1})

    delivered(service, "brevo", emails=[email], rule={"provider_template_id": 7})

    fields = provider.calls[0].fields
    assert (fields["templateId"], fields["params"]) == (7, {"n": 1})
    assert "htmlContent" not in fields


def test_brevo_delivers_nothing_in_the_sandbox(service: Service, provider: HttpProvider) -> None:
    provider.usual = ACCEPTANCES["brevo"]

    send = delivered(service, "brevo", key=service.test)

    assert send["status"] == "sandboxed"
    assert provider.calls[0].fields["headers"]["X-Sib-Sandbox"] == "drop"


def test_postmark_gets_the_email(service: Service, provider: HttpProvider) -> None:
    fields = sent_fields(service, provider, "postmark")

    (call,) = provider.calls
    assert (call.path, call.headers["x-postmark-server-token"]) == ("/email", "key")
    assert call.headers["accept"] == "application/json"
    assert (fields["From"], fields["To"]) == (FROM, f"{ADA}, bo@example.com")
    assert (fields["Bcc"], fields["ReplyTo"]) == (HIDDEN, "reply@xn--exmple-cua.com")
    assert fields["MessageStream"] == "outbound"
    (attachment,) = fields["Attachments"]
    assert attachment["ContentType"] == "application/pdf"
    assert is_pdf(attachment["Content"])
    assert sends(service)[0]["provider_message_id"] == "pm-1"


def test_resend_gets_the_email(service: Service, provider: HttpProvider) -> None:
    fields = sent_fields(service, provider, "resend")

    (call,) = provider.calls
    (send,) = sends(service)
    assert (call.path, call.headers["authorization"]) == ("/emails", "Bearer key")
    assert call.headers["idempotency-key"] == send["id"]
    assert (fields["from"], fields["to"]) == (FROM, [ADA, "bo@example.com"])
    assert (fields["bcc"], fields["reply_to"]) == ([HIDDEN], "reply@xn--exmple-cua.com")
    assert is_pdf(fields["attachments"][0]["content"])
    assert send["provider_message_id"] == "re-1"


def test_ses_gets_the_email(service: Service, provider: HttpProvider) -> None:
    fields = sent_fields(service, provider, "ses")

    assert provider.calls[0].path == "/v2/email/outbound-emails"
    assert fields["FromEmailAddress"].startswith("=?utf-8?")
    assert fields["FromEmailAddress"].endswith(" <billing@example.com>")
    assert fields["Destination"]["ToAddresses"] == [ADA, "bo@example.com"]
    assert fields["Destination"]["BccAddresses"] == ["Hidden <hidden@example.com>"]
    assert fields["ConfigurationSetName"] == "invoices"
    simple = fields["Content"]["Simple"]
    assert simple["Subject"]["Data"] == "Rechnung für März"
    assert simple["Body"]["Html"]["Data"] == "<p>Hallo</p>"
    assert is_pdf(simple["Attachments"][0]["RawContent"])
    assert sends(service)[0]["provider_message_id"] == "ses-1"


def test_ses_gets_a_valid_signature(service: Service, provider: HttpProvider) -> None:
    sent_fields(service, provider, "ses")

    (call,) = provider.calls
    url = provider.server.url(call.path)
    request = AWSRequest("POST", url, data=call.content)
    request.context["timestamp"] = call.headers["x-amz-date"]
    request.headers["X-Amz-Date"] = call.headers["x-amz-date"]
    signer = SigV4Auth(Credentials("AKIDEXAMPLE", "key"), "ses", "eu-west-1")
    text = signer.string_to_sign(request, signer.canonical_request(request))
    given = call.headers["authorization"]
    assert "/eu-west-1/ses/aws4_request, SignedHeaders=host;x-amz-date" in given
    assert given.endswith(f"Signature={signer.signature(text, request)}")
    assert call.headers["host"] == f"127.0.0.1:{provider.server.port}"


def test_graph_gets_the_email_with_a_token(service: Service, provider: HttpProvider) -> None:
    fields = sent_fields(service, provider, "microsoft365")

    token, call = provider.calls
    assert token.path == "/t-1/oauth2/v2.0/token"
    assert token.form["client_secret"] == ["key"]
    assert token.headers["content-type"] == "application/x-www-form-urlencoded"
    assert call.path == "/v1.0/users/billing@example.com/sendMail"
    assert call.headers["authorization"] == "Bearer token-1"
    message = fields["message"]
    assert message["body"] == {"contentType": "HTML", "content": "<p>Hallo</p>"}
    assert message["toRecipients"][0] == {
        "emailAddress": {"address": "ada@xn--exmple-cua.com", "name": "Ada, PhD"}
    }
    assert message["bccRecipients"][0]["emailAddress"]["address"] == "hidden@example.com"
    assert is_pdf(message["attachments"][0]["contentBytes"])
    assert sends(service)[0]["provider_message_id"] is None


@pytest.mark.parametrize("name", CONNECTIONS)
def test_providers_get_one_connection_for_many_emails(
    service: Service, provider: HttpProvider, name: str
) -> None:
    provider.usual = ACCEPTANCES[name]
    provider.replies = [TOKEN] if name == "microsoft365" else []
    render_with_emails(service, connection_to(service, name), [EMAIL] * 3)

    assert service.relay_events() == []
    assert service.send_emails() == []

    assert {send["status"] for send in sends(service)} == {"sent"}
    assert provider.server.connections == 1
