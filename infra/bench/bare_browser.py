"""Bare browser: the reference of the benchmarks, the same binary without the service around it.

One thread, blocking reads, no request interception and no isolation.
"""

import base64
import contextlib
import fcntl
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Self

from chalicelib.engine.browser.chromium.flags import command_line
from infra.local.paths import INSTALL_DIR

_CHUNK: Final = 1 << 20
_FIRST_FREE_DESCRIPTOR: Final = 10


class BareBrowser:
    """Context manager of a Chromium process, driven by CDP over pipes."""

    def __init__(self, *flags: str) -> None:
        """Start Chromium without its sandbox, so that the reference is as fast as possible.

        It reaches no host, unless `flags` allow it.
        """
        self._folder = tempfile.TemporaryDirectory(prefix="platen-bare-")
        to_browser, self._out = _pipe()
        self._in, from_browser = _pipe()
        chromium = INSTALL_DIR / "chromium"

        def descriptors() -> None:
            # Fixed by --remote-debugging-pipe: the browser reads from 3 and writes to 4.
            os.dup2(to_browser, 3)
            os.dup2(from_browser, 4)

        self._process = subprocess.Popen(
            [*command_line(str(chromium / "chromium"), self._folder.name, sandbox=False), *flags],
            preexec_fn=descriptors,  # noqa: PLW1509 -- one thread, at the start of a benchmark
            pass_fds=(3, 4),
            env={
                "HOME": self._folder.name,
                "PATH": "/usr/bin:/bin",
                "LD_LIBRARY_PATH": str(chromium / "lib"),
                "FONTCONFIG_FILE": str(INSTALL_DIR / "fonts" / "fonts.conf"),
            },
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._last_id = 0

    def __enter__(self) -> Self:
        """Return the browser."""
        return self

    def __exit__(self, *_: object) -> None:
        """Kill the browser and all its processes."""
        os.killpg(self._process.pid, 9)
        self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._folder.cleanup()

    @property
    def pid(self) -> int:
        """Return the id of the browser's main process, the root of all others."""
        return self._process.pid

    def call(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        self._last_id += 1
        message_id = self._last_id
        message: dict[str, Any] = {"id": message_id, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        rest = json.dumps(message).encode() + b"\0"
        while rest:
            rest = rest[os.write(self._out, rest) :]
        response = self._receive_until(lambda received: received.get("id") == message_id)
        assert "error" not in response, response
        result: dict[str, Any] = response["result"]
        return result

    def page(self, context: str | None = None) -> str:
        """Open a blank page and return its session."""
        options = {"browserContextId": context} if context else {}
        target = self.call("Target.createTarget", url="about:blank", **options)["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        session: str = attached["sessionId"]
        self.call("Page.enable", session)
        return session

    @contextlib.contextmanager
    def fresh_context(self) -> Iterator[str]:
        """Yield the id of a new browser context, which ends with the block."""
        context: str = self.call("Target.createBrowserContext")["browserContextId"]
        yield context
        self.call("Target.disposeBrowserContext", browserContextId=context)

    def print_document(self, session: str, html: str, options: Mapping[str, Any]) -> bytes:
        """Load a document into a page and print it."""
        self.load(session, html)
        return self.print(session, options)

    def load(self, session: str, html: str) -> None:
        """Put a document into a page and wait for its load event."""
        frame = self.call("Page.getFrameTree", session)["frameTree"]["frame"]["id"]
        self.call("Page.setDocumentContent", session, frameId=frame, html=html)
        self.call(
            "Runtime.evaluate",
            session,
            expression="document.readyState === 'complete' || "
            "new Promise(done => addEventListener('load', done))",
            awaitPromise=True,
        )

    def print(self, session: str, options: Mapping[str, Any]) -> bytes:
        """Print the loaded page."""
        printed = self.call("Page.printToPDF", session, **options)
        return base64.b64decode(printed["data"])

    def _receive_until(self, is_match: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            received, end, rest = self._buffer.partition(b"\0")
            if not end:
                self._buffer += os.read(self._in, _CHUNK)
                continue
            self._buffer = rest
            message: dict[str, Any] = json.loads(received)
            if is_match(message):
                return message


def _pipe() -> tuple[int, int]:
    """Return a pipe whose descriptors do not collide with 3 and 4."""
    low = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE_DESCRIPTOR) for end in low)
    for end in low:
        os.close(end)
    return high[0], high[1]
