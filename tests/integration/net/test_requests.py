"""Requests through the egress: any status, bodies in pieces, kept connections, plain sockets."""

import gzip
import socket
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.engine.ports import (
    HostRefusedError,
    HostUnreachableError,
    SentState,
)
from tests.builders.pages.web_site import SitePage, running_site
from tests.builders.waiting import PATIENCE_S
from tests.fakes.raw_server import RawServer, answer, raw_server, read_request

pytestmark = pytest.mark.integration

LIMITS: dict[str, Any] = {"max_bytes": 100, "timeout_s": PATIENCE_S}
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def egress_to(*servers: RawServer) -> GuardedEgress:
    allow = ",".join(server.egress_allow for server in servers)
    return GuardedEgress(
        allow=allow, own_hosts=frozenset(), resolve=lambda _host, _port: ["127.0.0.1"]
    )


def response(status: int, *lines: bytes, body: bytes = b"ok") -> bytes:
    head = [b"HTTP/1.1 %d Any" % status, *lines, b"Content-Length: %d" % len(body)]
    return b"\r\n".join([*head, b"", body])


@pytest.mark.parametrize("status", [200, 201, 299, 300, 400, 404, 410, 429, 500, 503, 599])
def test_every_status_is_returned(status: int) -> None:
    with raw_server(answer(response(status, b"X-Name: Value", b"Retry-After: 3"))) as server:
        got = egress_to(server).request("POST", server.url(), body=b"body", **LIMITS)

        assert (got.status, got.content, got.is_truncated) == (status, b"ok", False)
        assert (got.headers["x-name"], got.headers["retry-after"]) == ("Value", "3")


@pytest.mark.parametrize(
    "location", [b"/again", b"http://169.254.169.254/", b"http://[", b"\xff\xfe", b"file:///etc"]
)
def test_redirect_is_returned_unless_it_is_to_be_followed(location: bytes) -> None:
    with raw_server(answer(response(307, b"Location: " + location))) as server:
        got = egress_to(server).request("POST", server.url(), **LIMITS)

        assert (got.status, got.content) == (307, b"ok")
        assert server.connections == 1


def test_request_is_sent_as_given() -> None:
    with running_site({"/hook?a=b": SitePage("taken")}) as site:
        egress = GuardedEgress(allow=site.egress_allow, own_hosts=frozenset())
        headers = {"Content-Type": "application/json", "webhook-id": "msg_1", "user-agent": "Ours"}
        egress.request("POST", site.url("/hook?a=b"), headers=headers, body=b"{}", **LIMITS)
        egress.request("POST", site.url("/hook?a=b"), **LIMITS)

    sent, empty = site.requests
    assert (sent.method, sent.path, sent.body) == ("POST", "/hook?a=b", b"{}")
    assert sent.headers == {
        "host": f"127.0.0.1:{site.port}",
        "accept": "*/*",
        "accept-encoding": "identity",
        "connection": "keep-alive",
        "user-agent": "Ours",
        "content-type": "application/json",
        "webhook-id": "msg_1",
        "content-length": "2",
    }
    assert (empty.body, empty.headers["content-length"]) == (b"", "0")


def test_pieces_are_sent_chunked_or_with_the_length_given() -> None:
    with raw_server(answer(OK)) as server:
        egress = egress_to(server)
        egress.request("PUT", server.url(), body=iter([b"ab", b"c"]), **LIMITS)
        length = {"Content-Length": "3"}
        egress.request("PUT", server.url(), body=iter([b"ab", b"c"]), headers=length, **LIMITS)

    chunked, whole = server.requests
    assert chunked.endswith(b"\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")
    assert whole.endswith(b"\r\n\r\nabc")
    assert b"chunked" not in whole


@pytest.mark.parametrize("length", ["2", "4"])
def test_pieces_of_another_length_are_not_sent_as_a_whole(length: str) -> None:
    options = {"body": iter([b"a", b"bc"]), "headers": {"Content-Length": length}, **LIMITS}
    with raw_server(answer(OK)) as server:
        with pytest.raises(HostUnreachableError, match="no valid HTTP") as raised:
            egress_to(server).request("PUT", server.url(), **options)

        assert raised.value.sent is SentState.PART
        assert server.requests == []


@pytest.mark.parametrize("error", [KeyError("x"), OSError("disk"), TimeoutError("slow")])
def test_error_of_the_body_is_passed_on(error: Exception) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"a"
        raise error

    with raw_server(answer(OK)) as server, pytest.raises(type(error)) as raised:
        egress_to(server).request("PUT", server.url(), body=pieces(), **LIMITS)

    assert raised.value is error
    assert server.requests == []


@pytest.mark.parametrize(
    "headers",
    [
        {"X-A": "a\r\nX-B: b"},
        {"X-A\r\nX-B": "a"},
        {"X-A": "š"},
        {"X-A": " a"},
        {"X A": "a"},
        {"": "a"},
        {"Host": "own.example"},
        {"transfer-encoding": "chunked"},
        {"Connection": "close"},
        {"Upgrade": "h2c"},
    ],
)
def test_header_that_cannot_be_sent_is_a_mistake(headers: dict[str, str]) -> None:
    with raw_server(answer(OK)) as server, pytest.raises(ValueError, match="header"):
        egress_to(server).request("GET", server.url(), headers=headers, **LIMITS)

    assert server.connections == 0


