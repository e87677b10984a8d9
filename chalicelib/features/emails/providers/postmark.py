"""Postmark: an email is one request; its answer may say that some recipients get nothing."""

import re
from base64 import b64encode
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.features.emails.compose import ascii_domain
from chalicelib.features.emails.outgoing import Check, HandOver, OpenSession, OutgoingEmail
from chalicelib.features.emails.providers.checks import Account
from chalicelib.features.emails.providers.exchange import (
    HttpExchange,
    HttpSession,
    ProviderAnswer,
    ProviderRequest,
    open_over,
    quoted_mailbox,
    request_content,
)

_BASE: Final = "https://api.postmarkapp.com"
_TYPE_REFUSED: Final = 411
_INACTIVE: Final = "will not deliver to these inactive addresses:"


def open_postmark(egress: GuardedEgress, base: str) -> OpenSession:
    """Return the opening of sessions; an empty `base` is the provider's own address."""
    return open_over(
        egress,
        lambda exchange, connection, credentials: HttpSession(
            exchange,
            _Postmark(
                base or _BASE,
                str(credentials["server_token"]),
                str(connection.config["message_stream"]),
            ),
        ),
    )


class _Postmark:
    def __init__(self, base: str, server_token: str, stream: str) -> None:
        self._base = base
        self._headers = {"X-Postmark-Server-Token": server_token}
        self._stream = stream

    def checks(self, exchange: HttpExchange, _sample: OutgoingEmail) -> Sequence[Check]:
        # A list of senders needs the token of an account.
        account = Account(exchange, self._base, lambda _: self._headers, _failure)
        return (account.credentials("/server"),)

    def request(self, email: OutgoingEmail) -> ProviderRequest | HandOver:
        content = request_content(
            {
                "From": quoted_mailbox(email.sender),
                "To": ", ".join(map(quoted_mailbox, email.to)),
                "Cc": ", ".join(map(quoted_mailbox, email.cc)),
                "Bcc": ", ".join(map(quoted_mailbox, email.bcc)),
                "ReplyTo": email.reply_to and quoted_mailbox(email.reply_to),
                "Subject": email.subject,
                "HtmlBody": email.html,
                "TextBody": email.text,
                "MessageStream": self._stream,
                "Attachments": [
                    {
                        "Name": file.filename,
                        "ContentType": file.content_type,
                        "Content": b64encode(file.content).decode(),
                    }
                    for file in email.files
                ],
            }
        )
        return ProviderRequest(f"{self._base}/email", self._headers, content)

    def outcome(self, email: OutgoingEmail, answer: ProviderAnswer) -> HandOver:
        code = answer.fields.get("ErrorCode")
        if answer.is_good and not code:
            return HandOver(
                "accepted",
                provider_message_id=answer.text("MessageID"),
                refused_count=_inactive_count(email, str(answer.fields.get("Message", ""))),
            )
        failure = _failure(answer)
        if failure.result == "rejected" and code == _TYPE_REFUSED:
            message = "The provider does not take the type of an attachment."
            return failure._replace(code="email_attachment_type_not_allowed", message=message)
        return failure


def _failure(answer: ProviderAnswer) -> HandOver:
    is_auth = answer.status == HTTPStatus.UNAUTHORIZED
    return answer.failure(answer.fields.get("ErrorCode"), is_auth=is_auth)


def _inactive_count(email: OutgoingEmail, message: str) -> int:
    """Return how many recipients the message of an accepted email names as inactive."""
    _, _, named = message.lower().partition(_INACTIVE)
    words = {word.strip(".<>") for word in re.split(r"[\s,;]+", named)}
    recipients = {ascii_domain(each.email).lower() for each in (*email.to, *email.cc, *email.bcc)}
    return len(recipients & words)
