"""Egress of the whole service: URLs that are allowed, and how the others are reported."""

import io
from typing import Any

import httpx
import pytest
from pypdf import PdfReader

from infra.local.running_stack import RunningStack
from tests.builders.pages.web_site import Site, SitePage
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration

METADATA = "http://169.254.169.254/latest/meta-data/"
PAGES = {
    "/page": SitePage("<title>T</title><h1>From outside</h1>"),
    "/data": SitePage('{"name": "Ada"}', "application/json"),
    "/list": SitePage("[1]", "application/json"),
    "/terms": SitePage(b"terms", "text/plain"),
    "/away": SitePage(status=302, headers={"Location": METADATA}),
}


@pytest.fixture(scope="module")
def here(site: Site) -> Site:
    site.pages |= PAGES
    return site


def post(live: ApiClient, **body: Any) -> httpx.Response:
    return live.http.post("/renders", json={"delivery": {"type": "binary"}, **body})


def text_of(answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.text
    return PdfReader(io.BytesIO(answer.content)).pages[0].extract_text()


def test_web_page_is_printed(live: ApiClient, here: Site) -> None:
    answer = post(live, input={"type": "url", "url": here.url("/page")})

    assert "From outside" in text_of(answer)


def test_data_url_is_fetched(live: ApiClient, here: Site) -> None:
    answer = post(
        live,
        input={"type": "html", "html": "<p>Hello {{ name }}", "templating": True},
        data_url=here.url("/data"),
    )

    assert "Hello Ada" in text_of(answer)


def test_attachment_url_is_fetched(live: ApiClient, here: Site) -> None:
    attachments = [{"url": here.url("/terms"), "filename": "terms.txt"}]

    answer = post(
        live,
        input={"type": "html", "html": "<p>x"},
        output={"pdf": {"attachments": attachments}},
    )

    assert answer.status_code == 200, answer.text
    assert PdfReader(io.BytesIO(answer.content)).attachments["terms.txt"] == [b"terms"]


def requests(url: str) -> dict[str, dict[str, Any]]:
    html = {"type": "html", "html": "<p>{{ x }}", "templating": True}
    attachments = [{"url": url, "filename": "a"}]
    return {
        "url": {"input": {"type": "url", "url": url}},
        "data_url": {"input": html, "data_url": url},
        "attachment": {"input": html, "output": {"pdf": {"attachments": attachments}}},
    }


@pytest.mark.parametrize("field", ["url", "data_url", "attachment"])
@pytest.mark.parametrize(
    "url",
    [METADATA, "http://2130706433/", "https://[::ffff:127.0.0.1]/", "https://1.1.1.1:22/", "away"],
)
def test_private_urls_are_refused(live: ApiClient, here: Site, field: str, url: str) -> None:
    url = here.url("/away") if url == "away" else url

    answer = post(live, **requests(url)[field])

    assert (answer.status_code, answer.json()["code"]) == (422, "url_not_allowed"), answer.text


@pytest.mark.parametrize("host", ["127.0.0.1", "LocalHost.", "0x7f.1", "[::ffff:127.0.0.1]"])
def test_urls_of_the_service_itself_are_refused(
    live: ApiClient, stack: RunningStack, host: str
) -> None:
    url = stack.files_host.replace("127.0.0.1", host)
    assert host in url
    for request in requests(f"{url}/healthz").values():
        answer = post(live, **request)

        assert (answer.status_code, answer.json()["code"]) == (422, "url_not_allowed"), answer.text


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ("url", "navigation_failed"),
        ("data_url", "data_url_fetch_failed"),
        ("attachment", "attachment_failed"),
    ],
)
def test_missing_resource_is_reported_with_its_status(
    live: ApiClient, here: Site, field: str, code: str
) -> None:
    answer = post(live, **requests(here.url("/absent"))[field])

    assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text
    assert "404" in answer.json()["detail"]


def test_data_that_are_no_object_are_refused(live: ApiClient, here: Site) -> None:
    answer = post(live, **requests(here.url("/list"))["data_url"])

    assert (answer.status_code, answer.json()["code"]) == (422, "data_url_fetch_failed")
    assert "no object" in answer.json()["detail"]
