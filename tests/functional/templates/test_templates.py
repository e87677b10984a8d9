"""`/v1/templates`: life cycle of templates; HTTP in, rows and events out."""

from typing import Any

import pytest

from tests.builders.service import Service
from tests.builders.templates import (
    TEMPLATES_PATH,
    make_template,
    post_template,
    publish_template,
    put_draft,
    template_rows,
)


def test_template_is_created_with_its_draft(service: Service) -> None:
    answer = post_template(
        service, description="For all.", head="<title>x</title>", css="p{}", header="h"
    )

    assert answer.status == 201, answer.body
    template = answer.json
    assert template == {
        "id": template["id"],
        "object": "template",
        "name": "Invoice",
        "description": "For all.",
        "type": "html",
        "locked": False,
        "live_version": None,
        "thumbnail_url": None,
        "draft_revision": 1,
        "created_at": template["created_at"],
        "updated_at": template["created_at"],
        "deleted_at": None,
    }
    path = f"{TEMPLATES_PATH}/{template['id']}"
    assert answer.headers["Location"] == f"https://api.test{path}"
    assert service.call("GET", path).json == template
    assert service.call("GET", f"{path}/draft").json == {
        "object": "template_draft",
        "template_id": template["id"],
        "revision": 1,
        "content": {
            "html": "<p>{{ n }}</p>",
            "head": "<title>x</title>",
            "css": "p{}",
            "header": "h",
            "footer": None,
        },
        "options": {},
        "schema": None,
        "updated_at": template["created_at"],
    }
    assert service.call("GET", f"{path}/versions").json["data"] == []


def test_content_replaces_its_members(service: Service) -> None:
    body = {"name": "A", "content": {"html": "<p>", "footer": {"left": "{{ page }}"}}}
    made = service.call("POST", TEMPLATES_PATH, json_body=body)

    draft = service.call("GET", f"{TEMPLATES_PATH}/{made.json['id']}/draft").json["content"]
    assert (draft["html"], draft["footer"]) == ("<p>", {"left": "{{ page }}"})
    both = service.call("POST", TEMPLATES_PATH, json_body=body | {"css": "p{}"})
    assert both.code == "validation_error"
    assert "content stands in place of html" in both.json["detail"]


def test_canvas_template_has_only_a_scene(service: Service) -> None:
    scene = {"width": 10, "height": 10, "layers": []}
    path = make_template(service, type="image_canvas", html=None, scene=scene)

    draft = service.call("GET", f"{path}/draft").json
    assert draft["content"] == {"scene": scene}
    wrong = put_draft(service, path, html="<p>")
    assert (wrong.code, wrong.pointers) == ("validation_error", ["/html"])
    other = put_draft(service, make_template(service), content={"scene": {}})
    assert (other.code, other.pointers) == ("validation_error", ["/content/scene"])


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"name": ""}, "/name"),
        ({"name": "x" * 121}, "/name"),
        ({"description": "x" * 5001}, "/description"),
        ({"type": "word"}, "/type"),
        ({"html": 1}, "/html"),
        ({"header": "x" * 200_001}, "/header"),
        ({"schema": True}, "/schema"),
        ({"options": {"pdf": {"page_size": "A9"}}}, "/options/pdf/page_size"),
        ({"options": {"http": {}}}, "/options/http"),
        ({"options": {"einvoice": {"profile": "XL", "invoice_path": "a"}}}, "profile"),
        ({"options": {"einvoice": {"profile": "BASIC", "invoice_path": "a..b"}}}, "invoice_path"),
        ({"options": {"email": True}}, "/options/email"),
        ({"options": {"email": [{"rule_id": "emr_1", "to": []}]}}, "/options/email/0/to"),
        (
            {"options": {"pdf": {"attachments": [{"upload_id": "upl_1", "filename": "a"}]}}},
            "/options/pdf/attachments/0/upload_id",
        ),
        ({"datasets": [{"name": "a", "data": []}]}, "/datasets/0/data"),
        ({"datasets": [{"name": "a", "data": {}}] * 51}, "/datasets"),
        ({"more": 1}, "/more"),
    ],
)
def test_invalid_template_request_is_refused(
    service: Service, fields: dict[str, Any], pointer: str
) -> None:
    answer = post_template(service, **fields)

    assert answer.code == "validation_error", answer.body
    assert any(found.endswith(pointer) for found in answer.pointers), answer.pointers
    assert service.call("GET", TEMPLATES_PATH).json["data"] == []


def test_options_of_future_features_are_stored(service: Service) -> None:
    options = {
        "einvoice": {"profile": "EN16931", "invoice_path": "invoice"},
        "email": [{"rule_id": "emr_1", "cc": []}],
        "output_format": "png",
    }
    path = make_template(service, options=options)

    assert service.call("GET", f"{path}/draft").json["options"] == options
    off = put_draft(service, path, options={"email": False})
    assert off.json["options"] == {"email": False}


