"""Trash, large sources and maintenance: what remains of deleted templates."""

import json
from typing import Any

import pytest

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.table import Table
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.builders.templates import (
    LARGE_HTML,
    TEMPLATES_PATH,
    make_template,
    publish_template,
    put_draft,
    render_template,
    template_rows,
)
from tests.functional.templates.test_versions import all_template_rows


def process_queues(service: Service) -> None:
    for _ in range(3):
        service.tick()
        service.relay_events()
        assert service.run_maintenance() == []
        service.clock.advance(minutes=6)


def test_deleted_template_can_be_restored_for_30_days(service: Service) -> None:
    path = make_template(service, publish=True)
    other = make_template(service)
    put_draft(service, path, html="draft")

    deleted = service.call("DELETE", path)
    assert (deleted.status, deleted.json["id"]) == (200, path.rpartition("/")[2])
    assert deleted.json["deleted_at"]
    trashed = {name: value for name, value in deleted.json.items() if name != "deleted"}

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
        ("GET", "/schema"),
    ):
        body: Any = None if method in {"GET", "DELETE"} else {}
        answer = service.call(method, path + rest, json_body=body)
        assert (answer.status, answer.code) == (410, "template_deleted"), (method, rest)
    assert render_template(service, path).code == "template_deleted"
    trash = service.call("GET", f"{TEMPLATES_PATH}?deleted=true").json["data"]
    assert trash == [trashed]
    there = service.call("GET", TEMPLATES_PATH).json["data"]
    assert [f"{TEMPLATES_PATH}/{row['id']}" for row in there] == [other]

    service.clock.advance(days=29, hours=23)
    process_queues(service)
    restored = service.call("POST", f"{path}/restore")
    assert (restored.status, restored.json["deleted_at"]) == (200, None)
    assert service.call("GET", f"{path}/draft").json["content"]["html"] == "draft"
    assert render_template(service, path).status == 200
    assert service.call("POST", f"{path}/restore").code == "conflict"
    service.clock.advance(days=60)
    process_queues(service)
    assert service.call("GET", path).status == 200


def test_deleted_template_is_purged_after_30_days(service: Service) -> None:
    before = all_template_rows(service)
    path = make_template(service, html=LARGE_HTML, publish=True)
    put_draft(service, path, html=LARGE_HTML + "2")
    service.relay_events()
    kept = make_template(service, html=LARGE_HTML)
    service.call("DELETE", path)

    service.clock.advance(days=30)
    again = DueItem("template", template_rows(service, path)[0]["PK"]).to_json()
    for _ in range(2):
        service.send("Maintenance", json.dumps(again))
    # The time is over, even if maintenance has not run yet.
    assert service.call("GET", path).code == "template_not_found"
    assert service.call("POST", f"{path}/restore").code == "template_not_found"
    assert service.call("GET", f"{TEMPLATES_PATH}?deleted=true").json["data"] == []
    process_queues(service)

    assert template_rows(service, path) == []
    (left,) = service.objects()
    assert kept.rpartition("/")[2] in left
    assert len(all_template_rows(service)) == len(before) + 2
    assert service.dead_letters("Maintenance") == []
    assert service.call("GET", kept).status == 200


@pytest.mark.parametrize("death", range(1, 6))
def test_interrupted_purge_is_finished(
    service: Service, monkeypatch: pytest.MonkeyPatch, death: int
) -> None:
    path = make_template(service, html=LARGE_HTML, publish=True)
    put_draft(service, path, html=LARGE_HTML + "2")
    service.relay_events()
    service.call("DELETE", path)
    service.clock.advance(days=30, seconds=1)
    calls = iter(range(1, 1000))

    def dying(name: str) -> None:
        real = getattr(Table, name)

        def dies(*given: object, **named: object) -> object:
            if next(calls) == death:
                raise FunctionKilled
            return real(*given, **named)

        monkeypatch.setattr(Table, name, dies)

    service.tick()
    for name in ("write", "query", "transact"):
        dying(name)
    with pytest.raises(FunctionKilled):
        service.run_maintenance()
    monkeypatch.undo()
    assert service.call("POST", f"{path}/restore").code == "template_not_found"
    process_queues(service)

    assert template_rows(service, path) == []
    assert service.objects() == []


