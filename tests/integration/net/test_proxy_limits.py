"""Limits of the browser's proxy: open only during a render, with budgets of bytes and requests."""

import socket
import threading
from contextlib import ExitStack
from typing import Any

import pytest

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.engine.browser.proxy.budget import MAX_REQUESTS, MAX_TOTAL_BYTES, TrafficLimits
from chalicelib.engine.browser.proxy.server import ProxyPort, ProxyServer
from chalicelib.engine.ports import FetchResponse, HostUnreachableError
from tests.builders.pages.proxy_client import (
    connect,
    open_tunnel,
    read_answer,
    read_to_end,
    send_request,
)
from tests.builders.pages.web_site import Site, SitePage
from tests.builders.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.integration


def test_proxy_port_is_open_while_a_render_runs(proxies: ProxyServer, here: Site) -> None:
    request = f"GET {here.url()} HTTP/1.1\r\n\r\n"
    first, second = proxies.new_port(), proxies.new_port()

    before = send_request(first, request)
    with first.open() as traffic:
        during, other = send_request(first, request), send_request(second, request)
    with second.open() as other_traffic:
        after = send_request(first, request)
    with first.open() as next_traffic:
        again = send_request(first, request)
    for port in (first, second):
        port.close()

    assert (before, other, after) == (b"", b"", b"")
    assert during.endswith(b"home")
    assert again.endswith(b"home")
    assert here.paths == ["/", "/"]
    counts = [each.request_count for each in (traffic, other_traffic, next_traffic)]
    assert counts == [1, 0, 1]
    assert [each.has_had_clients for each in (traffic, other_traffic)] == [True, False]
    assert proxies._ports == set()


def test_end_of_a_render_closes_its_connections(proxy: ProxyPort, here: Site) -> None:
    threads = threading.active_count()
    with connect(proxy) as first, connect(proxy) as second:
        with proxy.open() as traffic:
            with connect(proxy) as third:
                open_tunnel(third, here.port)
                third.close()
            with connect(proxy) as tunneled, connect(proxy) as unsaid:
                open_tunnel(tunneled, here.port)
                unsaid.sendall(b"CONNECT 127.0")
                eventually(lambda: traffic.connection_count >= 3)
                traffic.end()
                assert read_to_end(tunneled) == read_to_end(unsaid) == b""
        assert read_to_end(first) == read_to_end(second) == b""

    eventually(lambda: threading.active_count() <= threads and not traffic.connection_count)


def test_byte_budget_closes_every_connection(proxy: ProxyPort, here: Site) -> None:
    here.pages["/large"] = SitePage(b"x" * 5_000_000)
    url = here.url("/large")
    with proxy.open(TrafficLimits(max_total_bytes=1000)) as traffic, connect(proxy) as client:
        client.sendall(f"GET {url} HTTP/1.1\r\n\r\n".encode())
        assert len(read_to_end(client)) < 200_000

    assert traffic.exhausted_limit == "the page may load 100 MB in all"
    assert traffic.exceeded_limits == {url: traffic.exhausted_limit}
    assert traffic.received_bytes > 1000


def test_tunneled_bytes_count_towards_the_budget(proxy: ProxyPort, here: Site) -> None:
    here.pages["/large"] = SitePage(b"x" * 5_000_000)
    with (
        proxy.open(TrafficLimits(max_total_bytes=100_000)) as traffic,
        connect(proxy) as client,
        connect(proxy) as other,
    ):
        open_tunnel(other, here.port)
        open_tunnel(client, here.port)
        client.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        assert len(read_to_end(client)) < 300_000
        assert read_to_end(other) == b""

    assert traffic.exceeded_limits == {
        f"https://127.0.0.1:{here.port}": "the page may load 100 MB in all"
    }


def test_response_over_its_limit_is_cut_off_alone(proxy: ProxyPort, here: Site) -> None:
    here.pages["/large"] = SitePage(b"x" * 5_000_000)
    here.pages["/small"] = SitePage(b"x" * 60_000)
    url = here.url("/large")
    with (
        proxy.open(TrafficLimits(max_response_bytes=100_000)) as traffic,
        connect(proxy) as client,
    ):
        for _ in range(3):
            client.sendall(f"GET {here.url('/small')} HTTP/1.1\r\n\r\n".encode())
            assert len(read_answer(client)) > 60_000
        client.sendall(f"GET {url} HTTP/1.1\r\n\r\n".encode())
        assert len(read_to_end(client)) < 300_000

    assert traffic.exhausted_limit is None
    assert traffic.exceeded_limits == {url: "a part of a page may have 50 MB"}


def test_requests_over_the_budget_are_refused(proxy: ProxyPort, here: Site) -> None:
    with proxy.open(TrafficLimits(max_requests=2)) as traffic, connect(proxy) as client:
        for path in ("/", "/post"):
            client.sendall(f"GET {here.url(path)} HTTP/1.1\r\n\r\n".encode())
            assert b" 200 OK" in read_answer(client)
        client.sendall(f"GET {here.url('/third')} HTTP/1.1\r\n\r\n".encode())
        assert read_to_end(client) == b""

    assert here.paths == ["/", "/post"]
    assert traffic.exceeded_limits == {here.url("/third"): "a page may make 1000 requests"}


