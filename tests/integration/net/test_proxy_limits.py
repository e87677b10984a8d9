"""The browser's proxy: whom it lets through how long, and how much."""

import socket
import threading
from contextlib import ExitStack
from typing import Any

import pytest

from chalicelib.adapters.net.egress import Egress
from chalicelib.engine.browser.proxy import Gate, Proxy
from chalicelib.engine.browser.traffic import MOST_BYTES, MOST_REQUESTS, Budget
from chalicelib.engine.outside import Fetched, Unreachable
from tests.builders.gate import answer_of, ask, connected, eventually, rest_of, tunnel
from tests.builders.web import Page, Site

pytestmark = pytest.mark.integration


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

    assert eventually(lambda: threading.active_count() <= threads and not traffic.connections)


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


def test_both_ways_at_once() -> None:
    """A host that reads nothing until it has said all stops nobody."""
    size = 20_000_000
    heard: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as host:
        port = host.getsockname()[1]
        gate = Proxy(Egress(allow=f"127.0.0.1/32:{port}", own_hosts=frozenset())).gate()

        def answer() -> None:
            connection, _ = host.accept()
            with connection:
                connection.sendall(b"x" * size)
                heard.append(received(connection, size))

        threading.Thread(target=answer, daemon=True).start()
        with gate.open() as traffic, connected(gate) as client:
            tunnel(client, port)
            threading.Thread(target=client.sendall, args=(b"x" * size,), daemon=True).start()
            assert received(client, size) == size
            assert eventually(lambda: heard == [size])

    assert (traffic.sent, traffic.received) == (size, size)


def received(connection: socket.socket, size: int) -> int:
    """Return how much has come when it is all, or when there is no more."""
    count = 0
    while count < size and (piece := connection.recv(65_536)):
        count += len(piece)
    return count


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
