"""DevTools protocol client over a pair of pipes: NUL-terminated JSON, calls from any thread."""

import contextlib
import fcntl
import itertools
import json
import os
import select
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, Final

from chalicelib.core.json import Json, JsonObject
from chalicelib.core.text import replace_lone_surrogates
from chalicelib.engine.browser.chromium.protocol import CallResult, Event, Message

Answer = Future[CallResult]
Handler = Callable[[str, Event], None]
_CHUNK_BYTES: Final = 1 << 20
_STALL_S: Final = 5.0
# Page text may hold lone surrogates, which UTF-8 cannot encode. A search for one byte is faster
# than for three, and the base64 of a printed document contains no backslash.
_BACKSLASH: Final = b"\\"
_SURROGATE_ESCAPE: Final = b"\\ud"


class BrowserGoneError(Exception):
    """The browser has ended, or no longer reads its pipe."""


class BrowserHungError(BrowserGoneError):
    """The browser runs but answers no call."""


class PageCrashedError(BrowserGoneError):
    """The renderer process of the page has ended."""


class CallRefusedError(Exception):
    """The browser answered a call with an error."""


def await_answer[Result](answer: Future[Result], crashed: Future[None], timeout_s: float) -> Result:
    """Return an answer.

    Raises PageCrashedError when the page crashes first, TimeoutError when late.
    """
    futures: list[Future[Any]] = [answer, crashed]
    wait(futures, timeout_s, return_when=FIRST_COMPLETED)
    if not answer.done() and crashed.done():
        raise PageCrashedError
    return answer.result(0)


class Pipe:
    """Connection to one browser, both directions.

    Handlers run on the reader thread: they may `send`, but must not wait for an answer.
    """

    def __init__(self, write_fd: int, read_fd: int) -> None:
        """Take ownership of both descriptors and start the reader thread."""
        self._write_fd = write_fd
        self._read_fd = read_fd
        self._call_ids = itertools.count(1)
        self._state_lock = threading.Lock()
        self._write_lock = threading.Lock()
        self._pending: dict[int, Answer] = {}
        self._handlers: dict[str, Handler] = {}
        self._is_closed = False
        # A browser that stops reading must not block the caller for ever: see `_write`.
        os.set_blocking(write_fd, False)
        for descriptor in (write_fd, read_fd):
            # 1 MB, so that a whole PDF passes in a few reads. The kernel may refuse; that costs
            # only time.
            with contextlib.suppress(OSError):
                fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _CHUNK_BYTES)
        self._reader = threading.Thread(target=self._read, name="browser-reader", daemon=True)
        self._reader.start()

    def send(
        self,
        method: str,
        parameters: JsonObject | None = None,
        session: str | None = None,
    ) -> Answer:
        """Send a call; the future gets its result, BrowserGoneError or CallRefusedError."""
        answer: Answer = Future()
        number = next(self._call_ids)
        message: dict[str, Json] = {"id": number, "method": method, "params": parameters or {}}
        if session is not None:
            message["sessionId"] = session
        with self._state_lock:
            if self._is_closed:
                answer.set_exception(BrowserGoneError("the browser has ended"))
                return answer
            self._pending[number] = answer
        try:
            with self._write_lock:
                self._write(json.dumps(message).encode() + b"\0")
        except (OSError, TimeoutError) as error:
            with self._state_lock:
                unsent = self._pending.pop(number, None)
            # The reader may have failed the call already, when the browser ended meanwhile.
            if unsent is not None:
                unsent.set_exception(BrowserGoneError(f"{method} could not be sent: {error}"))
        return answer

    def set_handler(self, session: str, handler: Handler | None) -> None:
        """Route the events of a session ("" is the browser) to `handler`; None removes it."""
        with self._state_lock:
            if handler is None:
                self._handlers.pop(session, None)
            else:
                self._handlers[session] = handler

    def close(self) -> None:
        """Wait for the reader thread, which ends when the browser closes its end."""
        self._reader.join(_STALL_S)

    @property
    def is_closed(self) -> bool:
        """Tell whether the browser has closed its end."""
        return self._is_closed

    def _write(self, data: bytes) -> None:
        if self._is_closed:
            raise BrokenPipeError
        view = memoryview(data)
        poll = select.poll()
        poll.register(self._write_fd, select.POLLOUT)
        while view:
            try:
                view = view[os.write(self._write_fd, view) :]
            except BlockingIOError:
                if not poll.poll(_STALL_S * 1000):
                    message = "the browser does not read"
                    raise TimeoutError(message) from None

    def _read(self) -> None:
        buffer = bytearray()
        while chunk := self._read_chunk():
            end = chunk.find(b"\0")
            start = 0
            while end >= 0:
                self._dispatch(bytes(buffer) + chunk[start:end] if buffer else chunk[start:end])
                buffer.clear()
                start = end + 1
                end = chunk.find(b"\0", start)
            buffer += chunk[start:]
        self._end()

    def _read_chunk(self) -> bytes:
        try:
            return os.read(self._read_fd, _CHUNK_BYTES)
        except OSError:
            return b""

    def _dispatch(self, data: bytes) -> None:
        parsed = json.loads(data)
        if _BACKSLASH in data and _SURROGATE_ESCAPE in data:
            parsed = replace_lone_surrogates(parsed)
        message: Message = parsed
        number = message.get("id")
        if number is None:
            with self._state_lock:
                handler = self._handlers.get(message.get("sessionId", ""))
            if handler is not None:
                handler(message["method"], message.get("params", {}))
            return
        with self._state_lock:
            answer = self._pending.pop(number, None)
        if answer is None:
            return
        if "error" in message:
            answer.set_exception(CallRefusedError(str(message["error"].get("message"))))
        else:
            answer.set_result(message["result"])

    def _end(self) -> None:
        with self._write_lock, self._state_lock:
            self._is_closed = True
            os.close(self._write_fd)
            os.close(self._read_fd)
            pending = list(self._pending.values())
            self._pending.clear()
        for answer in pending:
            answer.set_exception(BrowserGoneError("the browser has ended"))
