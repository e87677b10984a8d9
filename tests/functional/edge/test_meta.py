"""Endpoints about the service: health, reference, error pages."""

import html
import json
import time
from html.parser import HTMLParser
from typing import override

import pytest

from chalicelib.api import meta
from chalicelib.api.edge.app import App
from chalicelib.api.edge.openapi.document import openapi_document
from chalicelib.api.routes import ENDPOINTS
from chalicelib.bootstrap.event_types import CONTRACT_EVENT_TYPES
from chalicelib.core.problems import PROBLEMS
from tests.builders.http import request
from tests.fakes.api_services import FakeApiServices


@pytest.fixture
def services() -> FakeApiServices:
    return FakeApiServices()


@pytest.fixture
def app(services: FakeApiServices) -> App:
    return App([meta.blueprint], lambda: services)


class _Page(HTMLParser):
    """Parser that collects the tags of a page and their links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loaded: list[str] = []
        self.links: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "src" or (tag == "link" and name == "href"):
                self.loaded.append(value or "")
            if name == "href":
                self.links.add(value or "")
            if name == "id":
                self.ids.add(value or "")


def test_healthz(app: App, services: FakeApiServices) -> None:
    services.checks = {"database": lambda: True, "walls": lambda: False}
    assert request(app, "GET", "/healthz").json == {
        "status": "ok",
        "version": "0.1.0",
        "checks": {"database": "ok", "walls": "missing"},
    }

    def broken() -> bool:
        message = "table gone"
        raise RuntimeError(message)

    services.checks = {"database": broken, "walls": lambda: True}
    answer = request(app, "GET", "/healthz")
    assert answer.status == 503
    assert answer.json["checks"] == {"database": "failing", "walls": "ok"}
    assert answer.headers["Retry-After"]
    assert b"table gone" not in answer.body


def test_reference_needs_no_key(app: App) -> None:
    document = request(app, "GET", "/v1/openapi.json")
    page = request(app, "GET", "/docs")

    assert document.json["openapi"] == "3.1.0"
    assert document.json["servers"] == [{"url": "http://api.test"}]
    assert page.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("path", ["/v1/openapi.json", "/docs"])
def test_public_documents_are_built_once(app: App, path: str) -> None:
    request(app, "GET", path)
    begun = time.process_time()
    openapi_document(ENDPOINTS, CONTRACT_EVENT_TYPES, "http://api.test")
    made = time.process_time()

    for _ in range(3):
        request(app, "GET", path)

    assert time.process_time() - made < made - begun


@pytest.mark.parametrize(
    ("target", "rule"),
    [
        ("/v1/openapi.json", "public, max-age=300"),
        ("/docs", "public, max-age=300"),
        ("/errors/not_found", "public, max-age=300"),
        ("/errors/nothing", "no-store"),
        ("/healthz", "no-store"),
    ],
)
def test_documents_may_be_cached_and_health_may_not(app: App, target: str, rule: str) -> None:
    answer = request(app, "GET", target)

    assert answer.headers["Cache-Control"] == rule
    assert ("Vary" in answer.headers) is (target == "/errors/not_found")


def test_tools_on_web_pages_may_read_the_openapi_document(app: App) -> None:
    assert request(app, "GET", "/v1/openapi.json").headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in request(app, "GET", "/docs").headers


def test_reference_page_loads_nothing_external(app: App) -> None:
    answer = request(app, "GET", "/docs")
    page = _Page(answer.body.decode())

    assert not page.loaded
    assert not {"script", "iframe", "img", "link"} & set(page.tags)
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert {link.removeprefix("#") for link in page.links if link.startswith("#")} <= page.ids
    assert {f"/errors/{code}" for code in PROBLEMS} <= page.links


def test_reference_page_shows_each_event_with_its_example(app: App) -> None:
    text = request(app, "GET", "/docs").body.decode()
    page = _Page(text)

    for event_type in CONTRACT_EVENT_TYPES:
        words = event_type.name.replace("_", ".").split(".")
        anchor = f"receive{''.join(map(str.capitalize, words))}Event"
        assert anchor in page.ids
        assert f"#{anchor}" in page.links
        shown = text[text.index(f'<article id="{anchor}">') :].partition("</article>")[0]
        assert "webhook-signature" in shown
        example = html.unescape(shown.partition("<pre>")[2].partition("</pre>")[0])
        assert json.loads(example)["data"]["object"] == event_type.example


def test_links_of_pages_stay_below_the_path_of_the_host(
    app: App, services: FakeApiServices
) -> None:
    services.api_host = "https://api.test/live"
    documents = request(app, "GET", "/docs"), request(app, "GET", "/errors/not_found")
    links = {link for answer in documents for link in _Page(answer.body.decode()).links}

    assert {"/live/v1/openapi.json", "/live/errors/not_found", "/live/docs#errors"} <= links
    assert all(link.startswith(("#", "/live/")) for link in links)


@pytest.mark.parametrize("code", sorted(PROBLEMS))
def test_every_code_has_a_page(app: App, code: str) -> None:
    page = request(app, "GET", f"/errors/{code}")
    problem = request(app, "GET", f"/errors/{code}", headers={"Accept": "application/json"})

    assert page.status == problem.status == 200
    assert code in page.body.decode()
    assert "`" not in page.body.decode()
    assert json.dumps(problem.json["fix"])
    assert problem.json["retryable"] is PROBLEMS[code].retryable


def test_browser_gets_the_page_and_unknown_codes_are_not_found(app: App) -> None:
    accept = {"Accept": "text/html,application/xhtml+xml,application/json;q=0.1"}

    page = request(app, "GET", "/errors/not_found", headers=accept)
    assert page.headers["Content-Type"].startswith("text/html")
    assert request(app, "GET", "/errors/%3Cscript%3E").code == "not_found"
