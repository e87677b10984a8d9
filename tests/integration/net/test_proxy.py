"""The browser's proxy: what it is asked for by hand, good and bad."""

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from chalicelib.adapters.net.egress import Egress
from chalicelib.engine.browser.proxy import Gate, Proxy
from chalicelib.engine.browser.traffic import MOST_BYTES, MOST_REQUESTS, Budget
from chalicelib.engine.outside import Fetched, Unreachable
from tests.builders.web import Page, Site, site

pytestmark = pytest.mark.integration

PAGES = {"/": Page("home"), "/twice//?a=b": Page("twice"), "/post": Page("posted")}


@pytest.fixture
def here() -> Iterator[Site]:
    with site(PAGES) as running:
        yield running


@pytest.fixture
def proxies(here: Site) -> Iterator[Proxy]:
    proxies = Proxy(Egress(allow=here.allow, own_hosts=frozenset()))
    yield proxies
    proxies.close()


@pytest.fixture
def proxy(proxies: Proxy) -> Gate:
    return proxies.gate()


@contextmanager
def connected(proxy: Gate) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", proxy.port), 10) as client:
        yield client


def ask(proxy: Gate, request: str) -> bytes:
    """Return the answer to some text; it is empty when the proxy hangs up."""
    try:
        with connected(proxy) as client:
            client.sendall(request.encode())
            return answer_of(client)
    except ConnectionError:
        return b""


def answer_of(client: socket.socket) -> bytes:
    """Return one answer as its length tells, or all until the proxy hangs up."""
    answer = b""
    with suppress(ConnectionError):
        while piece := client.recv(65_536):
            answer += piece
            size = re.search(rb"content-length: ([0-9]+)\r\n", answer, re.IGNORECASE)
            _, end, body = answer.partition(b"\r\n\r\n")
            if end and size and len(body) >= int(size[1]):
                break
    return answer


def rest_of(client: socket.socket) -> bytes:
    answer = b""
    try:
        while piece := client.recv(65_536):
            answer += piece
    except ConnectionError:
        pass
    return answer


def tunnel(client: socket.socket, port: int) -> None:
    client.sendall(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
    assert client.recv(100).startswith(b"HTTP/1.1 200 ")


def eventually(true: Callable[[], bool]) -> bool:
    for _ in range(500):
        if true():
            return True
        time.sleep(0.01)
    return False


def test_a_plain_request_is_passed_on_to_the_place_that_it_names(proxy: Gate, here: Site) -> None:
    with proxy.open() as traffic:
        answer = ask(
            proxy,
            f"GET {here.url('/twice//?a=b')} HTTP/1.1\r\nHost: elsewhere.example\r\n"
            "Proxy-Connection: keep-alive\r\nProxy-Authorization: x\r\nConnection: keep-alive\r\n"
            "Upgrade: x\r\nTE: trailers\r\nConnection: X-Mine , close\r\nX-Mine: 1\r\n"
            "X-Kept: yes\r\n\r\n",
        )

    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"\r\n\r\ntwice")
    assert here.paths == ["/twice//?a=b"]
    assert here.asked[0].headers == {
        "host": f"127.0.0.1:{here.port}",
        "connection": "keep-alive",
        "x-kept": "yes",
    }
    assert traffic.received == len(answer)
    assert traffic.refused == {}


def test_one_connection_asks_one_host_again_and_again(proxy: Gate, here: Site) -> None:
    body = "x" * 300_000
    with proxy.open() as traffic, connected(proxy) as client:
        for _ in range(3):
            client.sendall(f"GET {here.url()} HTTP/1.1\r\n\r\n".encode())
            assert answer_of(client).endswith(b"home")
            post = f"POST {here.url('/post')} HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
            client.sendall(f"{post}{body}".encode())
            assert answer_of(client).endswith(b"posted")
        connections = traffic.connections

    assert connections == 2
    assert here.paths == ["/", "/post"] * 3
    assert here.asked[1].body == body.encode()
    assert traffic.sent > 3 * len(body)
    assert traffic.requests == 6


