"""Requests of a page: what is reported about them, and what its own files may take."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from chalicelib.contract.options.assets import MAX_ASSET_BYTES
from chalicelib.engine.assets import AssetFile
from chalicelib.engine.browser.chromium.protocol import Event
from chalicelib.engine.browser.proxy.budget import MAX_TOTAL_BYTES, TrafficBudget
from chalicelib.engine.browser.requests.assets import OwnOrigin, PageAssets
from chalicelib.engine.browser.requests.navigations import Navigations
from chalicelib.engine.browser.requests.requests import PageRequests

if TYPE_CHECKING:
    from chalicelib.engine.browser.tab.prepared_page import PreparedPage

LARGE = AssetFile(bytes(MAX_ASSET_BYTES), "application/octet-stream")
MOST = MAX_TOTAL_BYTES // MAX_ASSET_BYTES


class SentCalls:
    """Page and pipe that keep the methods of all calls and answer none."""

    session, frame, origin = "session", "frame", "https://own.test"

    def __init__(self) -> None:
        self.pipe = self
        self.methods: list[str] = []

    def send(self, method: str, _parameters: dict[str, Any], _session: str) -> Future[Any]:
        self.methods.append(method.rpartition(".")[2])
        return Future()


def paused(number: int) -> Event:
    url = f"{SentCalls.origin}/a.bin?{number}"
    return {
        "requestId": f"interception-{number}",
        "networkId": f"{number}",
        "resourceType": "Image",
        "request": {"url": url, "headers": {}},
    }


def loading(sent: SentCalls) -> PageRequests:
    requests = PageRequests(cast("PreparedPage", sent), TrafficBudget(), Navigations())
    requests.own_origin.serve("<p>x", {"a.bin": LARGE, "b.bin": AssetFile(b"1", "x/y")})
    sent.origin = SentCalls.origin
    return requests


def test_no_part_of_a_long_password_is_reported() -> None:
    assets = PageAssets()

    assets.record_missing(f"https://user:{'x' * 600}@host.test/part", "it is not there")
    assets.record_slow(f"https://user:{'x' * 600}@host.test/late", 3)

    assert [warning.detail for warning in assets.warnings()] == [
        "https://host.test/part",
        "https://host.test/late",
    ]


def test_files_sent_to_a_page_count_before_it_has_them() -> None:
    sent = SentCalls()
    requests = loading(sent)

    for number in range(20):
        requests.on_event(sent.session, "Fetch.requestPaused", paused(number))

    assert sent.methods.count("fulfillRequest") == MOST
    assert sent.methods.count("failRequest") == 20 - MOST
    assert {warning.message for warning in requests.warnings()} == {
        "A part of the page was not loaded: the page may load 100 MB in all."
    }


def test_files_count_once() -> None:
    sent = SentCalls()
    requests = loading(sent)

    for number in range(MOST):
        requests.on_event(sent.session, "Fetch.requestPaused", paused(number))
        told: Event = {
            "requestId": f"{number}",
            "type": "Image",
            "timestamp": 0,
            "response": {"url": paused(number)["request"]["url"], "headers": {}},
            "dataLength": MAX_ASSET_BYTES,
        }
        requests.on_event(sent.session, "Network.responseReceived", told)
        requests.on_event(sent.session, "Network.dataReceived", told)

    assert sent.methods.count("fulfillRequest") == MOST
    assert requests.warnings() == ()
    assert requests.transfers.bytes_by_kind == {"image": MAX_TOTAL_BYTES}


def _reason(url: str, *paths: str) -> str:
    page: Any = SimpleNamespace(origin="")
    own = OwnOrigin(page)
    own.serve("<p>", {path: AssetFile(b"", "text/css") for path in paths})
    return own.missing_reason(f"{page.origin}{url}")


@pytest.mark.parametrize(
    ("url", "paths", "told"),
    [
        ("/css/a%20b.css?v=1#x", (), "no address of its own to add this to"),
        ("/css/a%20b.css?v=1#x", (), "send it in input.assets with the path css/a b.css"),
        ("/css/a.css", ("b.css",), "with the path css/a.css"),
        (
            "/css/a.css",
            ("b.css", "css/A.css"),
            "css/a.css; the request has one with the path css/A.css",
        ),
        (
            "/a.css",
            ("css/a.css",),
            "with the path a.css; the request has one with the path css/a.css",
        ),
    ],
)
def test_missing_asset_says_what_to_send(url: str, paths: tuple[str, ...], told: str) -> None:
    assert told in _reason(url, *paths)


def test_address_that_no_asset_can_have_has_no_path_to_send() -> None:
    assert _reason("//a.css", "b.css").endswith("send it in input.assets")
