"""`/v1/templates/{id}/datasets`: HTTP in, rows and objects out."""

import threading
from typing import Any, cast

import pytest

from chalicelib.features.templates.datasets import ReadDatasets
from chalicelib.features.templates.store_source import StoreSource
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.templates import SerializingClient, make_template, post_template, template_rows

BIG = {"text": "x" * 45_000}


def add(service: Service, path: str, **fields: Any) -> ApiAnswer:
    body = {"name": "A", "data": {"n": 1}} | fields
    return service.call("POST", f"{path}/datasets", json_body=body)


def listed(service: Service, path: str) -> list[tuple[str, bool]]:
    found = service.call("GET", f"{path}/datasets").json["data"]
    return [(each["name"], each["is_default"]) for each in found]


def test_dataset_is_created_and_read(service: Service) -> None:
    path = make_template(service)
    made = add(service, path, name="Äpfel", data={"n": 1.5, "lines": [{}]})

    assert made.status == 201, made.body
    dataset = made.json
    assert dataset == {
        "id": dataset["id"],
        "object": "dataset",
        "template_id": path.rpartition("/")[2],
        "name": "Äpfel",
        "data": {"n": 1.5, "lines": [{}]},
        "is_default": True,
        "created_at": dataset["created_at"],
        "updated_at": dataset["created_at"],
    }
    place = f"{path}/datasets/{dataset['id']}"
    assert made.headers["Location"] == f"https://api.test{place}"
    assert service.call("GET", place).json == dataset
    shown = service.call("GET", f"{path}/datasets").json
    assert shown["data"] == [{name: dataset[name] for name in dataset if name != "data"}]
    assert (shown["has_more"], shown["next_cursor"]) == (False, None)


def test_exactly_one_is_the_default(service: Service) -> None:
    path = make_template(service)
    a = add(service, path, name="A", is_default=False).json["id"]
    b = add(service, path, name="B").json["id"]
    assert listed(service, path) == [("A", True), ("B", False)]
    c = add(service, path, name="C", is_default=True).json["id"]
    assert listed(service, path) == [("A", False), ("B", False), ("C", True)]

    def put(dataset: str, **fields: Any) -> ApiAnswer:
        body = {"name": "B", "data": {}} | fields
        return service.call("PUT", f"{path}/datasets/{dataset}", json_body=body)

    assert put(b, is_default=True).json["is_default"] is True
    assert put(b).json["is_default"] is True
    refused = put(b, is_default=False)
    assert (refused.code, refused.pointers) == ("validation_error", ["/is_default"])
    assert listed(service, path) == [("A", False), ("B", True), ("C", False)]
    assert service.call("DELETE", f"{path}/datasets/{b}").status == 204
    assert listed(service, path) == [("A", True), ("C", False)]
    service.call("DELETE", f"{path}/datasets/{a}")
    service.call("DELETE", f"{path}/datasets/{c}")
    assert listed(service, path) == []
    assert add(service, path).json["is_default"] is True


def test_put_replaces_the_whole_dataset(service: Service) -> None:
    path = make_template(service)
    place = f"{path}/datasets/{add(service, path).json['id']}"
    service.clock.advance(minutes=1)

    answer = service.call("PUT", place, json_body={"name": "New", "data": {"other": True}})

    assert answer.status == 200
    assert (answer.json["name"], answer.json["data"]) == ("New", {"other": True})
    assert answer.json["updated_at"] > answer.json["created_at"]
    assert service.call("GET", place).json == answer.json


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"name": ""}, "/name"),
        ({"data": [1]}, "/data"),
        ({"data": None}, "/data"),
        ({"is_default": "yes"}, "/is_default"),
        ({"more": 1}, "/more"),
    ],
)
def test_invalid_fields_are_named(service: Service, fields: dict[str, Any], pointer: str) -> None:
    path = make_template(service)

    answer = add(service, path, **fields)

    assert (answer.code, answer.pointers) == ("validation_error", [pointer])
    assert listed(service, path) == []


def test_other_workspaces_cannot_reach_a_dataset(service: Service) -> None:
    path, other = make_template(service), make_template(service)
    dataset = add(service, path).json["id"]
    stranger = service.key("live", service.create_workspace())

    for place in (f"{other}/datasets/{dataset}", f"{path}/datasets/ds_x", f"{path}/datasets/META"):
        assert service.call("GET", place).code == "not_found"
        assert service.call("DELETE", place).code == "not_found"
    assert service.call("GET", f"{path}/datasets", key=stranger).code == "template_not_found"
    reader = service.key("live", scopes=("templates:read",))
    assert service.call("DELETE", f"{path}/datasets/{dataset}", key=reader).code == (
        "insufficient_scope"
    )
    service.call("DELETE", path)
    assert add(service, path).code == "template_deleted"


