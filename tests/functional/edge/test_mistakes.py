"""Mistakes in requests: the answer says what to change, at a JSON Pointer into the request."""

from typing import Any, Final

import pytest

from chalicelib.api.edge.app import App
from chalicelib.api.routes import BLUEPRINTS
from tests.builders.http import request
from tests.fakes.api_services import FakeApiServices

HTML: Final = {"type": "html", "html": "<p>"}
RENDERS: Final = "POST /v1/renders"
FROM_HTML: Final = "POST /v1/pdf/from-html"


def output(**members: Any) -> dict[str, Any]:
    return {"input": HTML, "output": members}


def pdf(**members: Any) -> dict[str, Any]:
    return output(pdf=members)


# Route, body, pointer of an entry of `errors[]`, and a part of its message.
MISTAKES: Final[list[tuple[str, Any, str, str]]] = [
    # A name of the right object, spelled otherwise.
    (RENDERS, {"input": HTML, "timeoutBehavior": "cancel"}, "/timeoutBehavior", "_behavior?"),
    (RENDERS, {"input": HTML, "Reference": "a"}, "/Reference", "mean reference?"),
    (RENDERS, {"input": HTML, "dataURL": "a"}, "/dataURL", "mean data_url?"),
    (RENDERS, {"input": HTML, "metaData": {}}, "/metaData", "mean metadata?"),
    (RENDERS, {"input": HTML, "webhooks": {}}, "/webhooks", "mean webhook?"),
    (RENDERS, {"input": HTML, "prioriy": "low"}, "/prioriy", "mean priority?"),
    (RENDERS, {"input": HTML, "outputs": {}}, "/outputs", "mean output?"),
    (RENDERS, pdf(pageSize="A4"), "/output/pdf/pageSize", "mean page_size?"),
    (RENDERS, pdf(page_sizes="A4"), "/output/pdf/page_sizes", "mean page_size?"),
    (RENDERS, pdf(**{"page-size": "A4"}), "/output/pdf/page-size", "mean page_size?"),
    (RENDERS, pdf(printBackground=True), "/output/pdf/printBackground", "print_background?"),
    (RENDERS, pdf(preferCSSPageSize=True), "/output/pdf/preferCSSPageSize", "css_page_size?"),
    (RENDERS, pdf(margins={"top": "1cm"}), "/output/pdf/margins", "mean margin?"),
    (RENDERS, pdf(margin={"tpo": "1cm"}), "/output/pdf/margin/tpo", "mean top?"),
    (RENDERS, pdf(attachment=[]), "/output/pdf/attachment", "mean attachments?"),
    (RENDERS, pdf(header={"hmtl": "a"}), "/output/pdf/header/hmtl", "mean html?"),
    (RENDERS, pdf(watermark={"text": "a", "colour": "r"}), "/output/pdf/watermark/colour",
     "color?"),
    (RENDERS, output(waits={}), "/output/waits", "mean wait?"),
    (RENDERS, output(wait={"delayMs": 1}), "/output/wait/delayMs", "mean delay_ms?"),
    (RENDERS, output(wait={"selectr": "a"}), "/output/wait/selectr", "mean selector?"),
    (RENDERS, output(image={"fullPage": True}), "/output/image/fullPage", "mean full_page?"),
    (RENDERS, output(viewport={"deviceScaleFactor": 2}), "/output/viewport/deviceScaleFactor",
     "mean device_scale_factor?"),
    (RENDERS, {"input": {**HTML, "asset": []}}, "/input/asset", "mean assets?"),
    (RENDERS, {"input": {"type": "template", "templateId": "a"}}, "/input/templateId",
     "mean template_id?"),
    (RENDERS, {"input": HTML, "delivery": {"expiresIn": 60}}, "/delivery/expiresIn", "expires_in?"),
    (RENDERS, {"input": HTML, "webhook": {"URL": "https://a.test"}}, "/webhook/URL", "mean url?"),
    # A name that belongs elsewhere.
    (RENDERS, {"html": "<p>"}, "/html", "belongs at input.html"),
    (RENDERS, {"template_id": "tpl_1"}, "/template_id", "belongs at input.template_id"),
    (RENDERS, {"templateId": "tpl_1"}, "/templateId", "belongs at input.template_id"),
    (RENDERS, {"template": "tpl_1"}, "/template", "belongs at input.template_id"),
    (RENDERS, {"url": "https://a.test"}, "/url", "input.url"),
    (RENDERS, {"input": HTML, "format": "pdf"}, "/format", "belongs at output.format"),
    (RENDERS, {"input": HTML, "formats": ["pdf"]}, "/formats", "belongs at output.formats"),
    (RENDERS, {"input": HTML, "filename": "a"}, "/filename", "belongs at output.filename"),
    (RENDERS, {"input": HTML, "pageSize": "A4"}, "/pageSize", "belongs at output.pdf.page_size"),
    (RENDERS, {"input": HTML, "pdf": {}}, "/pdf", "belongs at output.pdf"),
    (RENDERS, {"input": HTML, "margin": {}}, "/margin", "belongs at output.pdf.margin"),
    (RENDERS, {"input": HTML, "landscape": True}, "/landscape", "at output.pdf.landscape"),
    (RENDERS, {"input": HTML, "viewport": {}}, "/viewport", "output.viewport"),
    (RENDERS, {"input": HTML, "expires_in": 60}, "/expires_in", "at delivery.expires_in"),
    (RENDERS, {"input": HTML, "retention": "none"}, "/retention", "at delivery.retention"),
    (RENDERS, {"input": HTML, "webhook_url": "https://a.test"}, "/webhook_url", "at webhook.url"),
    (RENDERS, {"input": HTML, "callbackUrl": "https://a.test"}, "/callbackUrl", "at webhook.url"),
    (RENDERS, {"input": HTML, "variables": {}}, "/variables", "belongs at data"),
    (RENDERS, {"input": HTML, "einvoice": {}}, "/einvoice", "belongs at output.einvoice"),
    (RENDERS, {"input": HTML, "cookies": []}, "/cookies", "belongs at output.http.cookies"),
    (RENDERS, output(page_size="A4"), "/output/page_size", "belongs at output.pdf.page_size"),
    (RENDERS, output(margin={}), "/output/margin", "belongs at output.pdf.margin"),
    (RENDERS, output(header={}), "/output/header", "belongs at output.pdf.header"),
    (RENDERS, output(watermark={}), "/output/watermark", "belongs at output.pdf.watermark"),
    (RENDERS, output(full_page=True), "/output/full_page", "belongs at output.image.full_page"),
    (RENDERS, output(html="<p>"), "/output/html", "output.pdf"),
    (RENDERS, pdf(format="A4"), "/output/pdf/format", "mean page_size?"),
    (RENDERS, pdf(format="pdf"), "/output/pdf/format", "belongs at output.format"),
    (RENDERS, pdf(paperSize="A4"), "/output/pdf/paperSize", "page_size"),
    (RENDERS, pdf(marginTop="1cm"), "/output/pdf/marginTop", "at output.pdf.margin.top"),
    (RENDERS, pdf(headerTemplate="a"), "/output/pdf/headerTemplate", "at output.pdf.header.html"),
    (RENDERS, pdf(displayHeaderFooter=True), "/output/pdf/displayHeaderFooter",
     "output.pdf.header.enabled"),
    (RENDERS, pdf(user_password="a"), "/output/pdf/user_password",
     "at output.pdf.protection.user_password"),
    (RENDERS, pdf(media="print"), "/output/pdf/media", "belongs at output.media"),
    (RENDERS, pdf(title="a"), "/output/pdf/title", "at output.pdf.metadata.title"),
    (RENDERS, {"input": {**HTML, "url": "https://a.test"}}, "/input/url", '"type": "url"'),
    (RENDERS, {"input": {**HTML, "template_id": "a"}}, "/input/template_id", '"type": "template"'),
    (RENDERS, {"input": {**HTML, "data": {}}}, "/input/data", "belongs at data"),
    (RENDERS, {"input": {**HTML, "format": "pdf"}}, "/input/format", "belongs at output.format"),
    (RENDERS, {"input": HTML, "idempotency_key": "a"}, "/idempotency_key",
     "it is a header, Idempotency-Key"),
    (RENDERS, {"input": HTML, "apiKey": "a"}, "/apiKey", "it is a header, Authorization"),
    (FROM_HTML, {"html": "a", "page_size": "A4"}, "/page_size", "belongs at pdf.page_size"),
    (FROM_HTML, {"html": "a", "margin": "1cm"}, "/margin", "belongs at pdf.margin"),
    (FROM_HTML, {"html": "a", "output": {"pdf": {}}}, "/output", "without it: pdf"),
    (FROM_HTML, {"input": HTML}, "/input", "without it: html"),
    (FROM_HTML, {"html": "a", "webhookUrl": "a"}, "/webhookUrl", "mean webhook_url?"),
    (FROM_HTML, {"html": "a", "fileName": "a"}, "/fileName", "mean filename?"),
    ("POST /v1/batches", {"templateId": "a", "items": []}, "/templateId", "mean template_id?"),
    ("POST /v1/batches", {"template_id": "a", "rows": []}, "/rows", "not known here"),
    ("POST /v1/templates", {"name": "a", "htlm": ""}, "/htlm", "mean html?"),
    ("POST /v1/webhook-endpoints", {"url": "https://a.test", "event": []}, "/event", "events?"),
    ("POST /v1/uploads", {"filename": "a", "size": 1}, "/size", "known are filename"),
    ("POST /v1/pdf-tools/rotate", {"source": {}, "degree": 90}, "/degree", "not known here"),
    ("POST /v1/pdf-tools/split", {"source": {}, "range": "1"}, "/range", "mean ranges?"),
    # The wrong type: an example of the right one.
    (RENDERS, {"input": "<h1>"}, "/input", '{"type": "html", "html": "<h1>", …}'),
    (RENDERS, {"input": "https://a.test/"}, "/input", '"url": "https://a.test/"'),
    (RENDERS, {"input": HTML, "webhook": "https://a.test"}, "/webhook", '{"url": "https://a.test"'),
    (RENDERS, {"input": HTML, "delivery": "url"}, "/delivery", '{"type": "url", …}'),
    (RENDERS, {"input": HTML, "output": "pdf"}, "/output", '{"format": "pdf", …}'),
    (RENDERS, {"input": HTML, "metadata": "a"}, "/metadata", '{"name": "value"}'),
    (RENDERS, {"input": HTML, "data": []}, "/data", "must be an object, such as"),
    (RENDERS, {"input": HTML, "reference": 12}, "/reference", 'in quotes: "12"'),
    (RENDERS, output(formats="pdf"), "/output/formats", 'must be an array, such as ["pdf"]'),
    (RENDERS, output(fail_on="font_missing"), "/output/fail_on", '["font_missing"]'),
    (RENDERS, output(viewport="1280x720"), "/output/viewport", '{"width": '),
    (RENDERS, pdf(margin="1cm"), "/output/pdf/margin", '{"top": "1cm", …}'),
    (RENDERS, pdf(margin=10), "/output/pdf/margin", '{"top": "10mm", …}'),
    (RENDERS, pdf(header="Hello"), "/output/pdf/header", '{"html": "Hello", …}'),
    (RENDERS, pdf(watermark="DRAFT"), "/output/pdf/watermark", '{"text": "DRAFT", …}'),
    (RENDERS, pdf(protection="hidden-1"), "/output/pdf/protection", '{"user_password": "…", …}'),
    (RENDERS, pdf(attachments={"filename": "a"}), "/output/pdf/attachments", "such as [{…}]"),
    (RENDERS, pdf(landscape="true"), "/output/pdf/landscape", "without quotes: true"),
    (RENDERS, pdf(scale="1.5"), "/output/pdf/scale", "without quotes: 1.5"),
    (RENDERS, pdf(max_pages="3"), "/output/pdf/max_pages", "without quotes: 3"),
    (FROM_HTML, {"html": "a", "pdf": "A4"}, "/pdf", '{"page_size": "A4", …}'),
    (FROM_HTML, {"html": 5}, "/html", 'in quotes: "5"'),
    # A value that is not in the list.
    (RENDERS, output(format="PDF"), "/output/format", "did you mean pdf?"),
    (RENDERS, output(format="jpg"), "/output/format", "did you mean jpeg?"),
    (RENDERS, output(media="printer"), "/output/media", "did you mean print?"),
    (RENDERS, output(wait={"until": "networkidle0"}), "/output/wait/until", "mean networkidle?"),
    (RENDERS, {"input": {"type": "HTML", "html": ""}}, "/input/type", "did you mean html?"),
    (RENDERS, {"input": HTML, "mode": "Async"}, "/mode", "did you mean async?"),
    (RENDERS, {"input": HTML, "delivery": {"type": "binery"}}, "/delivery/type", "mean binary?"),
    (RENDERS, pdf(page_size="a4"), "/output/pdf/page_size", "did you mean A4?"),
    (RENDERS, pdf(pdfa="3B"), "/output/pdf/pdfa", "did you mean 3b?"),
    ("POST /v1/webhook-endpoints", {"url": "https://a.test", "events": ["render.succeded"]},
     "/events/0", "did you mean render.succeeded?"),
    # A query parameter.
    ("GET /v1/renders?limits=5", None, "/query/limits", "did you mean limit?"),
    ("GET /v1/renders?createdAfter=5", None, "/query/createdAfter", "did you mean created_after?"),
    ("GET /v1/templates?pageSize=5", None, "/query/pageSize", "known are "),
    ("POST /v1/renders?format=pdf", {"input": HTML}, "/query/format", "this route takes none"),
]  # fmt: skip
ROUTES: Final = [
    ("POST", "/v1/render", "POST /v1/renders"),
    ("POST", "/renders", "POST /v1/renders"),
    ("POST", "/v2/renders", "POST /v1/renders"),
    ("POST", "/api/v1/renders", "POST /v1/renders"),
    ("GET", "/v1/template/tpl_1", "GET /v1/templates/{id}"),
    ("POST", "/v1/pdf/fromHtml", "POST /v1/pdf/from-html"),
    ("POST", "/v1/pdf/html", "POST /v1/pdf/from-html"),
    ("POST", "/v1/pdf/merge", "POST /v1/pdf-tools/merge"),
    ("GET", "/v1/webhooks", "GET /v1/webhook-endpoints"),
    ("GET", "/v1/templates/tpl_1/version", "GET /v1/templates/{id}/versions"),
    ("GET", "/openapi.json", "GET /v1/openapi.json"),
]


