"""Event handler of a page: dialogs, frames, crashes and console lines."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Final

from chalicelib.core.redact_url import redacted_text
from chalicelib.engine.browser.chromium.protocol import Event, RemoteObject
from chalicelib.engine.browser.page.script_failures import ScriptFailures
from chalicelib.engine.browser.proxy.budget import TrafficBudget
from chalicelib.engine.browser.requests.navigations import Navigations
from chalicelib.engine.browser.requests.requests import PageRequests
from chalicelib.engine.browser.tab.prepared_page import FRAME_AUTO_ATTACH, PreparedPage

_MAX_LOGS: Final = 100
_MAX_LOG_CHARS: Final = 500
_MAX_READ_CHARS: Final = 10_000


class PageWatch:
    """Handler of the events of one page and its frames; called from two threads."""

    def __init__(
        self,
        prepared_page: PreparedPage,
        traffic: TrafficBudget,
        crashed: Future[None],
        on_frame_session: Callable[[str], None],
    ) -> None:
        """Register as the page's handler; `crashed` is set when its process ends.

        `on_frame_session` gets the session of each out-of-process frame before the frame runs.
        """
        self._prepared_page = prepared_page
        self._crashed = crashed
        self._on_frame_session = on_frame_session
        self._lock = threading.Lock()
        self._logs: list[str] = []
        self.script_failures = ScriptFailures()
        self._navigations = Navigations()
        self.requests = PageRequests(prepared_page, traffic, self._navigations)
        prepared_page.set_handler(partial(self._on_event, prepared_page.session))

    def logs(self) -> tuple[str, ...]:
        """Return console lines and failed hosts, at most 100 lines of 500 characters."""
        lines = (*self.requests.assets.log_lines(), *self._navigations.log_lines())
        failed = tuple(dict.fromkeys(lines))
        with self._lock:
            console = self._logs[: _MAX_LOGS - len(failed)]
        return (*console, *(line[:_MAX_LOG_CHARS] for line in failed))

    def _on_event(self, session: str, method: str, event: Event) -> None:
        match method:
            case "Page.javascriptDialogOpening":
                self._prepared_page.send("Page.handleJavaScriptDialog", accept=False)
            case "Runtime.consoleAPICalled":
                self._log(_console_line(event))
            case "Runtime.exceptionThrown":
                self.script_failures.record(event["exceptionDetails"], self._prepared_page.origin)
                self._log(_console_line(event))
            case "Inspector.targetCrashed" if not self._crashed.done():
                self._crashed.set_result(None)
            case "Target.attachedToTarget":
                self._on_frame(event["sessionId"])
            case _:
                self.requests.on_event(session, method, event)

    def _on_frame(self, session: str) -> None:
        """Watch an out-of-process frame; the browser holds it until it is released here."""
        self._prepared_page.attach_frame(session, partial(self._on_event, session))
        send = partial(self._prepared_page.pipe.send, session=session)
        send("Log.enable", {})
        send("Fetch.enable", {})
        send("Target.setAutoAttach", FRAME_AUTO_ATTACH)
        self._on_frame_session(session)
        send("Runtime.runIfWaitingForDebugger", {})

    def _log(self, line: str) -> None:
        # The internal origin stands in no output (decision 18).
        line = line[:_MAX_READ_CHARS].replace(self._prepared_page.origin, "")
        # A cut within an address would hide that a password stands there.
        line = redacted_text(line)[:_MAX_LOG_CHARS]
        with self._lock:
            self._logs.append(line)
            is_full = len(self._logs) == _MAX_LOGS
            del self._logs[_MAX_LOGS:]
        if is_full:
            # A page that floods its console costs nothing from here on.
            self._prepared_page.send("Runtime.disable")


def _console_line(event: Event) -> str:
    if "args" in event:
        return (
            f"{event['type']}: {' '.join(_argument_text(argument) for argument in event['args'])}"
        )
    details = event["exceptionDetails"]
    thrown = details.get("exception", {}).get("description")
    return f"error: {thrown or details.get('text', '')}"


def _argument_text(argument: RemoteObject) -> str:
    if "value" in argument:
        value = argument["value"]
        return value if isinstance(value, str) else json.dumps(value)
    return str(argument.get("description") or argument.get("unserializableValue") or "undefined")
