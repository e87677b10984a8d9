"""Schema of a template: what its data must fit, and the values that a canvas shows."""

from typing import Any

from tests.builders.service import Service
from tests.builders.templates import make_template, publish_template, put_draft

NUMBER: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "number"}}}


def schema(service: Service, path: str) -> dict[str, Any]:
    answer = service.call("GET", f"{path}/schema")
    assert answer.status == 200, answer.body
    shown: dict[str, Any] = answer.json
    return shown


def canvas(service: Service, layers: list[dict[str, Any]], **fields: Any) -> str:
    scene = {"width": 400, "height": 300, "layers": layers}
    return make_template(service, type="image_canvas", html=None, scene=scene, **fields)


def test_schema_is_that_of_the_live_version(service: Service) -> None:
    path = make_template(service, schema=NUMBER)
    expected: dict[str, Any] = {
        "object": "template_schema",
        "template_id": path.rpartition("/")[2],
        "version": None,
        "declared": True,
        "schema": NUMBER,
        "dynamic_properties": [],
    }
    assert schema(service, path) == expected

    publish_template(service, path)
    put_draft(service, path, schema={"type": "object", "required": ["m"]})
    assert schema(service, path) == expected | {"version": 1}
    publish_template(service, path)
    assert schema(service, path)["schema"] == {"type": "object", "required": ["m"]}
    service.call("POST", f"{path}/rollback", json_body={"version": 1})
    assert schema(service, path) == expected | {"version": 3}


def test_template_without_a_schema_takes_any_object(service: Service) -> None:
    shown = schema(service, make_template(service, publish=True))

    assert (shown["version"], shown["declared"]) == (1, False)
    dialect = "https://json-schema.org/draft/2020-12/schema"
    assert shown["schema"] == {"$schema": dialect, "type": "object"}


def test_values_of_a_canvas_are_named_with_their_kind(service: Service) -> None:
    box = {"width": 10, "height": 10}
    path = canvas(
        service,
        [
            {"type": "text", **box, "text": "Sale", "bind": "title.text"},
            {"type": "text", **box, "bind": "{{ first }} {{ last }}"},
            {"type": "text", **box, "text": "fixed"},
            {"type": "image", **box, "bind": "photo", "required": True},
            {"type": "rect", **box, "fill": "#fff", "bind": "color", "fallback": "red"},
            {
                "type": "group",
                "bind": "is_new",
                "layers": [
                    {"type": "qrcode", **box, "bind": "title.text", "required": True},
                    {"type": "svg", **box, "bind": "logo"},
                ],
            },
        ],
        publish=True,
    )

    shown = schema(service, path)["dynamic_properties"]

    assert [(each["key"], each["type"], each["required"], each["default"]) for each in shown] == [
        ("title.text", "text", True, "Sale"),
        ("photo", "image", True, None),
        ("color", "color", False, "red"),
        ("is_new", "boolean", False, True),
        ("logo", "svg", False, ""),
    ]


def test_canvas_without_a_scene_has_no_values(service: Service) -> None:
    path = make_template(service, type="image_canvas", html=None)

    assert schema(service, path)["dynamic_properties"] == []


def test_schema_of_a_deleted_template_is_gone(service: Service) -> None:
    path = make_template(service, publish=True)
    service.call("DELETE", path)

    answer = service.call("GET", f"{path}/schema")

    assert (answer.status, answer.code) == (410, "template_deleted")
