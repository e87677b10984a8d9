"""`POST /v1/renders/preflight`: refusals and warnings of a render that is not made."""

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


@pytest.mark.parametrize(
    "url",
    [
        "example.com",
        "ftp://example.com",
        "file:///etc/passwd",
        "https://example.com:3000/",
        "http://169.254.169.254/",
        "https://localhost/",
        "http://2130706433/",
        "https://api.test/v1/account",
    ],
)
def test_addresses_that_are_always_refused_are_told(service: Service, url: str) -> None:
    sources: dict[str, dict[str, Any]] = {
        "/input/url": {"input": {"type": "url", "url": url}},
        "/data_url": {"input": {"type": "html", "html": "{{ x }}"}, "data_url": url},
        "/output/pdf/attachments/0/url": {
            "output": {"pdf": {"attachments": [{"filename": "a.xml", "url": url}]}}
        },
    }
    found = {path: preflight(service, **fields).json["errors"] for path, fields in sources.items()}
    tool = service.call(
        "POST",
        "/v1/pdf-tools/rotate/preflight",
        json_body={"source": {"url": url}, "degrees": 90},
        key=service.live,
    )

    for path, errors in {**found, "/source/url": tool.json["errors"]}.items():
        assert [(each["path"], each["code"]) for each in errors] == [(path, "not_allowed")]


@pytest.mark.parametrize("url", ["HTTPS://Example.com:8443/a?b#c", "https://bücher.example/"])
def test_addresses_that_may_be_reached_pass(service: Service, url: str) -> None:
    answer = preflight(service, input={"type": "url", "url": url})

    assert answer.json["errors"] == []


def test_good_request_is_ok_and_creates_nothing(service: Service) -> None:
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
        ({"input": {}, "mode": 3}, {("/input/type", "required"), ("/mode", "not_allowed")}),
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
def test_every_error_is_listed(
    service: Service, fields: dict[str, Any], found: set[tuple[str, str]]
) -> None:
    answer = preflight(service, **fields)

    assert (answer.status, answer.json["ok"]) == (200, False)
    assert {(error["path"], error["code"]) for error in answer.json["errors"]} == found
    assert all(error["message"] for error in answer.json["errors"])


def test_key_with_an_allowlist_cannot_probe_other_templates(service: Service) -> None:
    key = service.key("live", templates=[lowest_id("tpl", 1)])

    answer = preflight(service, key=key, input={"type": "template", "template_id": TEMPLATE})

    assert [error["code"] for error in answer.json["errors"]] == ["template_not_allowed_for_key"]


@pytest.mark.parametrize(
    ("header", "margin", "height", "overlaps"),
    [
        ("header", {"top": "20mm"}, "2cm", False),
        ("header", {"top": "20mm"}, "2.01cm", True),
        ("first_header", {}, "30mm", True),
        ("last_footer", {"top": "5cm"}, "30mm", True),
        ("footer", {"bottom": "5cm"}, "30mm", False),
    ],
)
def test_header_higher_than_its_margin_gives_a_warning(
    service: Service, header: str, margin: dict[str, str], height: str, *, overlaps: bool
) -> None:
    header_options = {"enabled": True, "center": "x", "height": height}

    answer = preflight(service, output={"pdf": {"margin": margin, header: header_options}})

    codes = [(warning["code"], warning["detail"]) for warning in answer.json["warnings"]]
    path = f"/output/pdf/{header}/height"
    assert codes == ([("header_footer_overlap", path)] if overlaps else [])
    assert answer.json["ok"] is True


def test_header_that_is_not_enabled_gives_a_warning(service: Service) -> None:
    answer = preflight(service, output={"pdf": {"header": {"center": "Invoice"}}})

    found = [(warning["code"], warning["detail"]) for warning in answer.json["warnings"]]
    assert found == [("feature_unavailable", "output.pdf.header")]


@pytest.mark.parametrize(
    ("fields", "pointers"),
    [
        ({"input": {"type": "url", "url": "https://example.com/"}, "data": {"n": 1}}, ["data"]),
        ({"input": HTML | {"templating": False}, "data_url": "https://a.example/"}, ["data_url"]),
        ({"input": {"type": "url", "url": "https://example.com/"}}, []),
        ({"input": {"type": "template", "template_id": TEMPLATE}, "data": {"n": 1}}, []),
    ],
)
def test_unused_data_give_a_warning(
    service: Service, fields: dict[str, Any], pointers: list[str]
) -> None:
    answer = preflight(service, **fields)

    found = [(warning["code"], warning["detail"]) for warning in answer.json["warnings"]]
    assert found == [("feature_unavailable", name) for name in pointers]


def test_invalid_json_is_refused_as_elsewhere(service: Service) -> None:
    answer = service.call("POST", "/v1/renders/preflight", body=b"{")

    assert (answer.status, answer.code) == (400, "invalid_json")
