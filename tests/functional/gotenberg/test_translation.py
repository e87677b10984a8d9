"""Routes of Gotenberg: which request a form becomes, and how its errors name the form's fields."""

import base64
import json
from collections.abc import Mapping
from typing import Any, Final

import pytest

from chalicelib.api.gotenberg._fields import REFUSED
from tests.builders.http import ApiAnswer
from tests.builders.service import Service

HTML: Final = "/forms/chromium/convert/html"
URL: Final = "/forms/chromium/convert/url"
MARKDOWN: Final = "/forms/chromium/convert/markdown"
SHOT: Final = "/forms/chromium/screenshot/html"
MERGE: Final = "/forms/pdfengines/merge"
INDEX: Final = {"index.html": b"<h1>Hello</h1>"}


def form(fields: Mapping[str, str], files: Mapping[str, bytes], field: str = "files") -> bytes:
    """Return a multipart form with the boundary `x`."""
    parts = [
        f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    parts += [
        f'--x\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n'.encode()
        + b"Content-Type: application/octet-stream\r\n\r\n%s\r\n" % content
        for name, content in files.items()
    ]
    return b"".join([*parts, b"--x--\r\n"])


def convert(
    service: Service,
    path: str = HTML,
    files: Mapping[str, bytes] | None = None,
    headers: Mapping[str, str] | None = None,
    **fields: Any,
) -> ApiAnswer:
    sent = {"Content-Type": "multipart/form-data; boundary=x", **(headers or {})}
    content = INDEX if files is None else files
    return service.call("POST", path, body=form(fields, content), headers=sent)


def render_of(service: Service, answer: ApiAnswer) -> Any:
    assert answer.status == 200, answer.body
    return service.call("GET", f"/v1/renders/{answer.headers['X-Render-Id']}").json


def output(service: Service, path: str = HTML, **fields: Any) -> Any:
    files: dict[str, bytes] | None = {} if path.endswith("/url") else None
    return render_of(service, convert(service, path, files, **fields))["output"]


def test_defaults_are_those_of_gotenberg(service: Service) -> None:
    pdf = output(service)["pdf"]

    assert (pdf["width"], pdf["height"]) == ("8.5in", "11in")
    assert set(pdf["margin"].values()) == {"0.39in"}
    assert (pdf["print_background"], pdf["prefer_css_page_size"], pdf["tagged"]) == (False,) * 3


def test_the_answer_is_the_file(service: Service) -> None:
    answer = convert(service, headers={"Gotenberg-Output-Filename": "offer"})

    assert answer.headers["Content-Type"] == "application/pdf"
    assert "offer.pdf" in answer.headers["Content-Disposition"]


@pytest.mark.parametrize(
    ("fields", "path", "value"),
    [
        ({"paperWidth": "210mm", "paperHeight": "297mm"}, ("pdf", "width"), "210mm"),
        ({"paperWidth": "4"}, ("pdf", "width"), "4in"),
        ({"marginTop": "1"}, ("pdf", "margin", "top"), "1in"),
        ({"marginLeft": "0"}, ("pdf", "margin", "left"), "0in"),
        ({"landscape": "true"}, ("pdf", "landscape"), True),
        ({"landscape": ""}, ("pdf", "landscape"), False),
        ({"scale": "0.75"}, ("pdf", "scale"), 0.75),
        ({"nativePageRanges": "1-3"}, ("pdf", "page_ranges"), "1-3"),
        ({"printBackground": "1"}, ("pdf", "print_background"), True),
        ({"singlePage": "true", "paperHeight": "5"}, ("pdf", "height"), "auto"),
        ({"generateDocumentOutline": "true"}, ("pdf", "outline"), True),
        ({"generateTaggedPdf": "true"}, ("pdf", "tagged"), True),
        ({"metadata": '{"Title": "T", "Keywords": "a, b"}'}, ("pdf", "metadata", "title"), "T"),
        ({"metadata": '{"Keywords": "a, b"}'}, ("pdf", "metadata", "keywords"), ["a", "b"]),
        ({"waitDelay": "1.5s"}, ("wait", "delay_ms"), 1500),
        ({"waitForSelector": "#ready"}, ("wait", "selector"), "#ready"),
        ({"waitForExpression": "window.ready"}, ("wait", "expression"), "window.ready"),
        ({"skipNetworkIdleEvent": "false"}, ("wait", "until"), "networkidle"),
        ({"emulatedMediaType": "screen"}, ("media",), "screen"),
        ({"failOnResourceLoadingFailed": "true"}, ("asset_policy",), "strict"),
        ({"failOnResourceHttpStatusCodes": "[499,599]"}, ("asset_policy",), "strict"),
        ({"failOnConsoleExceptions": "true"}, ("fail_on",), ["script_failed"]),
        ({"flatten": "false", "splitUnify": "false", "unknown": "x"}, ("format",), "pdf"),
        ({"failOnHttpStatusCodes": "[499,599]"}, ("format",), "pdf"),
    ],
)
def test_fields_of_a_pdf(
    service: Service, fields: dict[str, Any], path: tuple[str, ...], value: object
) -> None:
    found = output(service, **fields)
    for name in path:
        found = found[name]

    assert found == value


def test_fields_of_a_page_of_the_web(service: Service) -> None:
    cookie = {"name": "a", "value": "b", "domain": "example.com", "httpOnly": True}
    http = output(
        service,
        URL,
        url="https://example.com/",
        userAgent="Printer",
        extraHttpHeaders='{"X-A": "b"}',
        cookies=json.dumps([{**cookie, "sameSite": "lax"}]),
    )["http"]

    assert http["user_agent"] == "Printer"
    assert list(http["headers"]) == ["X-A"]
    assert http["cookies"]  # redacted


@pytest.mark.parametrize(
    ("fields", "path", "value"),
    [
        ({}, ("image", "width"), 800),
        ({}, ("image", "full_page"), True),
        ({"clip": "true"}, ("image", "full_page"), False),
        ({"selector": "#a"}, ("image", "clip_selector"), "#a"),
        ({"format": "webp"}, ("format",), "webp"),
        ({"format": "jpeg", "quality": "50"}, ("image", "format_options", "quality"), 50),
        ({"deviceScaleFactor": "2"}, ("image", "scale"), 2),
        ({"omitBackground": "true"}, ("image", "transparent"), True),
        ({"optimizeForSpeed": "true"}, ("format",), "png"),
    ],
)
def test_fields_of_a_picture(
    service: Service, fields: dict[str, Any], path: tuple[str, ...], value: object
) -> None:
    found = output(service, SHOT, **fields)
    for name in path:
        found = found[name]

    assert found == value


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"landscape": "yes"}, "/landscape"),
        ({"paperWidth": "wide"}, "/paperWidth"),
        ({"paperWidth": "0"}, "/paperWidth"),
        ({"marginTop": "-1"}, "/marginTop"),
        ({"scale": "5"}, "/scale"),
        ({"nativePageRanges": "a-b"}, "/nativePageRanges"),
        ({"waitDelay": "5 parsecs"}, "/waitDelay"),
        ({"waitDelay": "1h"}, "/waitDelay"),
        ({"pdfa": "PDF/A-1b"}, "/pdfa"),
        ({"metadata": "{"}, "/metadata"),
        ({"metadata": '{"Producer": "x"}'}, "/metadata"),
        ({"failOnHttpStatusCodes": "[]"}, "/failOnHttpStatusCodes"),
        ({"extraHttpHeaders": '{"X-A": "b;scope=.*"}'}, "/extraHttpHeaders"),
        ({"cookies": '["a"]'}, "/cookies"),
        ({"emulatedMediaType": "tv"}, "/emulatedMediaType"),
    ],
)
def test_a_wrong_value_names_its_field(
    service: Service, fields: dict[str, Any], pointer: str
) -> None:
    answer = convert(service, **fields)

    assert (answer.status, answer.pointers) == (400, [pointer])
    assert pointer in answer.json["detail"]
    assert "/output" not in answer.json["detail"]


