"""`POST /v1/renders/preflight`: refusals and warnings of a render that is not made."""

from typing import Any

import pytest

from chalicelib.adapters.aws.table import Write
from chalicelib.core.ids import lowest_id
from chalicelib.engine.context import RenderWarning
from tests.builders.http import ApiAnswer
from tests.builders.service import Service

TEMPLATE = lowest_id("tpl", 1_700_000_000_000)
HTML = {"type": "html", "html": "<p>x</p>"}


def preflight(service: Service, **fields: Any) -> ApiAnswer:
    key = fields.pop("key", service.live)
    body = {"input": HTML} | fields
    return service.call("POST", "/v1/renders/preflight", json_body=body, key=key)


def error_paths(answer: ApiAnswer) -> list[tuple[str, str]]:
    assert answer.status == 200, answer.body
    return [(each["path"], each["code"]) for each in answer.json["errors"]]


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
        assert [(each["path"], each["code"]) for each in errors] == [(path, "url_not_allowed")]
    assert service.engine.looked_up == []


@pytest.mark.parametrize("url", ["HTTPS://Example.com:8443/a?b#c", "https://bücher.example/"])
def test_addresses_that_may_be_reached_pass(service: Service, url: str) -> None:
    answer = preflight(service, input={"type": "url", "url": url})

    assert answer.json["errors"] == []


def test_good_request_is_ok_and_creates_nothing(service: Service) -> None:
    answer = preflight(service, data={"n": 1}, output={"format": "png"})

    assert answer.status == 200
    assert answer.json == {
        "ok": True,
        "errors": [],
        "warnings": [],
        "invoice": None,
        "cost": {"renders": 1, "remaining": 250_000},
    }
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


@pytest.mark.parametrize("name", ["inside.example", "INSIDE.example:8443"])
def test_names_are_looked_up_and_those_of_private_hosts_told(service: Service, name: str) -> None:
    service.engine.private_hosts = ("inside.example",)
    url = f"https://{name}/a"

    page = preflight(service, input={"type": "url", "url": url})
    data = preflight(
        service, input={"type": "html", "html": "{{ x }}"}, data_url="https://out.example/"
    )
    tool = service.call(
        "POST",
        "/v1/pdf-tools/rotate/preflight",
        json_body={"source": {"url": url}, "degrees": 90},
        key=service.test,
    )

    assert error_paths(page) == [("/input/url", "url_not_allowed")]
    assert error_paths(tool) == [("/source/url", "url_not_allowed")]
    assert error_paths(data) == []
    assert service.engine.looked_up[1] == ({"/data_url": "https://out.example/"}, ("/data_url",))
    assert service.limits()["leases"] == {}


@pytest.mark.parametrize(
    ("fields", "is_shown"),
    [
        ({}, True),
        ({"input": {"type": "url", "url": "https://example.com/"}}, False),
        (
            {
                "input": {"type": "url", "url": "https://example.com/"},
                "output": {"pdf": {"header": {"enabled": True, "left": "x"}}},
            },
            True,
        ),
        (
            {
                "input": {"type": "template", "template_id": TEMPLATE},
                "output": {"pdf": {"header": {"enabled": True, "left": "x"}}},
            },
            False,
        ),
        ({"input": {"type": "html", "upload_id": "upl_x"}}, False),
        ({"input": HTML | {"assets": [{"path": "a.png", "upload_id": "upl_x"}]}}, False),
    ],
)
def test_page_is_shown_offline_where_something_may_be_found(
    service: Service, fields: dict[str, Any], *, is_shown: bool
) -> None:
    service.engine.lint_warnings = [RenderWarning("placeholder_left", "x", "body")]

    answer = preflight(service, **fields)

    codes = [warning["code"] for warning in answer.json["warnings"]]
    assert ("placeholder_left" in codes, len(service.engine.lint_jobs)) == (is_shown, is_shown)


@pytest.mark.parametrize(
    ("header", "is_told"),
    [
        ({"left": "x"}, True),
        ({"left": "{{ x }}"}, False),
        ({"html": "{{ x }}", "height": "9cm"}, True),
    ],
)
def test_without_the_data_only_heights_that_do_not_depend_on_them_are_told(
    service: Service, header: dict[str, str], *, is_told: bool
) -> None:
    overlap = RenderWarning("header_footer_overlap", "x", "/output/pdf/header")
    service.engine.lint_warnings = [overlap, RenderWarning("undefined_value", "x", "html, line 1")]

    answer = preflight(
        service,
        input={"type": "html", "html": "{{ a }}"},
        data_url="https://example.com/data.json",
        output={"pdf": {"header": {"enabled": True, **header}}},
    )

    codes = [warning["code"] for warning in answer.json["warnings"]]
    assert codes == (["header_footer_overlap"] if is_told else [])


def test_warning_that_fails_the_render_is_an_error(service: Service) -> None:
    output = {"pdf": {"header": {"left": "x"}}, "fail_on": ["feature_unavailable"]}

    report = preflight(service, output=output)

    assert error_paths(report) == [("/output/fail_on", "render_failed")]
    assert [warning["code"] for warning in report.json["warnings"]] == ["feature_unavailable"]
    assert "output.pdf.header" in report.json["errors"][0]["message"]


def test_cost_is_told_and_nothing_taken(service: Service) -> None:
    live, test = preflight(service), preflight(service, key=service.test)
    unreadable = preflight(service, input=3)

    assert live.json["cost"] == unreadable.json["cost"] == {"renders": 1, "remaining": 250_000}
    assert test.json["cost"] == {"renders": 0, "remaining": 250_000}
    item = service.limits()
    assert (item["quota_left"], item["used"], item["holds"]) == (250_000, 0, {})
    service.render()
    assert preflight(service).json["cost"]["remaining"] == 249_999


def test_used_up_allowance_is_told_to_live_keys(service: Service) -> None:
    item = service.limits() | {"quota_left": 0}
    service.main_table.write(Write(service.main_table, item=item))

    live, test = preflight(service), preflight(service, key=service.test)

    assert error_paths(live) == [("", "render_limit_reached")]
    assert live.json["cost"] == {"renders": 1, "remaining": 0}
    assert test.json["ok"] is True
    assert service.render().code == "render_limit_reached"


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
