"""Emails over Microsoft Graph: what becomes of an email when its token is missing or refused."""

import pytest

from tests.builders.http_providers import (
    ACCEPTANCES,
    LIMITED,
    NO_AUTH,
    SECRET_TEXT,
    TOKEN,
    answer,
    delivered,
    graph,
)
from tests.builders.service import Service
from tests.fakes.http_provider import HttpProvider, ProviderReply
from tests.fakes.raw_server import reset


def test_graph_token_that_ended_early_is_replaced_once(
    service: Service, provider: HttpProvider
) -> None:
    second = ProviderReply(200, {"access_token": "token-2", "expires_in": 3599})
    ended = graph(401, "InvalidAuthenticationToken")
    provider.replies = [TOKEN, ended, second, ACCEPTANCES["microsoft365"]]

    send = delivered(service, "microsoft365")

    assert send["status"] == "sent"
    assert provider.calls[-1].headers["authorization"] == "Bearer token-2"


def test_graph_that_refuses_every_token_is_asked_twice(
    service: Service, provider: HttpProvider
) -> None:
    ended = graph(401, "InvalidAuthenticationToken")
    provider.replies = [TOKEN, ended, TOKEN, ended]

    send = delivered(service, "microsoft365")

    assert (send["status"], send["error"]["code"]) == NO_AUTH
    assert len(provider.calls) == 4


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (answer(401, error="invalid_client", error_description=SECRET_TEXT), NO_AUTH),
        (answer(400, error="invalid_request"), NO_AUTH),
        (answer(429, error="throttled"), LIMITED),
        (answer(503), ("retrying", "email_provider_unavailable")),
        (reset, ("retrying", "email_provider_unavailable")),
        (ProviderReply(200, raw=b"no token"), ("retrying", "email_provider_unavailable")),
    ],
)
def test_graph_without_a_token_gets_no_email(
    service: Service,
    provider: HttpProvider,
    reply: ProviderReply,
    outcome: tuple[str, str],
) -> None:
    provider.replies = [reply]

    send = delivered(service, "microsoft365")

    assert (send["status"], send["error"]["code"]) == outcome
    assert len(provider.calls) == 1
