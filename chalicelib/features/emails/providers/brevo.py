"""Brevo: an email is one request; the provider may make its text of a template."""

import html
import re
import unicodedata
import uuid
from base64 import b64encode
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Final

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.mailbox import Mailbox
from chalicelib.features.emails.compose import ascii_domain
from chalicelib.features.emails.outgoing import (
    AttachedFile,
    Check,
    HandOver,
    OpenSession,
    OutgoingEmail,
    require_accepted,
)
from chalicelib.features.emails.providers.brevo_reports import SEND_ID_HEADER
from chalicelib.features.emails.providers.checks import Account, listed_sender, shown_senders
from chalicelib.features.emails.providers.exchange import (
    HttpExchange,
    HttpSession,
    ProviderAnswer,
    ProviderRequest,
    open_over,
    request_content,
    type_refusal,
)

_BASE: Final = "https://api.brevo.com/v3"
# The type of an attachment is that of its name.
_EXTENSION: Final = re.compile(
    r"xlsx|xls|ods|docx|docm|doc|csv|pdf|txt|gif|jpg|jpeg|png|tif|tiff|rtf|bmp|cgm|css|shtml|"
    r"html|htm|zip|xml|ppt|pptx|tar|ez|ics|mobi|msg|pub|eps|odt|mp3|m4a|m4v|wma|ogg|flac|wav|"
    r"aif|aifc|aiff|mp4|mov|avi|mkv|mpeg|mpg|wmv|pkpass|xlsm"
)
_ADDRESS_REFUSED: Final = ("unrecognised ip address", "authorised_ips")
_REGISTRATION_S: Final = 30.0
_DAY_IS_OVER: Final = "max_emails_per_day_exceeded"
# Events as they are named in the request for them.
_REQUESTED: Final = (
    "delivered",
    "deferred",
    "softBounce",
    "hardBounce",
    "blocked",
    "spam",
    "invalid",
)

# Makes the provider send the events of an account to an address; returns whether it will.
type RegisterAddress = Callable[[JsonObject, str], bool]


def open_brevo(egress: GuardedEgress, base: str) -> OpenSession:
    """Return the opening of sessions; an empty `base` is the provider's own address."""
    return open_over(
        egress,
        lambda exchange, _, credentials: HttpSession(
            exchange, _Brevo(base or _BASE, str(credentials["api_key"]))
        ),
    )


def brevo_registration(egress: GuardedEgress, base: str) -> RegisterAddress:
    """Return the registration at Brevo; an empty `base` is the provider's own address."""

    def register(credentials: JsonObject, address: str) -> bool:
        # httpx is imported only where something is requested.
        from chalicelib.adapters.net.http import HttpClient  # noqa: PLC0415

        fields: JsonObject = {
            "type": "transactional",
            "events": list(_REQUESTED),
            "url": address,
            "description": "Platen",
        }
        headers = {"api-key": str(credentials["api_key"])}
        request = ProviderRequest(f"{base or _BASE}/webhooks", headers, request_content(fields))
        with HttpClient(egress.connect) as client:
            answer = HttpExchange(client, _REGISTRATION_S).post(request, lambda: None)
        return isinstance(answer, ProviderAnswer) and answer.is_good

    return register


class _Brevo:
    def __init__(self, base: str, api_key: str) -> None:
        self._base = base
        self._headers = {"api-key": api_key}

    def checks(self, exchange: HttpExchange, sample: OutgoingEmail) -> Sequence[Check]:
        account = Account(exchange, self._base, lambda _: self._headers, _failure)

        def senders() -> Sequence[JsonObject]:
            people = account.get("/senders").entries("senders")
            domains = account.get("/senders/domains").entries("domains")
            return shown_senders([*map(_sender, people), *map(_domain, domains)])

        def send_sample() -> Sequence[JsonObject]:
            session = HttpSession(exchange, self)
            require_accepted(session.send(sample._replace(is_sandbox=True), lambda: None))
            return ()

        return (
            account.credentials("/account"),
            Check("senders", senders),
            Check("sandbox_send", send_sample),
        )

    def request(self, email: OutgoingEmail) -> ProviderRequest | HandOver:
        for file in email.files:
            if not _EXTENSION.fullmatch(file.filename.rpartition(".")[2].lower()):
                return type_refusal(file.filename)
        fields: dict[str, Json] = {
            "sender": _mailbox(email.sender),
            "to": [_mailbox(each) for each in email.to],
            "cc": [_mailbox(each) for each in email.cc],
            "bcc": [_mailbox(each) for each in email.bcc],
            "replyTo": email.reply_to and _mailbox(email.reply_to),
            "subject": email.subject,
            "attachment": [_attachment(file) for file in email.files],
            "headers": _message_headers(email),
        }
        if email.template is None:
            fields["htmlContent"] = email.html or _html_of(email.text or "")
            fields["textContent"] = email.text
        else:
            fields["templateId"] = email.template.id
            fields["params"] = email.template.params
        url = f"{self._base}/smtp/email"
        return ProviderRequest(url, self._headers, request_content(fields))

    def outcome(self, _email: OutgoingEmail, answer: ProviderAnswer) -> HandOver:
        if answer.is_good:
            return HandOver("accepted", provider_message_id=answer.text("messageId"))
        code = answer.fields.get("code")
        if code == "duplicate_request":
            # An attempt before this one reached the provider.
            message = "The provider has seen this email before, and may have accepted it."
            return HandOver("unknown", "email_outcome_unknown", message, code, answer.status)
        return _failure(answer)


def _failure(answer: ProviderAnswer) -> HandOver:
    code = answer.fields.get("code")
    is_auth = answer.status == HTTPStatus.UNAUTHORIZED or code == "permission_denied"
    failure = answer.failure(
        code,
        is_auth=is_auth,
        is_limit=code == _DAY_IS_OVER,
        pause_header="x-sib-ratelimit-reset",
    )
    # Only the text tells it from a wrong key.
    text = str(answer.fields.get("message", "")).lower()
    if is_auth and any(part in text for part in _ADDRESS_REFUSED):
        message = "The provider refuses requests from the addresses of this service."
        return failure._replace(code="email_ip_not_authorized", message=message)
    return failure


def _sender(entry: JsonObject) -> JsonObject | None:
    is_verified = entry.get("active") is True
    return listed_sender(
        "sender", entry.get("email"), is_verified=is_verified, name=entry.get("name")
    )


def _domain(entry: JsonObject) -> JsonObject | None:
    is_verified = entry.get("verified") is True
    return listed_sender("domain", entry.get("domain_name"), is_verified=is_verified)


def _mailbox(mailbox: Mailbox) -> JsonObject:
    address = ascii_domain(mailbox.email)
    return {"email": address, "name": mailbox.name} if mailbox.name else {"email": address}


def _attachment(file: AttachedFile) -> JsonObject:
    # Receivers get names beyond ASCII garbled.
    stem, _, extension = file.filename.rpartition(".")
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().strip()
    name = f"{plain or 'attachment'}.{extension}"
    return {"name": name, "content": b64encode(file.content).decode()}


def _message_headers(email: OutgoingEmail) -> JsonObject:
    own = {
        "idempotencyKey": str(uuid.uuid5(uuid.NAMESPACE_URL, email.send_id)),
        SEND_ID_HEADER: email.send_id,
    }
    return own | {"X-Sib-Sandbox": "drop"} if email.is_sandbox else own


def _html_of(text: str) -> str:
    """Return a text as HTML, which the provider requires."""
    return f'<div style="white-space: pre-wrap">{html.escape(text)}</div>'
