"""Stores over HTTP that refuse, hang and cut: each failure is told for what it is."""

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from chalicelib.adapters.net import transport
from chalicelib.core.json import JsonObject
from chalicelib.features.destinations.outgoing import (
    OutgoingFile,
    StoreSession,
    UploadFailedError,
)
from chalicelib.features.destinations.providers.s3 import open_s3
from tests.builders.pages.certificates import certificates
from tests.builders.storage.files import (
    egress_to,
    large_file,
    outgoing_file,
    storage_destination,
)
from tests.builders.waiting import PATIENCE_S
from tests.fakes.raw_server import Play, RawServer, answer, raw_server, read_request, reset, silence

pytestmark = pytest.mark.integration

KEYS: Final = {"access_key_id": "access", "secret_access_key": "secret"}
FILE: Final = outgoing_file("a.pdf", b"content")


@pytest.fixture
def trusted_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ssl.SSLContext]:
    made = certificates(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.ca_file))
    transport._tls_context.cache_clear()
    yield made.server
    transport._tls_context.cache_clear()


@contextmanager
def session_with(
    server: RawServer, timeout_s: float = PATIENCE_S, keys: JsonObject = KEYS
) -> Iterator[StoreSession]:
    destination = storage_destination(
        "s3", endpoint=server.url(""), region="us-east-1", bucket="archive", force_path_style=True
    )
    with open_s3(egress_to(server.port))(destination, keys, timeout_s) as session:
        yield session


def failure_of(
    play: Play,
    file: OutgoingFile = FILE,
    tls: ssl.SSLContext | None = None,
    timeout_s: float = PATIENCE_S,
) -> UploadFailedError:
    with (
        raw_server(play, tls=tls) as server,
        session_with(server, timeout_s) as session,
        pytest.raises(UploadFailedError) as failed,
    ):
        session.put(file)
    return failed.value


def refusal(status: str, *headers: str) -> bytes:
    body = b"<Error>their words</Error>"
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@pytest.mark.parametrize(
    ("status", "code", "is_final"),
    [
        ("301 Moved Permanently", "storage_rejected", True),
        ("307 Temporary Redirect", "storage_rejected", True),
        ("400 Bad Request", "storage_rejected", True),
        ("401 Unauthorized", "storage_denied", True),
        ("403 Forbidden", "storage_denied", True),
        ("404 Not Found", "storage_not_found", True),
        ("408 Request Timeout", "storage_unavailable", False),
        ("409 Conflict", "storage_rejected", True),
        ("413 Content Too Large", "storage_rejected", True),
        ("429 Too Many Requests", "storage_unavailable", False),
        ("500 Internal Server Error", "storage_unavailable", False),
        ("503 Slow Down", "storage_unavailable", False),
    ],
)
def test_status_is_told_in_own_words(status: str, code: str, *, is_final: bool) -> None:
    failed = failure_of(answer(refusal(status, "Location: http://127.0.0.1:1/elsewhere")))

    assert (failed.code, failed.is_final, failed.status) == (code, is_final, int(status[:3]))
    assert status[:3] in str(failed)
    assert "their words" not in str(failed)
    assert "elsewhere" not in str(failed)


@pytest.mark.parametrize(
    ("given", "pause_s"),
    [("120", 120.0), ("0", 0.0), ("99999", 3600.0), ("-1", None), ("soon", None), ("1e9", None)],
)
def test_store_says_when_to_come_back_within_bounds(given: str, pause_s: float | None) -> None:
    failed = failure_of(answer(refusal("503 Slow Down", f"Retry-After: {given}")))

    assert failed.retry_after_s == pause_s


@pytest.mark.parametrize(
    ("header", "tag"),
    [
        ('ETag: "0123abc-2"', "0123abc-2"),
        ('ETag: W/"weak"', "weak"),
        ("ETag: bare", "bare"),
        ('ETag: "of another content"', None),
        (f'ETag: "{"x" * 300}"', None),
        ("X-Other: 1", None),
    ],
)
def test_tag_is_shown_without_quotes_and_never_compared(header: str, tag: str | None) -> None:
    reply = f"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n{header}\r\n\r\n".encode()

    with raw_server(answer(reply)) as server, session_with(server) as session:
        assert session.put(FILE) == tag


