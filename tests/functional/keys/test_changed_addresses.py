"""Stored credentials stay where they were set for: a changed address needs them again."""

from typing import Any

import pytest

from tests.builders import email_connections as emails
from tests.builders import storage_destinations as storage
from tests.builders.email_connections import pointers, use_plan
from tests.builders.service import Service

OTHER_KEY = "SHA256:" + "x" * 43


@pytest.fixture(autouse=True)
def _plan_with_all(service: Service) -> None:
    use_plan(service, "scale")


@pytest.mark.parametrize(
    "change", [{"host": "smtp.attacker.example"}, {"port": 2525}, {"username": "other"}]
)
def test_changed_connection_needs_its_credentials(service: Service, change: dict[str, Any]) -> None:
    credentials = {"password": "first"}
    made = emails.made_connection(service, credentials=credentials)

    for more in ({}, {"credentials": None}):
        refused = emails.change_connection(service, made, config=change, **more)
        assert pointers(refused) == ["/credentials"]
    shown = service.call("GET", f"{emails.PATH}/{made['id']}").json
    assert shown["config"] == made["config"]

    same = emails.change_connection(service, made, config=emails.SMTP | {"max_per_second": 2})
    assert same.status == 200, same.body
    changed = emails.change_connection(service, made, config=change, credentials=credentials)
    assert changed.status == 200, changed.body
    assert changed.json["config"] == made["config"] | change | {"max_per_second": 2}


@pytest.mark.parametrize(
    ("provider", "change"),
    [
        ("s3", {"endpoint": "https://s3.attacker.example"}),
        ("azure_blob", {"account": "attacker"}),
        ("azure_blob", {"endpoint": "https://blob.attacker.example"}),
        ("sftp", {"host": "sftp.attacker.example"}),
        ("sftp", {"username": "other"}),
        ("sftp", {"host_key": OTHER_KEY}),
    ],
)
def test_changed_destination_needs_its_credentials(
    service: Service, provider: str, change: dict[str, Any]
) -> None:
    made = storage.made_destination(service, provider)
    credentials = storage.PROVIDERS[provider][2][0]
    allowed = {"endpoint": None} if "endpoint" in change else {}

    for more in ({}, {"credentials": None}):
        refused = storage.change_destination(service, made, config=change, **more)
        assert pointers(refused) == ["/credentials"]
    assert storage.shown_destination(service, made)["config"] == made["config"]

    same = storage.change_destination(
        service, made, config=storage.PROVIDERS[provider][0] | allowed
    )
    assert same.status == 200, same.body
    changed = storage.change_destination(service, made, config=change, credentials=credentials)
    assert changed.status == 200, changed.body


def test_first_credentials_come_before_or_after_the_address(service: Service) -> None:
    connection = emails.made_connection(service)
    destination = storage.made_destination(service, "sftp", credentials=None)

    moved = emails.change_connection(service, connection, config={"host": "smtp2.example.com"})
    assert moved.status == 200, moved.body
    other = {"host": "sftp2.example.com"}
    assert storage.change_destination(service, destination, config=other).status == 200