@pytest.fixture(scope="module")
def services() -> FakeApiServices:
    return FakeApiServices()


@pytest.fixture(scope="module")
def app(services: FakeApiServices) -> App:
    return App(BLUEPRINTS, lambda: services)


@pytest.fixture
def key(services: FakeApiServices) -> str:
    services.request_rate.left = 100
    return services.key()


def test_there_are_enough_mistakes() -> None:
    assert len(MISTAKES) + len(ROUTES) >= 115


@pytest.mark.parametrize(
    ("route", "body", "pointer", "fragment"),
    MISTAKES,
    ids=[f"{route} {pointer} {part}" for route, _, pointer, part in MISTAKES],
)
def test_mistake_is_answered_with_its_remedy(
    app: App, key: str, route: str, body: Any, pointer: str, fragment: str
) -> None:
    method, target = route.split()

    answer = request(app, method, target, key=key, json_body=body)

    assert (answer.status, answer.code) == (400, "validation_error")
    messages = {entry["path"]: entry["message"] for entry in answer.json["errors"]}
    assert fragment in messages[pointer]


@pytest.mark.parametrize(("method", "target", "nearest"), ROUTES)
def test_unknown_route_names_the_nearest(app: App, method: str, target: str, nearest: str) -> None:
    answer = request(app, method, target)

    assert (answer.status, answer.code) == (404, "not_found")
    assert answer.json["detail"] == f"There is nothing at {target}. Did you mean {nearest}?"