def test_large_sources_are_kept_while_a_row_refers_to_them(service: Service) -> None:
    path = make_template(service, html=LARGE_HTML)
    assert len(service.objects()) == 1
    (draft,) = [row for row in template_rows(service, path) if row["SK"] == "DRAFT"]
    assert (draft["text"], draft["object_key"]) == (None, service.objects()[0])
    assert len(draft["sha256"]) == 64
    assert service.call("GET", f"{path}/draft").json["content"]["html"] == LARGE_HTML

    assert put_draft(service, path, html=LARGE_HTML + "2").status == 200
    assert len(service.objects()) == 1
    assert publish_template(service, path).status == 201
    put_draft(service, path, html=LARGE_HTML + "3")
    assert len(service.objects()) == 2
    put_draft(service, path, html="small")
    assert len(service.objects()) == 1
    assert service.call("GET", f"{path}/versions/1").json["content"]["html"] == LARGE_HTML + "2"
    process_queues(service)
    assert len(service.objects()) == 1
    (meta,) = [row for row in template_rows(service, path) if row["SK"] == "META"]
    assert meta["unsettled"] == {}


def test_equal_datasets_have_separate_objects(service: Service) -> None:
    data = {"text": "x" * 100_000}
    path = make_template(service, datasets=[{"name": name, "data": data} for name in ("a", "b")])

    assert len(service.objects()) == 2
    first, second = service.call("GET", f"{path}/datasets").json["data"]
    assert service.call("DELETE", f"{path}/datasets/{first['id']}").status < 300
    process_queues(service)

    assert len(service.objects()) == 1
    left = service.call("GET", f"{path}/datasets/{second['id']}").json
    assert left["data"] == data


def test_source_left_by_a_killed_function_is_removed(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_template(service, html=LARGE_HTML)
    contents = type(service.services.templates.source_texts)
    put = contents.put

    def dies_after_put(*arguments: Any) -> None:
        put(*arguments)
        raise FunctionKilled

    with monkeypatch.context() as broken:
        broken.setattr(contents, "put", dies_after_put)
        with pytest.raises(FunctionKilled):
            put_draft(service, path, html=LARGE_HTML + "2")
    assert len(service.objects()) == 2

    service.clock.advance(minutes=30)
    service.tick()
    service.run_maintenance()
    assert len(service.objects()) == 2
    service.clock.advance(minutes=31)
    process_queues(service)

    assert len(service.objects()) == 1
    assert service.call("GET", f"{path}/draft").json["content"]["html"] == LARGE_HTML
    assert service.tick() == 0


def test_replaced_source_is_removed_although_its_function_was_killed(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_template(service, html=LARGE_HTML)
    contents = service.services.templates.source_texts

    def dies(*_: object) -> None:
        raise FunctionKilled

    with monkeypatch.context() as broken:
        broken.setattr(type(contents), "delete", dies)
        with pytest.raises(FunctionKilled):
            put_draft(service, path, html="small")
    assert len(service.objects()) == 1
    service.clock.advance(hours=1, seconds=1)
    process_queues(service)

    assert service.objects() == []
    assert service.call("GET", f"{path}/draft").json["content"]["html"] == "small"


def test_deleted_workspace_deletes_its_templates(service: Service) -> None:
    workspace = service.operator.create_workspace("Gone", plan="scale", regions=["eu"]).id
    key = service.key("live", workspace)
    make_template(service, key=key, html=LARGE_HTML, publish=True)
    trashed = make_template(service, key=key)
    assert service.call("DELETE", trashed, key=key).status == 200
    mine = make_template(service)
    service.operator.change_status.delete(workspace)
    service.clock.advance(days=31)
    process_queues(service)

    assert not [item for item in all_template_rows(service) if workspace in item["PK"]["S"]]
    assert service.objects() == []
    assert service.call("GET", mine).status == 200
