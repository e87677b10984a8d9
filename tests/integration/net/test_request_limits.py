"""Request limits of pages for traffic that only the proxy sees."""

import socket
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.browser.proxy import budget
from chalicelib.engine.browser.proxy.budget import TrafficLimits
from tests.builders.pages.real_browser import render_with
from tests.builders.pages.switched_egress import SwitchedEgress
from tests.builders.pages.web_site import Site, SitePage, running_site
from tests.builders.waiting import PATIENCE_S

pytestmark = pytest.mark.integration

DONE: dict[str, Any] = {"wait": {"expression": "document.title === 'done'"}}
STRICT: dict[str, Any] = {"asset_policy": "strict"}
SOCKETS = """<script>
let closed = 0;
for (let number = 0; number < {count}; number++)
  new WebSocket('ws://127.0.0.1:{port}/' + number).onclose = () => {{
    if (++closed === {count}) document.title = 'done';
  }};
</script><p>printed"""


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n")
    while True:
        handler.wfile.write(b" " * 65_536)


def flood(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        handler.wfile.write(b"X-Flood: " + b"x" * 10_000 + b"\r\n")


def hints(handler: BaseHTTPRequestHandler) -> None:
    while True:
        handler.wfile.write(b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" * 1000)


def raw(answer: bytes, handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(answer)


@pytest.fixture
def web() -> Iterator[Site]:
    with running_site({}) as running:
        yield running


@pytest.fixture
def browser(connected: Browser) -> Browser:
    return connected


def test_web_sockets_count_as_requests(
    browser: Browser, web: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "TrafficLimits", partial(TrafficLimits, max_requests=5))
    within = SOCKETS.format(count=5, port=web.port)
    beyond = SOCKETS.format(count=8, port=web.port)

    assert render_with(browser, within, **DONE).trace.warnings == ()
    asked = len(web.requests)
    outcome = render_with(browser, beyond, **DONE)
    with pytest.raises(RenderFailure) as failed:
        render_with(browser, beyond, **DONE, **STRICT)

    assert len(web.requests) == asked + 10
    assert {warning.code for warning in outcome.trace.warnings} == {"asset_failed"}
    assert "a page may make 1000 requests" in outcome.trace.warnings[0].message
    assert failed.value.code == "asset_fetch_failed"
    assert "a page may make 1000 requests" in failed.value.detail


def test_thousands_of_sockets_use_few_threads_and_files(browser: Browser, web: Site) -> None:
    """The host answers none of them; the next page is not affected."""
    stop = threading.Event()

    def wait(_: BaseHTTPRequestHandler) -> None:
        stop.wait(PATIENCE_S)

    most = {"threads": 0, "files": 0}

    def watch() -> None:
        while not stop.wait(0.02):
            ours = [one for one in threading.enumerate() if one.name == "browser-connection"]
            most["threads"] = max(most["threads"], len(ours))
            most["files"] = max(most["files"], open_files())

    web.pages |= {f"/{number}": wait for number in range(2000)}
    threading.Thread(target=watch, daemon=True).start()
    html = SOCKETS.format(count=2000, port=web.port) + (
        f"<script>for (let number = 0; number < 2000; number++) "
        f"fetch('{web.url('/')}' + number, {{mode: 'no-cors'}})</script>"
    )
    before = open_files()
    render_with(browser, html, wait={"delay_ms": 2000, "timeout_ms": 60_000}, seconds=90)
    after = render_with(browser, "<p>next")
    stop.set()

    assert after.files[0].pages == 1
    assert after.trace.warnings == ()
    assert 0 < most["threads"] <= 128
    # Each has a socket to the browser and two ends to the host, which is this process as well.
    assert most["files"] - before < 500


@pytest.mark.parametrize("path", ["/endless", "/flood", "/hints"])
def test_endless_responses_are_cut_off(
    browser: Browser, web: Site, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(
        budget, "TrafficLimits", partial(TrafficLimits, max_response_bytes=2_000_000)
    )
    web.pages |= {"/endless": endless, "/flood": flood, "/hints": hints}
    web.pages["/fits"] = SitePage("p { color: red }", "text/css")
    html = (
        f"<link rel=stylesheet href={web.url(path)}><link rel=stylesheet href={web.url('/fits')}>"
    )

    outcome = render_with(browser, f"{html}<p>printed")

    assert [(one.code, one.detail) for one in outcome.trace.warnings] == [
        ("asset_failed", web.url(path))
    ]
    if path != "/flood":
        assert "a part of a page may have 50 MB" in outcome.trace.warnings[0].message


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 407 No\r\nProxy-Authenticate: Negotiate\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 101 Other\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Length: 900000\r\n\r\np{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\np{}",
        b"nonsense\r\n\r\n",
    ],
)
def test_malformed_responses_fail_only_their_asset(
    browser: Browser, web: Site, answer: bytes
) -> None:
    web.pages["/x"] = partial(raw, answer)

    outcome = render_with(browser, f"<link rel=stylesheet href={web.url('/x')}><p>printed")

    assert [one.code for one in outcome.trace.warnings] == ["asset_failed"]
    assert all("proxy-authorization" not in asked.headers for asked in web.requests)


def test_connections_to_a_host_are_reused(
    browser: Browser, egress: SwitchedEgress, web: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    dial, dialled = egress.dial, []

    def counting(host: str, port: int, **limits: Any) -> socket.socket:
        dialled.append(host)
        return dial(host, port, **limits)

    monkeypatch.setattr(egress, "dial", counting)
    web.pages |= {f"/{number}": SitePage("p{}", "text/css") for number in range(20)}

    outcome = render_with(
        browser, "".join(f"<link rel=stylesheet href={web.url(f'/{n}')}>" for n in range(20))
    )

    assert outcome.trace.warnings == ()
    assert len(web.requests) == 20
    # The parallel connections of a browser to one host, and a few that it opens in vain.
    assert 1 <= len(dialled) <= 10


def test_surplus_response_is_not_used_for_the_next_request(browser: Browser, web: Site) -> None:
    """Bytes after a response are not used as the next response."""
    ok = b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Length: 3\r\n\r\n"
    web.pages["/x"] = partial(raw, ok + b"p{}" + ok + b"q{}")
    web.pages["/y"] = SitePage("ours", "text/plain")
    script = (
        f"(async () => {{ await fetch('{web.url('/x')}', {{mode: 'no-cors'}});"
        f"await new Promise((then) => setTimeout(then, 200));"
        f"await fetch('{web.url('/y')}', {{mode: 'no-cors'}}); document.title = 'done' }})()"
    )

    render_with(browser, f"<script>{script}</script><p>printed", **DONE)

    assert web.paths == ["/x", "/y"]