def refuse_unread(connection: socket.socket) -> None:
    # What waits to be sent is lost with a connection that ends with unread bytes.
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.recv(1_000)
    connection.sendall(refusal("403 Forbidden", "Connection: close"))


def refuse_and_stay(connection: socket.socket) -> None:
    refuse_unread(connection)
    time.sleep(PATIENCE_S)


@pytest.mark.parametrize("play", [refuse_unread, refuse_and_stay])
@pytest.mark.parametrize("with_tls", [False, True])
def test_refusal_before_the_body_was_read_is_told(
    play: Play, trusted_tls: ssl.SSLContext, *, with_tls: bool
) -> None:
    tls = trusted_tls if with_tls else None

    failed = failure_of(play, large_file("large.zip", 100, "0" * 64), tls)

    assert (failed.code, failed.status) == ("storage_denied", 403)


def test_success_before_the_body_was_read_is_none() -> None:
    def accept_unread(connection: socket.socket) -> None:
        connection.recv(1_000)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    failed = failure_of(accept_unread, large_file("large.zip", 100, "0" * 64))

    assert (failed.code, failed.is_final) == ("storage_unavailable", False)


def read_nothing(_connection: socket.socket) -> None:
    time.sleep(PATIENCE_S)


def drip(connection: socket.socket) -> None:
    """Answer without an end."""
    read_request(connection)
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.1)


def cut(connection: socket.socket) -> None:
    connection.recv(1_000)
    reset(connection)


def end_half_way(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")


def talk_nonsense(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(b"SSH-2.0-their words\r\n")


@pytest.mark.parametrize("play", [silence, drip, read_nothing, cut, end_half_way, talk_nonsense])
@pytest.mark.parametrize("file", [FILE, large_file("large.zip", 100, "0" * 64)], ids=["7", "100M"])
def test_store_without_a_whole_answer_is_unavailable_in_time(
    play: Play, file: OutgoingFile
) -> None:
    failed = failure_of(play, file, timeout_s=1.0)

    assert (failed.code, failed.is_final, failed.status) == ("storage_unavailable", False, None)
    assert "their words" not in str(failed)


def test_closed_port_is_unavailable() -> None:
    with raw_server(silence) as server:
        pass

    with session_with(server) as session, pytest.raises(UploadFailedError) as failed:
        session.connect()

    assert (failed.value.code, failed.value.is_final) == ("storage_unavailable", False)


def test_any_answer_is_a_connection() -> None:
    play = answer(b"HTTP/1.1 403 Forbidden\r\n\r\n")

    with raw_server(play) as server, session_with(server) as session:
        session.connect()

    assert server.requests[0].startswith(b"HEAD /archive HTTP/1.1\r\n")
    assert b"authorization" not in server.requests[0].lower()


def test_untrusted_certificate_gets_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    transport._tls_context.cache_clear()
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    tls = certificates(tmp_path).server

    with (
        raw_server(answer(b""), tls=tls) as server,
        session_with(server) as session,
        pytest.raises(UploadFailedError, match="authority that is not trusted") as failed,
    ):
        session.put(FILE)

    assert failed.value.code == "storage_unavailable"
    assert server.requests == []


def test_trusted_certificate_gets_the_file(trusted_tls: ssl.SSLContext) -> None:
    reply = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    with (
        raw_server(answer(reply, reply), tls=trusted_tls) as server,
        session_with(server) as session,
    ):
        session.put(FILE)
        session.put(FILE)

    assert [request[-7:] for request in server.requests] == [b"content"] * 2
    assert server.connections == 1


def test_credentials_that_no_request_can_have_are_denied() -> None:
    keys = {**KEYS, "access_key_id": "schlüssel"}

    with (
        raw_server(answer(b"")) as server,
        session_with(server, keys=keys) as session,
        pytest.raises(UploadFailedError) as failed,
    ):
        session.put(FILE)

    assert (failed.value.code, failed.value.is_final) == ("storage_denied", True)
    assert server.requests == []
