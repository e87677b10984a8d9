"""AWS session: clients and their exceptions are created once, also with concurrent threads."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from chalicelib.adapters.aws.session import AwsClients
from tests.builders.threads import at_once


class SlowSession:
    def __init__(self) -> None:
        self.made: list[str] = []

    def client(self, service: str, **_config: Any) -> object:
        time.sleep(0.02)
        self.made.append(service)
        return SimpleNamespace(exceptions=object())


@pytest.fixture
def clients() -> AwsClients:
    clients = AwsClients()
    clients.__dict__["_session"] = SlowSession()
    return clients


def test_client_under_construction_is_awaited(clients: AwsClients) -> None:
    found = at_once(lambda: clients.dynamodb, threads=8)

    assert len({id(client) for client in found}) == 1
    assert clients.__dict__["_session"].made == ["dynamodb"]


def test_clients_are_created_in_request_order(clients: AwsClients) -> None:
    clients.create("s3", "dynamodb")

    assert clients.__dict__["_session"].made == ["s3", "dynamodb"]
    assert clients.s3 is clients.s3


def test_threads_that_fail_first_share_one_set_of_exceptions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "us-east-1")

    for _ in range(8):
        client = AwsClients().dynamodb
        found = at_once(lambda: client.exceptions.ConditionalCheckFailedException)  # noqa: B023

        assert len(set(found)) == 1
