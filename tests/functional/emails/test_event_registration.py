"""Registration of connections for the delivery events of Brevo."""

import datetime as dt
import json
from itertools import pairwise
from typing import Any

import pytest

from chalicelib.features.emails.registrations.repository import DUE_REGISTRATION
from chalicelib.features.maintenance.repository import DueIndex
from tests.builders.email_connections import PATH, change_connection
from tests.builders.email_sends import connect
from tests.builders.http_providers import answer, connection_to
from tests.builders.provider_events import REGISTERED, register, registered_path
from tests.builders.service import Service
from tests.fakes.http_provider import HttpProvider


def registration(service: Service, connection: dict[str, Any]) -> Any:
    return service.call("GET", f"{PATH}/{connection['id']}").json["events"]


def run_due(service: Service) -> None:
    service.tick()
    assert service.send_emails() == []


def is_due_later(service: Service) -> bool:
    index = DueIndex(table=service.main_table)
    return any(index.entries_due(DUE_REGISTRATION, "2100-01-01T00:00:00.000Z"))


def test_connection_is_registered_after_its_creation(
    service: Service, provider: HttpProvider
) -> None:
    connection = connection_to(service, "brevo")
    assert (connection["events"], provider.calls) == ({}, [])

    path = registered_path(service, provider)

    (call,) = provider.calls
    assert call.headers["api-key"] == "key"
    assert call.fields["type"] == "transactional"
    assert call.fields["events"] == [
        "delivered",
        "deferred",
        "softBounce",
        "hardBounce",
        "blocked",
        "spam",
        "invalid",
    ]
    assert call.fields["url"] == f"{service.settings.base_url}{path.removeprefix('/v1')}"
    assert path.startswith(f"/v1/provider-events/{connection['id']}/ws_")
    assert registration(service, connection) == {service.settings.region: "registered"}
    assert not is_due_later(service)


def test_connection_without_credentials_is_registered_when_it_has_some(
    service: Service, provider: HttpProvider
) -> None:
    connection = connect(service, provider="brevo", config={}, credentials=None)
    run_due(service)
    assert provider.calls == []

    change_connection(service, connection, credentials={"api_key": "new"})
    registered_path(service, provider)

    assert provider.calls[0].headers["api-key"] == "new"


def test_other_changes_do_not_register_again(service: Service, provider: HttpProvider) -> None:
    connection, _ = register(service, provider)

    change_connection(service, connection, name="Other", config={"max_per_second": 7})
    run_due(service)

    assert len(provider.calls) == 1
    assert registration(service, connection) == {service.settings.region: "registered"}


@pytest.mark.parametrize("fault", [answer(401, code="unauthorized"), answer(500), lambda _: None])
def test_failed_registration_is_repeated(
    service: Service, provider: HttpProvider, fault: Any
) -> None:
    connection = connection_to(service, "brevo")
    provider.replies = [fault]

    run_due(service)
    assert registration(service, connection) == {service.settings.region: "failed"}
    service.clock.advance(minutes=1)
    registered_path(service, provider)

    assert registration(service, connection) == {service.settings.region: "registered"}


def test_pauses_grow_and_end(service: Service, provider: HttpProvider) -> None:
    connection = connection_to(service, "brevo")
    provider.usual = answer(500)
    tries: list[dt.datetime] = []

    for _ in range(30):
        before = len(provider.calls)
        run_due(service)
        if len(provider.calls) > before:
            tries.append(service.clock.now())
        pauses = (dt.timedelta(minutes=1), dt.timedelta(minutes=5), dt.timedelta(minutes=30))
        step = pauses[len(tries) - 1] if len(tries) <= 3 else dt.timedelta(hours=2)
        service.clock.advance(seconds=step.total_seconds())

    assert len(tries) == 8
    gaps = [after - before for before, after in pairwise(tries)]
    assert gaps == sorted(gaps)
    assert registration(service, connection) == {service.settings.region: "failed"}
    assert not is_due_later(service)


def test_repeated_message_tries_once(service: Service, provider: HttpProvider) -> None:
    connection = connection_to(service, "brevo")
    provider.usual = answer(500)
    run_due(service)
    key = {"pk": f"WS#{service.workspace}#EMC", "sk": f"REGISTRATION#{connection['id']}"}
    message = {"v": 1, "kind": DUE_REGISTRATION.name, "request_id": None, **key}

    service.send("Emails", json.dumps(message))
    assert service.send_emails() == []

    assert len(provider.calls) == 1


def test_deleted_connection_is_not_registered(service: Service, provider: HttpProvider) -> None:
    connection = connection_to(service, "brevo")
    service.call("DELETE", f"{PATH}/{connection['id']}")

    run_due(service)

    assert provider.calls == []
    assert not is_due_later(service)


def test_credentials_that_change_meanwhile_are_registered(
    service: Service, provider: HttpProvider
) -> None:
    connection = connection_to(service, "brevo")

    def change(_connection: object) -> None:
        service.clock.advance(seconds=1)
        change_connection(service, connection, credentials={"api_key": "new"})

    provider.replies = [change]
    run_due(service)
    assert registration(service, connection) == {}
    provider.usual = REGISTERED
    service.clock.advance(minutes=15)
    run_due(service)

    assert provider.calls[-1].headers["api-key"] == "new"
    assert registration(service, connection) == {service.settings.region: "registered"}
