"""Keys with a template allowlist: they see renders of their templates only."""

from typing import Any

import pytest

from tests.builders.service import Service
from tests.builders.templates import make_template, publish_template, render_template


def published_template(service: Service) -> str:
    """Make a template with a live version and return its id."""
    path = make_template(service)
    publish_template(service, path)
    return path.rpartition("/")[2]


def rendered_id(service: Service, template_id: str, **fields: Any) -> str:
    """Render a template with the live key and return the id of the render."""
    service.clock.advance(seconds=1)
    answer = render_template(service, template_id, data={"n": 1}, **fields)
    assert answer.status in {200, 202}, answer.json
    return str(answer.json["id"])


def listed_ids(service: Service, key: str, query: str = "") -> list[str]:
    listed = service.call("GET", f"/v1/renders?{query}", key=key).json
    return [render["id"] for render in listed["data"]]


def test_renders_of_other_templates_are_not_found(service: Service) -> None:
    mine, other = published_template(service), published_template(service)
    key = service.key("live", templates=[mine])
    visible = rendered_id(service, mine)
    others = (
        rendered_id(service, other),
        rendered_id(service, other, mode="async"),
        service.render().json["id"],
    )

    for render_id in others:
        for method, rest in (("GET", ""), ("POST", "/cancel"), ("DELETE", "/files")):
            answer = service.call(method, f"/v1/renders/{render_id}{rest}", key=key)
            assert (answer.status, answer.code) == (404, "render_not_found"), (method, rest)

    assert service.call("GET", f"/v1/renders/{others[1]}").json["status"] == "queued"
    assert service.call("GET", f"/v1/renders/{others[0]}").json["files"]
    assert service.call("GET", f"/v1/renders/{visible}", key=key).status == 200
    assert service.call("DELETE", f"/v1/renders/{visible}/files", key=key).status == 200


def test_list_leaves_out_renders_of_other_templates(service: Service) -> None:
    mine, other = published_template(service), published_template(service)
    made = rendered_id(service, mine)
    rendered_id(service, other)
    service.render()
    key = service.key("live", templates=[mine, "tpl_x"])

    assert listed_ids(service, key) == [made]
    assert listed_ids(service, key, f"template_id={mine}&status=succeeded") == [made]
    assert listed_ids(service, key, f"template_id={other}") == []
    assert listed_ids(service, service.key("test", templates=[mine])) == []


def test_restricted_list_has_whole_pages(service: Service) -> None:
    mine, other = published_template(service), published_template(service)
    made = [rendered_id(service, template) for template in (mine, other, mine, other, mine)]
    key = service.key("live", templates=[mine])

    first = service.call("GET", "/v1/renders?limit=2", key=key).json
    second = service.call("GET", f"/v1/renders?limit=2&cursor={first['next_cursor']}", key=key).json

    pages = [[render["id"] for render in page["data"]] for page in (first, second)]
    assert pages == [[made[4], made[2]], [made[0]]]
    assert [page["has_more"] for page in (first, second)] == [True, False]


def test_restricted_list_reads_a_bounded_number_of_rows(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chalicelib.features.renders.read._MAX_ROWS_READ", 2)
    mine, other = published_template(service), published_template(service)
    made = rendered_id(service, mine)
    for _ in range(3):
        rendered_id(service, other)
    key = service.key("live", templates=[mine])

    first = service.call("GET", "/v1/renders", key=key).json
    second = service.call("GET", f"/v1/renders?cursor={first['next_cursor']}", key=key).json

    assert (first["data"], first["has_more"]) == ([], True)
    assert [render["id"] for render in second["data"]] == [made]
