"""Lost responses to writes of templates, uploads and workspaces, which are then retried."""

from typing import Any

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
from tests.builders.uploads import announce_upload, post_upload, store_announced
from tests.functional.faults.test_lost_responses import repeating

__all__ = ["repeating"]


def answered(service: Service, method: str, path: str, **more: Any) -> dict[str, Any]:
    answer = service.call(method, path, **more)
    assert answer.status in {200, 201, 204}, (method, path, answer.body)
    return answer.json if answer.body else {}


def test_large_template_is_created_changed_and_published_once(repeating: Service) -> None:
    path = make_template(repeating, html=LARGE_HTML)
    assert put_draft(repeating, path, html=LARGE_HTML + "2").status == 200
    data = {"name": "D", "data": {"text": "x" * 100_000}}
    dataset = answered(repeating, "POST", f"{path}/datasets", json_body=data)["id"]
    answered(repeating, "PUT", f"{path}/datasets/{dataset}", json_body=data | {"name": "E"})
    assert answered(repeating, "PATCH", path, json_body={"name": "N"})["name"] == "N"
    assert publish_template(repeating, path).status == 201
    assert publish_template(repeating, path).status == 201
    answered(repeating, "DELETE", f"{path}/datasets/{dataset}")
    repeating.process_queues()

    kinds = [row["SK"].partition("#")[0] for row in template_rows(repeating, path)]
    assert sorted(kinds) == ["DRAFT", "EVENT", "EVENT", "META", "VER", "VER"]
    assert len(repeating.objects()) == 1
    assert render_template(repeating, path).status == 200


def test_template_is_locked_deleted_restored_and_purged_once(repeating: Service) -> None:
    path = make_template(repeating, html=LARGE_HTML, publish=True)
    for verb in ("lock", "unlock"):
        assert answered(repeating, "POST", f"{path}/{verb}")["locked"] is (verb == "lock")
    deleted = answered(repeating, "DELETE", path)
    assert deleted["deleted_at"]
    assert answered(repeating, "POST", f"{path}/restore")["deleted_at"] is None
    assert repeating.call("POST", f"{path}/restore").code == "conflict"
    answered(repeating, "DELETE", path)
    assert repeating.call("DELETE", path).code == "template_deleted"
    repeating.relay_events()
    repeating.clock.advance(days=30)
    for _ in range(4):
        repeating.clock.advance(minutes=6)
        repeating.tick()
        assert repeating.run_maintenance() == []

    assert (template_rows(repeating, path), repeating.objects()) == ([], [])
    assert repeating.call("GET", TEMPLATES_PATH).json["data"] == []


def test_uploads_are_stored_and_deleted_once(repeating: Service) -> None:
    upload = announce_upload(repeating, bytes=5).json["id"]
    store_announced(repeating, upload, b"<p>1<")
    assert answered(repeating, "GET", f"/v1/uploads/{upload}")["status"] == "ready"
    sent = post_upload(repeating, b"<p>Hi").json["id"]

    for each in (upload, sent):
        answered(repeating, "DELETE", f"/v1/uploads/{each}")
        assert repeating.call("GET", f"/v1/uploads/{each}").code == "upload_not_found"

    assert repeating.objects() == []


def test_workspace_is_deleted_once(repeating: Service) -> None:
    workspace = repeating.create_workspace("free")
    key = repeating.key("live", workspace)
    make_template(repeating, key=key, html=LARGE_HTML, publish=True)
    repeating.clock.advance(seconds=2)
    assert repeating.render(key=key).status == 200
    repeating.process_queues()
    repeating.operator.change_status.delete(workspace)
    repeating.clock.advance(days=30, minutes=16)
    for _ in range(4):
        repeating.clock.advance(minutes=6)
        repeating.tick()
        repeating.run_maintenance()

    assert repeating.operator.workspaces.get(workspace) is None
    assert repeating.objects() == []
    assert [repeating.dead_letters(queue) for queue in ("Maintenance", "Events")] == [[], []]
