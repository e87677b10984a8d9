"""A fresh context that already stands at its own origin, made before there is a document for it."""

import threading
from base64 import b64encode
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, Final

from chalicelib.engine.browser.origin import new_origin
from chalicelib.engine.browser.pipe import Answer, Handler, Pipe, answer_of
from chalicelib.engine.browser.proxy import Gate
from chalicelib.engine.browser.rehearsal import Rehearsal, check

# Frames of other sites have processes of their own: they are watched like their page. So are its
# workers: none runs that is not let go on.
FRAMES: Final[Mapping[str, Any]] = {
    "autoAttach": True,
    "waitForDebuggerOnStart": True,
    "flatten": True,
    "filter": [{"type": "iframe"}, {"type": "worker"}],
}
_STEP_S: Final = 10.0
WORLD: Final = "platen"
# Nobody who is asked for a part of the document learns where it stands.
_HEADERS: Final = {"Content-Type": "text/html; charset=utf-8", "Referrer-Policy": "no-referrer"}


class Spare:
    """An empty page in a context of its own; good for one document, which may move its origin."""

    def __init__(  # noqa: PLR0913, PLR0917 -- what it stands on
        self,
        pipe: Pipe,
        session: str,
        context: str,
        frame: str,
        world: int,
        origin: str,
        arrivals: "Arrivals",
        gate: Gate,
    ) -> None:
        """Take over what has been made."""
        self.pipe: Final = pipe
        self.session: Final = session
        self.context: Final = context
        self.frame: Final = frame
        self.world: Final = world
        self.origin = origin
        self.arrivals: Final = arrivals
        self.gate: Final = gate
        self.frames: Final[list[str]] = []

    def handle(self, handler: Handler) -> None:
        """Give the page's events to `handler`."""
        self.pipe.handle(self.session, handler)

    def adopt(self, session: str, handler: Handler) -> None:
        """Give the events of a frame that has a process of its own to `handler`."""
        self.frames.append(session)
        self.pipe.handle(session, handler)

    def send(self, method: str, **parameters: Any) -> Answer:
        """Send a call to this page."""
        return self.pipe.send(method, parameters, self.session)

    def discard(self) -> None:
        """Throw the context away without waiting for it."""
        self.gate.close()
        self.arrivals.forget(self.frame)
        for session in (self.session, *self.frames):
            self.pipe.handle(session, None)
        self.pipe.send("Target.disposeBrowserContext", {"browserContextId": self.context})


class Arrivals:
    """The browser's new targets: ours are awaited, all others (popups, workers) closed unseen.

    They arrive stopped (`waitForDebuggerOnStart`), so a page that nobody asked for never runs.
    """

    def __init__(self, pipe: Pipe) -> None:
        """Ask the browser to stop and report every new target."""
        self._pipe = pipe
        self._lock = threading.Lock()
        self._awaited: dict[str, Future[tuple[str, str]]] = {}
        self._pages: set[str] = set()
        pipe.handle("", self._on_event)
        auto = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
        pipe.send("Target.setAutoAttach", auto).result(_STEP_S)

    def expect(self, context: str) -> Future[tuple[str, str]]:
        """Return the future session and target of the first page in a context."""
        arrival: Future[tuple[str, str]] = Future()
        with self._lock:
            self._awaited[context] = arrival
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
            arrival = self._awaited.pop(target.get("browserContextId", ""), None)
        if arrival is not None and target["type"] == "page":
            arrival.set_result((event["sessionId"], target["targetId"]))
        else:
            self._pipe.send("Target.closeTarget", {"targetId": target["targetId"]})


def prepare(pipe: Pipe, arrivals: Arrivals, gate: Gate, rehearsal: Rehearsal | None) -> Spare:
    """Make a context whose page stands at a new origin, and has printed the rehearsal.

    `gate` is its only way out.

    Raises BrowserUnusable when that showed a browser without fonts.
    """
    way_out = {"proxyServer": f"http://127.0.0.1:{gate.port}", "proxyBypassList": "<-loopback>"}
    created = pipe.send("Target.createBrowserContext", {"disposeOnDetach": True, **way_out})
    context = created.result(_STEP_S)["browserContextId"]
    origin = new_origin()
    arrival = arrivals.expect(context)
    pipe.send("Target.createTarget", {"url": f"{origin}/", "browserContextId": context})
    session, target = arrival.result(_STEP_S)
    shown = rehearsal.html if rehearsal else ""
    loaded: Future[None] = Future()
    crashed: Future[None] = Future()

    def on_event(method: str, event: Mapping[str, Any]) -> None:
        if method == "Fetch.requestPaused":
            pipe.send("Fetch.fulfillRequest", page_of(event["requestId"], shown), session)
        elif method == "Page.loadEventFired" and not loaded.done():
            loaded.set_result(None)
        elif method == "Inspector.targetCrashed" and not crashed.done():
            crashed.set_result(None)

    pipe.handle(session, on_event)
    for call in _confine(pipe, session, context):
        answer_of(call, crashed, _STEP_S)
    answer_of(loaded, crashed, _STEP_S)
    made = pipe.send("Page.createIsolatedWorld", {"frameId": target, "worldName": WORLD}, session)
    world = answer_of(made, crashed, _STEP_S)["executionContextId"]
    if rehearsal:
        printed = pipe.send("Page.printToPDF", rehearsal.printing, session)
        check(answer_of(printed, crashed, _STEP_S)["data"])
    return Spare(pipe, session, context, target, world, origin, arrivals, gate)


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
        pipe.send("Target.setAutoAttach", FRAMES, session),
        pipe.send("Runtime.runIfWaitingForDebugger", {}, session),
    ]


def page_of(request: str, html: str) -> dict[str, Any]:
    """Return how `Fetch.fulfillRequest` answers with a document."""
    return {
        "requestId": request,
        "responseCode": 200,
        "responseHeaders": [{"name": name, "value": value} for name, value in _HEADERS.items()],
        "body": b64encode(html.encode()).decode(),
    }
