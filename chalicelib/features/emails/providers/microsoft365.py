"""Microsoft Graph: an email is one request with a token, which the credentials buy."""

import threading
import time
from base64 import b64encode
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Final, NamedTuple
from urllib.parse import quote, urlencode

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.json import JsonObject
from chalicelib.core.mailbox import Mailbox
from chalicelib.features.emails.compose import ascii_domain
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.outgoing import (
    Check,
    CheckedSession,
    CheckFailedError,
    HandOver,
    OpenSession,
    OutgoingEmail,
)
from chalicelib.features.emails.providers.exchange import (
    HttpExchange,
    ProviderAnswer,
    ProviderRequest,
    auth_failure,
    beyond_ascii_refusal,
    open_over,
    request_content,
)

_BASE: Final = "https://graph.microsoft.com"
_TOKEN_BASE: Final = "https://login.microsoftonline.com"  # noqa: S105 -- an address
_SCOPE: Final = "https://graph.microsoft.com/.default"
# A token that ends while its email is on the way would be refused.
_SPARE_S: Final = 300
_NO_TOKEN: Final = "The provider gave no token; no email was sent."  # noqa: S105 -- a text
_FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}


class _Token(NamedTuple):
    text: str
    ends_at: float


class _Tokens:
    """Tokens of connections as they are, kept until they end. Safe for use from all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, int], _Token] = {}

    def get(self, key: tuple[str, int]) -> _Token | None:
        token = self._kept.get(key)
        return None if token is None or token.ends_at <= time.monotonic() else token

    def keep(self, key: tuple[str, int], token: _Token) -> _Token:
        now = time.monotonic()
        with self._lock:
            self._kept = {of: each for of, each in self._kept.items() if each.ends_at > now}
            self._kept[key] = token
        return token

    def forget(self, key: tuple[str, int], refused: _Token) -> None:
        """Forget a token that was refused, unless there is another one already."""
        with self._lock:
            if self._kept.get(key) is refused:
                del self._kept[key]


def open_microsoft365(egress: GuardedEgress, base: str) -> OpenSession:
    """Return the opening of sessions, which share tokens until these end.

    `base` replaces both addresses of the provider, unless it is empty.
    """
    tokens = _Tokens()

    def make_session(
        exchange: HttpExchange, connection: EmailConnection, credentials: JsonObject
    ) -> CheckedSession:
        return _GraphSession(exchange, base, connection, str(credentials["client_secret"]), tokens)

    return open_over(egress, make_session)


class _GraphSession:
    def __init__(
        self,
        exchange: HttpExchange,
        base: str,
        connection: EmailConnection,
        client_secret: str,
        tokens: _Tokens,
    ) -> None:
        config = connection.config
        tenant = quote(str(config["tenant_id"]), safe="")
        sender = quote(ascii_domain(str(config["sender"])), safe="@")
        self._exchange = exchange
        self._token_url = f"{base or _TOKEN_BASE}/{tenant}/oauth2/v2.0/token"
        self._send_url = f"{base or _BASE}/v1.0/users/{sender}/sendMail"
        self._client_id = str(config["client_id"])
        self._client_secret = client_secret
        self._tokens = tokens
        self._key = connection.id, connection.changes

    def checks(self, _sample: OutgoingEmail) -> Sequence[Check]:
        def credentials() -> Sequence[JsonObject]:
            # A token that is kept would not tell whether the secret is still good.
            fetched = self._fetch_token()
            if isinstance(fetched, HandOver):
                raise CheckFailedError(fetched.message or _NO_TOKEN, fetched.code)
            return ()

        return (Check("credentials", credentials),)

    def send(self, email: OutgoingEmail, before_acceptance: Callable[[], None]) -> HandOver:
        refusal = beyond_ascii_refusal(email)
        if refusal is not None:
            return refusal
        content = request_content({"message": _message(email)})
        mark = _Once(before_acceptance)
        token = self._tokens.get(self._key) or self._fetch_token()
        if isinstance(token, HandOver):
            return token
        outcome = self._send(content, token, mark)
        if outcome.code != "email_provider_auth_failed":
            return outcome
        # The provider may end a token early.
        self._tokens.forget(self._key, token)
        token = self._tokens.get(self._key) or self._fetch_token()
        return token if isinstance(token, HandOver) else self._send(content, token, mark)

    def _send(self, content: bytes, token: _Token, mark: Callable[[], None]) -> HandOver:
        headers = {"Authorization": f"Bearer {token.text}"}
        answer = self._exchange.post(ProviderRequest(self._send_url, headers, content), mark)
        return answer if isinstance(answer, HandOver) else _outcome(answer)

    def _fetch_token(self) -> _Token | HandOver:
        form = {
            "grant_type": "client_credentials",
            "client_id": self._client_id,
            "client_secret": self._client_secret,
            "scope": _SCOPE,
        }
        request = ProviderRequest(self._token_url, _FORM, urlencode(form).encode())
        answer = self._exchange.post(request, lambda: None)
        if isinstance(answer, HandOver):
            return _unavailable(None)
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            return answer.failure(answer.fields.get("error"))
        text, life_s = answer.fields.get("access_token"), answer.fields.get("expires_in")
        if answer.is_good and isinstance(text, str) and isinstance(life_s, int):
            return self._tokens.keep(self._key, _Token(text, time.monotonic() + life_s - _SPARE_S))
        if answer.is_good or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return _unavailable(answer.status)
        return auth_failure(answer.text("error"), answer.status)


class _Once:
    """Call that is made the first time only: a second token is for the same email."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._is_done = False

    def __call__(self) -> None:
        if not self._is_done:
            self._call()
            self._is_done = True


def _outcome(answer: ProviderAnswer) -> HandOver:
    if answer.is_good:
        # The provider gives no id, and has taken the email even if it asks to come later.
        return HandOver("accepted")
    error = answer.fields.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    is_auth = answer.status == HTTPStatus.UNAUTHORIZED or code == "ErrorAccessDenied"
    return answer.failure(code, is_auth=is_auth)


def _unavailable(status: int | None) -> HandOver:
    return HandOver("retry", "email_provider_unavailable", _NO_TOKEN, provider_status=status)


def _message(email: OutgoingEmail) -> JsonObject:
    kind, text = ("HTML", email.html) if email.html else ("Text", email.text)
    return {
        "subject": email.subject,
        "body": {"contentType": kind, "content": text or ""},
        "from": _recipient(email.sender),
        "toRecipients": [_recipient(each) for each in email.to],
        "ccRecipients": [_recipient(each) for each in email.cc],
        "bccRecipients": [_recipient(each) for each in email.bcc],
        "replyTo": [_recipient(email.reply_to)] if email.reply_to else [],
        "attachments": [
            {
                "@odata.type": "#microsoft.graph.fileAttachment",
                "name": file.filename,
                "contentType": file.content_type,
                "contentBytes": b64encode(file.content).decode(),
            }
            for file in email.files
        ],
    }


def _recipient(mailbox: Mailbox) -> JsonObject:
    address = {"address": ascii_domain(mailbox.email)}
    return {"emailAddress": address | {"name": mailbox.name} if mailbox.name else address}
