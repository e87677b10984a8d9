"""A page reaches neither the network nor the machine."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from chalicelib.core.errors import RenderFailure
from tests.integration.engine.conftest import Render


class Canary:
    """Listens on loopback, over TCP and UDP, and remembers whatever arrives."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self._tcp.getsockname()[1]
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", self.port))
        for listen in (self._accept, self._receive):
            threading.Thread(target=listen, daemon=True).start()

    def has_heard(self) -> bool:
        for _ in range(100):
            if self.heard:
                return True
            time.sleep(0.01)
        return False

    def close(self) -> None:
        for listener in (self._tcp, self._udp):
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._tcp.accept()
                with connection:
                    connection.settimeout(0.2)
                    self.heard.append(b"connected")
                    with suppress(OSError):
                        self.heard.append(connection.recv(200))

    def _receive(self) -> None:
        with suppress(OSError):
            while True:
                self.heard.append(self._udp.recv(2000))


@pytest.fixture
def canary() -> Iterator[Canary]:
    canary = Canary()
    yield canary
    canary.close()


PAYLOADS = {
    "img": "<img src='http://{host}/x'>",
    "img upper case": "<img src='HTTP://{host}/x'>",
    "lazy img": "<img loading=lazy src='http://{host}/x'>",
    "css": "<style>@import url(http://{host}/x);body{{background:url(http://{host}/y)}}</style>",
    "stylesheet": "<link rel=stylesheet href='http://{host}/x'>",
    "font": "<style>@font-face{{font-family:f;src:url(http://{host}/x)}}p{{font-family:f}}</style><p>x",
    "script": "<script src='http://{host}/x'></script>",
    "module": "<script type=module>import('http://{host}/x')</script>",
    "iframe": "<iframe src='http://{host}/x'></iframe>",
    "sandboxed iframe": "<iframe sandbox='allow-scripts' srcdoc=\"<img src='http://{host}/x'>\"></iframe>",
    "data iframe": "<iframe src=\"data:text/html,<img src='http://{host}/x'>\"></iframe>",
    "object": "<object data='http://{host}/x'></object><embed src='http://{host}/y'>",
    "video": "<video src='http://{host}/x' poster='http://{host}/y'></video>",
    "svg": "<svg><image href='http://{host}/x'/><use href='http://{host}/y#z'/></svg>",
    "fetch": "<script>fetch('http://{host}/x', {{mode: 'no-cors'}})</script>",
    "xhr": "<script>x=new XMLHttpRequest;x.open('GET','http://{host}/x');x.send()</script>",
    "beacon": "<script>navigator.sendBeacon('http://{host}/x', 'y')</script>",
    "ping": "<a id=a href='#x' ping='http://{host}/x'>x</a><script>a.click()</script>",
    "websocket": "<script>new WebSocket('ws://{host}/x')</script>",
    "event source": "<script>new EventSource('http://{host}/x')</script>",
    "worker": "<script>new Worker(URL.createObjectURL(new Blob([`fetch('http://{host}/x');"
    "new WebSocket('ws://{host}/y')`])))</script>",
    "shared worker": "<script>new SharedWorker(URL.createObjectURL(new Blob(["
    "`fetch('http://{host}/x')`])))</script>",
    "meta refresh": "<meta http-equiv=refresh content='0;url=http://{host}/x'>",
    "location": "<script>location='http://{host}/x'</script>",
    "location of a frame": "<iframe></iframe><script>frames[0].location='http://{host}/x'</script>",
    "form": "<form id=f action='http://{host}/x' method=post></form><script>f.submit()</script>",
    "popup": "<script>open('http://{host}/x')</script>",
    "popup by link": "<a id=a target=_blank href='http://{host}/x'>x</a><script>a.click()</script>",
    "download": "<a id=a download href='http://{host}/x'>x</a><script>a.click()</script>",
    "prefetch": "<link rel=prefetch href='http://{host}/x'><link rel=preload as=image href='http://{host}/y'>",
    "preconnect": "<link rel=preconnect href='http://{host}'><link rel=dns-prefetch href=//{host}>",
    "speculation": '<script type=speculationrules>{{"prefetch":[{{"urls":["http://{host}/x"],"eagerness":'
    '"immediate"}}],"prerender":[{{"urls":["http://{host}/y"],"eagerness":"immediate"}}]}}</script>',
    "webrtc": "<script>p=new RTCPeerConnection({{iceServers:[{{urls:'stun:{host}'}}]}});"
    "p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))</script>",
    "webtransport": "<script>new WebTransport('https://{host}/x')</script>",
    "portal by base": "<base href='http://{host}/'><img src=x>",
    "manifest": "<link rel=manifest href='http://{host}/x'><link rel=icon href='http://{host}/y'>",
    "paint by css variable": "<p style='--x:url(http://{host}/x);content:var(--x);list-style:var(--x)'>",
}


