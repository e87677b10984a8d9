"""Sizes and durations of a page's responses, from CDP Network events."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from chalicelib.core.redact_url import without_userinfo
from chalicelib.engine.browser.chromium.protocol import Event
from chalicelib.engine.browser.proxy.budget import (
    MAX_REQUESTS,
    MAX_RESPONSE_BYTES,
    MAX_TOTAL_BYTES,
    RESPONSE_TOO_LARGE,
    TOO_MANY_REQUESTS,
    TOTAL_TOO_LARGE,
    TrafficBudget,
    host_and_port_of,
)
from chalicelib.engine.browser.requests.assets import (
    USERINFO_REASON,
    OwnOrigin,
    PageAssets,
    shortened_url,
)
from chalicelib.engine.browser.requests.open_requests import OpenRequest

_KINDS: Final = {
    "Document": "html",
    "Stylesheet": "css",
    "Script": "script",
    "Font": "font",
    "Image": "image",
    "Fetch": "data",
    "XHR": "data",
    "EventSource": "data",
}
# Responses that may last as long as the page; a wait for idle ignores them.
_ENDLESS: Final = frozenset({"EventSource", "Media", "Ping"})
_STYLE_TYPE: Final = "text/css"
_LOCAL_SCHEMES: Final = ("data:", "blob:", "about:")


@dataclass(slots=True)
class _Transfer:
    url: str
    type: str
    started_at: float
    is_page: bool
    # In seconds of the monotonic clock; `started_at` is in those of the browser's.
    seen_at: float
    size_bytes: int = 0


class MainResponse(NamedTuple):
    """Response to the page itself; `problem` says why it cannot be rendered."""

    url: str
    status: int | None = None
    problem: str | None = None
    is_refused: bool = False


class Transfers:
    """Responses of one page in transfer; its methods are called from two threads."""

    def __init__(
        self, assets: PageAssets, traffic: TrafficBudget, own_origin: OwnOrigin, page_frame: str
    ) -> None:
        """Start empty; `traffic` can cut connections at the proxy."""
        self._own_origin = own_origin
        self._page_frame = page_frame
        self._assets = assets
        self._traffic = traffic
        self._lock = threading.Lock()
        self._transfers: dict[str, _Transfer] = {}
        self._userinfo_urls: dict[str, str] = {}
        self._bytes_by_kind: dict[str, int] = {}
        self._received_bytes = 0
        # Requests whose bytes were counted when they were admitted.
        self._counted: set[str] = set()
        self._exhausted_limit: str | None = None
        # The document's own, whose text is counted by others.
        self.document_request: str | None = None
        self.last_event_at = time.monotonic()

    @property
    def bytes_by_kind(self) -> Mapping[str, int]:
        """Return the received bytes by kind of asset, after decompression."""
        with self._lock:
            return dict(self._bytes_by_kind)

    @property
    def has_page(self) -> bool:
        """Tell whether the page itself is in transfer."""
        with self._lock:
            return any(transfer.is_page for transfer in self._transfers.values())

    def open_parts(self) -> list[OpenRequest]:
        """Return the responses in transfer that will end."""
        with self._lock:
            return [
                OpenRequest(transfer.url, transfer.type, transfer.seen_at)
                for transfer in self._transfers.values()
                if transfer.type not in _ENDLESS
            ]

    def clear(self) -> None:
        """Forget the responses in transfer."""
        with self._lock:
            self._transfers.clear()

    def admit(self, request: str | None, known_bytes: int, request_count: int) -> str | None:
        """Return the limit of the page that forbids a request, or None.

        `known_bytes` are those of an answer that this process sends. They count at once: the
        browser tells of them only after all its paused requests are answered.
        """
        with self._lock:
            if request_count > MAX_REQUESTS:
                return TOO_MANY_REQUESTS
            if self._received_bytes + known_bytes > MAX_TOTAL_BYTES:
                self._exhausted_limit = TOTAL_TOO_LARGE
            if self._exhausted_limit is None and known_bytes:
                self._received_bytes += known_bytes
                self._counted |= set() if request is None else {request}
            return self._exhausted_limit

    def on_event(self, method: str, event: Event) -> None:
        """Handle a Network event."""
        self.last_event_at = time.monotonic()
        match method.removeprefix("Network."):
            case "requestWillBeSent":
                self._on_request(event["requestId"], event["request"]["url"])
            case "responseReceived" if not event["response"]["url"].startswith(_LOCAL_SCHEMES):
                self._on_response(event)
            case "dataReceived":
                self._on_data(event["requestId"], event["dataLength"])
            case "loadingFinished":
                transfer = self._finish(event)
                if transfer is not None and transfer.type not in _ENDLESS:
                    self._assets.record_slow(transfer.url, event["timestamp"] - transfer.started_at)
            case "loadingFailed":
                self._on_failure(event)
            case _:
                pass

    def _on_request(self, request: str, url: str) -> None:
        if len(self._userinfo_urls) < MAX_REQUESTS and without_userinfo(url) != url:
            self._userinfo_urls[request] = shortened_url(url)

    def _on_failure(self, event: Event) -> None:
        # Chromium blocks subresources with userinfo before Fetch.requestPaused.
        userinfo_url = self._userinfo_urls.pop(event["requestId"], None)
        if "blockedReason" in event and userinfo_url is not None:
            self._assets.record_missing(userinfo_url, USERINFO_REASON)
        transfer = self._finish(event)
        if transfer is not None and not event.get("canceled"):
            limit = self._traffic.exceeded_limit(transfer.url)
            reason = limit or f"it broke off ({event['errorText']})"
            self._assets.record_missing(transfer.url, reason)

    def _on_response(self, event: Event) -> None:
        if event["requestId"] == self.document_request:
            return
        response = event["response"]
        self._check_sheet(event)
        timing = response.get("timing")
        started_at = (timing["requestTime"] if timing else 0) or event["timestamp"]
        is_page = event["type"] == "Document" and event.get("frameId") == self._page_frame
        transfer = _Transfer(response["url"], event["type"], started_at, is_page, time.monotonic())
        with self._lock:
            self._transfers[event["requestId"]] = transfer

    def _check_sheet(self, event: Event) -> None:
        """Record a style sheet that its document does not take, for its type."""
        if event["type"] != "Stylesheet":
            return
        response = event["response"]
        headers = {name.lower(): text for name, text in response["headers"].items()}
        kind = headers.get("content-type", _STYLE_TYPE).partition(";")[0].strip().lower()
        url, frame = response["url"], event.get("frameId", "")
        if kind != _STYLE_TYPE and self._own_origin.is_strict_about_sheets(url, frame):
            advice = ": set content_type" if self._own_origin.holds(url) else ""
            reason = f"it came as {kind[:100]}, a style sheet needs {_STYLE_TYPE}{advice}"
            self._assets.record_missing(url, reason)

    def _on_data(self, request: str, size: int) -> None:
        with self._lock:
            transfer = self._transfers.get(request)
            if transfer is None:
                return
            transfer.size_bytes += size
            if request not in self._counted:
                self._received_bytes += size
            kind = _KINDS.get(transfer.type, "other")
            self._bytes_by_kind[kind] = self._bytes_by_kind.get(kind, 0) + size
            excessive = self._over_limit(transfer)
        # A response in transfer is ended at the proxy.
        for url, reason in excessive:
            self._assets.record_missing(url, reason)
            self._traffic.cut_connections(host_and_port_of(url))

    def _over_limit(self, transfer: _Transfer) -> list[tuple[str, str]]:
        """Return URL and reason of each transfer to cut."""
        if self._received_bytes > MAX_TOTAL_BYTES:
            self._exhausted_limit = TOTAL_TOO_LARGE
            return [(transfer.url, self._exhausted_limit) for transfer in self._transfers.values()]
        if transfer.size_bytes > MAX_RESPONSE_BYTES:
            return [(transfer.url, RESPONSE_TOO_LARGE)]
        return []

    def _finish(self, event: Event) -> _Transfer | None:
        with self._lock:
            return self._transfers.pop(event["requestId"], None)


def announced_bytes(event: Event) -> int:
    """Return the Content-Length of a paused response, or 0 without one."""
    for header in event.get("responseHeaders", ()):
        if header["name"].lower() == "content-length" and header["value"].isdecimal():
            return int(header["value"])
    return 0


def is_aborted(event: Event) -> bool:
    """Tell whether a request was aborted, by a download or by the page itself."""
    return event.get("responseErrorReason") == "Aborted"
