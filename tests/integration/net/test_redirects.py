"""Redirects: each is checked by the egress, and none leaks credentials."""

from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis.strategies import sampled_from, text

from chalicelib.adapters.net import transport
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.engine.ports import (
    FetchResponse,
    HostRefusedError,
    HostUnreachableError,
)
from tests.builders.pages.certificates import certificates
from tests.builders.pages.web_site import Site, SitePage, raw_response, running_site
from tests.builders.waiting import PATIENCE_S

pytestmark = pytest.mark.integration

MAX_BYTES = 10_000


@pytest.fixture(scope="module")
def here() -> Iterator[Site]:
    with running_site({}) as running:
        yield running


def fetch(here: Site, path: str = "/", *, allow: str = "") -> FetchResponse:
    egress = GuardedEgress(allow=allow or here.egress_allow, own_hosts=frozenset())
    url = path if "://" in path else here.url(path)
    return egress.fetch(url, max_bytes=MAX_BYTES, timeout_s=PATIENCE_S)


STARTS = [
    "",
    "/",
    "//",
    "///",
    "http:",
    "http:/",
    "http://",
    "https://",
    "ftp://",
    "data:",
    "x:",
    "\\\\",
]


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(sampled_from(STARTS), text(max_size=30).filter(lambda rest: not set(rest) & set("\r\n")))
@example("http://", "2130706433/")
@example("http://", "u:p@127.1/")
@example("http://", "127.0.0.1:80\\@example.com/")
@example("http://", "\u2488\u3002/")
@example("http://", "\uff11\uff12\uff17.0.0.1/")
@example("http://", "a:0/")
@example("http://", "a:65536/")
@example("http://", "a:+80/")
@example("http://", "a:\u0668\u0660/")
def test_arbitrary_redirect_targets_are_refused_or_unreachable(
    here: Site, start: str, rest: str
) -> None:
    here.pages.clear()
    location = (start + rest).encode("utf-8", "surrogatepass")
    here.pages["/"] = raw_response(
        b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + location + b"\r\n\r\n"
    )

    with pytest.raises((HostUnreachableError, HostRefusedError)) as raised:
        fetch(here)

    assert 0 < len(str(raised.value)) < 400


def test_redirect_to_another_host_sends_no_credentials_or_cookies(here: Site) -> None:
    """Credentials and cookies stay where they were meant for."""
    with running_site({"/": SitePage("there")}) as other:
        to_other = {"Location": other.url(), "Set-Cookie": "a=b; Path=/"}
        here.pages["/"] = SitePage(status=302, headers=to_other)
        here.pages["/again"] = SitePage(status=302, headers={"Location": "/", "Set-Cookie": "a=b"})
        url = here.url("/again").replace("://", "://ada:secret@")
        allow = f"{here.egress_allow},{other.egress_allow}"
        here.requests.clear()

        assert fetch(here, url, allow=allow).content == b"there"

        basic = "Basic " + b64encode(b"ada:secret").decode()
        assert [asked.headers.get("authorization") for asked in here.requests] == [basic, basic]
        assert [asked.headers.keys() & {"cookie"} for asked in here.requests] == [set(), set()]
        (asked,) = other.requests
        assert not asked.headers.keys() & {"authorization", "cookie", "referer"}


def test_redirect_from_https_to_plain_http_is_refused(
    here: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = certificates(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(ours.ca_file))
    transport._tls_context.cache_clear()
    with running_site({}, ours.server) as secured:
        here.pages["/"] = SitePage(status=302, headers={"Location": secured.url()})
        secured.pages["/"] = SitePage(status=302, headers={"Location": "http://8.8.8.8/"})
        with pytest.raises(HostRefusedError, match="use https"):
            fetch(here, allow=f"{here.egress_allow},{secured.egress_allow}")

        # As everywhere: plain http is allowed for hosts of PLATEN_EGRESS_ALLOW.
        here.pages["/end"] = SitePage("end")
        secured.pages["/"] = SitePage(status=302, headers={"Location": here.url("/end")})
        assert fetch(here, allow=f"{here.egress_allow},{secured.egress_allow}").content == b"end"
    transport._tls_context.cache_clear()


def test_each_redirect_is_resolved_and_checked_again(here: Site) -> None:
    """DNS rebinding: a name resolves to a refused IP address at the last redirect."""
    answers = [["127.0.0.1"], ["127.0.0.1"], ["169.254.169.254"]]
    looked_up: list[str] = []

    def resolve(host: str, _port: int) -> list[str]:
        looked_up.append(host)
        return answers[len(looked_up) - 1]

    egress = GuardedEgress(allow=here.egress_allow, own_hosts=frozenset(), resolve=resolve)
    for path, to in (("/1", "/2"), ("/2", "/3")):
        here.pages[path] = SitePage(status=302, headers={"Location": to})
    here.requests.clear()

    with pytest.raises(HostRefusedError, match=r"name\.example:\d+ is refused"):
        egress.fetch(
            f"http://name.example:{here.port}/1", max_bytes=MAX_BYTES, timeout_s=PATIENCE_S
        )

    assert looked_up == ["name.example"] * 3
    assert here.paths == ["/1", "/2"]


def test_byte_limit_counts_all_responses_of_a_fetch(here: Site) -> None:
    """The limit holds for a whole fetch, not for each of its responses."""
    head: Callable[[int], bytes] = lambda number: (  # noqa: E731
        b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /hop%d\r\n\r\n" % (number + 1)
    )
    hints = b"HTTP/1.1 103 Early\r\nLink: " + b"x" * 9_000 + b"\r\n\r\n"
    for number in range(5):
        here.pages[f"/hop{number}"] = raw_response(hints * 30 + head(number))
    here.pages["/hop5"] = SitePage("end")

    with pytest.raises(HostUnreachableError, match="more than 1020000 bytes"):
        fetch(here, "/hop0")
    assert fetch(here, "/hop3").content == b"end"
