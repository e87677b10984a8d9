"""Visitor of the service's own pages: the installed browser, which reaches one origin only.

All other hosts are refused, and each attempt to reach one is recorded, as are the errors of the
console. Dialogs are recorded, and accepted.
"""

import base64
import fcntl
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from chalicelib.engine.browser.chromium.flags import command_line
from chalicelib.engine.browser.chromium.pipe import Pipe
from tests.builders.pages.real_browser import folder
from tests.builders.waiting import eventually

_FIRST_FREE_DESCRIPTOR: Final = 10
_TIMEOUT_S: Final = 60
_LOCAL_SCHEMES: Final = frozenset({"about", "blob", "data"})


class Visitor:
    """Tab of a browser; what it asked for and what went wrong are lists that grow."""

    def __init__(self, pipe: Pipe, origin: str) -> None:
        """Open a tab that may reach `origin`."""
        self._pipe, self._origin = pipe, origin
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session: str = self._call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        self.requests: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self.dialogs: list[str] = []
        self.refused_urls: list[str] = []
        """What pages asked for, and the policy of their content has refused."""
        self.received_bytes: dict[str, int] = {}
        self._urls: dict[str, str] = {}
        pipe.set_handler(self._session, self._record)
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> Any:
        """Send a command of the browser's protocol to the tab."""
        return self._call(method, self._session, **parameters)

    def new_tab(self) -> "Visitor":
        """Open another tab, which has a session of its own."""
        return Visitor(self._pipe, self._origin)

    def open(self, path: str, *, width: int = 1440, height: int = 900, dark: bool = False) -> None:
        """Load a page of the origin in a window of a size, in a scheme of colours."""
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=self._origin + path)
        self.wait_for("document.readyState === 'complete' && location.href !== 'about:blank'")

    def resize(self, width: int, height: int = 900) -> None:
        """Give the window another size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def value(self, expression: str) -> Any:
        """Return the value of an expression, or of its promise; the page's error fails the test."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> Any:
        """Return the value of an expression as soon as it is true."""
        return eventually(lambda: self.value(expression))

    def type_text(self, text: str) -> None:
        """Type a text into the element with the focus."""
        self.call("Input.insertText", text=text)

    def screenshot(self, target: Path) -> None:
        """Write a picture of the window."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        target.write_bytes(base64.b64decode(data))

    @property
    def foreign_urls(self) -> list[str]:
        """Return the URLs of other origins that the pages asked for."""
        urls = [request["url"] for request in self.requests]
        return [
            url
            for url in urls
            if not url.startswith(self._origin + "/") and urlsplit(url).scheme not in _LOCAL_SCHEMES
        ]

    def _call(self, method: str, session: str | None = None, **parameters: Any) -> Any:
        return self._pipe.send(method, parameters, session).result(_TIMEOUT_S)

    def _record(self, method: str, event: Any) -> None:
        match method:
            case "Network.requestWillBeSent":
                self.requests.append(event["request"])
                self._urls[event["requestId"]] = event["request"]["url"]
            case "Network.loadingFinished":
                url = self._urls.get(event["requestId"], "")
                self.received_bytes[url] = int(event["encodedDataLength"])
            case "Page.javascriptDialogOpening":
                # A page that asks whether to leave it holds up the next one.
                self.dialogs.append(event["type"])
                accepted = {"accept": True}
                self._pipe.send("Page.handleJavaScriptDialog", accepted, self._session)
            case "Network.loadingFailed" if event.get("blockedReason") == "csp":
                self.refused_urls.append(self._urls.get(event["requestId"], ""))
            case "Runtime.exceptionThrown":
                self.errors.append(json.dumps(event["exceptionDetails"]))
            case "Log.entryAdded" if event["entry"]["level"] == "error":
                self.errors.append(f"{event['entry']['text']} {event['entry'].get('url', '')}")
            case "Runtime.consoleAPICalled" if event["type"] == "error":
                self.errors.append(json.dumps(event["args"]))


@contextmanager
def visitor(origin: str) -> Iterator[Visitor]:
    """Run a browser inside the block that reaches nothing but an origin of this machine."""
    url = urlsplit(origin)
    flags = (
        f"--proxy-bypass-list=<-loopback>;{url.netloc}",
        f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {url.hostname}",
    )
    with tempfile.TemporaryDirectory(prefix="platen-visitor-") as home:
        to_browser, ours = _pipe()
        from_browser, theirs = _pipe()
        process = _start(home, [to_browser, theirs], *flags)
        os.close(to_browser)
        os.close(theirs)
        pipe = Pipe(ours, from_browser)
        try:
            yield Visitor(pipe, origin)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            pipe.close()


def _start(home: str, ends: Sequence[int], *flags: str) -> "subprocess.Popen[bytes]":
    chromium = folder("PLATEN_CHROMIUM_DIR", "chromium")

    def descriptors() -> None:
        # Fixed by --remote-debugging-pipe: the browser reads from 3 and writes to 4.
        os.dup2(ends[0], 3)
        os.dup2(ends[1], 4)

    return subprocess.Popen(
        [*command_line(str(chromium / "chromium"), f"{home}/profile", sandbox=False), *flags],
        preexec_fn=descriptors,  # noqa: PLW1509 -- only duplicates descriptors
        pass_fds=(3, 4),
        env={
            "HOME": home,
            "PATH": "/usr/bin:/bin",
            "LD_LIBRARY_PATH": str(chromium / "lib"),
            "FONTCONFIG_FILE": str(folder("PLATEN_FONTS_DIR", "fonts") / "fonts.conf"),
        },
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _pipe() -> tuple[int, int]:
    """Return a pipe whose descriptors do not collide with 3 and 4."""
    low = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE_DESCRIPTOR) for end in low)
    for end in low:
        os.close(end)
    return high[0], high[1]
