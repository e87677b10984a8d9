"""Sessions with HTTP providers, as the code that sends uses them."""

import datetime as dt
from collections.abc import Iterator

import pytest

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.ids import ConnectionId, WorkspaceId
from chalicelib.core.mailbox import Mailbox
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.outgoing import AttachedFile, OutgoingEmail, ProviderSession
from chalicelib.features.emails.providers.resend import open_resend
from tests.fakes.http_provider import HttpProvider

EMAIL = OutgoingEmail(
    send_id="ems_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    message_id="<1@example.com>",
    date=dt.datetime(2026, 11, 26, tzinfo=dt.UTC),
    sender=Mailbox("billing@example.com"),
    reply_to=None,
    to=(Mailbox("ada@example.com"),),
    cc=(),
    bcc=(),
    subject="Your invoice",
    html="<p>Hello</p>",
    text=None,
)
CONNECTION = EmailConnection(
    id=ConnectionId("emc_1"),
    workspace_id=WorkspaceId("ws_1"),
    provider="resend",
    name="Billing",
    default_from={},
    reply_to=None,
    test_mode="skip",
    test_recipient=None,
    config={},
    sealed_credentials=None,
    created_at="",
    updated_at="",
)


class _ClaimLostError(Exception):
    pass


@pytest.fixture
def session(provider: HttpProvider) -> Iterator[ProviderSession]:
    """Open a session for the time of a test."""
    server = provider.server
    egress = GuardedEgress(allow=server.egress_allow, own_hosts=frozenset())
    opened = open_resend(egress, server.url(""))
    with opened(CONNECTION, {"api_key": "key"}) as session:
        yield session


def test_email_whose_claim_is_lost_does_not_reach_the_provider(
    session: ProviderSession, provider: HttpProvider
) -> None:
    def lose_claim() -> None:
        raise _ClaimLostError

    with pytest.raises(_ClaimLostError):
        session.send(EMAIL, lose_claim)

    # The next email has a connection of its own.
    assert session.send(EMAIL, lambda: None).result == "accepted"
    assert len(provider.calls) == 1
    assert provider.server.connections == 2


def test_resend_gets_no_attachment_that_it_would_drop(
    session: ProviderSession, provider: HttpProvider
) -> None:
    file = AttachedFile("invoice.pdf", "image/png", b"picture")

    outcome = session.send(EMAIL._replace(files=(file,)), lambda: None)

    assert (outcome.result, outcome.code) == ("rejected", "email_attachment_type_not_allowed")
    assert provider.calls == []


@pytest.mark.parametrize(
    ("filename", "content_type"),
    [
        ("a.pdf", "application/pdf"),
        ("a.jpg", "image/jpeg"),
        ("a.webp", "image/webp"),
        ("a.xml", "application/xml"),
        ("a.html", "text/html; charset=utf-8"),
    ],
)
def test_resend_gets_the_files_of_renders(
    session: ProviderSession, filename: str, content_type: str
) -> None:
    file = AttachedFile(filename, content_type, b"content")

    assert session.send(EMAIL._replace(files=(file,)), lambda: None).result == "accepted"
