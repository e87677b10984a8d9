"""A fresh context that already stands at its own origin, made before there is a document for it."""

import threading
from base64 import b64encode
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, Final

from chalicelib.engine.browser.chromium.pipe import Answer, Handler, Pipe, await_answer
from chalicelib.engine.browser.pool.origin import new_origin
from chalicelib.engine.browser.pool.warm_up import WarmUp, check_has_text
from chalicelib.engine.browser.proxy.server import ProxyPort

# Frames of other sites have processes of their own: they are watched like their page. So are its
# workers: none runs that is not let go on.
FRAME_AUTO_ATTACH: Final[Mapping[str, Any]] = {
    "autoAttach": True,
    "waitForDebuggerOnStart": True,
    "flatten": True,
    "filter": [{"type": "iframe"}, {"type": "worker"}],
}
_STEP_TIMEOUT_S: Final = 10.0
ISOLATED_WORLD_NAME: Final = "platen"
# Nobody who is asked for a part of the document learns where it stands.
_DOCUMENT_HEADERS: Final = {
    "Content-Type": "text/html; charset=utf-8",
    "Referrer-Policy": "no-referrer",
}


class PreparedPage:
    """An empty page in a context of its own; good for one document, which may move its origin."""

    def __init__(  # noqa: PLR0913, PLR0917 -- what it stands on
        self,
        pipe: Pipe,
        session: str,
        context: str,
        frame: str,
        world: int,
        origin: str,
        new_targets: "NewTargets",
        proxy_port: ProxyPort,
    ) -> None:
        """Take over what has been made."""
        self.pipe: Final = pipe
        self.session: Final = session
        self.context: Final = context
        self.frame: Final = frame
        self.world: Final = world
        self.origin = origin
        self.new_targets: Final = new_targets
        self.proxy_port: Final = proxy_port
        self.frame_sessions: Final[list[str]] = []

    def set_handler(self, handler: Handler) -> None:
        """Give the page's events to `handler`."""
        self.pipe.set_handler(self.session, handler)

    def attach_frame(self, session: str, handler: Handler) -> None:
        """Give the events of a frame that has a process of its own to `handler`."""
        self.frame_sessions.append(session)
        self.pipe.set_handler(session, handler)

    def send(self, method: str, **parameters: Any) -> Answer:
        """Send a call to this page."""
        return self.pipe.send(method, parameters, self.session)

    def discard(self) -> None:
        """Throw the context away without waiting for it."""
        self.proxy_port.close()
        self.new_targets.forget(self.frame)
        for session in (self.session, *self.frame_sessions):
            self.pipe.set_handler(session, None)
        self.pipe.send("Target.disposeBrowserContext", {"browserContextId": self.context})


class NewTargets:
    """The browser's new targets: ours are awaited, all others (popups, workers) closed unseen.

    They arrive stopped (`waitForDebuggerOnStart`), so a page that nobody asked for never runs.
    """

    def __init__(self, pipe: Pipe) -> None:
        """Ask the browser to stop and report every new target."""
        self._pipe = pipe
        self._lock = threading.Lock()
        self._expected: dict[str, Future[tuple[str, str]]] = {}
        self._pages: set[str] = set()
        pipe.set_handler("", self._on_event)
        auto = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
        pipe.send("Target.setAutoAttach", auto).result(_STEP_TIMEOUT_S)

    def expect(self, context: str) -> Future[tuple[str, str]]:
        """Return the future session and target of the first page in a context."""
        arrival: Future[tuple[str, str]] = Future()
        with self._lock:
            self._expected[context] = arrival
        return arrival

    def forget(self, target: str) -> None:
        """Stop knowing a page."""
        with self._lock:
            self._pages.discard(target)

    def _on_event(self, method: str, event: Mapping[str, Any]) -> None:
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
    """Make a context whose page stands at a new origin, and has printed the rehearsal.

    `gate` is its only way out.

    Raises BrowserUnusable when that showed a browser without fonts.
    """
    way_out = {
        "proxyServer": f"http://127.0.0.1:{proxy_port.port}",
        "proxyBypassList": "<-loopback>",
    }
    created = pipe.send("Target.createBrowserContext", {"disposeOnDetach": True, **way_out})
    context = created.result(_STEP_TIMEOUT_S)["browserContextId"]
    origin = new_origin()
    arrival = new_targets.expect(context)
    pipe.send("Target.createTarget", {"url": f"{origin}/", "browserContextId": context})
    session, target = arrival.result(_STEP_TIMEOUT_S)
    shown = warm_up.html if warm_up else ""
    loaded: Future[None] = Future()
    crashed: Future[None] = Future()

    def on_event(method: str, event: Mapping[str, Any]) -> None:
        if method == "Fetch.requestPaused":
            pipe.send("Fetch.fulfillRequest", document_response(event["requestId"], shown), session)
        elif method == "Page.loadEventFired" and not loaded.done():
            loaded.set_result(None)
        elif method == "Inspector.targetCrashed" and not crashed.done():
            crashed.set_result(None)

    pipe.set_handler(session, on_event)
    for call in _confine(pipe, session, context):
        await_answer(call, crashed, _STEP_TIMEOUT_S)
    await_answer(loaded, crashed, _STEP_TIMEOUT_S)
    made = pipe.send(
        "Page.createIsolatedWorld", {"frameId": target, "worldName": ISOLATED_WORLD_NAME}, session
    )
    world = await_answer(made, crashed, _STEP_TIMEOUT_S)["executionContextId"]
    if warm_up:
        printed = pipe.send("Page.printToPDF", warm_up.print_parameters, session)
        check_has_text(await_answer(printed, crashed, _STEP_TIMEOUT_S)["data"])
    return PreparedPage(pipe, session, context, target, world, origin, new_targets, proxy_port)


def _confine(pipe: Pipe, session: str, context: str) -> list[Answer]:
    """Close what a page could open, then let it start; the calls are answered in order."""
    of_context = {"browserContextId": context}
    return [
        pipe.send("Browser.setDownloadBehavior", {"behavior": "deny", **of_context}),
        pipe.send("Browser.grantPermissions", {"permissions": [], **of_context}),
        pipe.send("Page.enable", {}, session),
        pipe.send("Runtime.enable", {}, session),
        pipe.send("Inspector.enable", {}, session),
        pipe.send("Log.enable", {}, session),
        pipe.send("Fetch.enable", {}, session),
        pipe.send("Network.setBypassServiceWorker", {"bypass": True}, session),
        pipe.send("Target.setAutoAttach", FRAME_AUTO_ATTACH, session),
        pipe.send("Runtime.runIfWaitingForDebugger", {}, session),
    ]


def document_response(request_id: str, html: str) -> dict[str, Any]:
    """Return how `Fetch.fulfillRequest` answers with a document."""
    return {
        "requestId": request_id,
        "responseCode": 200,
        "responseHeaders": [
            {"name": name, "value": value} for name, value in _DOCUMENT_HEADERS.items()
        ],
        "body": b64encode(html.encode()).decode(),
    }
