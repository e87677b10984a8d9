"""What a page asks for: let through to the proxy, or refused; and what was answered."""

import threading
import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from chalicelib.engine.browser.chromium.pipe import Answer
from chalicelib.engine.browser.page.credentials import Credentials
from chalicelib.engine.browser.pool.origin import document_origin
from chalicelib.engine.browser.pool.prepared_page import PreparedPage, document_response
from chalicelib.engine.browser.proxy.budget import (
    MAX_REQUESTS,
    MAX_RESPONSE_BYTES,
    RESPONSE_TOO_LARGE,
    TOO_MANY_REQUESTS,
    TrafficBudget,
)
from chalicelib.engine.browser.requests.assets import (
    IP_LITERAL_REASON,
    USERINFO_REASON,
    PageAssets,
    blocked_url,
    failure_reason,
    without_userinfo,
)
from chalicelib.engine.browser.requests.transfers import (
    MainResponse,
    Transfers,
    announced_bytes,
    is_aborted,
)
from chalicelib.engine.job import RenderWarning

_REDIRECT_GRACE_S: Final = 0.5
_BAD_REQUEST: Final = 400
_LOCAL_SCHEMES: Final = ("data:", "blob:", "about:")
_WEB_SCHEMES: Final = ("http://", "https://")
_HTTP, _HTTPS = _WEB_SCHEMES
# What a page at https: may have from http: addresses; a document that came as text may have all.
_MIXED_CONTENT_TYPES: Final = frozenset({"Image", "Media"})
_MIXED_FRAME_REASON: Final = "a page at https: may have frames from https: addresses only"
_MIXED_ASSET_REASON: Final = "a page at https: may have only pictures from http: addresses"
_NO_BUFFERS: Final = {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}
# What nobody who looks at the page can miss.
_INVISIBLE_TYPES: Final = frozenset({"Ping", "Prefetch", "CSPViolationReport", "Preflight"})


class _PendingRequest(NamedTuple):
    url: str
    type: str
    started_at: float


