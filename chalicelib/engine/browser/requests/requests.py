"""Interception of a page's requests: continue, refuse or fulfil them, and record responses."""

import time
from typing import Final

from chalicelib.core.egress_policy import WEB_PREFIXES
from chalicelib.core.json import Json
from chalicelib.engine.browser.chromium.pipe import Answer
from chalicelib.engine.browser.chromium.protocol import Event, LogEntry
from chalicelib.engine.browser.proxy.budget import (
    MAX_RESPONSE_BYTES,
    RESPONSE_TOO_LARGE,
    TrafficBudget,
    host_and_port_of,
)
from chalicelib.engine.browser.requests.assets import OwnOrigin, PageAssets, Refusal, failure_reason
from chalicelib.engine.browser.requests.log_entries import SCHEME_REASON, logged_failure
from chalicelib.engine.browser.requests.navigations import Navigations, frame_refusal
from chalicelib.engine.browser.requests.open_requests import OpenRequest, OpenRequests
from chalicelib.engine.browser.requests.transfers import (
    MainResponse,
    Transfers,
    announced_bytes,
    is_aborted,
)
from chalicelib.engine.browser.tab.credentials import Credentials
from chalicelib.engine.browser.tab.prepared_page import PreparedPage
from chalicelib.engine.context import RenderWarning

MAX_UNSENT: Final = 200
_BAD_REQUEST: Final = 400
_LOCAL_SCHEMES: Final = ("data:", "blob:", "about:")
_HTTP, _HTTPS = WEB_PREFIXES
# Mixed content that browsers load on https: pages. HTML documents may load all (decision 18).
_MIXED_CONTENT_TYPES: Final = frozenset({"Image", "Media"})
_MIXED_ASSET_REASON: Final = "a page at https: may have only pictures from http: addresses"
_NO_BUFFERS: Final = {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}