def test_name_and_description_are_changed(service: Service) -> None:
    path = make_template(service, description="old")
    service.clock.advance(seconds=5)

    changed = service.call("PATCH", path, json_body={"description": None}).json
    assert (changed["name"], changed["description"]) == ("Invoice", None)
    assert changed["updated_at"] > changed["created_at"]
    assert service.call("PATCH", path, json_body={"name": "B"}).json["name"] == "B"
    assert service.call("PATCH", path, json_body={}).json["name"] == "B"
    assert service.call("PATCH", path, json_body={"name": None}).code == "validation_error"
    assert service.call("PATCH", path, json_body={"type": "html"}).pointers == ["/type"]
    assert service.call("GET", path).json["name"] == "B"


def test_list_is_newest_first_and_paged(service: Service) -> None:
    paths = []
    for number in range(5):
        kind = "image_canvas" if number == 2 else "html"
        paths.append(make_template(service, type=kind, html=None).rpartition("/")[2])
        service.clock.advance(seconds=1)
    paths.reverse()

    seen, cursor = [], ""
    while True:
        page = service.call("GET", f"{TEMPLATES_PATH}?limit=2{cursor}").json
        assert page["object"] == "list"
        seen += [row["id"] for row in page["data"]]
        if not page["has_more"]:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == paths
    canvas = service.call("GET", f"{TEMPLATES_PATH}?type=image_canvas").json["data"]
    assert [row["id"] for row in canvas] == [paths[2]]
    stranger = service.key("live", service.create_workspace())
    assert service.call("GET", TEMPLATES_PATH, key=stranger).json["data"] == []
    foreign = service.call("GET", f"{TEMPLATES_PATH}?limit=2{cursor}", key=stranger)
    assert foreign.pointers == ["/query/cursor"]


def test_list_is_filtered_by_part_of_a_name(service: Service) -> None:
    for name in ("Große Rechnung", "RECHNUNG 2", "100 % off", "Label"):
        make_template(service, name=name)
        service.clock.advance(seconds=1)

    def names(query: str) -> list[str]:
        answer = service.call("GET", f"{TEMPLATES_PATH}?{query}")
        assert answer.status == 200, answer.body
        return [row["name"] for row in answer.json["data"]]

    assert names("q=rechnung") == ["RECHNUNG 2", "Große Rechnung"]
    assert names("q=GROSSE%20R") == ["Große Rechnung"]
    assert names("q=%25") == ["100 % off"]
    assert names("q=rechnung&type=image_canvas") == names("q=x") == []
    page = service.call("GET", f"{TEMPLATES_PATH}?q=rechnung&limit=1").json
    rest = f"limit=1&cursor={page['next_cursor']}"
    assert names(f"q=rechnung&{rest}") == ["Große Rechnung"]
    other = service.call("GET", f"{TEMPLATES_PATH}?q=label&{rest}")
    assert other.pointers == ["/query/cursor"]
    for text in ("", "x" * 121):
        refused = service.call("GET", f"{TEMPLATES_PATH}?q={text}")
        assert (refused.code, refused.pointers) == ("validation_error", ["/query/q"])


def test_list_is_filtered_by_the_begin_of_an_id(service: Service) -> None:
    ids = []
    for name in ("One", "About tpl_ ids"):
        ids.append(make_template(service, name=name).rpartition("/")[2])
        service.clock.advance(hours=1)

    def found(query: str) -> list[str]:
        return [
            row["id"] for row in service.call("GET", f"{TEMPLATES_PATH}?q={query}").json["data"]
        ]

    assert found(ids[0]) == found(ids[0].lower()) == [ids[0]]
    assert set(found(ids[0][:7])) == set(ids)
    # A part from the middle of an id is no wish of anybody: short texts would find chance.
    assert found(ids[0][8:]) == []
    assert found("pl_") == [ids[1]]


def test_deleted_template_says_so(service: Service) -> None:
    path = make_template(service)

    deleted = service.call("DELETE", path).json

    assert (deleted["object"], deleted["deleted"]) == ("template", True)
    assert deleted["deleted_at"] is not None
    assert "deleted" not in service.call("POST", f"{path}/restore").json


def test_draft_is_sent_back_as_it_is_shown(service: Service) -> None:
    path = make_template(service, css="p{}", header="h", options={"pdf": {"page_size": "A5"}})
    shown = service.call("GET", f"{path}/draft").json

    sent = {name: shown[name] for name in ("content", "options", "schema", "revision")}
    again = put_draft(service, path, **sent)

    assert again.status == 200, again.body
    assert again.json["content"] == shown["content"]
    assert again.json["options"] == shown["options"]


