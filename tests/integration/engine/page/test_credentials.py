"""The caller's credentials are sent to the page's own origin and to no other."""

import base64
import hashlib
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any, Final

import pytest

from chalicelib.core.json import JsonObject
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.certificates import Certificates
from tests.builders.pages.engine_jobs import NoTemplates, RefusingEgress, web_page_task
from tests.builders.pages.switched_egress import SwitchedEgress
from tests.builders.pages.web_site import Site, SitePage, SiteRequest, running_site

HTTP: Final[JsonObject] = {
    "headers": {"X-Own": "mine"},
    "cookies": [{"name": "a", "value": "1"}, {"name": "b", "value": "2", "domain": ".own.test"}],
    "basic_auth": {"username": "anna", "password": "p"},
}
SECRETS: Final = ("x-own", "cookie", "authorization")
PICTURE: Final = SitePage("<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml")
IDLE: Final = {"until": "networkidle"}


def to(location: str) -> SitePage:
    return SitePage(status=302, headers={"Location": location})


def accept(handler: BaseHTTPRequestHandler) -> None:
    key = handler.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accepted = base64.b64encode(hashlib.sha1(key.encode()).digest())  # noqa: S324 -- RFC 6455
    handler.wfile.write(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + accepted + b"\r\n\r\n"
    )
    time.sleep(0.5)


@pytest.fixture(scope="module")
def sites(certified: Certificates) -> Iterator[tuple[Site, Site, Site]]:
    with (
        running_site({}) as own,
        running_site({}) as other,
        running_site({}, certified.server) as secured,
    ):
        yield own, other, secured


@pytest.fixture
def browser(
    browser: Browser, egress: SwitchedEgress, sites: tuple[Site, Site, Site]
) -> Iterator[Browser]:
    with egress.to(*sites):
        yield browser


@pytest.fixture
def here(sites: tuple[Site, Site, Site]) -> Site:
    for each in sites:
        each.pages.clear()
        each.requests.clear()
    return sites[0]


@pytest.fixture
def there(sites: tuple[Site, Site, Site]) -> Site:
    return sites[1]


def visited(browser: Browser, url: str, **output: Any) -> RenderOutcome:
    return run_page_job(
        *web_page_task(url, {"http": HTTP, **output}),
        PipelineServices(browser, NoTemplates(), RefusingEgress()),
    )


def at(site_: Site, host: str, path: str = "/") -> str:
    return f"{site_.scheme}://{host}:{site_.port}{path}"


def credentials_in(request: SiteRequest) -> list[str]:
    return [name for name in SECRETS if name in request.headers]


def answers(site_: Site, path: str) -> list[list[str]]:
    return [credentials_in(request) for request in site_.requests if request.path == path]


def test_redirect_back_from_another_origin_gets_no_credentials(
    browser: Browser, here: Site, there: Site
) -> None:
    here.pages |= {"/": to(at(there, "else.test")), "/back": SitePage("<p>x<img src=/part>")}
    here.pages["/part"] = PICTURE
    there.pages["/"] = to(at(here, "own.test", "/back"))

    visited(browser, at(here, "own.test"))

    assert answers(here, "/") == [list(SECRETS)]
    assert answers(here, "/back") == answers(here, "/part") == [[]]
    assert answers(there, "/") == [[]]


def test_assets_redirected_away_and_back_get_no_credentials(
    browser: Browser, here: Site, there: Site
) -> None:
    here.pages |= {
        "/": SitePage("<p>x<img src=/away><img src=/moved>"),
        "/away": to(at(there, "else.test", "/turn")),
        "/moved": to("/own"),
        "/own": PICTURE,
        "/again": PICTURE,
    }
    there.pages["/turn"] = to(at(here, "own.test", "/again"))

    visited(browser, at(here, "own.test"))

    for path in ("/", "/away", "/moved", "/own"):
        assert answers(here, path) == [list(SECRETS)], path
    assert answers(there, "/turn") == [[]]
    assert answers(here, "/again") == [[]]


def test_other_hosts_ports_and_schemes_get_no_credentials(
    browser: Browser, here: Site, there: Site, sites: tuple[Site, Site, Site]
) -> None:
    secured = sites[2]
    others = [
        at(there, "own.test", "/x"),
        at(here, "www.own.test", "/x"),
        at(secured, "own.test", "/x"),
    ]
    here.pages["/"] = SitePage("<p>x" + "".join(f"<img src={url}>" for url in others))
    for each in (here, there, secured):
        each.pages["/x"] = PICTURE

    outcome = visited(browser, at(here, "own.test"))

    assert outcome.trace.warnings == ()
    assert answers(here, "/x") == answers(there, "/x") == answers(secured, "/x") == [[]]


@pytest.mark.parametrize("host", ["else.test", "own.test"], ids=["other site", "other port"])
def test_frames_of_other_origins_cannot_use_the_credentials(
    browser: Browser, here: Site, there: Site, host: str
) -> None:
    own = at(here, "own.test", "/part")
    here.pages |= {
        "/": SitePage(
            f"<p>x<iframe src={at(there, host, '/frame')}></iframe><iframe src=/in></iframe>"
        ),
        "/in": SitePage("<p>y<img src=/mine>"),
        "/part": PICTURE,
        "/mine": PICTURE,
        "/deep": PICTURE,
    }
    deep = at(here, "own.test", "/deep")
    there.pages["/frame"] = SitePage(f"<img src={own}><iframe srcdoc='<img src={deep}>'></iframe>")

    visited(browser, at(here, "own.test"), wait=IDLE)

    assert answers(there, "/frame") == [[]]
    for path in ("/part", "/deep"):
        (names,) = answers(here, path)
        # Cookies have no port: the browser sends them to every port of the host.
        assert {*names} <= ({"cookie"} if host == "own.test" else set()), path
    assert answers(here, "/in") == answers(here, "/mine") == [list(SECRETS)]


def test_web_sockets_send_only_the_cookies_of_their_origin(
    browser: Browser, here: Site, there: Site
) -> None:
    sockets = "".join(f"new WebSocket('ws://own.test:{s.port}/ws');" for s in (here, there))
    here.pages |= {"/": SitePage(f"<p>x<script>{sockets}</script>"), "/ws": accept}
    there.pages["/ws"] = accept

    visited(browser, at(here, "own.test"), wait={"delay_ms": 700})

    assert answers(here, "/ws") == [["cookie"]]
    assert answers(there, "/ws") == [[]]


def test_client_side_navigation_to_another_origin_sends_no_credentials(
    browser: Browser, here: Site, there: Site
) -> None:
    here.pages |= {"/": SitePage(f"<script>location = '{at(there, 'own.test')}'</script>")}
    here.pages["/part"] = PICTURE
    there.pages["/"] = SitePage(f"<p>there<img src={at(here, 'own.test', '/part')}>")

    visited(browser, at(here, "own.test"))

    assert answers(here, "/") == [list(SECRETS)]
    assert answers(there, "/") == [[]]
    assert answers(here, "/part") == [[]]
