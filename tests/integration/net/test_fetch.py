"""Fetches through the egress: redirects checked again, bytes and time limited, TLS verified."""

import gzip
import time
import tracemalloc
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from pathlib import Path

import pytest

from chalicelib.adapters.net import transport
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.engine.ports import (
    FetchResponse,
    HostRefusedError,
    HostUnreachableError,
)
from tests.builders.pages.certificates import certificates
from tests.builders.pages.web_site import Site, SitePage, WriteResponse, running_site
from tests.builders.waiting import PATIENCE_S

pytestmark = pytest.mark.integration

MAX_BYTES = 10_000


def trickle(handler: BaseHTTPRequestHandler) -> None:
    """Send a head that never ends, a byte at a time."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        handler.wfile.write(b"x")
        time.sleep(0.05)


def drip(handler: BaseHTTPRequestHandler) -> None:
    """Send a body that never ends, a byte at a time."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        handler.wfile.write(b"x")
        time.sleep(0.05)


def flood(handler: BaseHTTPRequestHandler) -> None:
    """Send a body that never ends, as fast as it is read."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        handler.wfile.write(b"x" * 65_536)


def silence(handler: BaseHTTPRequestHandler) -> None:
    """Say nothing until the other side ends the connection."""
    handler.rfile.read(1)


def garbage(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"\x16\x03\x01 this is no HTTP\r\n\r\n")


def cut(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")


def packed(content: bytes, **headers: str) -> SitePage:
    return SitePage(gzip.compress(content), headers={"Content-Encoding": "gzip", **headers})


def to(location: str, status: int = 302) -> SitePage:
    return SitePage(status=status, headers={"Location": location})


PAGES: dict[str, SitePage | WriteResponse] = {
    "/json": SitePage('{"a": 1}', "application/json", headers={"X-Name": "Value"}),
    "/full": SitePage(b"x" * MAX_BYTES),
    "/over": SitePage(b"x" * (MAX_BYTES + 1)),
    "/packed": packed(b"y" * MAX_BYTES),
    "/bomb": packed(b"y" * (MAX_BYTES + 1)),
    "/large bomb": packed(b"\0" * 50_000_000),
    "/nested": packed(gzip.compress(b"inside")),
    "/half packed": SitePage(gzip.compress(b"z" * 999)[:-9], headers={"Content-Encoding": "gzip"}),
    "/not packed": SitePage(b"plain", headers={"Content-Encoding": "gzip"}),
    "/brotli": SitePage(b"\x0b\x02\x80hello\x03", headers={"Content-Encoding": "br"}),
    "/trickle": trickle,
    "/drip": drip,
    "/flood": flood,
    "/silence": silence,
    "/garbage": garbage,
    "/cut": cut,
    "/missing": SitePage("no", status=404),
    "/broken": SitePage("no", status=500),
    "/unchanged": SitePage(status=304),
    "/moved": to("/json", 301),
    "/there": to("json", 307),
    "/round": to("/round"),
    "/metadata": to("http://169.254.169.254/latest/meta-data/"),
    "/runtime": to("http://127.0.0.1:9001/2018-06-01/runtime/invocation/next"),
    "/decimal": to("http://2130706433/"),
    "/slashes": to("//[::ffff:127.0.0.1]/"),
    "/file": to("file:///etc/passwd"),
    "/gopher": to("gopher://127.0.0.1:6379/_INFO"),
    "/nowhere": to("http://"),
}


@pytest.fixture(scope="module")
def here() -> Iterator[Site]:
    pages = {path.replace(" ", "%20"): page for path, page in PAGES.items()}
    with running_site({**pages, **hops(5, "/hop"), **hops(6, "/far")}) as running:
        yield running


def hops(count: int, name: str) -> dict[str, SitePage]:
    """Return pages that redirect `count` times in all, finally to /json."""
    paths = [name, *(f"{name}{number}" for number in range(1, count)), "/json"]
    return {a: to(b) for a, b in pairwise(paths)}


def fetch(
    here: Site,
    path: str,
    *,
    seconds: float = PATIENCE_S,
    https_only: bool = False,
    allow: str | None = None,
) -> FetchResponse:
    egress = GuardedEgress(
        allow=here.egress_allow if allow is None else allow, own_hosts=frozenset()
    )
    url = path if "://" in path else here.url(path)
    return egress.fetch(url, max_bytes=MAX_BYTES, timeout_s=seconds, https_only=https_only)


def test_allowed_url_is_fetched(here: Site) -> None:
    answer = fetch(here, "/json#fragment")

    assert answer.content == b'{"a": 1}'
    assert (answer.status, answer.url) == (200, here.url("/json#fragment"))
    assert answer.headers["x-name"] == "Value"
    assert answer.headers["content-type"] == "application/json"


def test_refused_url_is_never_requested() -> None:
    with running_site(PAGES) as other:
        for url in (other.url("/json"), other.url("/json").replace("127.0.0.1", "localhost")):
            with pytest.raises(HostRefusedError):
                fetch(other, url, allow="")

        assert other.requests == []


@pytest.mark.parametrize("path", ["/moved", "/there", "/hop"])
def test_redirects_are_followed(here: Site, path: str) -> None:
    assert fetch(here, path).url == here.url("/json")


@pytest.mark.parametrize("path", ["/round", "/far"])
def test_too_many_redirects_are_refused(here: Site, path: str) -> None:
    with pytest.raises(HostUnreachableError, match="redirects more than 5 times"):
        fetch(here, path)


@pytest.mark.parametrize(
    "path", ["/metadata", "/runtime", "/decimal", "/slashes", "/file", "/gopher"]
)
def test_redirect_to_a_refused_url_is_refused(here: Site, path: str) -> None:
    with pytest.raises(HostRefusedError):
        fetch(here, path)


def test_redirect_to_another_site_needs_its_own_permission(here: Site) -> None:
    with running_site({"/": SitePage("secret")}) as other:
        here.pages["/other"] = to(other.url())
        with pytest.raises(HostRefusedError):
            fetch(here, "/other")
        assert other.requests == []

        assert (
            fetch(here, "/other", allow=f"{here.egress_allow},{other.egress_allow}").content
            == b"secret"
        )


@pytest.mark.parametrize("path", ["/full", "/packed"])
def test_body_of_max_bytes_is_accepted(here: Site, path: str) -> None:
    assert len(fetch(here, path).content) == MAX_BYTES


@pytest.mark.parametrize("path", ["/over", "/bomb", "/large%20bomb", "/flood"])
def test_body_over_max_bytes_is_refused_also_when_compressed(here: Site, path: str) -> None:
    with pytest.raises(HostUnreachableError, match="more than 10000 bytes"):
        fetch(here, path)


def test_compression_bomb_is_not_decompressed_in_memory(here: Site) -> None:
    fetch(here, "/json")
    tracemalloc.start()
    try:
        with pytest.raises(HostUnreachableError, match="more than 10000 bytes"):
            fetch(here, "/large%20bomb")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 10_000_000


@pytest.mark.parametrize("path", ["/trickle", "/drip", "/silence"])
def test_slow_responses_time_out(here: Site, path: str) -> None:
    with pytest.raises(HostUnreachableError, match="took too long"):
        fetch(here, path, seconds=0.5)


@pytest.mark.parametrize(
    "path", ["/garbage", "/cut", "/half%20packed", "/not%20packed", "/brotli", "/nowhere"]
)
def test_invalid_responses_raise(here: Site, path: str) -> None:
    with pytest.raises((HostUnreachableError, HostRefusedError)):
        fetch(here, path)


def test_only_one_layer_of_compression_is_removed(here: Site) -> None:
    assert gzip.decompress(fetch(here, "/nested").content) == b"inside"


@pytest.mark.parametrize(("path", "status"), [("/missing", 404), ("/broken", 500), ("/x", 404)])
def test_error_status_raises(here: Site, path: str, status: int) -> None:
    with pytest.raises(HostUnreachableError, match=f"127.0.0.1 answered {status}"):
        fetch(here, path)


@pytest.mark.parametrize(
    "url", ["ftp://example.com/", "file:///etc/passwd", "/etc/passwd", "data:,x", "http:///x", "x"]
)
def test_other_schemes_are_refused(here: Site, url: str) -> None:
    egress = GuardedEgress(allow=here.egress_allow, own_hosts=frozenset())

    with pytest.raises(HostRefusedError, match="only http and https"):
        egress.fetch(url, max_bytes=1, timeout_s=PATIENCE_S)


def test_https_only_allows_plain_http_for_egress_allow_alone(here: Site) -> None:
    assert fetch(here, "/json", https_only=True).status == 200
    with pytest.raises(HostRefusedError, match="use https"):
        fetch(here, "http://8.8.8.8/", https_only=True)


def test_certificates_are_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = certificates(tmp_path)
    with running_site({"/": SitePage("secret")}, ours.server) as secured:
        transport._tls_context.cache_clear()
        with pytest.raises(HostUnreachableError):
            fetch(secured, "/")
        assert secured.requests == []

        monkeypatch.setenv("SSL_CERT_FILE", str(ours.ca_file))
        transport._tls_context.cache_clear()
        assert fetch(secured, "/", https_only=True).content == b"secret"
        wrong_name = secured.url().replace("127.0.0.1", "127.0.0.2")
        with pytest.raises(HostUnreachableError):
            fetch(secured, wrong_name, allow=f"127.0.0.0/8:{secured.port}")
    transport._tls_context.cache_clear()


def test_requests_send_only_neutral_headers_and_ignore_proxy_variables(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")

    fetch(here, "/json")

    assert here.requests[-1].headers == {
        "host": f"127.0.0.1:{here.port}",
        "accept": "*/*",
        "accept-encoding": "gzip",
        "user-agent": "Platen",
        "connection": "keep-alive",
    }
