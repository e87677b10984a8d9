"""The browser's proxy against valid and malformed requests."""

import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler

import pytest

from chalicelib.engine.browser.proxy.server import ProxyPort
from tests.builders.pages.proxy_client import (
    connect,
    open_tunnel,
    read_answer,
    read_to_end,
    send_request,
)
from tests.builders.pages.web_site import Site
from tests.builders.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.integration


def test_plain_request_is_forwarded_to_the_host_in_its_url(proxy: ProxyPort, here: Site) -> None:
    with proxy.open() as traffic:
        answer = send_request(
            proxy,
            f"GET {here.url('/twice//?a=b')} HTTP/1.1\r\nHost: elsewhere.example\r\n"
            "Proxy-Connection: keep-alive\r\nProxy-Authorization: x\r\nConnection: keep-alive\r\n"
            "Upgrade: x\r\nTE: trailers\r\nConnection: X-Mine , close\r\nX-Mine: 1\r\n"
            "X-Kept: yes\r\n\r\n",
        )

    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"\r\n\r\ntwice")
    assert here.paths == ["/twice//?a=b"]
    assert here.requests[0].headers == {
        "host": f"127.0.0.1:{here.port}",
        "connection": "keep-alive",
        "x-kept": "yes",
    }
    assert traffic.received_bytes == len(answer)
    assert traffic.refused_hosts == {}


def test_one_connection_is_reused_for_many_requests(proxy: ProxyPort, here: Site) -> None:
    body = "x" * 300_000
    with proxy.open() as traffic, connect(proxy) as client:
        for _ in range(3):
            client.sendall(f"GET {here.url()} HTTP/1.1\r\n\r\n".encode())
            assert read_answer(client).endswith(b"home")
            post = f"POST {here.url('/post')} HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
            client.sendall(f"{post}{body}".encode())
            assert read_answer(client).endswith(b"posted")
        connections = traffic.connection_count

    assert connections == 2
    assert here.paths == ["/", "/post"] * 3
    assert here.requests[1].body == body.encode()
    assert traffic.sent_bytes > 3 * len(body)
    assert traffic.request_count == 6


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
def test_pipelined_requests_are_refused(proxy: ProxyPort, here: Site, second: str) -> None:
    asked = threading.Event()

    def wait(_: BaseHTTPRequestHandler) -> None:
        asked.wait(PATIENCE_S)

    here.pages["/slow"] = wait
    more = second.format(port=here.port)
    with proxy.open(), connect(proxy) as client:
        assert send_request(proxy, f"GET {here.url()} HTTP/1.1\r\n\r\n{more}") == b""
        client.sendall(f"GET {here.url('/slow')} HTTP/1.1\r\n\r\n".encode())
        eventually(lambda: "/slow" in here.paths)
        client.sendall(more.encode())
        assert read_to_end(client) == b""
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
def test_connection_cannot_change_its_host(proxy: ProxyPort, here: Site, second: str) -> None:
    with proxy.open(), connect(proxy) as client:
        client.sendall(f"GET {here.url()} HTTP/1.1\r\n\r\n".encode())
        assert read_answer(client).endswith(b"home")
        client.sendall(second.format(port=here.port).encode())
        assert read_to_end(client) == b""

    assert here.paths == ["/"]


def test_tunnel_forwards_all_bytes(proxy: ProxyPort, here: Site) -> None:
    with proxy.open() as traffic, connect(proxy) as client:
        open_tunnel(client, here.port)
        client.sendall(b"GET / HTTP/1.1\r\nHost: anything\r\nConnection: close\r\n\r\n")
        answer = read_to_end(client)

    assert answer.endswith(b"home")
    assert here.requests[0].headers["host"] == "anything"
    assert (traffic.received_bytes, traffic.sent_bytes) == (len(answer), 53)


@pytest.mark.parametrize(
    ("host", "status"),
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
def test_refused_and_unreachable_hosts_are_recorded(
    proxy: ProxyPort, host: str, status: bytes
) -> None:
    with proxy.open() as traffic:
        tunneled = send_request(proxy, f"CONNECT {host} HTTP/1.1\r\n\r\n")
        plain = send_request(proxy, f"GET http://{host}/ HTTP/1.1\r\n\r\n")

    assert tunneled.split(b" ")[1] == status
    assert plain == b""
    recorded = traffic.refused_hosts if status == b"403" else traffic.unreachable_hosts
    assert list(recorded) == [host]
    assert host.rpartition(":")[0] in recorded[host]


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
def test_malformed_requests_are_cut_off(proxy: ProxyPort, here: Site, request_: str) -> None:
    request = request_.replace("{host}", f"127.0.0.1:{here.port}").encode()
    with proxy.open(), connect(proxy) as client:
        with suppress(OSError):
            client.sendall(request)
            client.shutdown(socket.SHUT_WR)
        answer = read_to_end(client)

    assert answer == b""
    assert here.requests == []