def test_the_canary_hears(canary: Canary) -> None:
    socket.create_connection(("127.0.0.1", canary.port)).close()

    assert canary.has_heard()


@pytest.mark.parametrize("name", PAYLOADS)
def test_no_request_of_a_page_leaves(render: Render, canary: Canary, name: str) -> None:
    html = PAYLOADS[name].format(host=f"127.0.0.1:{canary.port}")

    outcome = render(f"<!doctype html><title>x</title><p>still here{html}", wait={"delay_ms": 250})

    assert canary.heard == []
    assert outcome.files[0].pages == 1


def test_header_and_footer_fetch_nothing(render: Render, canary: Canary) -> None:
    host = f"127.0.0.1:{canary.port}"
    html = (
        f"<img src='http://{host}/x'><img src=x onerror=\"fetch('http://{host}/y')\">"
        f"<script>fetch('http://{host}/z')</script><p style='background:url(http://{host}/w)'>x"
    )
    part = {"enabled": True, "html": html}

    render("<p>x", pdf={"header": part, "footer": part})

    assert canary.heard == []


def test_files_of_the_machine_cannot_be_read(render: Render) -> None:
    html = (
        "<iframe src='file:///etc/passwd'></iframe><img src='file:///etc/hostname'>"
        "<script>fetch('file:///etc/passwd').catch((e) => document.title = 'refused')</script>"
    )

    outcome = render(html, wait={"expression": "document.title === 'refused'"})

    assert b"root:" not in outcome.files[0].content


def test_a_refused_request_is_told(render: Render) -> None:
    outcome = render("<img src='https://example.com/logo.png'><img src='logo.png'>")

    assert {(warning.code, warning.detail) for warning in outcome.trace.warnings} == {
        ("asset_failed", "https://example.com/logo.png"),
        ("asset_failed", "/logo.png"),
    }


def test_refused_requests_are_told_up_to_a_limit(render: Render) -> None:
    outcome = render("".join(f"<img src='/{n}.png'>" for n in range(80)))

    assert len(outcome.trace.warnings) == 51
    assert outcome.trace.warnings[-1].detail == "and 30 more"


def test_data_urls_are_the_documents_own(render: Render) -> None:
    html = (
        "<iframe src='data:text/html,<p>inside'></iframe>"
        '<img id=i src=\'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="7"/>\'>'
        "<link rel=stylesheet href='data:text/css,p{color:red}'>"
        "<script>fetch('data:,x').then((r) => r.text()).then((t) => document.title = t)</script>"
    )

    outcome = render(html, wait={"expression": "document.title === 'x' && i.width === 7"})

    assert outcome.trace.warnings == ()


LEAVE_TRACES = """<script>
document.cookie = 'a=b; path=/; max-age=999'; localStorage.a = 'b'; sessionStorage.a = 'b';
window.name = 'b'; caches.open('a');
</script>"""
FIND_TRACES = """<script>
(async () => {
  if (localStorage.a) await new Promise((r) => indexedDB.open('a').onsuccess = r);
  const found = [document.cookie, localStorage.length, sessionStorage.length, window.name,
    (await indexedDB.databases()).length, (await caches.keys()).length];
  console.log(JSON.stringify(found), location.origin === 'null', isSecureContext);
  document.title = 'done';
})();
</script>"""


def test_nothing_of_one_document_is_seen_by_the_next(render: Render) -> None:
    done = {"expression": "document.title === 'done'"}

    first = render(LEAVE_TRACES + FIND_TRACES, wait=done)
    second = render(FIND_TRACES, wait=done)

    assert first.trace.logs == ('log: ["a=b",1,1,"b",1,1] false true',)
    assert second.trace.logs == ('log: ["",0,0,"",0,0] false true',)


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1); confirm(2); prompt(3); document.title = 'on'</script>",
        "<script>onbeforeunload = () => 'stay'; print(); document.title = 'on'</script>",
        "<script>x = () => document.title = 'on';navigator.geolocation.watchPosition(x,x)</script>",
        "<script>navigator.serviceWorker.register('s').catch(() => document.title = 'on')</script>",
        "<script>const w = open('about:blank'); document.title = w ? 'off' : 'on'</script>",
    ],
)
def test_a_page_cannot_hold_up_its_render_by_asking(render: Render, html: str) -> None:
    outcome = render(html, wait={"expression": "document.title === 'on'", "timeout_ms": 5000})

    assert outcome.files[0].pages == 1


def test_a_page_that_leaves_its_place_is_a_failure_or_printed(render: Render) -> None:
    blob = "new Blob(['<p>other'], {type: 'text/html'})"
    html = f"<script>location = URL.createObjectURL({blob})</script>"

    try:
        outcome = render(html, wait={"delay_ms": 100})
    except RenderFailure as failure:
        assert failure.code == "navigation_failed"  # noqa: PT017 -- either is right
    else:
        assert outcome.files[0].pages == 1