@pytest.mark.parametrize(
    "sent",
    [
        b"HTTP/1.0 200 OK\r\n\r\nuntil the end",
        b"HTTP/1.1 200 OK\r\n\r\nuntil the end",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nX: y\r\n\r\n" + response(200),
    ],
)
def test_response_without_length_and_hints_are_read(sent: bytes) -> None:
    with raw_server(answer(sent)) as server:
        got = egress_to(server).request("POST", server.url(), **LIMITS)

    assert got.status == 200
    assert got.content in {b"until the end", b"ok"}


def test_responses_without_a_body_are_read() -> None:
    for method, sent in (
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n"),
        ("DELETE", b"HTTP/1.1 204 No\r\n\r\n"),
        ("GET", b"HTTP/1.1 304 Same\r\nContent-Length: 900\r\n\r\n"),
    ):
        with raw_server(answer(sent)) as server:
            got = egress_to(server).request(method, server.url(), **LIMITS)
            assert (got.content, got.is_truncated) == (b"", False)


@pytest.mark.parametrize(("size", "is_truncated"), [(99, False), (100, False), (101, True)])
def test_long_body_is_cut_and_flagged(size: int, is_truncated: bool) -> None:  # noqa: FBT001
    with raw_server(answer(response(500, body=b"x" * size))) as server:
        got = egress_to(server).request("POST", server.url(), **LIMITS)

    assert (len(got.content), got.is_truncated) == (min(size, 100), is_truncated)


def test_endless_body_is_cut_and_flagged() -> None:
    def flood(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"x" * 1000)

    with raw_server(flood) as server:
        got = egress_to(server).request("POST", server.url(), **LIMITS)

    assert (got.content, got.is_truncated) == (b"x" * 100, True)


def test_compression_bomb_stays_packed() -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    with raw_server(answer(response(200, b"Content-Encoding: gzip", body=bomb))) as server:
        egress = egress_to(server)
        egress.request("GET", server.url(), **LIMITS)
        tracemalloc.start()
        got = egress.request("GET", server.url(), **LIMITS)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert (got.content, got.is_truncated) == (bomb[:100], True)
    assert got.headers["content-encoding"] == "gzip"
    assert peak < 2_000_000


def test_followed_redirect_gives_other_origins_no_headers_of_the_caller() -> None:
    headers = {"Authorization": "Bearer secret", "X-Api-Key": "secret", "Content-Type": "a/b"}
    with raw_server(answer(OK)) as other:
        away = response(307, b"Location: " + other.url().encode())
        with raw_server(answer(response(308, b"Location: /next")), answer(away)) as server:
            egress = egress_to(server, other)
            got = egress.request(
                "POST", server.url(), headers=headers, body=b"body", redirects=2, **LIMITS
            )

    assert (got.status, got.url) == (200, other.url())
    assert [b"secret" in sent for sent in server.requests] == [True, True]
    (sent,) = other.requests
    assert b"secret" not in sent
    assert b"Content-Type: a/b\r\n" in sent
    assert sent.endswith(b"body")


def test_redirects_beyond_the_limit_fail_after_a_request() -> None:
    with raw_server(answer(response(302, b"Location: /round"))) as server:
        with pytest.raises(HostUnreachableError, match="more than 2 times") as raised:
            egress_to(server).request("GET", server.url(), redirects=2, **LIMITS)

        assert raised.value.sent is SentState.ALL
        assert server.connections == 3


def test_pieces_are_not_sent_again_by_a_redirect() -> None:
    with raw_server(answer(response(307, b"Location: /next"))) as server:
        with pytest.raises(HostUnreachableError, match="only once") as raised:
            egress_to(server).request(
                "POST", server.url(), body=iter([b"a"]), redirects=1, **LIMITS
            )
        assert raised.value.sent is SentState.ALL
        assert server.connections == 1


def test_connect_returns_a_socket_to_a_port_that_is_named() -> None:
    def greet(connection: socket.socket) -> None:
        connection.sendall(b"220 mail\r\n")

    with raw_server(greet) as server:
        with egress_to(server).connect(
            "mail.example", server.port, timeout_s=PATIENCE_S, ports={25}
        ) as got:
            assert got.recv(100) == b"220 mail\r\n"
        outside = GuardedEgress(allow="", own_hosts=frozenset())
        for host in ("127.0.0.1", "127.1", "::1", "localhost", "169.254.169.254"):
            with pytest.raises(HostRefusedError, match="private or internal"):
                outside.connect(host, server.port, timeout_s=PATIENCE_S, ports={server.port})
        with pytest.raises(HostRefusedError, match="only ports 25, 587 may be reached"):
            outside.connect("192.0.2.1", 443, timeout_s=PATIENCE_S, ports={587, 25})
        assert server.connections == 1


def test_ports_are_those_of_the_request_alone() -> None:
    egress = GuardedEgress(allow="", own_hosts=frozenset())
    for url, ports in (
        ("http://8.8.8.8:22/", None),
        ("http://8.8.8.8/", {443}),
        ("http://8.8.8.8:0/", None),
    ):
        options = LIMITS if ports is None else {**LIMITS, "ports": ports}
        with pytest.raises(HostRefusedError, match="may be reached") as raised:
            egress.request("GET", url, **options)
        assert raised.value.sent is SentState.NOTHING
