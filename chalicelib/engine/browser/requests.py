"""What a page asks for: let through to the proxy, or refused; and what was answered."""

import threading
import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from chalicelib.engine.browser import blocked
from chalicelib.engine.browser.arrival import Arrival, is_aborted, size_of
from chalicelib.engine.browser.assets import Assets, without_user
from chalicelib.engine.browser.bad_ports import WHY, is_at_bad_port
from chalicelib.engine.browser.credentials import Credentials
from chalicelib.engine.browser.origin import origin_of
from chalicelib.engine.browser.pipe import Answer
from chalicelib.engine.browser.spare import Spare, page_of
from chalicelib.engine.browser.traffic import (
    MOST_BYTES_EACH,
    MOST_REQUESTS,
    TOO_LARGE,
    TOO_MANY,
    Traffic,
    place_in,
)
from chalicelib.engine.browser.transfers import Transfers
from chalicelib.engine.job import RenderWarning

_LED_S: Final = 0.5
_BAD_REQUEST: Final = 400
_LOCAL: Final = ("data:", "blob:", "about:")
_OUTSIDE: Final = ("http://", "https://")
_PLAIN, _SECURE = _OUTSIDE
# What a page at https: may have from http: addresses; a document that came as text may have all.
_SHOWN: Final = frozenset({"Image", "Media"})
_FRAMES: Final = "a page at https: may have frames from https: addresses only"
_PARTS: Final = "a page at https: may have only pictures from http: addresses"
_UNBUFFERED: Final = {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}
# What nobody who looks at the page can miss.
_UNSEEN: Final = frozenset({"Ping", "Prefetch", "CSPViolationReport", "Preflight"})


class _Asked(NamedTuple):
    url: str
    type: str
    begun: float


