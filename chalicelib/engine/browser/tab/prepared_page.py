"""Prepared page: an empty page at an origin of its own, created ahead of its document."""

import threading
from base64 import b64encode
from concurrent.futures import Future
from typing import Final

from chalicelib.core.json import Json, JsonObject
from chalicelib.engine.browser.chromium.pipe import Answer, Handler, Pipe, await_answer
from chalicelib.engine.browser.chromium.protocol import Event
from chalicelib.engine.browser.chromium.script_fonts import FAMILIES_OF_SCRIPTS
from chalicelib.engine.browser.proxy.server import ProxyPort
from chalicelib.engine.browser.tab.origin import new_origin
from chalicelib.engine.browser.tab.warm_up import WarmUp, check_has_text

# Out-of-process frames and workers attach paused, so that none runs before its requests are
# intercepted.
FRAME_AUTO_ATTACH: Final[JsonObject] = {
    "autoAttach": True,
    "waitForDebuggerOnStart": True,
    "flatten": True,
    "filter": [{"type": "iframe"}, {"type": "worker"}],
}
_FONT_FAMILIES: Final[JsonObject] = {"fontFamilies": {}, "forScripts": FAMILIES_OF_SCRIPTS}
_STEP_TIMEOUT_S: Final = 10.0
ISOLATED_WORLD_NAME: Final = "platen"
# Servers of assets must not learn the internal origin from `Referer` (decision 18).
_DOCUMENT_HEADERS: Final = {
    "Content-Type": "text/html; charset=utf-8",
    "Referrer-Policy": "no-referrer",
}


class PreparedPage:
    """Empty page for one document; `origin` may change with the document.

    Its context is its own, or that of the pages before it in a lane (decision 40).
    """

    def __init__(  # noqa: PLR0913, PLR0917 -- its handles
        self,
        pipe: Pipe,
        session: str,
        context: str,
        frame: str,
        origin: str,
        new_targets: "NewTargets",
        proxy_port: ProxyPort,
    ) -> None:
        """Take over the context and its handles; `prepare_page` creates them."""
        self.pipe: Final = pipe
        self.session: Final = session
        self.context: Final = context
        self.frame: Final = frame
        # Set when its empty document stands.
        self.world = 0
        self.origin = origin
        self.new_targets: Final = new_targets
        self.proxy_port: Final = proxy_port
        self.frame_sessions: Final[list[str]] = []

    def set_handler(self, handler: Handler) -> None:
        """Route the page's events to `handler`."""
        self.pipe.set_handler(self.session, handler)

    def attach_frame(self, session: str, handler: Handler) -> None:
        """Route the events of an out-of-process frame to `handler`."""
        self.frame_sessions.append(session)
        self.pipe.set_handler(session, handler)

    def send(self, method: str, **parameters: Json) -> Answer:
        """Send a call to this page."""
        return self.pipe.send(method, parameters, self.session)

    def discard(self) -> None:
        """Close the proxy port and dispose of the context; return at once."""
        self.proxy_port.close()
        self._forget()
        self.pipe.send("Target.disposeBrowserContext", {"browserContextId": self.context})

    def retire(self) -> None:
        """Let go of the page, but keep it open for `prepare_next_page`; return at once."""
        self._forget()
        # The end of the session ends all other emulation, some of which holds for the whole
        # process.
        self.pipe.send("Emulation.clearDeviceMetricsOverride", {}, self.session)
        self.pipe.send("Target.detachFromTarget", {"sessionId": self.session})

    def _forget(self) -> None:
        for session in (self.session, *self.frame_sessions):
            self.pipe.set_handler(session, None)


class NewTargets:
    """New targets of one browser: expected pages are reported, all others closed.

    Targets attach paused (`waitForDebuggerOnStart`), so an unexpected pop-up or worker never runs.
    """

    def __init__(self, pipe: Pipe) -> None:
        """Attach to every new target of the browser, paused."""
        self._pipe = pipe
        self._lock = threading.Lock()
        self._expected: dict[str, Future[tuple[str, str]]] = {}
        pipe.set_handler("", self._on_event)
        auto = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
        pipe.send("Target.setAutoAttach", auto).result(_STEP_TIMEOUT_S)

    def expect(self, context: str) -> Future[tuple[str, str]]:
        """Return a future of session and target id of the next page attached in a context."""
        arrival: Future[tuple[str, str]] = Future()
        with self._lock:
            self._expected[context] = arrival
        return arrival

    def _on_event(self, method: str, event: Event) -> None:
        if method != "Target.attachedToTarget":
            return
        target = event["targetInfo"]
        with self._lock:
            arrival = self._expected.pop(target.get("browserContextId", ""), None)
        if arrival is not None and target["type"] == "page":
            arrival.set_result((event["sessionId"], target["targetId"]))
        else:
            self._pipe.send("Target.closeTarget", {"targetId": target["targetId"]})


