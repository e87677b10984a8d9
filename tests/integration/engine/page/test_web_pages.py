"""Web pages as input: redirects, options sent to their own origin, and failures."""

import base64
import io
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pypdf
import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.engine_jobs import (
    NoTemplates,
    RefusingEgress,
    task,
    web_page_task,
)
from tests.builders.pages.real_browser import explain_of
from tests.builders.pages.switched_egress import SwitchedEgress
from tests.builders.pages.web_site import Site, SitePage, running_site
from tests.builders.waiting import PATIENCE_S

HTTP: JsonObject = {
    "headers": {"X-Own": "mine", "X-Requested-With": "platen", "Host": "elsewhere"},
    "cookies": [
        {"name": "session", "value": "s1"},
        {"name": "foreign", "value": "f1", "domain": "example.com"},
    ],
    "basic_auth": {"username": "anna", "password": "pass:word"},
    "user_agent": "Printer/1",
}
SECRETS = ("x-own", "cookie", "authorization")

type Visit = Callable[..., RenderOutcome]


def answer_slowly(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(1)
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>arrived slowly")


def text_of(outcome: RenderOutcome) -> str:
    reader = pypdf.PdfReader(io.BytesIO(outcome.files[0].content))
    return " ".join(page.extract_text() for page in reader.pages)


@pytest.fixture(scope="module")
def sites() -> Iterator[tuple[Site, Site]]:
    with running_site({}) as one, running_site({}) as other:
        yield one, other


@pytest.fixture
def browser(
    browser: Browser, egress: SwitchedEgress, sites: tuple[Site, Site]
) -> Iterator[Browser]:
    with egress.to(*sites):
        yield browser


@pytest.fixture
def here(sites: tuple[Site, Site]) -> Site:
    for each in sites:
        each.pages.clear()
        each.requests.clear()
    return sites[0]


@pytest.fixture
def there(sites: tuple[Site, Site]) -> Site:
    return sites[1]


@pytest.fixture
def visited(browser: Browser) -> Visit:
    def visited(url: str, *, seconds: float = PATIENCE_S, **output: Any) -> RenderOutcome:
        parts = PipelineServices(browser, NoTemplates(), RefusingEgress())
        return run_page_job(*web_page_task(url, output, seconds=seconds), parts)

    return visited


def failure_of(visited: Visit, url: str, **output: Any) -> RenderFailure:
    with pytest.raises(RenderFailure) as failure:
        visited(url, **output)
    return failure.value


def test_a_page_is_printed_after_its_redirects(visited: Visit, here: Site, there: Site) -> None:
    here.pages["/"] = SitePage(status=302, headers={"Location": there.url("/page")})
    there.pages["/page"] = SitePage("<title>T</title><p>hello<link rel=stylesheet href=s.css>")
    there.pages["/s.css"] = SitePage("p::after{content:' styled'}", "text/css")

    outcome = visited(here.url())

    assert text_of(outcome) == "hello styled"
    assert outcome.trace.warnings == ()
    assert explain_of(outcome)["requests"] == 2
    assert explain_of(outcome)["bytes"]["css"] == len("p::after{content:' styled'}")
    assert explain_of(outcome)["wait"] == "load"


@pytest.mark.parametrize(
    "leads",
    [
        "<script>location.replace('/second')</script><p>first",
        "<meta http-equiv=refresh content='0;url=/second'><p>first",
        "<p>first<script>onload = () => { location = '/second' }</script>",
    ],
)
def test_page_reached_by_a_client_side_redirect_is_printed(
    visited: Visit, here: Site, leads: str
) -> None:
    here.pages["/"] = SitePage(leads)
    here.pages["/second"] = answer_slowly

    assert text_of(visited(here.url())) == "arrived slowly"


@pytest.mark.parametrize("status", [400, 404, 500])
def test_page_with_an_error_status_fails(visited: Visit, here: Site, status: int) -> None:
    here.pages["/"] = SitePage("<p>sorry", status=status)

    failure = failure_of(visited, here.url())

    assert failure.code == "navigation_failed"
    assert str(status) in failure.detail
    assert failure.members["trace"].explain["requests"] == 1


def test_client_side_redirect_to_an_error_fails(visited: Visit, here: Site) -> None:
    here.pages["/"] = SitePage("<script>location = '/missing'</script>")

    assert failure_of(visited, here.url()).code == "navigation_failed"


@pytest.mark.parametrize(
    ("code", "url"),
    [
        ("url_not_allowed", "http://127.0.0.1:1/"),
        ("url_not_allowed", "https://169.254.169.254/"),
        ("url_not_allowed", "http://10.0.0.1/"),
        ("url_not_allowed", "http://[::1]/"),
        ("url_not_allowed", "file:///etc/passwd"),
        ("url_not_allowed", "view-source:http://example.com/"),
        ("url_not_allowed", "javascript:document.write(1)"),
    ],
)
def test_refused_url_fails_the_render(visited: Visit, code: str, url: str) -> None:
    failure = failure_of(visited, url)

    assert failure.code == code, failure.detail


def test_redirect_to_a_refused_url_fails_the_render(visited: Visit, here: Site) -> None:
    here.pages["/plain"] = SitePage(status=302, headers={"Location": "http://169.254.169.254/x"})
    here.pages["/tls"] = SitePage(status=302, headers={"Location": "https://169.254.169.254/x"})
    here.pages["/script"] = SitePage("<script>location = 'http://169.254.169.254/'</script>")

    for path in ("/plain", "/tls", "/script"):
        failure = failure_of(visited, here.url(path))
        assert failure.code == "url_not_allowed", (path, failure.detail)


def test_download_instead_of_a_page_fails(visited: Visit, here: Site) -> None:
    disposition = {"Content-Disposition": "attachment; filename=a.bin"}
    here.pages["/"] = SitePage(b"\0", "application/octet-stream", headers=disposition)
    here.pages["/nothing"] = SitePage(status=204)

    assert failure_of(visited, here.url()).code == "navigation_failed"
    assert failure_of(visited, here.url("/nothing")).code == "navigation_failed"


def test_page_that_loads_too_slowly_fails(visited: Visit, here: Site) -> None:
    def never(handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(1)

    here.pages["/"] = never

    failure = failure_of(visited, here.url(), wait={"timeout_ms": 500})

    assert failure.code == "wait_timeout"


def test_http_options_are_sent_to_the_own_origin_only(
    visited: Visit, here: Site, there: Site
) -> None:
    picture = SitePage("<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml")
    parts = "".join(f"<img src='{url}'>" for url in ("/own", there.url("/other")))
    here.pages |= {"/": SitePage(f"<p>x{parts}"), "/own": picture}
    there.pages["/other"] = picture

    outcome = visited(here.url(), http=HTTP)

    password = "Basic " + base64.b64encode(b"anna:pass:word").decode()
    assert here.paths == ["/", "/own"]
    for request in here.requests:
        assert request.headers["x-own"] == "mine"
        assert request.headers["cookie"] == "session=s1"
        assert request.headers["authorization"] == password
        assert request.headers["user-agent"] == "Printer/1"
        assert request.headers["host"] == f"127.0.0.1:{here.port}"
    (foreign,) = there.requests
    assert [name for name in SECRETS if name in foreign.headers] == []
    assert {warning.code for warning in outcome.trace.warnings} == {"feature_unavailable"}
    assert [warning.message.split()[0] for warning in outcome.trace.warnings] == [
        "output.http.headers.Host",
        "output.http.cookies[1]",
    ]


def test_http_options_are_not_sent_after_a_redirect_to_another_origin(
    visited: Visit, here: Site, there: Site
) -> None:
    here.pages |= {
        "/": SitePage(status=302, headers={"Location": there.url("/trap")}),
        "/back": SitePage(status=302, headers={"Location": "/own"}),
        "/own": SitePage("<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
    }
    there.pages["/trap"] = SitePage(
        f"<p>x<img src='{here.url('/back')}'><iframe src='{here.url('/own')}'>"
    )
    cookies = [{"name": "a", "value": "b", "domain": "127.0.0.1"}, {"name": "c", "value": "d"}]

    visited(here.url(), http={**HTTP, "cookies": cookies})

    assert sorted(here.paths) == ["/", "/back", "/own", "/own"]
    first, *later = here.requests
    assert [name for name in SECRETS if name in first.headers] == list(SECRETS)
    for request in (*later, *there.requests):
        assert [name for name in SECRETS if name in request.headers] == []


def test_cookies_set_by_the_page_are_kept(visited: Visit, here: Site) -> None:
    headers = {"Set-Cookie": "own=1; Path=/", "Location": "/in"}
    here.pages["/"] = SitePage(status=303, headers=headers)
    here.pages["/in"] = SitePage("<p>x")

    visited(here.url(), http={"cookies": [{"name": "given", "value": "2", "http_only": True}]})

    assert sorted(here.requests[1].headers["cookie"].split("; ")) == ["given=2", "own=1"]


def test_http_options_of_a_document_give_warnings(browser: Browser) -> None:
    parts = PipelineServices(browser, NoTemplates(), RefusingEgress())
    outcome = run_page_job(*task("<p>x", {"http": HTTP}), parts)

    assert [(warning.code, warning.message.split()[0]) for warning in outcome.trace.warnings] == [
        ("feature_unavailable", "output.http.headers"),
        ("feature_unavailable", "output.http.cookies"),
        ("feature_unavailable", "output.http.basic_auth"),
    ]