@pytest.mark.parametrize(
    "second",
    [
        "GET http://127.0.0.1:{port}/second HTTP/1.1\r\n\r\n",
        "GET http://localhost:{port}/second HTTP/1.1\r\n\r\n",
        "GET /second HTTP/1.1\r\n\r\n",
        "CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n",
        "\r\n",
    ],
)
def test_nothing_follows_a_request_before_its_answer(proxy: Gate, here: Site, second: str) -> None:
    asked = threading.Event()

    def wait(_: BaseHTTPRequestHandler) -> None:
        asked.wait(30)

    here.pages["/slow"] = wait
    more = second.format(port=here.port)
    with proxy.open(), connected(proxy) as client:
        assert ask(proxy, f"GET {here.url()} HTTP/1.1\r\n\r\n{more}") == b""
        client.sendall(f"GET {here.url('/slow')} HTTP/1.1\r\n\r\n".encode())
        assert eventually(lambda: "/slow" in here.paths)
        client.sendall(more.encode())
        assert rest_of(client) == b""
        asked.set()

    assert here.paths == ["/slow"]


@pytest.mark.parametrize(
    "second",
    [
        "GET http://localhost:{port}/second HTTP/1.1\r\n\r\n",
        "GET http://169.254.169.254/second HTTP/1.1\r\n\r\n",
        "GET /second HTTP/1.1\r\n\r\n",
        "CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n",
        "POST http://127.0.0.1:{port}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
)
def test_a_connection_stays_with_its_host(proxy: Gate, here: Site, second: str) -> None:
    with proxy.open(), connected(proxy) as client:
        client.sendall(f"GET {here.url()} HTTP/1.1\r\n\r\n".encode())
        assert answer_of(client).endswith(b"home")
        client.sendall(second.format(port=here.port).encode())
        assert rest_of(client) == b""

    assert here.paths == ["/"]


def test_a_tunnel_passes_on_everything(proxy: Gate, here: Site) -> None:
    with proxy.open() as traffic, connected(proxy) as client:
        tunnel(client, here.port)
        client.sendall(b"GET / HTTP/1.1\r\nHost: anything\r\nConnection: close\r\n\r\n")
        answer = rest_of(client)

    assert answer.endswith(b"home")
    assert here.asked[0].headers["host"] == "anything"
    assert (traffic.received, traffic.sent) == (len(answer), 53)


@pytest.mark.parametrize(
    ("place", "answered"),
    [
        ("127.0.0.1:9001", b"403"),
        ("169.254.169.254:80", b"403"),
        ("[::1]:443", b"403"),
        ("[::ffff:7f00:1]:443", b"403"),
        ("2130706433:443", b"403"),
        ("localhost:80", b"403"),
        ("nowhere.invalid:443", b"502"),
    ],
)
def test_what_may_not_be_reached_is_told(proxy: Gate, place: str, answered: bytes) -> None:
    with proxy.open() as traffic:
        tunneled = ask(proxy, f"CONNECT {place} HTTP/1.1\r\n\r\n")
        plain = ask(proxy, f"GET http://{place}/ HTTP/1.1\r\n\r\n")

    assert tunneled.split(b" ")[1] == answered
    assert plain == b""
    told = traffic.refused if answered == b"403" else traffic.unreachable
    assert list(told) == [place]
    assert place.rpartition(":")[0] in told[place]


@pytest.mark.parametrize(
    "request_",
    [
        "",
        "\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET https://{host}/ HTTP/1.1\r\n\r\n",
        "GET file:///etc/passwd HTTP/1.1\r\n\r\n",
        "GET http://user@{host}/ HTTP/1.1\r\n\r\n",
        "GET http://{host}:99/ HTTP/1.1\r\n\r\n",
        "GET http://{host}/a\nX:b HTTP/1.1\r\n\r\n",
        "GET http://{host}/a\tb HTTP/1.1\r\n\r\n",
        "GET http://{host}/\x7f HTTP/1.1\r\n\r\n",
        "GET\n http://{host}/ HTTP/1.1\r\n\r\n",
        "GET http://{host}/ HTTP/1.1\nX: a\r\n\r\n",
        "GET http://{host}/ HTTP/1.1\r\nX: a\r\n b\r\n\r\n",
        "GET http://{host}/ HTTP/1.1\r\nX : a\r\n\r\n",
        "GET http://{host}/ HTTP/1.0\r\n\r\n",
        "GET http://{host}/ HTTP/2\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET http://{host}\\@example.com/ HTTP/1.1\r\n\r\n",
        "GET http://{host}%00.example.com/ HTTP/1.1\r\n\r\n",
        "GET http://{host}/ x HTTP/1.1\r\n\r\n",
        "GET http://{host}/\r\n folded: x\r\n\r\n",
        "GET http://{host}/ HTTP/1.1\r\nX: a\nHost: b\r\n\r\n",
        "GET http://{host}/ HTTP/1.1\r\nno colon\r\n\r\n",
        "POST http://{host}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST http://{host}/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        "POST http://{host}/ HTTP/1.1\r\nContent-Length: +1\r\n\r\nx",
        "POST http://{host}/ HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\nx",
        "POST http://{host}/ HTTP/1.1\r\nContent-Length:\r\n\r\n",
        "POST http://{host}/ HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST http://{host}/ HTTP/1.1\r\nTransfer-Encoding: identity\r\n\r\n",
        "CONNECT {host}\r\n\r\n",
        "CONNECT {host}/x HTTP/1.1\r\n\r\n",
        "CONNECT 127.0.0.1 HTTP/1.1\r\n\r\n",
        "CONNECT [127.0.0.1:80 HTTP/1.1\r\n\r\n",
        "GET http://{host}/ HTTP/1.1\r\nX: " + "x" * 400_000 + "\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
def test_what_no_browser_would_send_is_cut_off(proxy: Gate, here: Site, request_: str) -> None:
    request = request_.replace("{host}", f"127.0.0.1:{here.port}").encode()
    with proxy.open(), connected(proxy) as client:
        with suppress(OSError):
            client.sendall(request)
            client.shutdown(socket.SHUT_WR)
        answer = rest_of(client)

    assert answer == b""
    assert here.asked == []


def test_a_gate_is_open_for_one_render(proxies: Proxy, here: Site) -> None:
    request = f"GET {here.url()} HTTP/1.1\r\n\r\n"
    first, second = proxies.gate(), proxies.gate()

    before = ask(first, request)
    with first.open() as traffic:
        during, other = ask(first, request), ask(second, request)
    with second.open() as next_traffic:
        after = ask(first, request)

    assert (before, other, after) == (b"", b"", b"")
    assert during.endswith(b"home")
    assert here.paths == ["/"]
    assert (traffic.requests, next_traffic.requests) == (1, 0)
    assert proxies._gates == set()


def test_the_end_of_a_render_cuts_what_is_open(proxy: Gate, here: Site) -> None:
    threads = threading.active_count()
    with connected(proxy) as first, connected(proxy) as second:
        with proxy.open() as traffic:
            with connected(proxy) as third:
                tunnel(third, here.port)
                third.close()
            with connected(proxy) as tunneled, connected(proxy) as unsaid:
                tunnel(tunneled, here.port)
                unsaid.sendall(b"CONNECT 127.0")
                assert eventually(lambda: traffic.connections >= 3)
                traffic.end()
                assert rest_of(tunneled) == rest_of(unsaid) == b""
        assert rest_of(first) == rest_of(second) == b""

    assert eventually(lambda: threading.active_count() <= threads)
    assert traffic.connections == 0


def test_too_many_bytes_cut_everything(proxy: Gate, here: Site) -> None:
    here.pages["/large"] = Page(b"x" * 5_000_000)
    url = here.url("/large")
    with proxy.open(Budget(bytes=1000)) as traffic, connected(proxy) as client:
        client.sendall(f"GET {url} HTTP/1.1\r\n\r\n".encode())
        assert len(rest_of(client)) < 200_000

    assert traffic.spent == "the page may load 100 MB in all"
    assert traffic.over == {url: traffic.spent}
    assert traffic.received > 1000


def test_what_comes_encrypted_counts_in_all(proxy: Gate, here: Site) -> None:
    here.pages["/large"] = Page(b"x" * 5_000_000)
    with (
        proxy.open(Budget(bytes=100_000)) as traffic,
        connected(proxy) as client,
        connected(proxy) as other,
    ):
        tunnel(other, here.port)
        tunnel(client, here.port)
        client.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        assert len(rest_of(client)) < 300_000
        assert rest_of(other) == b""

    assert traffic.over == {f"https://127.0.0.1:{here.port}": "the page may load 100 MB in all"}


def test_too_large_an_answer_is_cut_off_alone(proxy: Gate, here: Site) -> None:
    here.pages["/large"] = Page(b"x" * 5_000_000)
    here.pages["/small"] = Page(b"x" * 60_000)
    url = here.url("/large")
    with proxy.open(Budget(bytes_each=100_000)) as traffic, connected(proxy) as client:
        for _ in range(3):
            client.sendall(f"GET {here.url('/small')} HTTP/1.1\r\n\r\n".encode())
            assert len(answer_of(client)) > 60_000
        client.sendall(f"GET {url} HTTP/1.1\r\n\r\n".encode())
        assert len(rest_of(client)) < 300_000

    assert traffic.spent is None
    assert traffic.over == {url: "a part of a page may have 50 MB"}


def test_too_many_requests_are_refused(proxy: Gate, here: Site) -> None:
    with proxy.open(Budget(requests=2)) as traffic, connected(proxy) as client:
        for path in ("/", "/post"):
            client.sendall(f"GET {here.url(path)} HTTP/1.1\r\n\r\n".encode())
            assert b" 200 OK" in answer_of(client)
        client.sendall(f"GET {here.url('/third')} HTTP/1.1\r\n\r\n".encode())
        assert rest_of(client) == b""

    assert here.paths == ["/", "/post"]
    assert traffic.over == {here.url("/third"): "a page may make 1000 requests"}


def test_the_budgets_are_those_of_the_contract() -> None:
    assert (MOST_REQUESTS, MOST_BYTES) == (1000, 100_000_000)
    assert Budget().requests == MOST_REQUESTS
    assert MOST_BYTES < Budget().bytes < 1.2 * MOST_BYTES


def test_both_ways_at_once(proxy: Gate) -> None:
    """A host that reads no more until its answers are read stops nobody."""
    size = 20_000_000
    with socket.create_server(("127.0.0.1", 0)) as echo:
        port = echo.getsockname()[1]
        proxy._outside = Egress(allow=f"127.0.0.1/32:{port}", own_hosts=frozenset())

        def answer() -> None:
            connection, _ = echo.accept()
            with connection:
                while piece := connection.recv(65_536):
                    connection.sendall(piece)

        threading.Thread(target=answer, daemon=True).start()
        with proxy.open() as traffic, connected(proxy) as client:
            tunnel(client, port)
            threading.Thread(target=client.sendall, args=(b"x" * size,), daemon=True).start()
            back = 0
            while back < size:
                back += len(client.recv(65_536))

    assert (traffic.sent, traffic.received) == (size, size)


def connection_threads() -> int:
    return sum(one.name == "browser-connection" for one in threading.enumerate())


class Hanging:
    """A world in which nobody answers until it is let go on."""

    def __init__(self) -> None:
        self.over = threading.Event()

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:
        assert timeout_s <= 10
        self.over.wait(30)
        raise Unreachable(f"{host}:{port}")

    def fetch(self, *_: Any, **__: Any) -> Fetched:
        raise AssertionError


def test_dials_of_renders_that_have_ended_stay_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chalicelib.engine.browser.tunnel._DIALS", threading.BoundedSemaphore(2))
    hanging = Hanging()
    proxies = Proxy(hanging)
    before = connection_threads()
    for _ in range(3):
        ask_in_vain(proxies.gate(), times=5)
        assert eventually(lambda: connection_threads() == before + 2)
    hanging.over.set()

    assert eventually(lambda: connection_threads() == before)


def ask_in_vain(gate: Gate, times: int) -> None:
    with gate.open() as traffic, ExitStack() as clients:
        for _ in range(times):
            client = clients.enter_context(connected(gate))
            client.sendall(b"CONNECT far.example:443 HTTP/1.1\r\n\r\n")
        assert eventually(lambda: traffic.requests == times)


def test_without_threads_the_next_connection_is_served(
    monkeypatch: pytest.MonkeyPatch, proxy: Gate, here: Site
) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with proxy.open() as traffic:
        with monkeypatch.context() as without:
            without.setattr(threading.Thread, "start", start)
            assert ask(proxy, f"GET {here.url()} HTTP/1.1\r\n\r\n") == b""
        assert traffic.connections == 0
        assert ask(proxy, f"GET {here.url()} HTTP/1.1\r\n\r\n").endswith(b"home")


def test_idle_connections_are_ended(
    monkeypatch: pytest.MonkeyPatch, proxy: Gate, here: Site
) -> None:
    monkeypatch.setattr("chalicelib.engine.browser.tunnel._IDLE_S", 0.3)
    with proxy.open() as traffic, connected(proxy) as silent, connected(proxy) as tunneled:
        tunnel(tunneled, here.port)
        assert rest_of(silent) == rest_of(tunneled) == b""
        assert eventually(lambda: traffic.connections == 0)


def test_a_crowd_of_connections_is_turned_away(proxy: Gate, here: Site) -> None:
    with proxy.open() as traffic:
        crowd = [socket.create_connection(("127.0.0.1", proxy.port), 10) for _ in range(200)]
        assert eventually(lambda: traffic.connections == 128)
        assert ask(proxy, f"GET {here.url()} HTTP/1.1\r\n\r\n") == b""
        for client in crowd:
            client.close()
        assert eventually(lambda: not traffic.connections)
        assert ask(proxy, f"GET {here.url()} HTTP/1.1\r\n\r\n").endswith(b"home")
