"""Pages for people and what they load: encodings, ETags, policies, negotiation, attacks."""

import gzip
import json
import re
from html.parser import HTMLParser
from typing import override

import pytest

from chalicelib.api import meta, site
from chalicelib.api.edge.app import App
from chalicelib.core.problems import PROBLEMS
from tests.builders.http import ApiAnswer, request
from tests.fakes.api_services import FakeApiServices

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PAGES = ["/", "/docs", "/errors", "/errors/not_found"]
CONTENT = [
    *PAGES,
    *("/v1/openapi.json", "/assets/any/reference.js"),
    *("/guides", "/guides/renders", "/guides/assets/guides.js", "/guides/assets/search.json"),
]


@pytest.fixture
def services() -> FakeApiServices:
    return FakeApiServices()


@pytest.fixture
def app(services: FakeApiServices) -> App:
    return App([meta.blueprint, site.blueprint], lambda: services)


class _Page(HTMLParser):
    """Parser that collects what a page loads, what it links to, and its inline scripts."""

    def __init__(self, answer: ApiAnswer) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: set[str] = set()
        self.inline: list[str] = []
        self._is_script = False
        self.feed(answer.body.decode())

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.loaded += [given[name] for name in ("src", "data-document") if name in given]
        if "href" in given:
            (self.links.add if tag == "a" else self.loaded.append)(given["href"])
        self.inline += [name for name in given if name.startswith("on") or name == "style"]
        self._is_script = tag in {"script", "style"}

    @override
    def handle_data(self, data: str) -> None:
        if self._is_script and data.strip():
            self.inline.append(data)


def page(app: App, path: str) -> ApiAnswer:
    answer = request(app, "GET", path, headers=BROWSER)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    return answer


@pytest.mark.parametrize("path", CONTENT)
def test_content_is_packed_for_who_unpacks_it(app: App, path: str) -> None:
    plain = request(app, "GET", path, headers=BROWSER)
    packed = request(app, "GET", path, headers=BROWSER | {"Accept-Encoding": "br, GZIP;q=0.5"})
    refused = request(app, "GET", path, headers=BROWSER | {"Accept-Encoding": "gzip;q=0, *"})

    assert gzip.decompress(packed.body) == plain.body == refused.body
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert all("Accept-Encoding" in each.headers["Vary"] for each in (plain, packed, refused))
    assert plain.headers["ETag"] == packed.headers["ETag"]


@pytest.mark.parametrize("path", CONTENT)
def test_who_has_content_gets_no_body(app: App, path: str) -> None:
    first = request(app, "GET", path, headers=BROWSER)
    etag = first.headers["ETag"]

    for known in (etag, etag.removeprefix("W/"), "*", f'"x", W/"y,z" ,{etag}', f'""{etag}'):
        again = request(app, "GET", path, headers=BROWSER | {"If-None-Match": known})
        assert (again.status, again.body) == (304, b""), known
        assert again.headers["ETag"] == etag
        assert again.headers["Vary"] == first.headers["Vary"]
        assert again.headers["Cache-Control"] == first.headers["Cache-Control"]
    large = ["x" * 20_000, '","' * 9_000]
    for unknown in ('"x"', "", "W/", '"', etag[:-1], etag.strip('W/"'), *large):
        again = request(app, "GET", path, headers=BROWSER | {"If-None-Match": unknown})
        assert (again.status, again.body) == (200, first.body), unknown[:50]


@pytest.mark.parametrize("path", CONTENT)
@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_head_answers_as_get_without_a_body(app: App, path: str, encoding: str) -> None:
    headers = BROWSER | {"Accept-Encoding": encoding}
    get, head = (request(app, method, path, headers=headers) for method in ("GET", "HEAD"))

    assert (head.status, head.body) == (200, b"")
    assert head.headers["Content-Length"] == str(len(get.body))
    own = {"X-Request-Id", "Content-Length"}
    assert {name: head.headers[name] for name in head.headers.keys() - own} == {
        name: get.headers[name] for name in get.headers.keys() - own
    }


@pytest.mark.parametrize("path", PAGES)
def test_pages_load_from_their_own_origin_alone(app: App, path: str) -> None:
    answer = page(app, path)
    found, policy = _Page(answer), answer.headers["Content-Security-Policy"]

    assert found.loaded
    assert found.inline == []
    for address in found.loaded:
        assert address.startswith("/")
        assert request(app, "GET", address).status == 200
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["connect-src"] == "'self'"
    assert rules["style-src"] == "'self'" + (" 'unsafe-inline'" if path == "/docs" else "")
    assert not re.search(r"https?:|\*|unsafe-eval", policy)


@pytest.mark.parametrize("path", PAGES)
def test_pages_link_to_each_other_below_the_path_of_the_host(
    app: App, services: FakeApiServices, path: str
) -> None:
    services.api_host = "https://api.test/live"
    found = _Page(page(app, path))

    assert {"/live/", "/live/docs", "/live/guides", "/live/errors"} <= found.links
    own = [link for link in found.links if not link.startswith("https://api.test/live/")]
    assert all(link.startswith("/live/") for link in [*own, *found.loaded])
    assert {request(app, "GET", link.removeprefix("/live")).status for link in own} == {200}


