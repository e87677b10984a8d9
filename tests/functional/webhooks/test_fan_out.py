"""Events that many endpoints hear: written in steps, each exactly once."""

from typing import Any

import pytest

from chalicelib.adapters.aws.table import Table
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.builders.webhooks import ENDPOINTS_PATH, make_endpoint

URL = "https://hooks.example.com/"


def hearers(service: Service) -> list[str]:
    """Return the endpoints of all deliveries, sorted; that of a request is empty."""
    told: list[Any] = []
    cursor = ""
    while True:
        answer = service.call("GET", f"/v1/webhook-deliveries?limit=100{cursor}").json
        told += [row["endpoint_id"] or "" for row in answer["data"]]
        if not answer["has_more"]:
            return sorted(told)
        cursor = f"&cursor={answer['next_cursor']}"


@pytest.fixture
def endpoint_ids(service: Service) -> list[str]:
    ids = []
    for _ in range(100):
        service.clock.advance(milliseconds=1)
        ids.append(make_endpoint(service, URL, events=["render.succeeded"])["id"])
    return ids


def relay_all(service: Service) -> None:
    for _ in range(6):
        service.relay_events()


def test_a_hundred_endpoints_and_the_request_hear_an_event(
    service: Service, endpoint_ids: list[str]
) -> None:
    service.render(webhook={"url": URL})
    relay_all(service)

    assert hearers(service) == ["", *sorted(endpoint_ids)]
    payloads = [key for key in service.objects() if "/webhooks/" in key]
    assert len(payloads) == 1


def test_endpoints_may_change_between_the_steps(service: Service, endpoint_ids: list[str]) -> None:
    service.render()
    service.relay_events()
    first = hearers(service)
    assert first == sorted(endpoint_ids)[:40]
    for gone in (endpoint_ids[5], endpoint_ids[60]):
        assert service.call("DELETE", f"{ENDPOINTS_PATH}/{gone}").status == 204

    relay_all(service)

    told = hearers(service)
    assert len(told) == len(set(told))
    assert told == sorted(each for each in endpoint_ids if each != endpoint_ids[60])


def test_relay_that_dies_between_the_steps_loses_nothing(
    service: Service, endpoint_ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    service.render()
    transact = Table.transact
    monkeypatch.setattr(Table, "transact", _after(transact, FunctionKilled))
    with pytest.raises(FunctionKilled):
        service.relay_events()
    monkeypatch.setattr(Table, "transact", transact)

    service.clock.advance(minutes=7)
    service.tick()
    relay_all(service)

    assert hearers(service) == sorted(endpoint_ids)


def _after(transact: Any, death: type[BaseException]) -> Any:
    def die(table: Table, writes: Any) -> None:
        transact(table, writes)
        raise death

    return die
