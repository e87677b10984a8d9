"""Failed requests: which error, and whether the server may have acted."""

import socket
import time
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from chalicelib.adapters.net import connections
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.engine.ports import (
    FetchResponse,
    HostRefusedError,
    HostUnreachableError,
    SentState,
)
from tests.builders.pages.certificates import Certificates
from tests.builders.waiting import PATIENCE_S
from tests.fakes.raw_server import Play, RawServer, answer, raw_server, read_request, reset, silence
from tests.fakes.skipped_time import SkippedTime

pytestmark = pytest.mark.integration

MAX_BYTES = 10_000
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
# More than the buffers of both sockets take.
LARGE = b"x" * 30_000_000
NO_ANSWER = "ended the connection without an answer"
CUT_SHORT = "ended the connection before its answer was complete"
NO_HTTP = "gave no valid HTTP/1.1 answer"
TOO_LONG = f"took too long to answer: all of it must arrive within {PATIENCE_S:g} s"
OTHER_NAME = "has a certificate for another name"
TOO_MANY_HEADERS = "answered with more than 102400 bytes of headers"
BROKEN = {
    "nothing": (b"", NO_ANSWER),
    "no HTTP": (b"\x16\x03\x01 this is no HTTP\r\n\r\n", NO_HTTP),
    "length of words": (HEAD + b"Content-Length: many\r\n\r\nabc", NO_HTTP),
    "length below zero": (HEAD + b"Content-Length: -1\r\n\r\nabc", NO_HTTP),
    "two lengths": (HEAD + b"Content-Length: 5\r\nContent-Length: 3\r\n\r\nabcde", NO_HTTP),
    "less than announced": (HEAD + b"Content-Length: 9\r\n\r\nabc", CUT_SHORT),
    "chunk of no size": (CHUNKED + b"x\r\nabc\r\n0\r\n\r\n", NO_HTTP),
    "chunk cut short": (CHUNKED + b"5\r\nabc", CUT_SHORT),
    "no last chunk": (CHUNKED + b"3\r\nabc\r\n", CUT_SHORT),
    "CR without LF": (b"HTTP/1.1 200 OK\rContent-Length: 0\r\r", CUT_SHORT),
    "huge header": (HEAD + b"X-Huge: " + b"x" * 200_000 + b"\r\n\r\n", TOO_MANY_HEADERS),
    "huge headers": (HEAD + b"X-Many: value\r\n" * 20_000 + b"\r\n", TOO_MANY_HEADERS),
    "head cut short": (HEAD + b"Content-Le", CUT_SHORT),
    "other protocol": (
        b"HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        NO_HTTP,
    ),
    "only early hints": (b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n", CUT_SHORT),
}


def request(server: RawServer, url: str = "", **options: Any) -> FetchResponse:
    egress = GuardedEgress(
        allow=options.pop("allow", server.egress_allow),
        own_hosts=frozenset(),
        resolve=options.pop("resolve", lambda _host, _port: ["127.0.0.1"]),
    )
    options = {"body": b"body", "max_bytes": MAX_BYTES, "timeout_s": PATIENCE_S, **options}
    return egress.request(options.pop("method", "POST"), url or server.url(), **options)


def failure(server: RawServer, url: str = "", **options: Any) -> HostUnreachableError:
    with pytest.raises(HostUnreachableError) as raised:
        request(server, url, **options)
    return raised.value


@pytest.mark.parametrize("case", BROKEN)
def test_broken_response_comes_after_the_whole_request(case: str) -> None:
    response, error = BROKEN[case]
    with raw_server(answer(response)) as server:
        failed = failure(server)

        assert str(failed) == f"127.0.0.1 {error}"
        assert failed.sent is SentState.ALL
        assert server.connections == 1


@pytest.mark.parametrize(
    "response", [b"", HEAD, HEAD + b"Content-Length: 5\r\n\r\nab"], ids=["head", "half", "body"]
)
def test_reset_after_the_last_byte_of_the_request(response: bytes) -> None:
    def play(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(response)
        reset(connection)

    with raw_server(play) as server:
        failed = failure(server)

        error = CUT_SHORT if response else NO_ANSWER
        assert (str(failed), failed.sent) == (f"127.0.0.1 {error}", SentState.ALL)
        assert server.connections == 1


def reset_within_body(connection: socket.socket) -> None:
    connection.recv(100)
    reset(connection)


def test_reset_within_the_request_leaves_a_part_sent() -> None:
    with raw_server(reset_within_body) as server:
        failed = failure(server, body=LARGE)

        assert (str(failed), failed.sent) == (f"127.0.0.1 {NO_ANSWER}", SentState.PART)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SkippedTime:
    """Give the time of requests, which plays can move forward."""
    return SkippedTime(monkeypatch, connections)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let requests use up their time only where they wait for the other side."""
    monkeypatch.setattr(connections, "time", SimpleNamespace(monotonic=lambda: 0.0))


@pytest.mark.usefixtures("still")
def test_unread_request_times_out_with_a_part_sent() -> None:
    stop = Event()

    def hold(_connection: socket.socket) -> None:
        stop.wait(PATIENCE_S)

    with raw_server(hold) as server:
        failed = failure(server, body=LARGE, timeout_s=0.5)

        assert str(failed).startswith("127.0.0.1 took too long to answer")
        assert failed.sent is SentState.PART
    stop.set()


def test_slowly_read_request_does_not_extend_the_deadline(
    ours: Certificates, clock: SkippedTime
) -> None:
    def read_slowly(connection: socket.socket) -> None:
        connection.recv(1)
        clock.skip(PATIENCE_S)
        while connection.recv(16_384):
            time.sleep(0.02)

    for tls in (None, ours.server):
        with raw_server(read_slowly, tls=tls) as server:
            failed = failure(server, body=LARGE)

            assert (str(failed), failed.sent) == (f"127.0.0.1 {TOO_LONG}", SentState.PART)


@pytest.mark.usefixtures("still")
def test_late_response_times_out_with_all_sent() -> None:
    with raw_server(silence) as server:
        failed = failure(server, timeout_s=0.5)

        assert str(failed).startswith("127.0.0.1 took too long to answer")
        assert failed.sent is SentState.ALL


@pytest.mark.parametrize(
    ("start", "piece"),
    [(HEAD + b"X-Slow: ", b"x"), (HEAD + b"\r\n", b"x"), (CHUNKED, b"1\r\nx\r\n")],
    ids=["head", "body", "chunks"],
)
def test_slow_response_does_not_extend_the_deadline(
    clock: SkippedTime, start: bytes, piece: bytes
) -> None:
    def play(connection: socket.socket) -> None:
        read_request(connection)
        clock.skip(PATIENCE_S)
        connection.sendall(start)
        while True:
            connection.sendall(piece)
            time.sleep(0.01)

    with raw_server(play) as server:
        failed = failure(server)

        assert (str(failed), failed.sent) == (f"127.0.0.1 {TOO_LONG}", SentState.ALL)


def test_response_byte_by_byte_is_read_in_time() -> None:
    def play(connection: socket.socket) -> None:
        read_request(connection)
        for byte in OK:
            connection.sendall(bytes([byte]))
            time.sleep(0.002)

    with raw_server(play) as server:
        assert request(server).content == b"ok"


def test_no_connection_means_nothing_sent() -> None:
    with raw_server(silence) as server:
        pass

    failed = failure(server)

    assert failed.sent is SentState.NOTHING
    assert "could not be connected to: nothing listens there" in str(failed)


def test_lookup_counts_within_the_timeout() -> None:
    done = Event()

    def resolve(_host: str, _port: int) -> list[str]:
        done.wait(PATIENCE_S)
        return ["127.0.0.1"]

    with raw_server(answer(OK)) as server:
        url = server.url(host="name.example")
        failed = failure(server, url, resolve=resolve, timeout_s=0.3)

        assert str(failed).startswith("name.example could not be looked up in time")
        assert failed.sent is SentState.NOTHING
        done.set()


def test_certificate_of_another_name_means_nothing_sent(ours: Certificates) -> None:
    with raw_server(answer(OK), tls=ours.server) as server:
        assert request(server).content == b"ok"
        failed = failure(server, server.url(host="name.example"))

        assert (str(failed), failed.sent) == (f"name.example {OTHER_NAME}", SentState.NOTHING)
        assert len(server.requests) == 1


@pytest.mark.parametrize("play", [reset, answer(OK), silence], ids=["reset", "plain", "silent"])
def test_failed_handshake_means_nothing_sent(play: Play) -> None:
    with raw_server(play) as server:
        failed = failure(server, server.url().replace("http:", "https:"), timeout_s=0.5)

        assert failed.sent is SentState.NOTHING
        assert server.requests == []


def test_early_response_is_returned_although_the_request_was_not_read() -> None:
    def refuse(connection: socket.socket) -> None:
        connection.recv(100)
        connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig")

    with raw_server(refuse) as server:
        response = request(server, body=LARGE)

        assert (response.status, response.content) == (413, b"big")


@pytest.mark.parametrize("status", [307, 302, 303])
def test_redirect_to_a_private_address_is_refused_after_the_first_request(status: int) -> None:
    to_metadata = (
        b"HTTP/1.1 %d To\r\nContent-Length: 0\r\nLocation: http://169.254.169.254/\r\n\r\n"
    )
    with raw_server(answer(to_metadata % status)) as server:
        with pytest.raises(HostRefusedError, match=r"169\.254\.169\.254:80 is refu") as raised:
            request(server, redirects=5)

        assert raised.value.sent is SentState.ALL
        assert request(server).status == status


def test_each_hop_is_looked_up_and_checked_again() -> None:
    """DNS rebinding: the second lookup gives another address, within a redirect or between two."""
    again = b"HTTP/1.1 307 Again\r\nContent-Length: 0\r\nLocation: /again\r\n\r\n"
    for method in ("GET", "POST", "PUT", "DELETE"):
        answers = iter([["127.0.0.1"], ["10.0.0.1"]])
        with raw_server(answer(again)) as server:
            with pytest.raises(HostRefusedError, match="private or internal") as raised:
                request(
                    server,
                    server.url(host="name.example"),
                    method=method,
                    redirects=1,
                    ports={server.port},
                    resolve=lambda _host, _port, answers=answers: next(answers),
                )
            assert raised.value.sent is SentState.ALL
            assert server.connections == 1


def test_refused_destination_means_nothing_sent() -> None:
    with raw_server(answer(OK)) as server:
        for url in (server.url(), server.url(host="127.1"), server.url(host="[::ffff:127.0.0.1]")):
            with pytest.raises(HostRefusedError) as raised:
                request(server, url, allow="")
            assert raised.value.sent is SentState.NOTHING
        with pytest.raises(HostRefusedError):
            request(server, "http://ada:secret@127.0.0.1/")
        with pytest.raises(HostRefusedError):
            request(server, "http://127.0.0.1\\@example.com/")
        assert server.connections == 0


def test_endless_heads_and_hints_are_cut_off() -> None:
    hints = b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n" * 1000

    def flood(connection: socket.socket) -> None:
        read_request(connection)
        while True:
            connection.sendall(hints)

    with raw_server(flood) as server:
        failed = failure(server)

        assert (
            str(failed) == "127.0.0.1 sent more than 1020000 bytes, and its answer is not complete"
        )
        assert failed.sent is SentState.ALL
