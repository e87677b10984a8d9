"""Receivers without a usable answer: what the log says, and that the delivery is tried again."""

import itertools
import socket
import time
from collections.abc import Callable

import pytest

from tests.builders.service import Service
from tests.builders.waiting import PATIENCE_S
from tests.builders.webhooks import failed_attempt, send_sample
from tests.fakes.raw_server import Play, answer, raw_server, read_request, reset, silence

HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
OK = HEAD + b"Content-Length: 2\r\n\r\nok"
TIMEOUT_S = 0.8
NO_ANSWER = "127.0.0.1 ended the connection without an answer"
CUT_SHORT = "127.0.0.1 ended the connection before its answer was complete"
NO_HTTP = "127.0.0.1 gave no valid HTTP/1.1 answer"
TOO_LONG = "127.0.0.1 took too long to answer: all of it must arrive within 0.8 s"
HEADERS = "127.0.0.1 answered with more than 102400 bytes of headers"
BROKEN = {
    "nothing": (b"", NO_ANSWER),
    "binary": (bytes(range(256)) * 4, NO_HTTP),
    "page without HTTP": (b"<html><p>Hello\r\n\r\n", NO_HTTP),
    "TLS alert": (b"\x15\x03\x03\x00\x02\x02\x28", NO_HTTP),
    "HTTP/2": (b"\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80", NO_HTTP),
    "other protocol": (
        b"HTTP/1.1 101 Switch\r\nUpgrade: x\r\n\r\n",
        NO_HTTP,
    ),
    "status of two digits": (b"HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n", NO_HTTP),
    "status below 100": (b"HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n", NO_HTTP),
    "status of words": (b"HTTP/1.1 OK 200\r\nContent-Length: 0\r\n\r\n", NO_HTTP),
    "two lengths": (HEAD + b"Content-Length: 5\r\nContent-Length: 3\r\n\r\nabcde", NO_HTTP),
    "chunk of no size": (CHUNKED + b"x\r\nabc\r\n0\r\n\r\n", NO_HTTP),
    "huge header": (HEAD + b"X-Huge: " + b"x" * 200_000 + b"\r\n\r\n", HEADERS),
    "many headers": (HEAD + b"X-Many: value\r\n" * 20_000 + b"\r\n", HEADERS),
    "only 1xx": (b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n", CUT_SHORT),
    "half a head": (HEAD + b"Content-Le", CUT_SHORT),
    "half a body": (HEAD + b"Content-Length: 9\r\n\r\nabc", CUT_SHORT),
    "half a chunk": (CHUNKED + b"5\r\nabc", CUT_SHORT),
    "no last chunk": (CHUNKED + b"3\r\nabc\r\n", CUT_SHORT),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_answer(service: Service, case: str) -> None:
    response, error = BROKEN[case]
    with raw_server(answer(response)) as server:
        assert failed_attempt(service, server)["error"] == error
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("response", "error"),
    [(b"", NO_ANSWER), (HEAD + b"\r\n", CUT_SHORT), (OK[:-1], CUT_SHORT)],
    ids=["before the head", "after the head", "in the body"],
)
def test_reset(service: Service, response: bytes, error: str) -> None:
    def play(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(response)
        reset(connection)

    with raw_server(play) as server:
        assert failed_attempt(service, server)["error"] == error


def test_nothing_listens(service: Service) -> None:
    with raw_server(answer(OK)) as server:
        pass

    error = failed_attempt(service, server)["error"]

    assert error.startswith(f"127.0.0.1:{server.port} could not be connected to: nothing listens")


def flood(start: bytes, piece: bytes) -> Play:
    def play(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(start)
        while True:
            connection.sendall(piece)

    return play


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (CHUNKED, b"1;" + b"x" * 1_000 + b"\r\nx\r\n"),
        (b"", b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n" * 100),
    ],
    ids=["chunks of little", "1xx"],
)
def test_endless_answer_of_little_content(
    service: Service, quick: Callable[[float], None], start: bytes, piece: bytes
) -> None:
    quick(PATIENCE_S)
    with raw_server(flood(start, piece)) as server:
        error = failed_attempt(service, server)["error"]

    assert error == "127.0.0.1 sent more than 1032766 bytes, and its answer is not complete"


def drip(start: bytes, piece: bytes, pause_s: float) -> Play:
    """Return a play that sends a start and then pieces, byte by byte, until the other side ends."""

    def play(connection: socket.socket) -> None:
        read_request(connection)
        for byte in itertools.chain(start, itertools.cycle(piece)):
            connection.sendall(bytes([byte]))
            time.sleep(pause_s)

    return play


def test_answer_within_the_time_counts(service: Service, quick: Callable[[float], None]) -> None:
    def play(connection: socket.socket) -> None:
        read_request(connection)
        time.sleep(0.4)
        connection.sendall(OK)

    quick(PATIENCE_S)
    with raw_server(play) as server:
        (attempt,) = send_sample(service, server)["attempts"]

    assert (attempt["status_code"], attempt["error"]) == (200, None)
    assert attempt["latency_ms"] >= 400


@pytest.mark.parametrize(
    "play",
    [
        silence,
        drip(HEAD + b"X-Slow: ", b"x", 0.05),
        drip(HEAD + b"\r\n", b"x", 0.01),
        drip(CHUNKED, b"1\r\nx\r\n", 0.01),
    ],
    ids=["nothing", "slow head", "slow body", "slow chunks"],
)
def test_answer_that_is_not_whole_in_time(
    service: Service, quick: Callable[[float], None], play: Play
) -> None:
    quick(TIMEOUT_S)
    with raw_server(play) as server:
        attempt = failed_attempt(service, server)

    assert attempt["error"] == TOO_LONG
    assert attempt["latency_ms"] >= TIMEOUT_S * 1_000