def test_the_budgets_are_those_of_the_contract() -> None:
    assert (MAX_REQUESTS, MAX_TOTAL_BYTES) == (1000, 100_000_000)
    assert TrafficLimits().max_requests == MAX_REQUESTS
    assert MAX_TOTAL_BYTES < TrafficLimits().max_total_bytes < 1.2 * MAX_TOTAL_BYTES


def test_tunnel_pumps_both_directions_concurrently() -> None:
    """A host that reads nothing until it has sent everything does not block the tunnel."""
    size = 20_000_000
    heard: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as host:
        port = host.getsockname()[1]
        port_ = ProxyServer(
            GuardedEgress(allow=f"127.0.0.1/32:{port}", own_hosts=frozenset())
        ).new_port()

        def answer() -> None:
            connection, _ = host.accept()
            with connection:
                connection.sendall(b"x" * size)
                heard.append(received(connection, size))

        threading.Thread(target=answer, daemon=True).start()
        with port_.open() as traffic, connect(port_) as client:
            open_tunnel(client, port)
            threading.Thread(target=client.sendall, args=(b"x" * size,), daemon=True).start()
            assert received(client, size) == size
            eventually(lambda: heard == [size])

    assert (traffic.sent_bytes, traffic.received_bytes) == (size, size)


def received(connection: socket.socket, size: int) -> int:
    """Return the number of bytes received until `size` or the end."""
    count = 0
    while count < size and (piece := connection.recv(65_536)):
        count += len(piece)
    return count


def connection_threads() -> int:
    return sum(one.name == "browser-connection" for one in threading.enumerate())


class Hanging:
    """Egress whose dials hang until `over` is set."""

    def __init__(self) -> None:
        self.over = threading.Event()

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:
        assert timeout_s <= 10
        self.over.wait(PATIENCE_S)
        raise HostUnreachableError(f"{host}:{port}")

    def fetch(self, *_: Any, **__: Any) -> FetchResponse:
        raise AssertionError

    def refusal(self, *_: Any, **__: Any) -> str | None:
        raise AssertionError


def test_hanging_dials_of_ended_renders_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "chalicelib.engine.browser.proxy.connection._DIAL_SLOTS", threading.BoundedSemaphore(2)
    )
    hanging = Hanging()
    proxies = ProxyServer(hanging)
    # Threads of earlier tests must end.
    eventually(lambda: connection_threads() == 0)
    for _ in range(3):
        connect_in_vain(proxies.new_port(), times=5)
        eventually(lambda: connection_threads() == 2)
    hanging.over.set()

    eventually(lambda: connection_threads() == 0)


def connect_in_vain(port_: ProxyPort, times: int) -> None:
    with port_.open() as traffic, ExitStack() as clients:
        for _ in range(times):
            client = clients.enter_context(connect(port_))
            client.sendall(b"CONNECT far.example:443 HTTP/1.1\r\n\r\n")
        eventually(lambda: traffic.request_count == times)


def test_connection_without_a_thread_is_closed_and_the_next_is_served(
    monkeypatch: pytest.MonkeyPatch, proxy: ProxyPort, here: Site
) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with proxy.open() as traffic:
        with monkeypatch.context() as without:
            without.setattr(threading.Thread, "start", start)
            assert send_request(proxy, f"GET {here.url()} HTTP/1.1\r\n\r\n") == b""
        assert traffic.connection_count == 0
        assert send_request(proxy, f"GET {here.url()} HTTP/1.1\r\n\r\n").endswith(b"home")


def test_idle_connections_are_closed(
    monkeypatch: pytest.MonkeyPatch, proxy: ProxyPort, here: Site
) -> None:
    dial = GuardedEgress.dial

    def shorten(*request: Any, **options: Any) -> socket.socket:
        monkeypatch.setattr("chalicelib.engine.browser.proxy.connection._IDLE_TIMEOUT_S", 0.3)
        return dial(*request, **options)

    monkeypatch.setattr(GuardedEgress, "dial", shorten)
    with proxy.open() as traffic, connect(proxy) as tunneled:
        open_tunnel(tunneled, here.port)
        with connect(proxy) as silent:
            assert read_to_end(silent) == read_to_end(tunneled) == b""
        eventually(lambda: traffic.connection_count == 0)


def test_connections_over_the_limit_are_closed(proxy: ProxyPort, here: Site) -> None:
    with proxy.open() as traffic:
        crowd = [
            socket.create_connection(("127.0.0.1", proxy.port), PATIENCE_S) for _ in range(200)
        ]
        eventually(lambda: traffic.connection_count == 128)
        assert send_request(proxy, f"GET {here.url()} HTTP/1.1\r\n\r\n") == b""
        for client in crowd:
            client.close()
        eventually(lambda: not traffic.connection_count)
        assert send_request(proxy, f"GET {here.url()} HTTP/1.1\r\n\r\n").endswith(b"home")
