"""Email on its way to a provider, and the outcome of handing it over."""

import datetime as dt
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Final, Literal, NamedTuple, Protocol

from chalicelib.core.json import JsonObject
from chalicelib.core.mailbox import Mailbox
from chalicelib.features.emails.connections.model import EmailConnection

type HandOverResult = Literal["accepted", "rejected", "retry", "unknown"]

# Codes of failures that every email of a connection meets: they make the connection failing.
CONNECTION_ERRORS: Final = frozenset(
    {"email_provider_auth_failed", "email_ip_not_authorized", "email_credentials_removed"}
)


class AttachedFile(NamedTuple):
    """File in an email."""

    filename: str
    content_type: str
    content: bytes


class ProviderTemplate(NamedTuple):
    """Template at the provider (`brevo`), which makes the text of the email."""

    id: int
    params: JsonObject


class OutgoingEmail(NamedTuple):
    """Email as every attempt sends it.

    `send_id` is the same at each attempt, and so is `message_id`, `<…@…>` made of it. With
    `is_sandbox` the provider checks the email and delivers nothing. `html`, `text`: None for none.
    """

    send_id: str
    message_id: str
    date: dt.datetime
    sender: Mailbox
    reply_to: Mailbox | None
    to: tuple[Mailbox, ...]
    cc: tuple[Mailbox, ...]
    bcc: tuple[Mailbox, ...]
    subject: str
    html: str | None
    text: str | None
    files: tuple[AttachedFile, ...] = ()
    template: ProviderTemplate | None = None
    is_sandbox: bool = False


class HandOver(NamedTuple):
    """Outcome of one attempt to hand an email over.

    `accepted`: the provider has it; `refused_count` recipients were refused. `rejected`: final.
    `retry`: the provider has certainly not taken it. `unknown`: it may have. All but `accepted`
    have an email error `code` and a `message`, which repeats no text of the provider.
    """

    result: HandOverResult
    code: str | None = None
    message: str | None = None
    provider_code: str | None = None
    provider_status: int | None = None
    provider_message_id: str | None = None
    refused_count: int = 0
    retry_after_s: float | None = None


class CheckFailedError(Exception):
    """A step of a test failed; the text is for the tenant, and repeats nothing of the provider.

    `code` is an email error, None where the connection itself is not at fault.
    """

    def __init__(self, detail: str, code: str | None = None) -> None:
        """Carry the fault in words; `code` is that of any failure."""
        super().__init__(detail)
        self.code = code if code in CONNECTION_ERRORS else None


class Check(NamedTuple):
    """Step of a test: `run` returns the senders that it found, and raises CheckFailedError.

    A sender has `email` (an address or a domain), `kind`, `name` and `verified`.
    """

    name: str
    run: Callable[[], Sequence[JsonObject]]


def require_accepted(outcome: HandOver) -> None:
    """Raise CheckFailedError unless the provider has accepted an email."""
    if outcome.result != "accepted":
        raise CheckFailedError(outcome.message or "The provider refused the email.", outcome.code)


class ProviderSession(Protocol):
    """Emails of one connection, one after the other; a lost connection is opened again."""

    def send(self, email: OutgoingEmail, before_acceptance: Callable[[], None]) -> HandOver:
        """Hand an email over; never raises for a fault of the provider.

        `before_acceptance` is called once, before the last byte that could make the provider
        accept. Its exceptions end the attempt, and are raised.
        """
        ...


class CheckedSession(ProviderSession, Protocol):
    """Session that can also test its connection."""

    def checks(self, sample: OutgoingEmail) -> Sequence[Check]:
        """Return the steps of a test in order; `sample` is for a provider that has a sandbox."""
        ...


class OpenSession(Protocol):
    """Opening of sessions with one provider."""

    def __call__(
        self,
        connection: EmailConnection,
        credentials: JsonObject,
        timeout_s: float | None = None,
    ) -> AbstractContextManager[CheckedSession]:
        """Open the session of a connection; its end closes all its network connections.

        All its emails together take `timeout_s` at most, or without that each has a time of its
        own.
        """
        ...
