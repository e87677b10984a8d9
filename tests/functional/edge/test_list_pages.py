"""Lists whose rows are all known: a cursor leads through them, also past a deleted row."""

from typing import Any

import pytest

from tests.builders.service import Service
from tests.builders.storage_destinations import PATH, made_destination
from tests.builders.templates import make_template


def pages(service: Service, path: str, limit: int = 2) -> list[list[dict[str, Any]]]:
    """Return all pages of a list."""
    found, cursor = [], ""
    while True:
        answer = service.call("GET", f"{path}?limit={limit}{cursor}")
        assert answer.status == 200, answer.body
        found.append(answer.json["data"])
        if not answer.json["has_more"]:
            assert answer.json["next_cursor"] is None
            return found
        cursor = f"&cursor={answer.json['next_cursor']}"


def make_five(service: Service, kind: str) -> tuple[str, list[str]]:
    """Make five objects; return the path of their list, and their ids in its order."""
    is_dataset = kind == "datasets"
    path = f"{make_template(service)}/datasets" if is_dataset else PATH
    ids = []
    for n in range(5):
        body = {"name": f"D{n}", "data": {}}
        made = (
            service.call("POST", path, json_body=body).json
            if is_dataset
            else made_destination(service, name=f"D{n}")
        )
        ids.append(made["id"])
        service.clock.advance(seconds=1)
    return path, ids if is_dataset else ids[::-1]


@pytest.mark.parametrize("kind", ["destinations", "datasets"])
def test_pages_have_each_row_once(service: Service, kind: str) -> None:
    path, ids = make_five(service, kind)

    found = pages(service, path)

    assert [len(page) for page in found] == [2, 2, 1]
    assert [row["id"] for page in found for row in page] == ids
    assert service.call("GET", f"{path}?limit=0").pointers == ["/query/limit"]
    assert service.call("GET", f"{path}?cursor=x").pointers == ["/query/cursor"]


@pytest.mark.parametrize("kind", ["destinations", "datasets"])
def test_cursor_of_a_deleted_row_goes_on(service: Service, kind: str) -> None:
    path, ids = make_five(service, kind)
    first = service.call("GET", f"{path}?limit=2").json
    service.clock.advance(seconds=1)
    assert service.call("DELETE", f"{path}/{ids[1]}").status == 204

    second = service.call("GET", f"{path}?limit=2&cursor={first['next_cursor']}").json

    assert [row["id"] for row in second["data"]] == ids[2:4]


def test_engines_have_pages(service: Service) -> None:
    assert sum(map(len, pages(service, "/v1/engines", 1))) >= 1


def test_wrong_type_of_a_union_is_reported_at_its_type(service: Service) -> None:
    answer = service.render(input={"type": "nope", "html": "x"})

    assert answer.pointers == ["/input/type"]