def test_list_reads_a_bounded_number_of_rows(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chalicelib.features.templates.repository.BATCH_GET_LIMIT", 2)
    monkeypatch.setattr("chalicelib.features.templates.read._MAX_ROWS_READ", 4)
    oldest = make_template(service).rpartition("/")[2]
    for _ in range(7):
        service.clock.advance(seconds=1)
        service.call("DELETE", make_template(service))

    first = service.call("GET", TEMPLATES_PATH).json
    assert (first["data"], first["has_more"]) == ([], True)
    second = service.call("GET", f"{TEMPLATES_PATH}?cursor={first['next_cursor']}").json
    assert [row["id"] for row in second["data"]] == [oldest]


def test_template_is_visible_in_its_workspace_only(service: Service) -> None:
    path = make_template(service, publish=False)
    stranger = service.key("live", service.create_workspace())

    for method, rest in (
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("GET", "/draft"),
        ("PUT", "/draft"),
        ("POST", "/publish"),
        ("POST", "/lock"),
        ("POST", "/restore"),
        ("GET", "/versions"),
        ("GET", "/versions/1"),
        ("GET", "/schema"),
        ("GET", "/email-rules"),
    ):
        body: Any = None if method in {"GET", "DELETE"} else {}
        answer = service.call(method, path + rest, key=stranger, json_body=body)
        assert answer.code == "template_not_found", (method, rest)
    assert service.call("GET", f"{TEMPLATES_PATH}/tpl_1").code == "template_not_found"


def test_key_is_limited_to_its_allowed_templates(service: Service) -> None:
    mine, other = make_template(service), make_template(service)
    key = service.key("live", templates=[mine.rpartition("/")[2], "tpl_x"])

    listed = service.call("GET", TEMPLATES_PATH, key=key).json["data"]
    assert [f"{TEMPLATES_PATH}/{row['id']}" for row in listed] == [mine]
    assert service.call("GET", mine, key=key).status == 200
    assert service.call("GET", f"{TEMPLATES_PATH}/tpl_x", key=key).code == "template_not_found"
    # The allowlist is checked before the lookup, so a missing template gets the same answer.
    for path in (other, f"{TEMPLATES_PATH}/tpl_0"):
        for method, rest in (
            *(("GET", ""), ("DELETE", ""), ("GET", "/draft"), ("GET", "/versions")),
            *(("GET", "/schema"), ("GET", "/email-rules")),
        ):
            answer = service.call(method, path + rest, key=key)
            assert answer.code == "template_not_allowed_for_key"
        for rest in ("/publish", "/lock", "/restore", "/unlock"):
            answer = service.call("POST", path + rest, key=key)
            assert answer.code == "template_not_allowed_for_key"
        answer = service.call("POST", f"{path}/rollback", key=key, json_body={"version": 1})
        assert answer.code == "template_not_allowed_for_key"
        assert service.call("PUT", f"{path}/draft", key=key, json_body={}).status == 403
        assert service.call("PATCH", path, key=key, json_body={}).status == 403
    assert post_template(service, key=key).code == "template_not_allowed_for_key"


def test_reading_and_writing_need_separate_scopes(service: Service) -> None:
    path = make_template(service)
    reader = service.key("live", scopes=("templates:read",))
    writer = service.key("live", scopes=("templates:write",))

    below = (f"{path}/{name}" for name in ("draft", "versions", "schema"))
    for target in (TEMPLATES_PATH, path, *below):
        assert service.call("GET", target, key=reader).status == 200
        assert service.call("GET", target, key=writer).code == "insufficient_scope"
    for method, rest in (("DELETE", ""), ("POST", "/publish"), ("POST", "/restore")):
        assert service.call(method, path + rest, key=reader).code == "insufficient_scope"
    assert service.call("POST", f"{path}/publish", key=writer).status == 201


def test_locked_template_refuses_changes_and_deletion_but_can_be_published(
    service: Service,
) -> None:
    path = make_template(service)
    locked = service.call("POST", f"{path}/lock")
    assert (locked.status, locked.json["locked"]) == (200, True)
    assert service.call("POST", f"{path}/lock").json["locked"] is True

    assert put_draft(service, path, html="new").code == "template_locked"
    assert service.call("DELETE", path).code == "template_locked"
    assert publish_template(service, path).json["number"] == 1
    rolled = service.call("POST", f"{path}/rollback", json_body={"version": 1})
    assert (rolled.status, rolled.json["number"]) == (201, 2)
    assert service.call("GET", f"{path}/draft").json["revision"] == 1

    assert service.call("POST", f"{path}/unlock").json["locked"] is False
    assert put_draft(service, path, html="new").status == 200
    assert len([row for row in template_rows(service, path) if row["SK"] == "DRAFT"]) == 1