def test_server_of_pages_is_the_configured_one(app: App) -> None:
    forged = {"Host": "evil.test", "X-Forwarded-Host": "evil.test", "Forwarded": "host=evil.test"}

    for path in [*PAGES, "/v1/openapi.json"]:
        for accept in (BROWSER, {}):
            answer = request(app, "GET", path, headers=forged | accept)
            assert b"evil.test" not in answer.body
            assert "evil.test" not in json.dumps(dict(answer.headers))
    assert b'data-host="http://api.test"' in page(app, "/docs").body


@pytest.mark.parametrize(
    ("accept", "kinds"),
    [
        ("text/html", "page page"),
        (BROWSER["Accept"], "page page"),
        ("TEXT/HTML", "page page"),
        ("text/*", "page page"),
        ("application/json;q=0.9, text/html", "page page"),
        ("application/json", "json json"),
        ("application/json, text/html;q=0.5", "json json"),
        ("application/*", "json json"),
        ("text/html;q=0, */*", "json json"),
        ("*/*", "json page"),
        ("", "json page"),
        ("image/png", "json page"),
        ("text/html;q=2", "json page"),
        ("text/html;q=-1, text/html;q=x", "json page"),
        (";;,,q=1;=", "json page"),
        ("text/html;level=1;q=1.000", "page page"),
        ("application/json, text/html", "json page"),
        ("x" * 100_000, "json page"),
        ("text/html," * 10_000, "page page"),
        ("тест/html", "json page"),
    ],
)
def test_people_get_pages_and_programs_json(app: App, accept: str, kinds: str) -> None:
    answers = [
        request(app, "GET", path, headers={"Accept": accept})
        for path in ("/", "/errors", "/errors/not_found")
    ]

    shown = ["page" if b"<!doctype html>" in each.body else "json" for each in answers]
    unasked, of_code = kinds.split()
    assert shown == [unasked, unasked, of_code]
    assert all("Accept" in each.headers["Vary"].split(", ") for each in answers)


def test_programs_get_the_catalogue_and_the_addresses(app: App) -> None:
    service, catalogue = request(app, "GET", "/").json, request(app, "GET", "/errors").json

    assert service == {
        "object": "service",
        "name": "Platen",
        "version": "0.2.0",
        "docs_url": "http://api.test/docs",
        "guides_url": "http://api.test/guides",
        "console_url": "http://api.test/console",
        "errors_url": "http://api.test/errors",
        "openapi_url": "http://api.test/v1/openapi.json",
        "health_url": "http://api.test/healthz",
    }
    assert (catalogue["object"], catalogue["has_more"]) == ("list", False)
    assert {row["code"] for row in catalogue["data"]} == set(PROBLEMS)
    for row in catalogue["data"]:
        headers = {"Accept": "application/json"}
        assert request(app, "GET", f"/errors/{row['code']}", headers=headers).json == row


def test_index_names_every_code_once(app: App) -> None:
    text = page(app, "/errors").body.decode()
    named = re.findall(r'href="/errors/(\w+)"', text)

    assert sorted(named) == sorted(PROBLEMS)


@pytest.mark.parametrize("code", sorted(PROBLEMS))
def test_every_code_has_a_page(app: App, code: str) -> None:
    text = page(app, f"/errors/{code}").body.decode()

    assert code in text
    assert "`" not in text


@pytest.mark.parametrize(
    ("target", "rule"),
    [
        ("/", "public, max-age=300"),
        ("/docs", "public, max-age=300"),
        ("/v1/openapi.json", "public, max-age=300"),
        ("/errors", "public, max-age=300"),
        ("/errors/not_found", "public, max-age=300"),
        ("/errors/nothing", "no-store"),
        ("/healthz", "no-store"),
        ("/assets/other/pages.css", "no-cache"),
        ("/assets/other/nothing.css", "no-store"),
    ],
)
def test_content_may_be_cached_and_health_may_not(app: App, target: str, rule: str) -> None:
    assert request(app, "GET", target).headers["Cache-Control"] == rule


def test_assets_of_this_deployment_never_change(app: App) -> None:
    for address in _Page(page(app, "/docs")).loaded:
        if address.startswith("/assets/"):
            answer = request(app, "GET", address)
            assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "target",
    [
        "/errors/%3Cscript%3E",
        "/errors/not_found%2F..",
        "/docs/../healthz",
        "/docs/..%2f..%2fapp.py",
        "/docs/x",
        "/docs%2f",
        "/assets/x/../x/pages.css",
        "/assets/x/..%2Fassets.py",
        "/assets/x/%2e%2e%2f%2e%2e%2fapp.py",
        "/assets/x/assets.py",
        "/assets/x/.pins",
        "/assets/x/rapidoc-LICENSE.txt",
        "/assets/x/pages.css%00",
        "/assets/x",
        "/assets/x/y/pages.css",
    ],
)
def test_other_paths_are_not_found(app: App, target: str) -> None:
    assert request(app, "GET", target).code == "not_found"


@pytest.mark.parametrize("path", CONTENT)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_pages_are_only_read(app: App, path: str, method: str) -> None:
    assert request(app, method, path).code == "method_not_allowed"