class PageRequests:
    """Requests of one page; events come on the browser's reader thread."""

    def __init__(
        self, prepared_page: PreparedPage, traffic: TrafficBudget, navigations: Navigations
    ) -> None:
        """Allow the assets of an HTML document; `traffic` is the proxy's record of them."""
        self._prepared_page = prepared_page
        self._traffic = traffic
        self._open = OpenRequests()
        # Why nothing more is loaded; None while it is.
        self._end_reason: str | None = None
        self._network_enabled: dict[str, Answer] = {}
        self._credentials: Credentials | None = None
        self._counted: set[str] = set()
        self.count, self.is_loaded = 0, False
        self._is_offline = False
        # Addresses that an offline page has requested, at most MAX_UNSENT.
        self.unsent: dict[str, None] = {}
        self.main_response: MainResponse | None = None
        self.own_origin = OwnOrigin(prepared_page)
        self.assets = PageAssets()
        self.navigations = navigations
        self.transfers = Transfers(self.assets, traffic, self.own_origin, prepared_page.frame)

    def stay_offline(self) -> None:
        """Send nothing to any server: what the page asks for is recorded in `unsent`."""
        self._is_offline = True
        # Also for what is no request of a document, such as `preconnect`.
        self._traffic.end()

    def allow_navigation(self, credentials: Credentials) -> None:
        """Allow the page itself to be loaded from the web and to navigate."""
        self._credentials = credentials

    def enable_network(self, session: str) -> Answer:
        """Enable Network events for a session, once; most documents request nothing."""
        if session not in self._network_enabled:
            self._network_enabled[session] = self._send(session, "Network.enable", **_NO_BUFFERS)
        return self._network_enabled[session]

    def on_event(self, session: str, method: str, event: Event) -> None:
        """Handle an event of the page or of one of its frames."""
        match method:
            case "Fetch.requestPaused":
                self._on_paused(session, event)
            case "Page.frameRequestedNavigation" | "Page.frameScheduledNavigation":
                self._on_client_redirect(event)
            case "Page.loadEventFired":
                self.is_loaded = True
            case "Log.entryAdded":
                self._on_log_entry(event["entry"])
            case "Page.frameAttached" if self._credentials is not None:
                self._credentials.add_frame(event["parentFrameId"], event["frameId"])
            case _ if method.startswith("Network."):
                self.transfers.on_event(method, event)

    @property
    def is_redirecting(self) -> bool:
        """Tell whether a request for the page itself is expected or unanswered."""
        response = self.main_response
        pending = response is not None and response.status is None and response.problem is None
        return pending or self.navigations.is_expected

    @property
    def is_page_open(self) -> bool:
        """Tell whether the page itself has not ended, so that no part of it can be judged."""
        return self.is_redirecting or self.transfers.has_page

    def quiet_s(self) -> float:
        """Return the seconds since the last request or transfer ended."""
        if self.open_parts():
            return 0.0
        return time.monotonic() - self.transfers.last_event_at

    def open_parts(self) -> list[OpenRequest]:
        """Return the requests that have not ended."""
        return [*self._open.visible(), *self.transfers.open_parts()]

    def cut_off(self, reason: str) -> None:
        """Cut off open requests, and record them as missing for `reason`."""
        # The request's own assets are here: only the page has not taken them yet.
        parts = [part for part in self.open_parts() if not self.own_origin.holds(part.url)]
        self._open.clear()
        self.transfers.clear()
        for part in parts:
            self.assets.record_answer(part.url, Refusal(reason))
        for host in {host_and_port_of(part.url) for part in parts}:
            self._traffic.cut_connections(host)

    def end(self, reason: str) -> None:
        """Cut off open requests, and load nothing more but the request's own assets."""
        self._end_reason = reason
        self.cut_off(reason)
        self._traffic.end()

    def check_complete(self) -> None:
        """Raise RenderFailure `url_not_allowed` or `asset_fetch_failed` for a missing asset."""
        self._record_exceeded_limits()
        self.assets.check_complete()
        self.navigations.check_none()

    def warnings(self) -> tuple[RenderWarning, ...]:
        """Return a warning for each asset that is missing, slow or still pending."""
        self._record_exceeded_limits()
        for request in self._open.visible():
            self.assets.record_slow(request.url, request.open_s)
        return (*self.assets.warnings(), *self.navigations.warnings())

    def _on_client_redirect(self, event: Event) -> None:
        """Handle a navigation by script or `meta refresh`; usually a request follows."""
        url, delay = event["url"], event.get("delay", 0)
        if event["frameId"] != self._prepared_page.frame:
            refusal = frame_refusal(url, is_secure=self._is_secure)
            if refusal is not None:
                self.assets.record_refusal(url, refusal)
        elif self._credentials is not None:
            self.navigations.expect(url, delay)
        elif not delay:  # A later one is recorded when it comes.
            self.navigations.stop(url)

    def _on_log_entry(self, entry: LogEntry) -> None:
        failure = logged_failure(entry)
        if failure and not self.navigations.has_stopped(failure.url):
            self.assets.record_refusal(*failure)

    def _record_exceeded_limits(self) -> None:
        """Record failures that only the proxy sees: WebSockets, workers, prefetches."""
        for url, reason in self._traffic.exceeded_limits.items():
            self.assets.record_missing(url, reason)

    def _on_paused(self, session: str, event: Event) -> None:
        """Handle Fetch.requestPaused, in the request stage or the response stage."""
        self.transfers.last_event_at = time.monotonic()
        if "responseStatusCode" in event or "responseErrorReason" in event:
            self._on_response(session, event)
        elif event["request"]["url"].startswith(_LOCAL_SCHEMES):
            self._send(session, "Fetch.continueRequest", requestId=event["requestId"])
        else:
            self._on_request(session, event)

    def _on_request(self, session: str, event: Event) -> None:
        url, is_main = event["request"]["url"], self._is_main_document(event)
        if is_main and self._has_served_document(session, event):
            return
        self._count_request(event)
        if is_main and self._credentials is None:
            self.navigations.stop(url)
            # Any other reason would show an error page.
            self._fail(session, event, "Aborted")
            return
        refusal = self._refusal(event, is_main=is_main)
        if refusal is not None:
            self.assets.record_refusal(url, refusal)
            self._fail(session, event, "Aborted" if is_main else "BlockedByClient")
            return
        if self._is_kept_here(session, event):
            return
        if is_main:
            self.main_response = MainResponse(url)
            self.navigations.end_expectation()
        elif event["resourceType"] == "Document":
            # Undoes the record of `_on_client_redirect`: the browser does load this frame.
            self.assets.record_found(url)
        self._open.add(event["requestId"], url, event["resourceType"])
        self._continue_request(session, event, is_main=is_main)

    def _has_served_document(self, session: str, event: Event) -> bool:
        """Serve the document of the page's own origin, once; return whether this was it."""
        document = self.own_origin.take_document(event["requestId"])
        if document is None:
            return False
        self.transfers.document_request = event.get("networkId")
        self._send(session, "Fetch.fulfillRequest", **document)
        return True

    def _is_kept_here(self, session: str, event: Event) -> bool:
        """Serve an asset of the request, or record a request of an offline page.

        Return whether it was one of both.
        """
        url = event["request"]["url"]
        own = self.own_origin.asset_response(event["requestId"], url)
        if own is not None:
            self.enable_network(session)
            self._send(session, "Fetch.fulfillRequest", **own)
            return True
        if self._is_offline:
            if len(self.unsent) < MAX_UNSENT:
                self.unsent[url] = None
            # Undoes the record of `_on_client_redirect`.
            self.assets.record_found(url)
            self._fail(session, event, "BlockedByClient")
        return self._is_offline

    def _count_request(self, event: Event) -> None:
        """Count a request, but no redirect and no repeated interception of it."""
        network_id = event.get("networkId")
        if "redirectedRequestId" in event or network_id in self._counted:
            return
        self.count += 1
        if network_id is not None:
            self._counted.add(network_id)

    @property
    def _is_secure(self) -> bool:
        """Tell whether the page has an https: origin, as all HTML documents have."""
        return self._credentials is None or (
            self.main_response is not None and self.main_response.url.startswith(_HTTPS)
        )

    def _refusal(self, event: Event, *, is_main: bool) -> Refusal | None:
        """Return why a request is refused; None allows it."""
        url = event["request"]["url"]
        own_bytes = self.own_origin.asset_bytes(url)
        if self.own_origin.holds(url) and (is_main or own_bytes is None):
            return Refusal(self.own_origin.missing_reason(url))
        if not url.startswith(WEB_PREFIXES):
            return Refusal(SCHEME_REASON, is_main)
        if self._is_mixed_content(url, event["resourceType"], is_main=is_main):
            return Refusal(_MIXED_ASSET_REASON)
        if self._end_reason is not None and own_bytes is None:
            return Refusal(self._end_reason)
        limit = self.transfers.admit(event.get("networkId"), own_bytes or 0, self.count)
        return None if limit is None else Refusal(limit)

    def _is_mixed_content(self, url: str, kind: str, *, is_main: bool) -> bool:
        """Tell whether a visited page requests mixed content that browsers block."""
        if self._credentials is None or is_main or not self._is_secure:
            return False
        return url.startswith(_HTTP) and kind not in _MIXED_CONTENT_TYPES

    def _continue_request(self, session: str, event: Event, *, is_main: bool) -> None:
        parameters: dict[str, Json] = {"requestId": event["requestId"], "interceptResponse": True}
        request, barrier = event["request"], self.enable_network(session)
        if self._credentials is not None:
            if is_main:
                follow = self._credentials.follow_navigation
                barrier = follow(request["url"], self._prepared_page.send) or barrier
            # Frames of other sites have sessions of their own and get no credentials.
            is_own = session == self._prepared_page.session
            headers = self._credentials.request_headers(event) if is_own else None
            parameters |= {} if headers is None else {"headers": headers}

        def check_sent(answer: Answer) -> None:
            # A refused call leaves the request paused for ever.
            if answer.exception() is not None:
                self._on_unsendable(session, event)

        def send(_: Answer) -> None:
            answer = self._send(session, "Fetch.continueRequest", **parameters)
            answer.add_done_callback(check_sent)

        if event["resourceType"] == "XHR":
            # A synchronous XHR blocks its page, which could then not answer Network.enable.
            send(barrier)
        else:
            barrier.add_done_callback(send)

    def _on_response(self, session: str, event: Event) -> None:
        pending = self._open.remove(event["requestId"])
        url, is_main = event["request"]["url"], self._is_main_document(event)
        status: int | None = event.get("responseStatusCode")
        problem, is_refused = None, False
        if status is None:
            problem, is_refused = failure_reason(self._traffic, url, event["responseErrorReason"])
        elif status >= _BAD_REQUEST:
            problem = f"it was answered with status {status}"
        elif announced_bytes(event) > MAX_RESPONSE_BYTES:
            problem, status = RESPONSE_TOO_LARGE, None
        if is_main:
            # An aborted navigation, such as a download, leaves the page as it is.
            response = MainResponse(url, status, problem, is_refused)
            self.main_response = MainResponse(url, 0) if is_aborted(event) else response
        elif problem and pending and pending.is_visible and not is_aborted(event):
            self.assets.record_answer(url, Refusal(problem, is_refused))
        elif problem is None:
            self.assets.record_found(url, status or 0)
        if status is None and "responseStatusCode" in event:
            self._fail(session, event, "BlockedByClient")
        else:
            self._send(session, "Fetch.continueRequest", requestId=event["requestId"])

    def _on_unsendable(self, session: str, event: Event) -> None:
        pending = self._open.remove(event["requestId"])
        if pending is not None:
            self.assets.record_missing(pending.url, "the browser would not send the request")
            self._fail(session, event, "Failed")

    def _fail(self, session: str, event: Event, reason: str) -> None:
        self._send(session, "Fetch.failRequest", requestId=event["requestId"], errorReason=reason)

    def _send(self, session: str, method: str, **parameters: Json) -> Answer:
        return self._prepared_page.pipe.send(method, parameters, session)

    def _is_main_document(self, event: Event) -> bool:
        is_document = event.get("resourceType") == "Document"
        return is_document and event.get("frameId") == self._prepared_page.frame
