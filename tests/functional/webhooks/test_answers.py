"""Answers of receivers: which ones are a success, and what the log keeps of them."""

import datetime as dt
import gzip
import json
import socket
from collections.abc import Callable
from typing import Any

import pytest

from tests.builders.service import Service
from tests.builders.waiting import PATIENCE_S
from tests.builders.webhooks import send_sample
from tests.fakes.raw_server import Play, answer, raw_server, read_request

HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
EARLY = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
ODD = "\N{REPLACEMENT CHARACTER}"
SUCCESSES = (200, 201, 202, 203, 204, 205, 206, 226, 299)
REDIRECTS = (300, 301, 302, 303, 304, 305, 307, 308, 399)
REFUSALS = (400, 401, 403, 404, 405, 408, 409, 410, 413, 418, 421, 429, 451, 499)
FAULTS = (500, 501, 502, 503, 504, 507, 511, 599, 600, 999)
RETRY_AFTER = (b"0", b"86400", b"Fri, 31 Dec 2100 23:59:59 GMT", b"soon")


def of_status(status: int, *headers: bytes) -> bytes:
    body = b"" if status in {204, 205, 304} else b"said"
    lines = [b"HTTP/1.1 %d Said" % status, b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join([*lines, b"", body])


def with_text(content: bytes, *headers: bytes) -> bytes:
    lines = [b"HTTP/1.1 200 OK", b"Content-Length: %d" % len(content), *headers]
    return b"\r\n".join([*lines, b"", content])


def attempt_of(service: Service, play: Play) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a delivery and its only attempt, after one connection and one request."""
    with raw_server(play) as server:
        delivery = send_sample(service, server)
    assert (server.connections, len(server.requests)) == (1, 1)
    (attempt,) = delivery["attempts"]
    return delivery, attempt


@pytest.mark.parametrize("status", SUCCESSES)
@pytest.mark.parametrize("before", [b"", EARLY], ids=["alone", "after 1xx"])
def test_2xx_is_a_success(service: Service, status: int, before: bytes) -> None:
    delivery, attempt = attempt_of(service, answer(before + of_status(status)))

    assert (delivery["status"], delivery["next_attempt_at"]) == ("succeeded", None)
    assert (attempt["status_code"], attempt["error"]) == (status, None)
    assert attempt["response_excerpt"] == ("" if status in {204, 205} else "said")


@pytest.mark.parametrize("status", [*REDIRECTS, *REFUSALS, *FAULTS])
def test_other_statuses_are_failures_that_are_tried_again(service: Service, status: int) -> None:
    with raw_server(answer(of_status(200))) as elsewhere:
        location = f"Location: {elsewhere.url('/elsewhere')}".encode()

        delivery, attempt = attempt_of(service, answer(EARLY + of_status(status, location)))

    assert elsewhere.connections == 0
    assert (delivery["status"], attempt["status_code"]) == ("retrying", status)
    assert attempt["error"] is None
    assert attempt["response_excerpt"] == ("" if status == 304 else "said")
    assert 4.5 <= seconds_to_next(service, delivery) <= 5.5


@pytest.mark.parametrize("value", RETRY_AFTER)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_changes_nothing(service: Service, status: int, value: bytes) -> None:
    delivery, attempt = attempt_of(service, answer(of_status(status, b"Retry-After: " + value)))

    assert (delivery["status"], attempt["status_code"]) == ("retrying", status)
    assert 4.5 <= seconds_to_next(service, delivery) <= 5.5


@pytest.mark.parametrize(
    ("content", "excerpt"),
    [
        (b"", ""),
        (b"a\0b\r\n\t\x1b[31m\x7f", f"a{ODD}b\r\n\t\x1b[31m\x7f"),
        (b"a\xffb\xc3", f"a{ODD}b{ODD}"),
        (b"\xed\xa0\x80", ODD * 3),
        ("Grüße €\N{GRINNING FACE}".encode(), "Grüße €\N{GRINNING FACE}"),
        ("Grüße".encode("latin-1"), f"Gr{ODD}{ODD}e"),
        (("\N{GRINNING FACE}" * 1_001).encode(), "\N{GRINNING FACE}" * 1_000),
        (b"\0" * 2_000, ODD * 1_000),
        ('"}\\u0000</script>\u2028'.encode(), '"}\\u0000</script>\u2028'),
    ],
    ids=["none", "controls", "broken", "surrogate", "UTF-8", "Latin-1", "long", "NUL", "JSON"],
)
def test_excerpt_is_text_of_1000_characters(service: Service, content: bytes, excerpt: str) -> None:
    delivery, attempt = attempt_of(service, answer(with_text(content)))

    assert (delivery["status"], attempt["status_code"]) == ("succeeded", 200)
    assert attempt["response_excerpt"] == excerpt


@pytest.mark.parametrize(
    ("content_type", "content", "excerpt"),
    [
        ("text/plain; charset=ISO-8859-1", "Grüße".encode("latin-1"), "Grüße"),
        ('text/html; Charset="windows-1251"', "Привет".encode("cp1251"), "Привет"),
        ("text/plain;charset=shift_jis", "東京".encode("shift_jis"), "東京"),
        ("text/plain; charset=utf-16", "Grüße".encode("utf-16"), "Grüße"),
        ("text/plain; charset=hex", b"6120", "6120"),
        ("text/plain; charset=unicode_escape", b"\\u0041", "\\u0041"),
        ("text/plain; charset=no-such", "Grüße".encode(), "Grüße"),
        ("text/plain; charset=", "Grüße".encode(), "Grüße"),
    ],
)
def test_excerpt_is_decoded_in_the_charset_of_the_answer(
    service: Service, content_type: str, content: bytes, excerpt: str
) -> None:
    header = b"Content-Type: " + content_type.encode()
    _, attempt = attempt_of(service, answer(with_text(content, header)))

    assert attempt["response_excerpt"] == excerpt


@pytest.mark.parametrize(
    "content", [bytes(range(256)) * 8, gzip.compress(b"x" * 100)], ids=["bytes", "gzip"]
)
def test_excerpt_of_binary_content_can_be_stored_and_sent(service: Service, content: bytes) -> None:
    _, attempt = attempt_of(service, answer(with_text(content, b"Content-Encoding: gzip")))

    excerpt = attempt["response_excerpt"]
    assert attempt["status_code"] == 200
    assert 0 < len(excerpt) <= 1_000
    assert "\0" not in excerpt
    assert json.loads(json.dumps(excerpt).encode()) == excerpt


def then_silence(response: bytes) -> Play:
    """Return a play that answers and then keeps the connection open until the other side ends."""

    def play(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(response)
        connection.recv(1)

    return play


def without_end(start: bytes, piece: bytes) -> Play:
    """Return a play that sends a start and then pieces for as long as the other side reads."""

    def play(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(start)
        while True:
            connection.sendall(piece)

    return play


LARGE: dict[str, Play] = {
    "5 MB": answer(with_text(b"x" * 5_000_000)),
    "16 KiB of more": then_silence(HEAD + b"Content-Length: 999999\r\n\r\n" + b"x" * 16_384),
    "body without end": without_end(HEAD + b"\r\n", b"x" * 10_000),
    "chunks without end": without_end(CHUNKED, b"3e8\r\n" + b"x" * 1_000 + b"\r\n"),
    "small chunks without end": without_end(CHUNKED, b"1\r\nx\r\n" * 1_000),
}


@pytest.mark.parametrize("case", LARGE)
def test_large_answer_is_whole_after_16_kib(
    service: Service, quick: Callable[[float], None], case: str
) -> None:
    quick(PATIENCE_S)

    delivery, attempt = attempt_of(service, LARGE[case])

    assert (delivery["status"], attempt["status_code"]) == ("succeeded", 200)
    assert (attempt["error"], attempt["response_excerpt"]) == (None, "x" * 1_000)


def test_less_than_16_kib_of_a_longer_answer_is_not_whole(
    service: Service, quick: Callable[[float], None]
) -> None:
    quick(0.5)
    response = HEAD + b"Content-Length: 999999\r\n\r\n" + b"x" * 16_383

    delivery, attempt = attempt_of(service, then_silence(response))

    assert (delivery["status"], attempt["status_code"]) == ("retrying", None)
    assert "took too long" in attempt["error"]
    assert attempt["response_excerpt"] is None


def test_answer_is_whole_although_the_connection_stays_open(
    service: Service, quick: Callable[[float], None]
) -> None:
    quick(PATIENCE_S)

    _, attempt = attempt_of(service, then_silence(of_status(200)))

    assert (attempt["status_code"], attempt["response_excerpt"]) == (200, "said")


def seconds_to_next(service: Service, delivery: dict[str, Any]) -> float:
    """Return the seconds from now to the next attempt."""
    due = dt.datetime.fromisoformat(delivery["next_attempt_at"])
    return (due - service.clock.now()).total_seconds()
