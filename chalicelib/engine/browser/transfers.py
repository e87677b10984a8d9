"""What the parts of a page weigh and how long they take, from the events of the Network domain."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.engine.browser.assets import Assets, cut, without_user
from chalicelib.engine.browser.blocked import WHY_WITH_USER
from chalicelib.engine.browser.traffic import (
    MOST_BYTES,
    MOST_BYTES_EACH,
    MOST_REQUESTS,
    TOO_LARGE,
    TOO_MUCH,
    Traffic,
    place_in,
)

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
# They may go on for as long as the page does.
_ENDLESS: Final = frozenset({"EventSource", "Media", "Ping"})
_OURS: Final = ("data:", "blob:", "about:")


@dataclass(slots=True)
class _Transfer:
    url: str
    type: str
    begun: float
    size: int = 0


class Transfers:
    """One page's answers on their way; its methods are called from two threads."""

    def __init__(self, assets: Assets, traffic: Traffic) -> None:
        """Know of none; `traffic` is what the proxy knows of them, and can cut off."""
        self._assets = assets
        self._traffic = traffic
        self._lock = threading.Lock()
        self._open: dict[str, _Transfer] = {}
        self._with_user: dict[str, str] = {}
        self._bytes: dict[str, int] = {}
        self._received = 0
        self.spent: str | None = None
        self.last_event = time.monotonic()

    @property
    def bytes(self) -> Mapping[str, int]:
        """Return the bytes that have come by their kind."""
        with self._lock:
            return dict(self._bytes)

    @property
    def busy(self) -> bool:
        """Tell whether an answer is on its way that will end."""
        with self._lock:
            return any(transfer.type not in _ENDLESS for transfer in self._open.values())

    def on_event(self, method: str, event: Mapping[str, Any]) -> None:
        """Take a Network event."""
        self.last_event = time.monotonic()
        match method.removeprefix("Network."):
            case "requestWillBeSent":
                self._ask(event["requestId"], event["request"]["url"])
            case "responseReceived" if not event["response"]["url"].startswith(_OURS):
                self._begin(event)
            case "dataReceived":
                self._receive(event["requestId"], event["dataLength"])
            case "loadingFinished":
                transfer = self._end(event)
                if transfer is not None and transfer.type not in _ENDLESS:
                    self._assets.late(transfer.url, event["timestamp"] - transfer.begun)
            case "loadingFailed":
                self._fail(event)
            case _:
                pass

    def _ask(self, request: str, url: str) -> None:
        if len(self._with_user) < MOST_REQUESTS and without_user(url) != url:
            self._with_user[request] = cut(url)

    def _fail(self, event: Mapping[str, Any]) -> None:
        with_user = self._with_user.pop(event["requestId"], None)
        if "blockedReason" in event and with_user is not None:
            self._assets.miss(with_user, WHY_WITH_USER)
        transfer = self._end(event)
        if transfer is not None and not event.get("canceled"):
            why = self._traffic.objection(transfer.url)
            self._assets.miss(transfer.url, why or f"it broke off ({event['errorText']})")

    def _begin(self, event: Mapping[str, Any]) -> None:
        response = event["response"]
        begun = (response.get("timing") or {}).get("requestTime") or event["timestamp"]
        with self._lock:
            self._open[event["requestId"]] = _Transfer(response["url"], event["type"], begun)

    def _receive(self, request: str, size: int) -> None:
        with self._lock:
            transfer = self._open.get(request)
            if transfer is None:
                return
            transfer.size += size
            self._received += size
            kind = _KINDS.get(transfer.type, "other")
            self._bytes[kind] = self._bytes.get(kind, 0) + size
            excessive = self._excessive(transfer)
        for url, why in excessive:
            self._assets.miss(url, why)
            self._traffic.cut_off(place_in(url))

    def _excessive(self, transfer: _Transfer) -> list[tuple[str, str]]:
        """Return the addresses of what is to be cut off, and why."""
        if self._received > MOST_BYTES:
            self.spent = TOO_MUCH
            return [(transfer.url, self.spent) for transfer in self._open.values()]
        if transfer.size > MOST_BYTES_EACH:
            return [(transfer.url, TOO_LARGE)]
        return []

    def _end(self, event: Mapping[str, Any]) -> _Transfer | None:
        with self._lock:
            return self._open.pop(event["requestId"], None)