class PageRequests:
    """The requests of one page. Events come on the browser's reader thread."""

    def __init__(self, prepared_page: PreparedPage, traffic: TrafficBudget) -> None:
        """Let the parts of a document through; `traffic` is what the proxy knows of them."""
        self._prepared_page = prepared_page
        self._traffic = traffic
        self._lock = threading.Lock()
        self._pending: dict[str, _PendingRequest] = {}
        self._network_enabled: dict[str, Answer] = {}
        self._credentials: Credentials | None = None
        self._own_origin_html: str | None = None
        self._redirect_expected_until = 0.0
        self._counted: set[str] = set()
        self.count = 0
        self.is_loaded = False
        self.main_response: MainResponse | None = None
        self.assets = PageAssets(lambda: prepared_page.origin)
        self.transfers = Transfers(self.assets, traffic)

    def allow_navigation(self, credentials: Credentials) -> None:
        """Let the page itself come from outside, and lead elsewhere; before, it may not."""
        self._credentials = credentials

    def serve_at_own_origin(self, html: str) -> str:
        """Have a document come from an origin of its own; return its address."""
        self._prepared_page.origin, self._own_origin_html = document_origin(html), html
        return f"{self._prepared_page.origin}/"

    def on_event(self, session: str, method: str, event: Mapping[str, Any]) -> None:
        """Take an event of the page or of one of its frames."""
        match method:
            case "Fetch.requestPaused":
                self._on_paused(session, event)
            case "Page.frameRequestedNavigation" | "Page.frameScheduledNavigation":
                self._on_client_redirect(event)
            case "Page.loadEventFired":
                self.is_loaded = True
            case "Log.entryAdded" if (url := blocked_url(event["entry"])) is not None:
                self.assets.record_missing(url, IP_LITERAL_REASON, is_refused=True)
            case "Page.frameAttached" if self._credentials is not None:
                self._credentials.add_frame(event["parentFrameId"], event["frameId"])
            case _ if method.startswith("Network."):
                self.transfers.on_event(method, event)

    def _on_client_redirect(self, event: Mapping[str, Any]) -> None:
        """Take a navigation that a script or `meta refresh` begins: as a rule a request follows."""
        delay = event.get("delay", 0)
        main = event["frameId"] == self._prepared_page.frame
        # What the browser does not even ask for.
        if not main and without_userinfo(event["url"]) != event["url"]:
            self.assets.record_missing(event["url"], USERINFO_REASON)
        elif not main and event["url"].startswith(_HTTP) and self._is_secure:
            self.assets.record_missing(event["url"], _MIXED_FRAME_REASON, is_refused=True)
        if main and delay <= _REDIRECT_GRACE_S and event["url"].startswith(_WEB_SCHEMES):
            self._redirect_expected_until = time.monotonic() + delay + _REDIRECT_GRACE_S

    @property
    def is_redirecting(self) -> bool:
        """Tell whether the page itself is being asked for and has not been answered."""
        arrival = self.main_response
        asked = arrival is not None and arrival.status is None and arrival.problem is None
        return asked or time.monotonic() < self._redirect_expected_until

    def quiet_s(self) -> float:
        """Return the seconds since there was nothing on its way any more."""
        with self._lock:
            pending = any(asked.type not in _INVISIBLE_TYPES for asked in self._pending.values())
        if pending or self.transfers.is_busy:
            return 0.0
        return time.monotonic() - self.transfers.last_event_at

    def check_complete(self) -> None:
        """Raise RenderFailure `url_not_allowed` or `asset_fetch_failed` if a part is missing."""
        self._record_exceeded_limits()
        self.assets.check_complete()

    def warnings(self) -> tuple[RenderWarning, ...]:
        """Return a warning for each part that did not come, or late, or has not come yet."""
        self._record_exceeded_limits()
        with self._lock:
            pending = list(self._pending.values())
        for asked in pending:
            if asked.type not in _INVISIBLE_TYPES:
                self.assets.record_slow(asked.url, time.monotonic() - asked.started_at)
        return self.assets.warnings()

    def _record_exceeded_limits(self) -> None:
        """Keep what only the proxy has seen: WebSockets, workers, prefetching over a budget."""
        for address, why in self._traffic.exceeded_limits.items():
            self.assets.record_missing(address, why)

    def _on_paused(self, session: str, event: Mapping[str, Any]) -> None:
        """Take Fetch.requestPaused: a request, or its answer."""
        self.transfers.last_event_at = time.monotonic()
        if "responseStatusCode" in event or "responseErrorReason" in event:
            self._on_response(session, event)
        elif event["request"]["url"].startswith(_LOCAL_SCHEMES):
            self._send(session, "Fetch.continueRequest", requestId=event["requestId"])
        else:
            self._on_request(session, event)

    def _on_request(self, session: str, event: Mapping[str, Any]) -> None:
        url, main = event["request"]["url"], self._is_main_document(event)
        if main and self._own_origin_html is not None:
            document, self._own_origin_html = self._own_origin_html, None
            self._send(
                session, "Fetch.fulfillRequest", **document_response(event["requestId"], document)
            )
            return
        self._count_request(event)
        objection = self._refusal(url, event["resourceType"], main=main)
        if objection is not None:
            why, refused = objection
            self.assets.record_missing(url, why, is_refused=refused)
            # `Aborted` leaves the page where it is; any other reason would show an error page.
            self._fail(session, event, "Aborted" if main else "BlockedByClient")
            return
        if main:
            self.main_response, self._redirect_expected_until = MainResponse(url), 0.0
        elif event["resourceType"] == "Document":
            # A frame that the browser does ask for.
            self.assets.record_found(url)
        with self._lock:
            self._pending[event["requestId"]] = _PendingRequest(
                url, event["resourceType"], time.monotonic()
            )
        self._continue_request(session, event, main=main)

    def _count_request(self, event: Mapping[str, Any]) -> None:
        """Count what is neither a redirect nor asked for a second time."""
        known = event.get("networkId")
        if "redirectedRequestId" in event or known in self._counted:
            return
        self.count += 1
        if known is not None:
            self._counted.add(known)

    @property
    def _is_secure(self) -> bool:
        """Tell whether the page stands at https:, as all documents do that came as text."""
        return self._credentials is None or (
            self.main_response is not None and self.main_response.url.startswith(_HTTPS)
        )

    def _refusal(self, url: str, kind: str, *, main: bool) -> tuple[str, bool] | None:
        """Say why a request may not leave, and whether that is for its address."""
        if url.startswith(self._prepared_page.origin):
            return "a document that came as text has no address of its own to add this to", False
        if not url.startswith(_WEB_SCHEMES):
            return "only http: and https: addresses are loaded", True
        if main and self._credentials is None:
            return "a document may not lead its page elsewhere", True
        if self._is_mixed_content(url, kind, main=main):
            return _MIXED_ASSET_REASON, False
        spent = self._exhausted_limit()
        return None if spent is None else (spent, False)

    def _exhausted_limit(self) -> str | None:
        if self.count > MAX_REQUESTS:
            return TOO_MANY_REQUESTS
        return self.transfers.exhausted_limit

    def _is_mixed_content(self, url: str, kind: str, *, main: bool) -> bool:
        """Tell whether a page of the web asks for what nobody else's browser would load."""
        if self._credentials is None or main or not self._is_secure:
            return False
        return url.startswith(_HTTP) and kind not in _MIXED_CONTENT_TYPES

    def _continue_request(self, session: str, event: Mapping[str, Any], *, main: bool) -> None:
        parameters: dict[str, Any] = {"requestId": event["requestId"], "interceptResponse": True}
        request, first = event["request"], self.enable_network(session)
        if self._credentials is not None:
            if main:
                follow = self._credentials.follow_navigation
                first = follow(request["url"], self._prepared_page.send) or first
            # A frame of another site has a session of its own.
            own = session == self._prepared_page.session
            headers = self._credentials.request_headers(event) if own else None
            parameters |= {} if headers is None else {"headers": headers}

        def check(sent: Answer) -> None:
            # A request that the browser will not make would stay as it is for ever.
            if sent.exception() is not None:
                self._on_unsendable(session, event)

        def go_on(_: Answer) -> None:
            sent = self._send(session, "Fetch.continueRequest", **parameters)
            sent.add_done_callback(check)

        if event["resourceType"] == "XHR":
            # A synchronous one has its page wait, which could not answer meanwhile.
            go_on(first)
        else:
            first.add_done_callback(go_on)

    def _on_response(self, session: str, event: Mapping[str, Any]) -> None:
        with self._lock:
            asked = self._pending.pop(event["requestId"], None)
        url, main = event["request"]["url"], self._is_main_document(event)
        status: int | None = event.get("responseStatusCode")
        problem, refused = None, False
        if status is None:
            problem, refused = failure_reason(self._traffic, url, event["responseErrorReason"])
        elif status >= _BAD_REQUEST:
            problem = f"it was answered with status {status}"
        elif announced_bytes(event) > MAX_RESPONSE_BYTES:
            problem, status = RESPONSE_TOO_LARGE, None
        if main:
            # One that is broken off, a download say, leaves the page as it is.
            response = MainResponse(url, status, problem, refused)
            self.main_response = MainResponse(url, 0) if is_aborted(event) else response
        elif problem and asked and asked.type not in _INVISIBLE_TYPES and not is_aborted(event):
            self.assets.record_missing(url, problem, is_refused=refused)
        elif problem is None:
            self.assets.record_found(url)
        if status is None and "responseStatusCode" in event:
            self._fail(session, event, "BlockedByClient")
        else:
            self._send(session, "Fetch.continueRequest", requestId=event["requestId"])

    def _on_unsendable(self, session: str, event: Mapping[str, Any]) -> None:
        with self._lock:
            asked = self._pending.pop(event["requestId"], None)
        if asked is not None:
            self.assets.record_missing(asked.url, "the browser would not send the request")
            self._fail(session, event, "Failed")

    def enable_network(self, session: str) -> Answer:
        """Have the answers' sizes told. Not from the beginning: most documents ask for nothing."""
        if session not in self._network_enabled:
            self._network_enabled[session] = self._send(session, "Network.enable", **_NO_BUFFERS)
        return self._network_enabled[session]

    def _fail(self, session: str, event: Mapping[str, Any], reason: str) -> None:
        request = event["requestId"]
        self._send(session, "Fetch.failRequest", requestId=request, errorReason=reason)

    def _send(self, session: str, method: str, **parameters: Any) -> Answer:
        return self._prepared_page.pipe.send(method, parameters, session)

    def _is_main_document(self, event: Mapping[str, Any]) -> bool:
        leaving: bool = event.get("resourceType") == "Document"
        return leaving and event.get("frameId") == self._prepared_page.frame
