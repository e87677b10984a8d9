"""Resend: an email is one request, and its repetition with the same key makes no second email."""

from base64 import b64encode
from collections.abc import Sequence
from http import HTTPStatus
from mimetypes import MimeTypes
from typing import Final

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.json import JsonObject
from chalicelib.features.emails.outgoing import (
    AttachedFile,
    Check,
    HandOver,
    OpenSession,
    OutgoingEmail,
)
from chalicelib.features.emails.providers.checks import Account, listed_sender, shown_senders
from chalicelib.features.emails.providers.exchange import (
    HttpExchange,
    HttpSession,
    ProviderAnswer,
    ProviderRequest,
    open_over,
    quoted_mailbox,
    request_content,
    type_refusal,
)

_BASE: Final = "https://api.resend.com"
# The types of Python, not those of the machine.
_TYPES: Final = MimeTypes()
_XML: Final = frozenset({"application/xml", "text/xml"})


def open_resend(egress: GuardedEgress, base: str) -> OpenSession:
    """Return the opening of sessions; an empty `base` is the provider's own address."""
    return open_over(
        egress,
        lambda exchange, _, credentials: HttpSession(
            exchange, _Resend(base or _BASE, str(credentials["api_key"]))
        ),
    )


class _Resend:
    def __init__(self, base: str, api_key: str) -> None:
        self._base = base
        self._headers = {"Authorization": f"Bearer {api_key}"}

    def checks(self, exchange: HttpExchange, _sample: OutgoingEmail) -> Sequence[Check]:
        account = Account(exchange, self._base, lambda _: self._headers, _account_failure)

        def credentials() -> Sequence[JsonObject]:
            return shown_senders(map(_domain, account.get("/domains").entries("data")))

        return (Check("credentials", credentials),)

    def request(self, email: OutgoingEmail) -> ProviderRequest | HandOver:
        for file in email.files:
            # The provider drops such an email after it has accepted it.
            if not _has_type_of_name(file):
                return type_refusal(file.filename)
        content = request_content(
            {
                "from": quoted_mailbox(email.sender),
                "to": [quoted_mailbox(each) for each in email.to],
                "cc": [quoted_mailbox(each) for each in email.cc],
                "bcc": [quoted_mailbox(each) for each in email.bcc],
                "reply_to": email.reply_to and quoted_mailbox(email.reply_to),
                "subject": email.subject,
                "html": email.html,
                "text": email.text,
                "attachments": [
                    {
                        "filename": file.filename,
                        "content_type": file.content_type,
                        "content": b64encode(file.content).decode(),
                    }
                    for file in email.files
                ],
            }
        )
        headers = self._headers | {"Idempotency-Key": email.send_id}
        return ProviderRequest(f"{self._base}/emails", headers, content)

    def outcome(self, _email: OutgoingEmail, answer: ProviderAnswer) -> HandOver:
        if answer.is_good:
            return HandOver("accepted", provider_message_id=answer.text("id"))
        failure = _failure(answer)
        if answer.status == HTTPStatus.CONFLICT:
            # An attempt before this one reached the provider with the same key.
            message = "The provider has seen this email before, and may have accepted it."
            return failure._replace(result="unknown", code="email_outcome_unknown", message=message)
        return failure


def _failure(answer: ProviderAnswer) -> HandOver:
    code = answer.fields.get("name")
    is_auth = answer.status == HTTPStatus.UNAUTHORIZED or code == "invalid_api_key"
    return answer.failure(code, is_auth=is_auth)


def _account_failure(answer: ProviderAnswer) -> HandOver | None:
    if answer.fields.get("name") == "restricted_api_key":
        # The key may send, and do nothing else.
        return None
    return _failure(answer)


def _domain(entry: JsonObject) -> JsonObject | None:
    return listed_sender("domain", entry.get("name"), is_verified=entry.get("status") == "verified")


def _has_type_of_name(file: AttachedFile) -> bool:
    guessed = _TYPES.guess_type(file.filename)[0]
    given = file.content_type.partition(";")[0].strip().lower()
    return guessed == given or {guessed, given} <= _XML
