"""Answers a page's events: dialogs, frames and crashes; keeps what the page says."""

import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, Final

from chalicelib.engine.browser.requests import Requests
from chalicelib.engine.browser.spare import FRAMES, Spare
from chalicelib.engine.browser.traffic import Traffic

_MOST_LOGS: Final = 100
_LOG_CHARS: Final = 500


class Watch:
    """The handler of one page and its frames; its methods are called from two threads."""

    def __init__(
        self,
        spare: Spare,
        traffic: Traffic,
        crashed: Future[None],
        adopt: Callable[[str], None],
    ) -> None:
        """Begin to watch; `crashed` is set when the page's process ends.

        `adopt` learns of the session of each frame that has a process of its own.
        """
        self._spare = spare
        self._crashed = crashed
        self._adopt = adopt
        self._lock = threading.Lock()
        self._logs: list[str] = []
        self.requests = Requests(spare, traffic)
        spare.handle(partial(self._on_event, spare.session))

    def logs(self) -> tuple[str, ...]:
        """Return the page's console and whom it asked in vain, at most 100 x 500 characters."""
        failed = self.requests.assets.lines()
        with self._lock:
            said = self._logs[: _MOST_LOGS - len(failed)]
        return (*said, *(line[:_LOG_CHARS] for line in failed))

    def _on_event(self, session: str, method: str, event: Mapping[str, Any]) -> None:
        match method:
            case "Page.javascriptDialogOpening":
                self._spare.send("Page.handleJavaScriptDialog", accept=False)
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown":
                self._log(_said(event))
            case "Inspector.targetCrashed" if not self._crashed.done():
                self._crashed.set_result(None)
            case "Target.attachedToTarget":
                self._on_frame(event["sessionId"])
            case _:
                self.requests.on_event(session, method, event)

    def _on_frame(self, session: str) -> None:
        """Watch a frame with a process of its own, which waits until it is let go on."""
        self._spare.adopt(session, partial(self._on_event, session))
        send = partial(self._spare.pipe.send, session=session)
        send("Fetch.enable", {})
        send("Target.setAutoAttach", FRAMES)
        self._adopt(session)
        send("Runtime.runIfWaitingForDebugger", {})

    def _log(self, line: str) -> None:
        line = line.replace(self._spare.origin, "")[:_LOG_CHARS]
        with self._lock:
            self._logs.append(line)
            full = len(self._logs) == _MOST_LOGS
            del self._logs[_MOST_LOGS:]
        if full:
            # A page that floods its console costs us nothing from here on.
            self._spare.send("Runtime.disable")


def _said(event: Mapping[str, Any]) -> str:
    if "args" in event:
        return f"{event['type']}: {' '.join(_text(argument) for argument in event['args'])}"
    details = event["exceptionDetails"]
    thrown = details.get("exception", {}).get("description")
    return f"error: {thrown or details.get('text', '')}"


def _text(argument: Mapping[str, Any]) -> str:
    if "value" in argument:
        value = argument["value"]
        return value if isinstance(value, str) else json.dumps(value)
    return str(argument.get("description") or argument.get("unserializableValue") or "undefined")
