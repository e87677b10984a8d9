"""AWS session: each client is created once, also with concurrent threads."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chalicelib.adapters.aws.session import AwsClients


class SlowSession:
    def __init__(self) -> None:
        self.made: list[str] = []

    def client(self, service: str, **_config: Any) -> object:
        time.sleep(0.02)
        self.made.append(service)
        return object()


@pytest.fixture
def clients() -> AwsClients:
    clients = AwsClients()
    clients.__dict__["_session"] = SlowSession()
    return clients


def test_client_under_construction_is_awaited(clients: AwsClients) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: clients.dynamodb, range(8)))

    assert len(found) == 1
    assert clients.__dict__["_session"].made == ["dynamodb"]


def test_clients_are_created_in_request_order(clients: AwsClients) -> None:
    clients.create("s3", "dynamodb")

    assert clients.__dict__["_session"].made == ["s3", "dynamodb"]
    assert clients.s3 is clients.s3
