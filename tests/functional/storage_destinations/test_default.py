"""The default destination: one at most, whatever is asked for at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.storage_destinations import (
    PATH,
    change_destination,
    create_destination,
    made_destination,
    shown_destination,
    stored_rows,
)


def defaults(service: Service) -> list[str]:
    """Return the ids of all default destinations, as the list, rows and workspace have them."""
    page = service.call("GET", PATH).json["data"]
    shown = [each["id"] for each in page if each["is_default"]]
    (meta,) = (each for each in stored_rows(service) if each["SK"] == "META")
    assert meta.get("default_id") == (shown[0] if shown else None)
    row = service.services.workspaces.get(service.workspace)
    assert row is not None
    assert row.default_destination_id == (shown[0] if shown else None)
    return shown


def at_once(calls: list[Callable[[], ApiAnswer]]) -> list[int]:
    with ThreadPoolExecutor(len(calls)) as threads:
        return [answer.status for answer in threads.map(lambda call: call(), calls)]


def test_new_default_takes_the_place_of_the_one_before(service: Service) -> None:
    first = made_destination(service, is_default=True)
    second = made_destination(service, is_default=True)

    assert defaults(service) == [second["id"]]
    assert shown_destination(service, first)["is_default"] is False


def test_default_moves_by_a_change(service: Service) -> None:
    first, second = made_destination(service, is_default=True), made_destination(service)
    assert defaults(service) == [first["id"]]

    answer = change_destination(service, second, is_default=True)

    assert answer.json["is_default"] is True
    assert defaults(service) == [second["id"]]
    # What is said of another one changes nothing.
    assert change_destination(service, first, is_default=False).json["is_default"] is False
    assert change_destination(service, first, name="Other").json["is_default"] is False
    assert defaults(service) == [second["id"]]


def test_there_may_be_no_default(service: Service) -> None:
    destination = made_destination(service, is_default=True)

    answer = change_destination(service, destination, is_default=False)

    assert answer.json["is_default"] is False
    assert defaults(service) == []


def test_deleted_default_leaves_none(service: Service) -> None:
    first, second = made_destination(service), made_destination(service, is_default=True)

    assert service.call("DELETE", f"{PATH}/{first['id']}").status == 204
    assert defaults(service) == [second["id"]]
    assert service.call("DELETE", f"{PATH}/{second['id']}").status == 204
    assert defaults(service) == []


def test_one_of_ten_that_ask_at_once_is_the_default(service: Service) -> None:
    destinations = []
    for _ in range(5):
        destinations.append(made_destination(service))
        service.clock.advance(seconds=1)
    service.clock.advance(minutes=1)

    statuses = at_once(
        [
            *(
                lambda each=each: change_destination(service, each, is_default=True)
                for each in destinations
            ),
            *[lambda: create_destination(service, is_default=True)] * 5,
        ]
    )

    assert sorted(statuses) == [200] * 5 + [201] * 5
    service.clock.advance(minutes=1)
    assert len(defaults(service)) == 1


@pytest.mark.parametrize("_time", range(5))
def test_default_that_is_deleted_while_it_is_chosen_is_none(service: Service, _time: int) -> None:
    destination = made_destination(service)

    changed, deleted = at_once(
        [
            lambda: change_destination(service, destination, is_default=True),
            lambda: service.call("DELETE", f"{PATH}/{destination['id']}"),
        ]
    )

    assert (changed in {200, 404}, deleted) == (True, 204)
    assert defaults(service) == []