@pytest.mark.parametrize("target", ["/favicon.ico", "/wp-login.php", "/v1/nothing", "/v1", "/x/y"])
def test_path_that_is_like_no_route_gets_no_guess(app: App, target: str) -> None:
    assert request(app, "GET", target).json["detail"] == f"There is nothing at {target}."


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("/v1/r%C3%A9sum%C3%A9s", "/v1/résumés"),
        ("/v1/a%20b", "/v1/a b"),
        ("/v1/a%0d%0ab", r"/v1/a\r\nb"),
        ("/v1/%e2%80%ae", r"/v1/\u202e"),
        ("/v1/%1b[31m", r"/v1/\x1b[31m"),
        ("/v1/%ff", "/v1/\ufffd"),
    ],
)
def test_unknown_path_is_shown_decoded_and_safe(app: App, sent: str, shown: str) -> None:
    assert request(app, "GET", sent).json["detail"] == f"There is nothing at {shown}."


def test_long_path_is_cut(app: App) -> None:
    assert len(request(app, "GET", "/v1/" + "%0a" * 5_000).json["detail"]) < 300


def test_password_is_not_repeated(app: App, key: str) -> None:
    body = pdf(protection="hidden-1")

    assert b"hidden-1" not in request(app, "POST", "/v1/renders", key=key, json_body=body).body


