"""HTTP with providers: the request that hands an email over, and the meaning of its answer."""

import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from socket import socket
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core import json
from chalicelib.core.errors import ServiceError
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.mailbox import Mailbox
from chalicelib.engine.ports import EgressError, SentState
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

if TYPE_CHECKING:
    from chalicelib.adapters.net.http import HttpClient

# A provider may answer late; a request that reached it must not be given up before.
_TIMEOUT_S: Final = 120.0
_CONNECT_S: Final = 10.0
_MAX_ANSWER_BYTES: Final = 64 * 1024
_MAX_LIST_BYTES: Final = 1024 * 1024
_SENDABLE: Final = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_CODE: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_SECONDS: Final = re.compile(r"[0-9]{1,6}")
_MAX_ID_CHARACTERS: Final = 255
CREDENTIALS_REFUSED: Final = "The provider refused the credentials of the connection."


class ProviderRequest(NamedTuple):
    """Request with JSON as its content."""

    url: str
    headers: Mapping[str, str]
    content: bytes


class ProviderAnswer(NamedTuple):
    """Answer of a provider; `fields` are empty unless its content is a JSON object."""

    status: int
    headers: Mapping[str, str]
    fields: JsonObject

    @property
    def is_good(self) -> bool:
        """Tell whether the provider has obeyed the request."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    def text(self, name: str) -> str | None:
        """Return a field that may be shown; None for anything but a short text or a number."""
        return shown_text(self.fields.get(name))

    def entries(self, name: str) -> list[JsonObject]:
        """Return the objects of a list; none unless there is one."""
        listed = self.fields.get(name)
        return (
            [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        )

    def failure(
        self,
        code: Json,
        *,
        is_auth: bool = False,
        is_limit: bool = False,
        pause_header: str = "retry-after",
    ) -> HandOver:
        """Return the failure that an answer means; `code` is the provider's own."""
        status, known = self.status, _known_code(code)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            message = f"The provider answered {status}, and may have accepted the email."
            return HandOver("unknown", "email_outcome_unknown", message, known, status)
        if is_limit or status == HTTPStatus.TOO_MANY_REQUESTS:
            message = "The provider takes no more emails of this account for now."
            pause = self.headers.get(pause_header, "")
            pause_s = float(pause) if _SECONDS.fullmatch(pause) else None
            limited = HandOver("retry", "email_rate_limited", message, known, status)
            return limited._replace(retry_after_s=pause_s)
        if is_auth:
            return auth_failure(known, status)
        message = f"The provider refused the email with status {status}."
        return HandOver("rejected", "email_provider_rejected", message, known, status)


class HttpExchange:
    """Requests of one session, over connections that it keeps."""

    def __init__(self, client: "HttpClient", timeout_s: float | None) -> None:
        """Send with `client`; all requests together take `timeout_s` at most, unless it is None."""
        self._client = client
        self._ends_at = None if timeout_s is None else time.monotonic() + timeout_s

    def get(self, url: str, headers: Mapping[str, str]) -> ProviderAnswer:
        """Return the answer to a request that reads from the provider; raises CheckFailedError."""
        if not _are_sendable(headers):
            raise CheckFailedError(CREDENTIALS_REFUSED, "email_provider_auth_failed")
        try:
            answer = self._client.request(
                "GET",
                url,
                headers={"Accept": "application/json", **headers},
                max_bytes=_MAX_LIST_BYTES,
                timeout_s=self._time_left(),
            )
        except EgressError as failure:
            message = "The provider could not be reached, or gave no answer in time."
            raise CheckFailedError(message) from failure
        return ProviderAnswer(answer.status, answer.headers, _fields(answer.content))

    def post(
        self, request: ProviderRequest, before_last_byte: Callable[[], None]
    ) -> ProviderAnswer | HandOver:
        """Return the answer, or the outcome if there is none.

        `before_last_byte` is called when all else is sent; its exceptions are raised.
        """
        if not _are_sendable(request.headers):
            return auth_failure(None, None)

        def pieces() -> Iterator[bytes]:
            yield request.content[:-1]
            before_last_byte()
            yield request.content[-1:]

        usual = {
            "Accept": "application/json",
            "Content-Type": "application/json",
            "Content-Length": str(len(request.content)),
        }
        try:
            answer = self._client.request(
                "POST",
                request.url,
                headers=usual | dict(request.headers),
                body=pieces(),
                max_bytes=_MAX_ANSWER_BYTES,
                timeout_s=self._time_left(),
            )
        except EgressError as failure:
            return _missing_answer(failure.sent)
        return ProviderAnswer(answer.status, answer.headers, _fields(answer.content))

    def _time_left(self) -> float:
        if self._ends_at is None:
            return _TIMEOUT_S
        return max(self._ends_at - time.monotonic(), 0.001)


