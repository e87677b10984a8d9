"""The line to one page: calls, and waits that end with the page, the browser or a deadline."""

import time
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.pipe import (
    Answer,
    BrowserHung,
    CallRefused,
    PageCrashed,
    await_answer,
)
from chalicelib.engine.browser.pool.prepared_page import ISOLATED_WORLD_NAME, PreparedPage
from chalicelib.engine.deadline import Deadline, timeout_failure

# So long at most goes by unseen that nobody wants the page any more.
_HEARTBEAT_S: Final = 0.25
_HUNG_AFTER_S: Final = 4.0


class Tab:
    """One page as its parts talk to it; `deadline` is the job's."""

    def __init__(self, prepared_page: PreparedPage, deadline: Deadline) -> None:
        """Talk to a spare."""
        self.prepared_page = prepared_page
        self.deadline = deadline
        self.crashed: Future[None] = Future()
        self.waits_for: str | None = None
        self.settle_answer: Answer = Future()
        self._world = prepared_page.world

    def send(self, method: str, **parameters: Any) -> Answer:
        """Send a call to the page."""
        return self.prepared_page.send(method, **parameters)

    def enter_document(self, deadline: Deadline) -> None:
        """Follow the page to the document that has replaced its first one."""
        made = self.send(
            "Page.createIsolatedWorld",
            frameId=self.prepared_page.frame,
            worldName=ISOLATED_WORLD_NAME,
        )
        self._world = self.wait_for(made, deadline)["executionContextId"]

    def call_function(self, declaration: str, *arguments: Any) -> Answer:
        """Call a function in a world of ours, whose globals the page cannot touch."""
        return self.send(
            "Runtime.callFunctionOn",
            functionDeclaration=declaration,
            executionContextId=self._world,
            arguments=[{"value": argument} for argument in arguments],
            awaitPromise=True,
            returnByValue=True,
        )

    def outcome(self, answer: Answer) -> dict[str, Any]:
        """Return the answer of a call; raises RenderFailure `render_failed` or `render_timeout`."""
        try:
            return self.wait_for(answer, self.deadline)
        except CallRefused as error:
            raise RenderFailure("render_failed", f"the browser refused: {error}") from error
        except TimeoutError as error:
            raise timeout_failure() from error

    def wait_for(self, answer: Answer, deadline: Deadline) -> dict[str, Any]:
        """Return the answer of a call; raises TimeoutError at the limit.

        A page that never yields leaves the browser itself responsive, a hung browser does not:
        while the answer is out, the browser is asked for a sign of life.
        """
        asked_at = time.monotonic()
        sign: Answer | None = None
        while True:
            try:
                return await_answer(answer, self.crashed, min(_HEARTBEAT_S, deadline.remaining_s()))
            except TimeoutError:
                if deadline.has_passed:
                    raise
            if sign is None or sign.done():
                if sign is not None:
                    sign.result()
                sign, asked_at = (
                    self.prepared_page.pipe.send("Browser.getVersion"),
                    time.monotonic(),
                )
            elif time.monotonic() - asked_at > _HUNG_AFTER_S:
                raise BrowserHung

    def pause(self, seconds: float, deadline: Deadline) -> None:
        """Let the page go on for a while; raises TimeoutError at the limit."""
        if seconds <= 0:
            return
        either = [self.crashed, deadline.cancellation]
        wait(either, min(seconds, deadline.remaining_s()), return_when=FIRST_COMPLETED)
        if self.crashed.done():
            raise PageCrashed
        if deadline.has_passed:
            raise TimeoutError
