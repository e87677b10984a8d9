"""Kept connections: used for one destination only, and no request is silently sent twice."""

import socket
from collections.abc import Iterator
from queue import Queue
from threading import Event
from typing import Any

import pytest

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.adapters.net.http import HttpClient
from chalicelib.engine.ports import HostUnreachableError, SentState
from tests.builders.waiting import PATIENCE_S
from tests.fakes.raw_server import RawServer, answer, raw_server, read_request, reset, silence
from tests.integration.net.test_requests import LIMITS, OK, egress_to, response

pytestmark = pytest.mark.integration

LAST = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"


def post(client: HttpClient, server: RawServer, **options: Any) -> bytes:
    merged = {"url": server.url(), "body": b"body", **LIMITS, **options}
    return client.request("POST", **merged).content


def test_connection_is_kept_for_the_same_destination_alone() -> None:
    with (
        raw_server(answer(OK, OK, OK)) as server,
        raw_server(answer(OK, OK, OK)) as other,
        egress_to(server, other).client() as client,
    ):
        for _ in range(3):
            assert post(client, server) == post(client, other) == b"ok"
        assert (server.connections, other.connections) == (1, 1)

        post(client, server, url=server.url(host="name.example"))
        assert server.connections == 2
        post(client, server, url=server.url(host="name.example"), ports={server.port})
        assert server.connections == 3


def test_each_request_alone_has_a_connection_of_its_own() -> None:
    with raw_server(answer(OK, OK)) as server:
        egress = egress_to(server)
        for _ in range(2):
            egress.request("GET", server.url(), **LIMITS)

    assert server.connections == 2


@pytest.mark.parametrize(
    "first",
    [
        LAST,
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\n\r\nok",
        OK + response(200, body=b"forged"),
        OK + b"\r\n",
        response(200, body=b"x" * 101),
    ],
    ids=["close", "old", "no length", "surplus", "surplus line", "truncated"],
)
def test_connection_is_dropped_when_its_end_is_unsure(first: bytes) -> None:
    def play(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(first)
        if first != b"HTTP/1.1 200 OK\r\n\r\nok":
            silence(connection)

    with raw_server(play, answer(OK)) as server, egress_to(server).client() as client:
        post(client, server)
        assert post(client, server) == b"ok"
        assert server.connections == 2


def test_bytes_that_arrive_later_are_not_the_next_response() -> None:
    arrived = Event()

    def play(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(OK)
        connection.sendall(response(200, body=b"forged"))
        arrived.set()
        silence(connection)

    with raw_server(play, answer(OK)) as server, egress_to(server).client() as client:
        post(client, server)
        assert arrived.wait(PATIENCE_S)
        assert post(client, server) == b"ok"


def test_kept_connection_that_has_ended_is_replaced_before_anything_is_sent() -> None:
    ended = Event()

    def play(connection: socket.socket) -> None:
        answer(OK)(connection)
        connection.shutdown(socket.SHUT_RDWR)
        ended.set()

    with raw_server(play, answer(OK)) as server, egress_to(server).client() as client:
        post(client, server)
        assert ended.wait(PATIENCE_S)
        assert post(client, server, body=iter([b"pieces"])) == b"ok"

    assert len(server.requests) == 2


def test_connection_is_not_kept_after_an_error() -> None:
    with (
        raw_server(answer(OK, b"HTTP/1.1 nonsense\r\n\r\n"), answer(OK)) as server,
        egress_to(server).client() as client,
    ):
        post(client, server)
        with pytest.raises(HostUnreachableError):
            post(client, server)
        assert server.connections == 1
        assert post(client, server) == b"ok"
        assert server.connections == 2


def takes_and_resets(connection: socket.socket) -> None:
    """Answer the first request, take the second one whole, and reset."""
    read_request(connection)
    connection.sendall(OK)
    read_request(connection)
    reset(connection)


@pytest.mark.parametrize(
    ("method", "body", "attempts"),
    [
        ("POST", b"body", 1),
        ("PATCH", b"body", 1),
        ("PUT", iter([b"pieces"]), 1),
        ("PUT", b"body", 2),
        ("GET", b"", 2),
        ("DELETE", b"", 2),
    ],
)
def test_only_idempotent_requests_are_repeated_on_a_new_connection(
    method: str, body: bytes | Iterator[bytes], attempts: int
) -> None:
    with raw_server(takes_and_resets, answer(OK)) as server, egress_to(server).client() as client:
        post(client, server)
        if attempts == 2:
            assert client.request(method, server.url(), body=body, **LIMITS).content == b"ok"
        else:
            with pytest.raises(HostUnreachableError) as raised:
                client.request(method, server.url(), body=body, **LIMITS)
            assert raised.value.sent is SentState.ALL

    assert len(server.requests) == 1 + attempts


def test_request_that_was_answered_in_part_is_not_repeated() -> None:
    with (
        raw_server(answer(OK, b"HTTP/1.1 2"), answer(OK)) as server,
        egress_to(server).client() as client,
    ):
        post(client, server)
        with pytest.raises(HostUnreachableError):
            client.request("GET", server.url(), **LIMITS)

    assert (server.connections, len(server.requests)) == (1, 2)


def test_repeated_request_that_finds_nobody_still_counts_as_sent() -> None:
    answers = iter([["127.0.0.1"], []])
    with raw_server(takes_and_resets) as server:
        egress = GuardedEgress(
            allow=server.egress_allow,
            own_hosts=frozenset(),
            resolve=lambda _host, _port: next(answers),
        )
        url = server.url(host="name.example")
        with egress.client() as client:
            client.request("GET", url, **LIMITS)
            with pytest.raises(HostUnreachableError, match="has no address") as raised:
                client.request("GET", url, **LIMITS)

    assert raised.value.sent is SentState.ALL


def test_client_keeps_few_connections_and_closes_them() -> None:
    ended: Queue[bytes] = Queue()

    def play(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(OK)
        ended.put(connection.recv(1))

    with raw_server(play) as server:
        client = egress_to(server).client()
        for number in range(20):
            post(client, server, url=server.url(host=f"host{number}.example"))
        assert [ended.get(timeout=PATIENCE_S) for _ in range(4)] == [b""] * 4
        assert ended.empty()

        client.close()
        assert [ended.get(timeout=PATIENCE_S) for _ in range(16)] == [b""] * 16