def test_faults_of_query_body_and_header_are_answered_at_once(app: App, key: str) -> None:
    answer = request(
        app,
        "POST",
        "/v1/renders?a=1",
        key=key,
        headers={"Idempotency-Key": "é"},
        json_body={"input": HTML, "b": 1},
    )

    assert answer.pointers == ["/query/a", "/b", "/headers/Idempotency-Key"]
    assert answer.json["detail"].endswith("(and 2 more)")


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        # A fault of one member hides no other, and none of those that go together.
        ({"data": {}, "data_url": "https://a.test", "mode": "x", "input": HTML}, ["/mode", ""]),
        (
            {"input": {"type": "html"}, "output": {"pdf": {"width": "1cm", "scale": "x"}}},
            ["/input", "/output/pdf/scale", "/output/pdf"],
        ),
        (
            {**pdf(width="1cm", pageSize=1), "x": 1, "data": {}, "data_url": "https://a.test"},
            ["/output/pdf/pageSize", "/x", "/output/pdf", ""],
        ),
        # What may come of the member at fault is not answered beside it.
        ({"input": {"type": "html", "html": 5}}, ["/input/html"]),
        ({"input": HTML, "output": {"pdf": {"height": "1cm", "width": 5}}}, ["/output/pdf/width"]),
    ],
)
def test_all_faults_of_a_body_are_answered_at_once(
    app: App, key: str, body: Any, pointers: list[str]
) -> None:
    answer = request(app, "POST", "/v1/renders", key=key, json_body=body)

    assert sorted(answer.pointers) == sorted(pointers)


def test_only_the_first_unknown_members_are_compared_with_others(app: App, key: str) -> None:
    members = {f"page_siz_{n}": n for n in range(10_000)}

    answer = request(app, "POST", "/v1/renders", key=key, json_body={"input": HTML, **members})

    messages = [entry["message"] for entry in answer.json["errors"]]
    assert len(messages) == 100
    assert [n for n, each in enumerate(messages) if "page_size" in each] == list(range(20))
