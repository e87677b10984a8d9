"""Hostile servers: a fetch of any answer ends soon and stays small."""

import gzip
import logging
import time
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis.strategies import binary, sampled_from

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.engine.ports import (
    FetchResponse,
    HostRefusedError,
    HostUnreachableError,
)
from tests.builders.pages.web_site import Site, SitePage, WriteResponse, raw_response, running_site
from tests.builders.waiting import PATIENCE_S

pytestmark = pytest.mark.integration

MAX_BYTES = 10_000
HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
PACKED = HEAD + b"Content-Encoding: gzip\r\n\r\n"
# The head of a gzip stream, and empty blocks of one.
GZIP = gzip.compress(b"")[:10]
NOTHING = zlib.compressobj(wbits=-15).flush(zlib.Z_SYNC_FLUSH)

FLOODS = {
    "body": (HEAD + b"\r\n", b"x" * 1000),
    "body of a redirect": (b"HTTP/1.1 302 Found\r\nLocation: /flood\r\n\r\n", b"x" * 1000),
    "body of an error": (b"HTTP/1.1 500 No\r\n\r\n", b"x" * 1000),
    "headers": (HEAD, b"X-Header: value\r\n"),
    "one header": (HEAD + b"X-Header: ", b"x" * 1000),
    "status line": (b"HTTP/1.1 200 ", b"O" * 1000),
    "blank lines": (b"", b"\r\n" * 500),
    "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 50),
    "early hints": (b"", b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n" * 50),
    "chunks": (CHUNKED, b"1\r\nx\r\n" * 100),
    "size of a chunk": (CHUNKED, b"0" * 1000),
    "extension of a chunk": (CHUNKED + b"1;", b"x" * 1000),
    "trailers": (CHUNKED + b"0\r\n", b"X-Trailer: value\r\n" * 50),
    "packed nothing": (PACKED + GZIP, NOTHING * 200),
    "name of what is packed": (PACKED + b"\x1f\x8b\x08\x08\0\0\0\0\0\0", b"n" * 1000),
}
BROKEN = {
    "nothing": b"",
    "short": HEAD + b"Content-Length: 5\r\n\r\nabc",
    "two lengths": HEAD + b"Content-Length: 5\r\nContent-Length: 3\r\n\r\nabcde",
    "length below zero": HEAD + b"Content-Length: -1\r\n\r\nabc",
    "length of words": HEAD + b"Content-Length: many\r\n\r\nabc",
    "immense length": HEAD + b"Content-Length: " + b"9" * 40 + b"\r\n\r\nabc",
    "chunk cut short": CHUNKED + b"5\r\nabc",
    "chunk of no size": CHUNKED + b"x\r\nabc\r\n0\r\n\r\n",
    "chunk below zero": CHUNKED + b"-5\r\nabc\r\n0\r\n\r\n",
    "unknown transfer": HEAD + b"Transfer-Encoding: gzip\r\n\r\nabc",
    "no version": b"HTTP/one 200 OK\r\n\r\n",
    "old": b"<html>HTTP/0.9",
    "HTTP/2": b"\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80",
    "no status": b"HTTP/1.1 2000 OK\r\n\r\n",
    "other protocol": b"HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc",
    "line in a header": HEAD + b"X: a\rb\0c\r\n\r\n",
    "br": HEAD + b"Content-Encoding: br\r\n\r\n\x0b\x02\x80hello\x03",
    "zstd": HEAD + b"Content-Encoding: zstd\r\n\r\n\x28\xb5\x2f\xfd",
    "deflate": HEAD + b"Content-Encoding: deflate\r\n\r\n" + zlib.compress(b"abc"),
    "packed twice": HEAD
    + b"Content-Encoding: gzip, gzip\r\n\r\n"
    + gzip.compress(gzip.compress(b"a")),
    "packed and cut": PACKED + gzip.compress(b"abc" * 99)[:-4],
}


@pytest.fixture(scope="module")
def here() -> Iterator[Site]:
    with running_site({}) as running:
        yield running


def fetch(
    here: Site, path: str = "/", *, seconds: float = PATIENCE_S, allow: str = ""
) -> FetchResponse:
    egress = GuardedEgress(allow=allow or here.egress_allow, own_hosts=frozenset())
    url = path if "://" in path else here.url(path)
    return egress.fetch(url, max_bytes=MAX_BYTES, timeout_s=seconds)


def flooding(start: bytes, rest: bytes, sent: list[int]) -> WriteResponse:
    """Return a handler that sends `start`, then `rest` without end, and counts the bytes."""

    def flood(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(start)
        while True:
            handler.wfile.write(rest)
            sent.append(len(rest))

    return flood


@pytest.mark.parametrize("case", FLOODS)
def test_endless_response_is_abandoned_soon(here: Site, case: str) -> None:
    sent: list[int] = []
    here.pages["/"] = flooding(*FLOODS[case], sent)
    here.pages["/flood"] = flooding(*FLOODS["body"], sent)

    with pytest.raises(HostUnreachableError) as raised:
        fetch(here)

    assert "took too long" not in str(raised.value)
    # The bytes that were read, and those in buffers.
    assert sum(sent) < 20_000_000


@pytest.mark.parametrize("case", FLOODS)
def test_slow_endless_response_times_out(here: Site, case: str) -> None:
    start, rest = FLOODS[case]

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(start)
        while True:
            for byte in rest:
                handler.wfile.write(bytes([byte]))
                time.sleep(0.01)

    here.pages["/"] = here.pages["/flood"] = drip

    with pytest.raises(HostUnreachableError):
        fetch(here, seconds=0.4)


@pytest.mark.parametrize("case", BROKEN)
def test_malformed_response_is_unreachable(here: Site, case: str) -> None:
    here.pages["/"] = raw_response(BROKEN[case])

    with pytest.raises(HostUnreachableError, match=r"^127\.0\.0\.1 "):
        fetch(here)


def test_bytes_beyond_the_announced_length_are_ignored(here: Site) -> None:
    for head in (HEAD, b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD):
        here.pages["/"] = raw_response(
            head + b"Content-Length: 3\r\n\r\nabcdef" + HEAD + b"\r\nnext"
        )
        assert fetch(here).content == b"abc"
    here.pages["/"] = raw_response(CHUNKED + b"1\r\na\r\n2;x=y\r\nbc\r\n0\r\nX: y\r\n\r\nrest")
    assert fetch(here).content == b"abc"
    here.pages["/"] = raw_response(PACKED + gzip.compress(b"abc") + gzip.compress(b"next"))
    assert fetch(here).content == b"abc"


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(sampled_from([b"", HEAD, CHUNKED, PACKED, b"HTTP/1.1 302 Found\r\nLocation: "]), binary())
@example(b"HTTP/1.1 302 Found\r\nLocation: ", b"http://\xff\r\n\r\n")
@example(b"HTTP/1.1 302 Found\r\nLocation: ", b"//[\r\n\r\n")
def test_arbitrary_bytes_give_a_response_or_an_egress_error(
    here: Site, start: bytes, rest: bytes
) -> None:
    here.pages["/"] = raw_response(start + rest)
    try:
        answer = fetch(here)
    except (HostUnreachableError, HostRefusedError):
        return
    assert answer.status == 200
    assert len(answer.content) <= MAX_BYTES


@pytest.mark.parametrize(
    "path",
    [
        "/a b",
        "/a\u00a0b",
        "/%0d%0aX-Evil:%20yes",
        "/?q=%0d%0a",
        "/#\u0161",
        "/\u010d\u010a",
        "/a|b",
    ],
)
def test_one_request_is_sent_for_any_path(here: Site, path: str) -> None:
    here.requests.clear()
    here.pages.clear()

    with pytest.raises(HostUnreachableError, match="answered 404"):
        fetch(here, f"{here.url('')}{path}")

    (request,) = here.requests
    assert set(request.headers) == {"host", "accept", "accept-encoding", "user-agent", "connection"}


@pytest.mark.parametrize("path", ["/\r\nX-Evil: yes", "/\n", "/\t", "/\0", "/\x7f", "/a\\b"])
def test_path_with_control_characters_is_refused(here: Site, path: str) -> None:
    here.requests.clear()

    with pytest.raises(HostRefusedError):
        fetch(here, f"{here.url('')}{path}")

    assert here.requests == []


def test_logs_do_not_contain_the_url(here: Site, caplog: pytest.LogCaptureFixture) -> None:
    here.pages["/secret"] = SitePage("x")
    caplog.set_level(logging.INFO)

    fetch(here, "/secret")

    assert "secret" not in caplog.text