class Requests:
    """The requests of one page. Events come on the browser's reader thread."""

    def __init__(self, spare: Spare, traffic: Traffic) -> None:
        """Let the parts of a document through; `traffic` is what the proxy knows of them."""
        self._spare = spare
        self._traffic = traffic
        self._lock = threading.Lock()
        self._pending: dict[str, _Asked] = {}
        self._listening: dict[str, Answer] = {}
        self._credentials: Credentials | None = None
        self._document: str | None = None
        self._led_until = 0.0
        self._known: set[str] = set()
        self.count = 0
        self.loaded = False
        self.arrival: Arrival | None = None
        self.assets = Assets(lambda: spare.origin)
        self.transfers = Transfers(self.assets, traffic)

    def follow(self, credentials: Credentials) -> None:
        """Let the page itself come from outside, and lead elsewhere; before, it may not."""
        self._credentials = credentials

    def move(self, html: str) -> str:
        """Have a document come from an origin of its own; return its address."""
        self._spare.origin, self._document = origin_of(html), html
        return f"{self._spare.origin}/"

    def on_event(self, session: str, method: str, event: Mapping[str, Any]) -> None:
        """Take an event of the page or of one of its frames."""
        match method:
            case "Fetch.requestPaused":
                self._on_paused(session, event)
            case "Page.frameRequestedNavigation" | "Page.frameScheduledNavigation":
                self._on_led(event)
            case "Page.loadEventFired":
                self.loaded = True
            case "Log.entryAdded" if (url := blocked.address_in(event["entry"])) is not None:
                self.assets.miss(url, blocked.WHY_BY_NUMBER, refused=True)
            case "Page.frameAttached" if self._credentials is not None:
                self._credentials.attach(event["parentFrameId"], event["frameId"])
            case _ if method.startswith("Network."):
                self.transfers.on_event(method, event)

    def _on_led(self, event: Mapping[str, Any]) -> None:
        """Take a navigation that a script or `meta refresh` begins: as a rule a request follows."""
        delay = event.get("delay", 0)
        main = event["frameId"] == self._spare.frame
        # What the browser does not even ask for.
        if not main and without_user(event["url"]) != event["url"]:
            self.assets.miss(event["url"], blocked.WHY_WITH_USER)
        elif not main and event["url"].startswith(_PLAIN) and self._is_secure:
            self.assets.miss(event["url"], _FRAMES, refused=True)
        if main and delay <= _LED_S and event["url"].startswith(_OUTSIDE):
            self._led_until = time.monotonic() + delay + _LED_S

    @property
    def leading_away(self) -> bool:
        """Tell whether the page itself is being asked for and has not been answered."""
        arrival = self.arrival
        asked = arrival is not None and arrival.status is None and arrival.problem is None
        return asked or time.monotonic() < self._led_until

    def quiet_s(self) -> float:
        """Return the seconds since there was nothing on its way any more."""
        with self._lock:
            pending = any(asked.type not in _UNSEEN for asked in self._pending.values())
        if pending or self.transfers.busy:
            return 0.0
        return time.monotonic() - self.transfers.last_event

    def insist(self) -> None:
        """Raise RenderFailure `url_not_allowed` or `asset_fetch_failed` if a part is missing."""
        self._settle()
        self.assets.insist()

    def warnings(self) -> tuple[RenderWarning, ...]:
        """Return a warning for each part that did not come, or late, or has not come yet."""
        self._settle()
        with self._lock:
            pending = list(self._pending.values())
        for asked in pending:
            if asked.type not in _UNSEEN:
                self.assets.late(asked.url, time.monotonic() - asked.begun)
        return self.assets.warnings()

    def _settle(self) -> None:
        """Keep what only the proxy has seen: WebSockets, workers, prefetching over a budget."""
        for address, why in self._traffic.over.items():
            self.assets.miss(address, why)

    def _on_paused(self, session: str, event: Mapping[str, Any]) -> None:
        """Take Fetch.requestPaused: a request, or its answer."""
        self.transfers.last_event = time.monotonic()
        if "responseStatusCode" in event or "responseErrorReason" in event:
            self._on_answer(session, event)
        elif event["request"]["url"].startswith(_LOCAL):
            self._send(session, "Fetch.continueRequest", requestId=event["requestId"])
        else:
            self._on_request(session, event)

    def _on_request(self, session: str, event: Mapping[str, Any]) -> None:
        url, main = event["request"]["url"], self._is_main(event)
        if main and self._document is not None:
            document, self._document = self._document, None
            self._send(session, "Fetch.fulfillRequest", **page_of(event["requestId"], document))
            return
        self._count(event)
        objection = self._objection(url, event["resourceType"], main=main)
        if objection is not None:
            why, refused = objection
            self.assets.miss(url, why, refused=refused)
            # `Aborted` leaves the page where it is; any other reason would show an error page.
            self._fail(session, event, "Aborted" if main else "BlockedByClient")
            return
        if main:
            self.arrival, self._led_until = Arrival(url), 0.0
        elif event["resourceType"] == "Document":
            # A frame that the browser does ask for.
            self.assets.find(url)
        with self._lock:
            self._pending[event["requestId"]] = _Asked(url, event["resourceType"], time.monotonic())
        self._let_through(session, event, main=main)

    def _count(self, event: Mapping[str, Any]) -> None:
        """Count what is neither a redirect nor asked for a second time."""
        known = event.get("networkId")
        if "redirectedRequestId" in event or known in self._known:
            return
        self.count += 1
        if known is not None:
            self._known.add(known)

    @property
    def _is_secure(self) -> bool:
        """Tell whether the page stands at https:, as all documents do that came as text."""
        return self._credentials is None or (
            self.arrival is not None and self.arrival.url.startswith(_SECURE)
        )

    def _objection(self, url: str, kind: str, *, main: bool) -> tuple[str, bool] | None:
        """Say why a request may not leave, and whether that is for its address."""
        if url.startswith(self._spare.origin):
            return "a document that came as text has no address of its own to add this to", False
        if not url.startswith(_OUTSIDE):
            return "only http: and https: addresses are loaded", True
        if main and self._credentials is None:
            return "a document may not lead its page elsewhere", True
        if self._mixes(url, kind, main=main):
            return _PARTS, False
        spent = self._spent()
        return None if spent is None else (spent, False)

    def _spent(self) -> str | None:
        if self.count > MOST_REQUESTS:
            return TOO_MANY
        return self.transfers.spent

    def _mixes(self, url: str, kind: str, *, main: bool) -> bool:
        """Tell whether a page of the web asks for what nobody else's browser would load."""
        theirs = self._credentials is not None and not main
        return theirs and self._is_secure and url.startswith(_PLAIN) and kind not in _SHOWN

    def _let_through(self, session: str, event: Mapping[str, Any], *, main: bool) -> None:
        parameters: dict[str, Any] = {"requestId": event["requestId"], "interceptResponse": True}
        request, first = event["request"], self.listen(session)
        if self._credentials is not None:
            if main:
                first = self._credentials.follow(request["url"], self._spare.send) or first
            # A frame of another site has a session of its own.
            own = session == self._spare.session
            headers = self._credentials.headers(event) if own else None
            parameters |= {} if headers is None else {"headers": headers}

        def check(sent: Answer) -> None:
            # A request that the browser will not make would stay as it is for ever.
            if sent.exception() is not None:
                self._drop(session, event)

        def go_on(_: Answer) -> None:
            sent = self._send(session, "Fetch.continueRequest", **parameters)
            sent.add_done_callback(check)

        if event["resourceType"] == "XHR":
            # A synchronous one has its page wait, which could not answer meanwhile.
            go_on(first)
        else:
            first.add_done_callback(go_on)

    def _on_answer(self, session: str, event: Mapping[str, Any]) -> None:
        with self._lock:
            asked = self._pending.pop(event["requestId"], None)
        url, main = event["request"]["url"], self._is_main(event)
        status: int | None = event.get("responseStatusCode")
        problem, refused = None, False
        if status is None:
            problem, refused = self._problem(url, event["responseErrorReason"])
        elif status >= _BAD_REQUEST:
            problem = f"it was answered with status {status}"
        elif size_of(event) > MOST_BYTES_EACH:
            problem, status = TOO_LARGE, None
        if main:
            # One that is broken off, a download say, leaves the page as it is.
            self.arrival = (
                Arrival(url, 0) if is_aborted(event) else Arrival(url, status, problem, refused)
            )
        elif problem and asked and asked.type not in _UNSEEN and not is_aborted(event):
            self.assets.miss(url, problem, refused=refused)
        elif problem is None:
            self.assets.find(url)
        if status is None and "responseStatusCode" in event:
            self._fail(session, event, "BlockedByClient")
        else:
            self._send(session, "Fetch.continueRequest", requestId=event["requestId"])

    def _problem(self, url: str, reason: str) -> tuple[str, bool]:
        """Say why there was no answer, and whether the proxy refused the address."""
        place = place_in(url)
        refused = self._traffic.refused.get(place)
        if refused is not None:
            return refused, True
        over = self._traffic.objection(url)
        if over is not None:
            return over, False
        missed = self._traffic.unreachable.get(place)
        if missed is None and reason == "Failed" and is_at_bad_port(url):
            return WHY, True
        return missed or f"there was no answer ({reason})", False

    def _drop(self, session: str, event: Mapping[str, Any]) -> None:
        with self._lock:
            asked = self._pending.pop(event["requestId"], None)
        if asked is not None:
            self.assets.miss(asked.url, "the browser would not send the request")
            self._fail(session, event, "Failed")

    def listen(self, session: str) -> Answer:
        """Have the answers' sizes told. Not from the beginning: most documents ask for nothing."""
        if session not in self._listening:
            self._listening[session] = self._send(session, "Network.enable", **_UNBUFFERED)
        return self._listening[session]

    def _fail(self, session: str, event: Mapping[str, Any], reason: str) -> None:
        request = event["requestId"]
        self._send(session, "Fetch.failRequest", requestId=request, errorReason=reason)

    def _send(self, session: str, method: str, **parameters: Any) -> Answer:
        return self._spare.pipe.send(method, parameters, session)

    def _is_main(self, event: Mapping[str, Any]) -> bool:
        leaving: bool = event.get("resourceType") == "Document"
        return leaving and event.get("frameId") == self._spare.frame
