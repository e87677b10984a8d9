"""`POST /v1/renders/preflight`: what would be refused or warned for, and nothing else."""

from typing import Any

import pytest

from chalicelib.core.ids import lowest_id
from tests.builders.http import ApiAnswer
from tests.builders.service import Service

TEMPLATE = lowest_id("tpl", 1_700_000_000_000)
HTML = {"type": "html", "html": "<p>x</p>"}


def preflight(service: Service, **fields: Any) -> ApiAnswer:
    key = fields.pop("key", service.live)
    body = {"input": HTML} | fields
    return service.call("POST", "/v1/renders/preflight", json_body=body, key=key)


def test_good_request_is_told_so_and_nothing_is_made(service: Service) -> None:
    answer = preflight(service, data={"n": 1}, output={"format": "png"})

    assert answer.status == 200
    assert answer.json == {"ok": True, "errors": [], "warnings": []}
    assert service.call("GET", "/v1/renders").json["data"] == []
    assert service.engine.jobs == []
    assert service.limits()["holds"] == {}
    assert service.objects() == []


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"output": {"format": "gif"}}, {("/output/format", "not_allowed")}),
        ({"input": {}, "mode": 3}, {("/input", "required"), ("/mode", "not_allowed")}),
        ({"unknown": 1}, {("/unknown", "unknown")}),
        ({"engine": "1999.1"}, {("/engine", "not_allowed")}),
        ({"test": True}, {("", "test_key_required")}),
        (
            {"delivery": {"type": "binary"}, "mode": "async"},
            {("/delivery/type", "not_allowed")},
        ),
        (
            {"input": {"type": "template", "template_id": TEMPLATE}},
            {("/input/template_id", "template_not_found")},
        ),
        (
            {"input": {"type": "html", "upload_id": "upl_x"}, "engine": "1999.1"},
            {("/input/upload_id", "not_found"), ("/engine", "not_allowed")},
        ),
    ],
)
def test_everything_that_is_wrong_is_named(
    service: Service, fields: dict[str, Any], found: set[tuple[str, str]]
) -> None:
    answer = preflight(service, **fields)

    assert (answer.status, answer.json["ok"]) == (200, False)
    assert {(error["path"], error["code"]) for error in answer.json["errors"]} == found
    assert all(error["message"] for error in answer.json["errors"])


def test_key_with_an_allowlist_learns_nothing_of_other_templates(service: Service) -> None:
    key = service.key("live", templates=[lowest_id("tpl", 1)])

    answer = preflight(service, key=key, input={"type": "template", "template_id": TEMPLATE})

    assert [error["code"] for error in answer.json["errors"]] == ["template_not_allowed_for_key"]


@pytest.mark.parametrize(
    ("band", "margin", "height", "overlaps"),
    [
        ("header", {"top": "20mm"}, "2cm", False),
        ("header", {"top": "20mm"}, "2.01cm", True),
        ("first_header", {}, "30mm", True),
        ("last_footer", {"top": "5cm"}, "30mm", True),
        ("footer", {"bottom": "5cm"}, "30mm", False),
    ],
)
def test_band_that_is_higher_than_its_margin_is_warned_of(
    service: Service, band: str, margin: dict[str, str], height: str, *, overlaps: bool
) -> None:
    said = {"enabled": True, "center": "x", "height": height}

    answer = preflight(service, output={"pdf": {"margin": margin, band: said}})

    codes = [(warning["code"], warning["detail"]) for warning in answer.json["warnings"]]
    path = f"/output/pdf/{band}/height"
    assert codes == ([("header_footer_overlap", path)] if overlaps else [])
    assert answer.json["ok"] is True


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"input": {"type": "url", "url": "https://example.com/"}, "data": {"n": 1}}, ["data"]),
        ({"input": HTML | {"templating": False}, "data_url": "https://a.example/"}, ["data_url"]),
        ({"input": {"type": "url", "url": "https://example.com/"}}, []),
        ({"input": {"type": "template", "template_id": TEMPLATE}, "data": {"n": 1}}, []),
    ],
)
def test_data_that_nothing_is_made_with_are_warned_of(
    service: Service, fields: dict[str, Any], told: list[str]
) -> None:
    answer = preflight(service, **fields)

    found = [(warning["code"], warning["detail"]) for warning in answer.json["warnings"]]
    assert found == [("feature_unavailable", name) for name in told]


def test_body_that_is_no_json_is_refused_as_ever(service: Service) -> None:
    answer = service.call("POST", "/v1/renders/preflight", body=b"{")

    assert (answer.status, answer.code) == (400, "invalid_json")
