"""The trash, large sources and upkeep: what is left of templates, and what is not."""

import json
from typing import Any

import pytest

from chalicelib.adapters.aws.table import Tables
from tests.builders.service import FunctionKilled, Service
from tests.builders.templates import LARGE, PATH, from_template, make, publish, put, rows
from tests.functional.test_template_versions import everything


def settle_down(service: Service) -> None:
    for _ in range(3):
        service.tick()
        service.relay_facts()
        assert service.look_after() == []
        service.clock.forward(minutes=6)


def test_deleted_template_can_be_restored_for_30_days(service: Service) -> None:
    path = make(service, publish=True)
    other = make(service)
    put(service, path, html="draft")

    deleted = service.call("DELETE", path)
    assert (deleted.status, deleted.json["id"]) == (200, path.rpartition("/")[2])
    assert deleted.json["deleted_at"]

    for method, rest in (
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("GET", "/draft"),
        ("PUT", "/draft"),
        ("POST", "/publish"),
        ("POST", "/lock"),
        ("GET", "/versions"),
        ("GET", "/versions/1"),
    ):
        body: Any = None if method in {"GET", "DELETE"} else {}
        answer = service.call(method, path + rest, json_body=body)
        assert (answer.status, answer.code) == (410, "template_deleted"), (method, rest)
    assert from_template(service, path).code == "template_deleted"
    trash = service.call("GET", f"{PATH}?deleted=true").json["data"]
    assert trash == [deleted.json]
    there = service.call("GET", PATH).json["data"]
    assert [f"{PATH}/{row['id']}" for row in there] == [other]

    service.clock.forward(days=29, hours=23)
    settle_down(service)
    restored = service.call("POST", f"{path}/restore")
    assert (restored.status, restored.json["deleted_at"]) == (200, None)
    assert service.call("GET", f"{path}/draft").json["html"] == "draft"
    assert from_template(service, path).status == 200
    assert service.call("POST", f"{path}/restore").code == "conflict"
    service.clock.forward(days=60)
    settle_down(service)
    assert service.call("GET", path).status == 200


def test_after_30_days_nothing_is_left(service: Service) -> None:
    before = everything(service)
    path = make(service, html=LARGE, publish=True)
    put(service, path, html=LARGE + "2")
    service.relay_facts()
    kept = make(service, html=LARGE)
    service.call("DELETE", path)

    service.clock.forward(days=30)
    again = {"v": 1, "pk": rows(service, path)[0]["PK"], "sk": "META", "request_id": None}
    for _ in range(2):
        service.send("Upkeep", json.dumps(again))
    # The time is over, whether or not the upkeep has come to it.
    assert service.call("GET", path).code == "template_not_found"
    assert service.call("POST", f"{path}/restore").code == "template_not_found"
    assert service.call("GET", f"{PATH}?deleted=true").json["data"] == []
    settle_down(service)

    assert rows(service, path) == []
    (left,) = service.objects()
    assert kept.rpartition("/")[2] in left
    assert len(everything(service)) == len(before) + 2
    assert service.dead_letters("Upkeep") == []
    assert service.call("GET", kept).status == 200


@pytest.mark.parametrize("death", range(1, 6))
def test_purge_that_dies_is_finished(
    service: Service, monkeypatch: pytest.MonkeyPatch, death: int
) -> None:
    path = make(service, html=LARGE, publish=True)
    put(service, path, html=LARGE + "2")
    service.relay_facts()
    service.call("DELETE", path)
    service.clock.forward(days=30, seconds=1)
    calls = iter(range(1, 1000))

    def dying(name: str) -> None:
        real = getattr(Tables, name)

        def dies(*given: object, **named: object) -> object:
            if next(calls) == death:
                raise FunctionKilled
            return real(*given, **named)

        monkeypatch.setattr(Tables, name, dies)

    service.tick()
    for name in ("write", "query", "transact"):
        dying(name)
    with pytest.raises(FunctionKilled):
        service.look_after()
    monkeypatch.undo()
    assert service.call("POST", f"{path}/restore").code == "template_not_found"
    settle_down(service)

    assert rows(service, path) == []
    assert service.objects() == []


def test_large_sources_stand_in_the_bucket_as_long_as_a_row_names_them(service: Service) -> None:
    path = make(service, html=LARGE)
    assert len(service.objects()) == 1
    (draft,) = [row for row in rows(service, path) if row["SK"] == "DRAFT"]
    assert (draft["text"], draft["object_key"]) == (None, service.objects()[0])
    assert len(draft["sha256"]) == 64
    assert service.call("GET", f"{path}/draft").json["html"] == LARGE

    assert put(service, path, html=LARGE + "2").status == 200
    assert len(service.objects()) == 1
    assert publish(service, path).status == 201
    put(service, path, html=LARGE + "3")
    assert len(service.objects()) == 2
    put(service, path, html="small")
    assert len(service.objects()) == 1
    assert service.call("GET", f"{path}/versions/1").json["html"] == LARGE + "2"
    settle_down(service)
    assert len(service.objects()) == 1
    (meta,) = [row for row in rows(service, path) if row["SK"] == "META"]
    assert meta["unsettled"] == {}


def test_datasets_that_are_alike_have_objects_of_their_own(service: Service) -> None:
    data = {"text": "x" * 100_000}
    path = make(service, datasets=[{"name": name, "data": data} for name in ("a", "b")])

    assert len(service.objects()) == 2
    first, second = service.call("GET", f"{path}/datasets").json["data"]
    assert service.call("DELETE", f"{path}/datasets/{first['id']}").status < 300
    settle_down(service)

    assert len(service.objects()) == 1
    left = service.call("GET", f"{path}/datasets/{second['id']}").json
    assert left["data"] == data


def test_source_that_a_dead_function_left_is_removed(service: Service) -> None:
    path = make(service, html=LARGE)
    service.dies_after_storing = True
    with pytest.raises(FunctionKilled):
        put(service, path, html=LARGE + "2")
    assert len(service.objects()) == 2

    service.clock.forward(minutes=30)
    service.tick()
    service.look_after()
    assert len(service.objects()) == 2
    service.clock.forward(minutes=31)
    settle_down(service)

    assert len(service.objects()) == 1
    assert service.call("GET", f"{path}/draft").json["html"] == LARGE
    assert service.tick() == 0


def test_source_that_was_replaced_is_removed_though_its_function_died(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(service, html=LARGE)
    contents = service.services.template_contents

    def dies(*_: object) -> None:
        raise FunctionKilled

    with monkeypatch.context() as broken:
        broken.setattr(type(contents), "delete", dies)
        with pytest.raises(FunctionKilled):
            put(service, path, html="small")
    assert len(service.objects()) == 1
    service.clock.forward(hours=1, seconds=1)
    settle_down(service)

    assert service.objects() == []
    assert service.call("GET", f"{path}/draft").json["html"] == "small"


def test_deleted_workspace_takes_its_templates_along(service: Service) -> None:
    workspace = service.operator.create_workspace("Gone", plan="scale", regions=["eu"]).id
    key = service.key("live", workspace)
    make(service, key=key, html=LARGE, publish=True)
    trashed = make(service, key=key)
    assert service.call("DELETE", trashed, key=key).status == 200
    mine = make(service)
    service.operator.change_status.delete(workspace)
    service.clock.forward(days=31)
    settle_down(service)

    assert not [item for item in everything(service) if workspace in item["PK"]["S"]]
    assert service.objects() == []
    assert service.call("GET", mine).status == 200