def test_all_wrong_values_are_named_at_once(service: Service) -> None:
    answer = convert(service, landscape="yes", paperWidth="wide", flatten="true")

    assert sorted(answer.pointers) == ["/flatten", "/landscape", "/paperWidth"]


@pytest.mark.parametrize("name", REFUSED)
def test_a_field_without_counterpart_is_refused(service: Service, name: str) -> None:
    changing = "false" if name.startswith("allow") else "something"

    assert convert(service, **dict[str, Any]({name: changing})).pointers == [f"/{name}"]


def test_webhooks_are_refused(service: Service) -> None:
    answer = convert(service, headers={"Gotenberg-Webhook-Url": "https://example.com/"})

    assert answer.pointers == ["/headers/Gotenberg-Webhook-Url"]


@pytest.mark.parametrize(
    ("path", "files", "fields", "pointer", "text"),
    [
        (HTML, {"page.html": b"x"}, {}, "/files", "index.html"),
        (URL, {}, {}, "/url", "required"),
        (MARKDOWN, {"index.html": b'{{ toHTML "a.md" }}'}, {}, "/files", "'a.md'"),
        (MERGE, {"a.pdf": b"x"}, {}, "/files", "two"),
        (HTML, {"index.html": b"\xff\xfe\x00"}, {}, "/files", "UTF-8"),
    ],
)
def test_a_missing_part_is_named(
    service: Service,
    path: str,
    files: dict[str, bytes],
    fields: dict[str, Any],
    pointer: str,
    text: str,
) -> None:
    answer = convert(service, path, files, **fields)

    assert answer.pointers == [pointer]
    assert text in answer.json["detail"]


def test_only_forms_are_taken(service: Service) -> None:
    assert service.call("POST", HTML, json_body={"html": "x"}).status == 415


def test_the_key_may_be_a_basic_password(service: Service) -> None:
    def status(user: str, password: str) -> int:
        encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
        sent = {
            "Content-Type": "multipart/form-data; boundary=x",
            "Authorization": f"Basic {encoded}",
        }
        return service.call("POST", HTML, key="", body=form({}, INDEX), headers=sent).status

    assert status("anyone", service.live) == 200
    assert status("anyone", "wrong") == 401


def test_other_routes_take_no_basic_password(service: Service) -> None:
    encoded = base64.b64encode(f"a:{service.live}".encode()).decode()

    answer = service.call("GET", "/v1/renders", headers={"Authorization": f"Basic {encoded}"})

    assert answer.status == 401


def test_a_trace_comes_back(service: Service) -> None:
    answer = convert(service, headers={"Gotenberg-Trace": "job-7"})

    assert answer.headers["Gotenberg-Trace"] == "job-7"


def test_a_repeat_with_the_same_key_makes_no_second_render(service: Service) -> None:
    key = {"Idempotency-Key": "once"}
    first, second = convert(service, headers=key), convert(service, headers=key)

    assert first.headers["X-Render-Id"] == second.headers["X-Render-Id"]
    assert convert(service, headers=key, scale="0.5").status == 422


def test_health_and_version(service: Service) -> None:
    health = service.call("GET", "/health", key="")

    assert (health.status, health.json["status"]) == (200, "up")
    assert service.call("GET", "/version", key="").body.decode().count(".") == 2
