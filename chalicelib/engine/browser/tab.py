"""The line to one page: calls, and waits that end with the page, the browser or a deadline."""

import time
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pipe import Answer, BrowserHung, CallRefused, PageCrashed, answer_of
from chalicelib.engine.browser.spare import WORLD, Spare
from chalicelib.engine.deadline import Deadline, out_of_time

# So long at most goes by unseen that nobody wants the page any more.
_HEARTBEAT_S: Final = 0.25
_HUNG_S: Final = 4.0


class Tab:
    """One page as its parts talk to it; `deadline` is the job's."""

    def __init__(self, spare: Spare, deadline: Deadline) -> None:
        """Talk to a spare."""
        self.spare = spare
        self.deadline = deadline
        self.crashed: Future[None] = Future()
        self.waits_for: str | None = None
        self.settled: Answer = Future()
        self._world = spare.world

    def send(self, method: str, **parameters: Any) -> Answer:
        """Send a call to the page."""
        return self.spare.send(method, **parameters)

    def enter(self, limit: Deadline) -> None:
        """Follow the page to the document that has replaced its first one."""
        made = self.send("Page.createIsolatedWorld", frameId=self.spare.frame, worldName=WORLD)
        self._world = self.until(made, limit)["executionContextId"]

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
            return self.until(answer, self.deadline)
        except CallRefused as error:
            raise RenderFailure("render_failed", f"the browser refused: {error}") from error
        except TimeoutError as error:
            raise out_of_time() from error

    def until(self, answer: Answer, limit: Deadline) -> dict[str, Any]:
        """Return the answer of a call; raises TimeoutError at the limit.

        A page that never yields leaves the browser itself responsive, a hung browser does not:
        while the answer is out, the browser is asked for a sign of life.
        """
        asked_at = time.monotonic()
        sign: Answer | None = None
        while True:
            try:
                return answer_of(answer, self.crashed, min(_HEARTBEAT_S, limit.remaining_s()))
            except TimeoutError:
                if limit.passed:
                    raise
            if sign is None or sign.done():
                if sign is not None:
                    sign.result()
                sign, asked_at = self.spare.pipe.send("Browser.getVersion"), time.monotonic()
            elif time.monotonic() - asked_at > _HUNG_S:
                raise BrowserHung

    def pause(self, seconds: float, limit: Deadline) -> None:
        """Let the page go on for a while; raises TimeoutError at the limit."""
        if seconds <= 0:
            return
        either = [self.crashed, limit.stopped]
        wait(either, min(seconds, limit.remaining_s()), return_when=FIRST_COMPLETED)
        if self.crashed.done():
            raise PageCrashed
        if limit.passed:
            raise TimeoutError
