"""Answers a page's events: refuses its requests and dialogs, keeps what its owner should know."""

import json
import re
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, Final

from chalicelib.engine.browser.spare import Spare
from chalicelib.engine.job import RenderWarning

_MOST_WARNINGS: Final = 50
_MOST_LOGS: Final = 100
_LOG_CHARS: Final = 500
_LOCAL: Final = ("data:", "blob:", "about:")
# The scheme, and the host without what a password could stand in.
_PLACE: Final = re.compile(r"([^:/?#]*:)(?://(?:[^/?#]*@)?([^/?#]*))?")


class Watch:
    """The handler of one page; its methods are called from two threads."""

    def __init__(self, spare: Spare, crashed: Future[None]) -> None:
        """Begin to watch; `crashed` is set when the page's process ends."""
        self._spare = spare
        self._crashed = crashed
        self._lock = threading.Lock()
        self._refused: dict[str, None] = {}
        self._more_refused = 0
        self._logs: list[str] = []
        self._last_request = time.monotonic()
        spare.handle(self._on_event)

    def quiet_s(self) -> float:
        """Return the seconds since the page's last request."""
        return time.monotonic() - self._last_request

    def refused(self) -> tuple[RenderWarning, ...]:
        """Return a warning for each address that the page asked for in vain."""
        message = "The page asked for something outside the document, which was not loaded."
        with self._lock:
            addresses, more = list(self._refused), self._more_refused
        warnings = [RenderWarning("asset_failed", message, address) for address in addresses]
        if more:
            warnings.append(RenderWarning("asset_failed", message, f"and {more} more"))
        return tuple(warnings)

    def logs(self) -> tuple[str, ...]:
        """Return the page's console and whom it asked in vain, at most 100 x 500 characters."""
        with self._lock:
            return tuple(self._logs)

    def _on_event(self, method: str, event: Mapping[str, Any]) -> None:
        match method:
            case "Fetch.requestPaused":
                self._on_request(event)
            case "Page.javascriptDialogOpening":
                self._spare.send("Page.handleJavaScriptDialog", accept=False)
            case "Runtime.consoleAPICalled":
                words = " ".join(_text(argument) for argument in event["args"])
                self._log(f"{event['type']}: {words}")
            case "Runtime.exceptionThrown":
                details = event["exceptionDetails"]
                thrown = details.get("exception", {}).get("description")
                self._log(f"error: {thrown or details.get('text', '')}")
            case "Inspector.targetCrashed" if not self._crashed.done():
                self._crashed.set_result(None)
            case _:
                pass

    def _on_request(self, event: Mapping[str, Any]) -> None:
        request, url = event["requestId"], event["request"]["url"]
        self._last_request = time.monotonic()
        if url.startswith(_LOCAL):
            self._spare.send("Fetch.continueRequest", requestId=request)
            return
        # `Aborted` leaves the page where it is; any other reason would show an error page instead.
        leaving = event.get("resourceType") == "Document"
        reason = "Aborted" if leaving else "BlockedByClient"
        self._spare.send("Fetch.failRequest", requestId=request, errorReason=reason)
        # The page's own origin is nobody's business: relative addresses are told as such.
        address = url.removeprefix(self._spare.origin)[:_LOG_CHARS]
        self._log(f"refused: {_place(address)}", once=True)
        with self._lock:
            if address in self._refused:
                return
            if len(self._refused) < _MOST_WARNINGS:
                self._refused[address] = None
            else:
                self._more_refused += 1

    def _log(self, line: str, *, once: bool = False) -> None:
        line = line.replace(self._spare.origin, "")[:_LOG_CHARS]
        with self._lock:
            if once and line in self._logs:
                return
            self._logs.append(line)
            full = len(self._logs) == _MOST_LOGS
            del self._logs[_MOST_LOGS:]
        if full:
            # A page that floods its console costs us nothing from here on.
            self._spare.send("Runtime.disable")


def _place(address: str) -> str:
    """Return who was asked: never the query, and of another host no path either."""
    found = None if address.startswith("/") else _PLACE.match(address)
    if found is None:
        return re.split(r"[?#]", address, maxsplit=1)[0]
    return found[1] if found[2] is None else f"{found[1]}//{found[2]}"


def _text(argument: Mapping[str, Any]) -> str:
    if "value" in argument:
        value = argument["value"]
        return value if isinstance(value, str) else json.dumps(value)
    return str(argument.get("description") or argument.get("unserializableValue") or "undefined")