class Provider(Protocol):
    """Request of one provider, and the meaning of its answers."""

    def checks(self, exchange: HttpExchange, sample: OutgoingEmail) -> Sequence[Check]:
        """Return the steps of a test; see CheckedSession."""
        ...

    def request(self, email: OutgoingEmail) -> ProviderRequest | HandOver:
        """Return the request that sends an email, or why it cannot be sent."""
        ...

    def outcome(self, email: OutgoingEmail, answer: ProviderAnswer) -> HandOver:
        """Return the outcome that the answer to the request means."""
        ...


class HttpSession:
    """Session with a provider that takes an email in one request."""

    def __init__(self, exchange: HttpExchange, provider: Provider) -> None:
        """Send with `exchange`."""
        self._exchange = exchange
        self._provider = provider

    def checks(self, sample: OutgoingEmail) -> Sequence[Check]:
        """Return the steps of a test; see CheckedSession."""
        return self._provider.checks(self._exchange, sample)

    def send(self, email: OutgoingEmail, before_acceptance: Callable[[], None]) -> HandOver:
        """Hand an email over; see ProviderSession."""
        refusal = beyond_ascii_refusal(email)
        if refusal is not None:
            return refusal
        request = self._provider.request(email)
        if isinstance(request, HandOver):
            return request
        answer = self._exchange.post(request, before_acceptance)
        return answer if isinstance(answer, HandOver) else self._provider.outcome(email, answer)


# Returns the session of a connection with its credentials, which sends with the exchange.
type MakeSession = Callable[[HttpExchange, EmailConnection, JsonObject], CheckedSession]


def open_over(egress: GuardedEgress, make_session: MakeSession) -> OpenSession:
    """Return the opening of sessions that send through `egress`."""

    def connect(
        host: str, port: int, *, timeout_s: float, ports: Collection[int], exempt_only: bool
    ) -> socket:
        # The time of the whole request is that of a slow answer.
        return egress.connect(
            host,
            port,
            timeout_s=min(timeout_s, _CONNECT_S),
            ports=ports,
            exempt_only=exempt_only,
        )

    @contextmanager
    def open_session(
        connection: EmailConnection, credentials: JsonObject, timeout_s: float | None = None
    ) -> Iterator[CheckedSession]:
        # httpx is imported only where something is requested.
        from chalicelib.adapters.net.http import HttpClient  # noqa: PLC0415

        with HttpClient(connect) as client:
            yield make_session(HttpExchange(client, timeout_s), connection, credentials)

    return open_session


def auth_failure(code: str | None, status: int | None) -> HandOver:
    """Return that the provider does not accept the credentials."""
    return HandOver("rejected", "email_provider_auth_failed", CREDENTIALS_REFUSED, code, status)


def type_refusal(filename: str) -> HandOver:
    """Return that the provider takes no attachment like this."""
    message = f"The provider takes no attachment with the type of {filename}."
    return HandOver("rejected", "email_attachment_type_not_allowed", message)


def beyond_ascii_refusal(email: OutgoingEmail) -> HandOver | None:
    """Return the refusal of an email with a local part beyond ASCII, or None without one."""
    mailboxes = [email.sender, *email.to, *email.cc, *email.bcc]
    if email.reply_to is not None:
        mailboxes.append(email.reply_to)
    if all(ascii_domain(mailbox.email).isascii() for mailbox in mailboxes):
        return None
    message = "The provider takes no addresses whose part before the @ is beyond ASCII."
    return HandOver("rejected", "email_address_invalid", message)


def quoted_mailbox(mailbox: Mailbox) -> str:
    """Return a mailbox as text; its name is quoted, so that it may have commas (RFC 5322 3.4)."""
    address = ascii_domain(mailbox.email)
    if not mailbox.name:
        return address
    name = mailbox.name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{name}" <{address}>'


def request_content(fields: JsonObject) -> bytes:
    """Return a request's JSON, without the fields that are empty."""
    return json.dumps({name: value for name, value in fields.items() if value}).encode()


def shown_text(value: Json) -> str | None:
    """Return a provider's own words if they may be shown: a short text or a number."""
    text = str(value) if isinstance(value, str | int) else ""
    return text if text.isprintable() and 0 < len(text) <= _MAX_ID_CHARACTERS else None


def _are_sendable(headers: Mapping[str, str]) -> bool:
    return all(_SENDABLE.fullmatch(value) for value in headers.values())


def _known_code(code: Json) -> str | None:
    text = str(code) if isinstance(code, str | int) else ""
    return text if _CODE.fullmatch(text) else None


def _missing_answer(sent: SentState) -> HandOver:
    if sent is SentState.ALL:
        message = "The provider gave no answer, and may have accepted the email."
        return HandOver("unknown", "email_outcome_unknown", message)
    message = "The provider could not be reached."
    return HandOver("retry", "email_provider_unavailable", message)


def _fields(content: bytes) -> JsonObject:
    try:
        value = json.loads(content)
    except ServiceError:
        return {}
    return value if isinstance(value, Mapping) else {}