def test_large_data_are_stored_in_the_bucket_and_deleted_with_their_dataset(
    service: Service,
) -> None:
    path = make_template(service)
    place = f"{path}/datasets/{add(service, path, data=BIG).json['id']}"
    (first,) = service.objects()
    assert service.call("GET", place).json["data"] == BIG

    service.call("PUT", place, json_body={"name": "A", "data": BIG | {"n": 2}})
    (second,) = service.objects()
    assert second != first
    service.call("PUT", place, json_body={"name": "A", "data": {"n": 3}})
    assert service.objects() == []

    service.call("PUT", place, json_body={"name": "A", "data": BIG})
    assert service.call("DELETE", place).status == 204
    assert service.objects() == []
    (meta,) = (row for row in template_rows(service, path) if row["SK"] == "META")
    assert meta["unsettled"] == {}
    assert not [row for row in template_rows(service, path) if row["SK"].startswith("DATA#")]


def test_large_data_left_by_a_crash_are_removed(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_template(service)
    place = f"{path}/datasets/{add(service, path, data=BIG).json['id']}"
    monkeypatch.setattr(StoreSource, "discard", lambda *_: None)

    service.call("PUT", place, json_body={"name": "A", "data": BIG | {"n": 2}})
    assert len(service.objects()) == 2
    service.clock.advance(hours=2)
    service.tick()
    service.run_maintenance()

    assert len(service.objects()) == 1
    assert service.call("GET", place).json["data"]["n"] == 2


def test_template_is_created_with_its_datasets(service: Service) -> None:
    twins = [{"name": name, "data": BIG, "is_default": name == "B"} for name in "AB"]
    path = make_template(service, datasets=[*twins, {"name": "C", "data": {}}])

    assert listed(service, path) == [("A", False), ("B", True), ("C", False)]
    assert len(service.objects()) == 2
    ids = [each["id"] for each in service.call("GET", f"{path}/datasets").json["data"]]
    service.call("DELETE", f"{path}/datasets/{ids[0]}")
    assert service.call("GET", f"{path}/datasets/{ids[1]}").json["data"] == BIG


def test_template_has_one_default_and_at_most_fifty_datasets(service: Service) -> None:
    defaults = [{"name": "A", "data": {}, "is_default": True}] * 2
    both = post_template(service, datasets=defaults)
    assert (both.code, both.pointers) == ("validation_error", ["/datasets/1/is_default"])

    # The maximum of one transaction.
    fifty = [{"name": "A", "data": {"x": "y" * 39_000}}] * 50
    path = make_template(service, html="h" * 90_000, datasets=fifty)
    full = add(service, path)
    assert full.code == "conflict"
    assert "50" in full.json["detail"]
    more = post_template(service, datasets=[{"name": "A", "data": {}}] * 51)
    assert (more.code, more.pointers) == ("validation_error", ["/datasets"])


def test_concurrently_created_datasets_are_all_kept(service: Service) -> None:
    path = make_template(service)
    service.clients.dynamodb = cast("Any", SerializingClient(service.clients.dynamodb))
    made: list[ApiAnswer] = []
    threads = [
        threading.Thread(target=lambda: made.append(add(service, path, is_default=True)))
        for _ in range(4)
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [answer.status for answer in made] == [201] * 4
    found = service.call("GET", f"{path}/datasets").json["data"]
    assert {each["id"] for each in found} == {answer.json["id"] for answer in made}
    assert [each["is_default"] for each in found].count(True) == 1


def test_schema_is_inferred_from_all_datasets(service: Service) -> None:
    path = make_template(service)
    nothing = service.call("POST", f"{path}/infer-schema")
    assert (nothing.status, nothing.code) == (409, "conflict")
    add(service, path, data={"on": "2026-01-31", "n": 1})
    add(service, path, data={"on": "2026-02-28", "n": 1.5, "more": BIG})

    answer = service.call("POST", f"{path}/infer-schema")

    assert answer.status == 200, answer.body
    schema = answer.json["schema"]
    assert answer.json["datasets"] == 2
    assert schema["properties"]["on"] == {"type": "string", "format": "date"}
    assert schema["properties"]["n"] == {"type": "number"}
    assert schema["required"] == ["on", "n"]
    # The inferred schema is accepted unchanged.
    assert service.call("PUT", f"{path}/draft", json_body={"schema": schema}).status == 200
    assert service.call("POST", f"{path}/publish").status == 201


def test_schema_inference_has_a_time_limit(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_template(service)
    for n in range(5):
        add(service, path, name=f"D{n}")
    read = ReadDatasets.data

    def slowly(*given: Any) -> dict[str, Any]:
        service.clock.advance(seconds=6)
        return read(*given)

    monkeypatch.setattr(ReadDatasets, "data", slowly)
    answer = service.call("POST", f"{path}/infer-schema")

    assert (answer.status, answer.code) == (409, "conflict")
    assert '"D3"' in answer.json["detail"]
