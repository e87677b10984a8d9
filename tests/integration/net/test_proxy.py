"""The browser's proxy: what it is asked for by hand, good and bad."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from chalicelib.adapters.net.egress import Egress
from chalicelib.engine.browser.proxy import Proxy, Traffic
from chalicelib.engine.browser.tunnel import serve
from tests.builders.web import Page, Site, site

pytestmark = pytest.mark.integration

PAGES = {"/": Page("home"), "/twice//?a=b": Page("twice"), "/post": Page("posted")}


@pytest.fixture
def here() -> Iterator[Site]:
    with site(PAGES) as running:
        yield running


@pytest.fixture
def proxy(here: Site) -> Iterator[Proxy]:
    proxy = Proxy(Egress(allow=here.allow, own_hosts=frozenset()))
    yield proxy
    proxy.close()


@contextmanager
def connected(proxy: Proxy) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", proxy.port), 10) as client:
        yield client


def ask(proxy: Proxy, request: str) -> bytes:
    """Return all that is answered to some text until the proxy hangs up."""
    with connected(proxy) as client:
        client.sendall(request.encode())
        return rest_of(client)


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


def test_a_plain_request_is_passed_on_to_the_place_that_it_names(proxy: Proxy, here: Site) -> None:
    with proxy.open() as traffic:
        answer = ask(
            proxy,
            f"GET {here.url('/twice//?a=b')} HTTP/1.1\r\nHost: elsewhere.example\r\n"
            "Proxy-Connection: keep-alive\r\nProxy-Authorization: x\r\nConnection: keep-alive\r\n"
            "Upgrade: x\r\nX-Kept: yes\r\n\r\n",
        )

    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"\r\n\r\ntwice")
    assert here.paths == ["/twice//?a=b"]
    assert here.asked[0].headers == {
        "host": f"127.0.0.1:{here.port}",
        "connection": "close",
        "x-kept": "yes",
    }
    assert traffic.received == len(answer)
    assert traffic.refused == {}


def test_a_body_is_passed_on_and_nothing_after_it(proxy: Proxy, here: Site) -> None:
    body = "x" * 300_000
    with proxy.open() as traffic:
        answer = ask(
            proxy,
            f"POST {here.url('/post')} HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n{body}",
        )
        ask(proxy, f"GET {here.url()} HTTP/1.1\r\n\r\nGET {here.url('/second')} HTTP/1.1\r\n\r\n")

    assert answer.endswith(b"posted")
    assert here.asked[0].body == body.encode()
    assert here.paths == ["/post", "/"]
    assert traffic.sent > len(body)


def test_a_tunnel_passes_on_everything(proxy: Proxy, here: Site) -> None:
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
def test_what_may_not_be_reached_is_told(proxy: Proxy, place: str, answered: bytes) -> None:
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
        "GET http://{host}/ x HTTP/1.1\r\n\r\n",
        "GET http://{host}/\r\n folded: x\r\n\r\n",
        "GET http://{host}/ HTTP/1.1\r\nX: a\nHost: b\r\n\r\n",
        "GET http://{host}/ HTTP/1.1\r\nno colon\r\n\r\n",
        "POST http://{host}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST http://{host}/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        "POST http://{host}/ HTTP/1.1\r\nContent-Length: +1\r\n\r\nx",
        "CONNECT {host}\r\n\r\n",
        "CONNECT {host}/x HTTP/1.1\r\n\r\n",
        "CONNECT 127.0.0.1 HTTP/1.1\r\n\r\n",
        "CONNECT [127.0.0.1:80 HTTP/1.1\r\n\r\n",
        "GET http://{host}/ HTTP/1.1\r\nX: " + "x" * 400_000 + "\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
def test_what_no_browser_would_send_is_cut_off(proxy: Proxy, here: Site, request_: str) -> None:
    request = request_.replace("{host}", f"127.0.0.1:{here.port}").encode()
    with proxy.open(), connected(proxy) as client:
        with suppress(OSError):
            client.sendall(request)
            client.shutdown(socket.SHUT_WR)
        answer = rest_of(client)

    assert answer == b""
    assert here.asked == []


def test_between_renders_nobody_gets_through(proxy: Proxy, here: Site) -> None:
    request = f"GET {here.url()} HTTP/1.1\r\n\r\n"

    before = ask(proxy, request)
    with proxy.open():
        during = ask(proxy, request)
    after = ask(proxy, request)

    assert (before, after) == (b"", b"")
    assert during.endswith(b"home")
    assert here.paths == ["/"]


def test_the_end_of_a_render_cuts_what_is_open(proxy: Proxy, here: Site) -> None:
    threads = threading.active_count()
    with connected(proxy) as first, connected(proxy) as second:
        with proxy.open() as traffic:
            with connected(proxy) as third:
                tunnel(third, here.port)
                third.close()
            with connected(proxy) as tunneled, connected(proxy) as unsaid:
                tunnel(tunneled, here.port)
                unsaid.sendall(b"CONNECT 127.0")
                assert eventually(lambda: len(traffic._connections) >= 3)
                traffic.end()
                assert rest_of(tunneled) == rest_of(unsaid) == b""
        assert rest_of(first) == rest_of(second) == b""

    assert eventually(lambda: threading.active_count() <= threads)
    assert traffic._connections == set()


def test_too_many_bytes_cut_everything(here: Site) -> None:
    traffic = Traffic(most_bytes=1000)
    here.pages["/large"] = Page(b"x" * 5_000_000)
    ours, theirs = socket.socketpair()
    egress = Egress(allow=here.allow, own_hosts=frozenset())
    arguments = (theirs, egress, traffic, lambda: None)
    threading.Thread(target=serve, args=arguments, daemon=True).start()
    with ours:
        ours.sendall(f"GET {here.url('/large')} HTTP/1.1\r\n\r\n".encode())
        assert len(rest_of(ours)) < 200_000

    assert traffic.exhausted
    assert traffic.received > 1000


def test_a_crowd_of_connections_is_turned_away(proxy: Proxy, here: Site) -> None:
    with proxy.open() as traffic:
        crowd = [socket.create_connection(("127.0.0.1", proxy.port), 10) for _ in range(200)]
        assert eventually(lambda: len(traffic._connections) == 128)
        assert ask(proxy, f"GET {here.url()} HTTP/1.1\r\n\r\n") == b""
        for client in crowd:
            client.close()
        assert eventually(lambda: not traffic._connections)
        assert ask(proxy, f"GET {here.url()} HTTP/1.1\r\n\r\n").endswith(b"home")