def prepare_page(
    pipe: Pipe, new_targets: NewTargets, proxy_port: ProxyPort, warm_up: WarmUp | None
) -> PreparedPage:
    """Return a page in a new context and at a new origin, after it has printed `warm_up`.

    `proxy_port` is its only way to the network. Raises BrowserUnusableError when the warm-up prints
    no text, BrowserGoneError when the page crashes, TimeoutError when a step is late.
    """
    proxy_settings = {
        "proxyServer": f"http://127.0.0.1:{proxy_port.port}",
        "proxyBypassList": "<-loopback>",
    }
    created = pipe.send("Target.createBrowserContext", {"disposeOnDetach": True, **proxy_settings})
    context = created.result(_STEP_TIMEOUT_S)["browserContextId"]
    origin, arrival = new_origin(), new_targets.expect(context)
    pipe.send("Target.createTarget", {"url": f"{origin}/", "browserContextId": context})
    session, target = arrival.result(_STEP_TIMEOUT_S)
    page = PreparedPage(pipe, session, context, target, origin, new_targets, proxy_port)
    _open(page, warm_up)
    return page


def prepare_next_page(last: PreparedPage) -> PreparedPage:
    """Return a retired page at another origin, with a new session and no history.

    Raises as `prepare_page`, and CallRefusedError when the page is gone.
    """
    pipe, context = last.pipe, last.context
    origin, arrival = new_origin(), last.new_targets.expect(context)
    to_target: JsonObject = {"targetId": last.frame, "flatten": True}
    pipe.send("Target.attachToTarget", to_target).result(_STEP_TIMEOUT_S)
    session, target = arrival.result(_STEP_TIMEOUT_S)
    page = PreparedPage(pipe, session, context, target, origin, last.new_targets, last.proxy_port)
    _open(page, warm_up=None, navigates=True)
    return page


def _open(page: PreparedPage, warm_up: WarmUp | None, *, navigates: bool = False) -> None:
    """Confine an attached page, and wait for the empty document at its origin.

    A new page waits for the confinement and loads by itself; another one `navigates`.
    """
    loaded, crashed = _answer_requests(page, warm_up.html if warm_up else "")
    for call in _confine(page.pipe, page.session, page.context):
        await_answer(call, crashed, _STEP_TIMEOUT_S)
    if navigates:
        page.send("Page.navigate", url=f"{page.origin}/")
    await_answer(loaded, crashed, _STEP_TIMEOUT_S)
    if navigates:
        # A script could go back to the document before.
        await_answer(page.send("Page.resetNavigationHistory"), crashed, _STEP_TIMEOUT_S)
    created_world = page.send(
        "Page.createIsolatedWorld", frameId=page.frame, worldName=ISOLATED_WORLD_NAME
    )
    page.world = await_answer(created_world, crashed, _STEP_TIMEOUT_S)["executionContextId"]
    if warm_up:
        printed = page.pipe.send("Page.printToPDF", warm_up.print_parameters, page.session)
        check_has_text(await_answer(printed, crashed, _STEP_TIMEOUT_S)["data"])


def _answer_requests(page: PreparedPage, html: str) -> tuple[Future[None], Future[None]]:
    """Answer the page's requests with a document; return futures of its load and its crash."""
    loaded: Future[None] = Future()
    crashed: Future[None] = Future()

    def on_event(method: str, event: Event) -> None:
        if method == "Fetch.requestPaused":
            response = document_response(event["requestId"], html)
            page.pipe.send("Fetch.fulfillRequest", response, page.session)
        elif method == "Page.loadEventFired" and not loaded.done():
            loaded.set_result(None)
        elif method == "Inspector.targetCrashed" and not crashed.done():
            crashed.set_result(None)

    page.set_handler(on_event)
    return loaded, crashed


def document_response(request_id: str, html: str) -> dict[str, Json]:
    """Return the parameters of `Fetch.fulfillRequest` for a document."""
    return {
        "requestId": request_id,
        "responseCode": 200,
        "responseHeaders": [
            {"name": name, "value": value} for name, value in _DOCUMENT_HEADERS.items()
        ],
        "body": b64encode(html.encode()).decode(),
    }


def _confine(pipe: Pipe, session: str, context: str) -> list[Answer]:
    """Deny downloads and permissions, enable interception, then release the paused page.

    Its standard families are set here, since a page takes them only before its document.

    The browser answers the calls in order, so all restrictions hold before the page runs.
    """
    context_id = {"browserContextId": context}
    return [
        pipe.send("Browser.setDownloadBehavior", {"behavior": "deny", **context_id}),
        pipe.send("Browser.grantPermissions", {"permissions": [], **context_id}),
        pipe.send("Page.enable", {}, session),
        pipe.send("Page.setFontFamilies", _FONT_FAMILIES, session),
        pipe.send("Runtime.enable", {}, session),
        pipe.send("Inspector.enable", {}, session),
        pipe.send("Log.enable", {}, session),
        pipe.send("Fetch.enable", {}, session),
        pipe.send("Network.setBypassServiceWorker", {"bypass": True}, session),
        pipe.send("Target.setAutoAttach", FRAME_AUTO_ATTACH, session),
        pipe.send("Runtime.runIfWaitingForDebugger", {}, session),
    ]
