"""CDP calls to one page, with waits bounded by the page, the browser and a deadline."""

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from typing import Final, Literal, NotRequired, TypedDict, cast

from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import Json
from chalicelib.engine.browser.chromium.pipe import (
    Answer,
    BrowserHungError,
    CallRefusedError,
    PageCrashedError,
    await_answer,
)
from chalicelib.engine.browser.chromium.protocol import FunctionResult, PageFunction
from chalicelib.engine.browser.tab.prepared_page import ISOLATED_WORLD_NAME, PreparedPage
from chalicelib.engine.deadline import Deadline, timeout_failure

# Longest time until a cancelled render is noticed (decision 13).
_HEARTBEAT_S: Final = 0.25
_HUNG_AFTER_S: Final = 4.0


@contextmanager
def as_render_failures() -> Iterator[None]:
    """Raise the errors of a wait for a call as RenderFailure.

    A refused call is `render_failed`, a call without an answer in time `render_timeout`.
    """
    try:
        yield
    except CallRefusedError as error:
        raise RenderFailure("render_failed", f"the browser refused: {error}") from error
    except TimeoutError as error:
        raise timeout_failure() from error


type _Feature = Literal[
    "hasBrokenImage", "hasBrokenLink", "hasFrames", "hasMarkable", "hasRevealed", "isRtl"
]


class RequestedFonts(TypedDict):
    """Features of a settled page, and the fonts that it asks for.

    `asked` has a family list, a language, and the characters. `late` are families that are loaded
    and not shown, as they came too late for their `font-display`.
    """

    hasBrokenImage: NotRequired[bool]
    hasFrames: NotRequired[bool]
    hasRevealed: NotRequired[bool]
    isRtl: NotRequired[bool]
    late: NotRequired[list[str]]
    metadata: NotRequired[dict[str, str]]
    hasBrokenLink: NotRequired[bool]
    hasMarkable: NotRequired[bool]
    refusedCanvases: NotRequired[list[str]]
    faces: list[str]
    asked: list[tuple[str, str, str]]


class Tab:
    """Connection to one page; `deadline` is the job's."""

    def __init__(self, prepared_page: PreparedPage, deadline: Deadline) -> None:
        """Connect to a prepared page."""
        self.prepared_page = prepared_page
        self.deadline = deadline
        self.crashed: Future[None] = Future()
        self.waits_for: str | None = None
        # Why `wait.expression` is not true; what has given no answer yet is a promise.
        self.unmet_reason = "its promise stays pending"
        self.has_virtual_time = self.has_stopped_script = False
        # Style sheets of the request, by path, that hold what the browser may not read.
        self.own_sheets: Mapping[str, str] = {}
        self.settle_answer: Future[FunctionResult[RequestedFonts | None]] = Future()
        self._world = prepared_page.world

    def has_feature(self, feature: _Feature) -> bool:
        """Tell whether the document had a feature when it settled."""
        features = self._features
        return features is not None and features.get(feature, False)

    @property
    def head_metadata(self) -> Mapping[str, str]:
        """Return the metadata of the document's head when it settled."""
        features = self._features
        return {} if features is None else features.get("metadata", {})

    @property
    def refused_canvases(self) -> list[str]:
        """Return the selectors of canvases that were refused WebGL before the document settled."""
        features = self._features
        return [] if features is None else features.get("refusedCanvases", [])

    @property
    def _features(self) -> RequestedFonts | None:
        return self.settle_answer.result().get("result", {}).get("value")

    def send(self, method: str, **parameters: Json) -> Answer:
        """Send a call to the page."""
        return self.prepared_page.send(method, **parameters)

    def enter_document(self, deadline: Deadline) -> None:
        """Create the isolated world in the document that replaced the previous one."""
        created = self.send(
            "Page.createIsolatedWorld",
            frameId=self.prepared_page.frame,
            worldName=ISOLATED_WORLD_NAME,
        )
        self._world = self.wait_for(created, deadline)["executionContextId"]

    def call_function[Value](
        self, declaration: PageFunction[Value], *arguments: Json
    ) -> Future[FunctionResult[Value]]:
        """Call a function in the isolated world, whose globals the page cannot change."""
        answer = self.send(
            "Runtime.callFunctionOn",
            functionDeclaration=declaration,
            executionContextId=self._world,
            arguments=[{"value": argument} for argument in arguments],
            awaitPromise=True,
            returnByValue=True,
        )
        # Only the declaration says what the function returns.
        return cast("Future[FunctionResult[Value]]", answer)

    def outcome[Result](self, answer: Future[Result]) -> Result:
        """Return the answer of a call; raises RenderFailure `render_failed` or `render_timeout`."""
        with as_render_failures():
            return self.wait_for(answer, self.deadline)

    def wait_for[Result](self, answer: Future[Result], deadline: Deadline) -> Result:
        """Return the answer of a call; raises TimeoutError at the limit.

        A page that never yields leaves the browser process responsive, a hung browser does not. So
        the browser is probed while the answer is pending; raises BrowserHungError without a reply.
        """
        probed_at = time.monotonic()
        probe: Answer | None = None
        while True:
            try:
                return await_answer(answer, self.crashed, min(_HEARTBEAT_S, deadline.remaining_s()))
            except TimeoutError:
                if deadline.has_passed:
                    raise
            if probe is None or probe.done():
                if probe is not None:
                    probe.result()
                probe, probed_at = (
                    self.prepared_page.pipe.send("Browser.getVersion"),
                    time.monotonic(),
                )
            elif time.monotonic() - probed_at > _HUNG_AFTER_S:
                raise BrowserHungError

    def yields(self, deadline: Deadline) -> bool:
        """Tell whether the page answers before a deadline: whether no script holds it."""
        try:
            self.wait_for(self.send("Runtime.evaluate", expression="0"), deadline)
        except TimeoutError:
            return False
        return True

    def pause(self, seconds: float, deadline: Deadline) -> None:
        """Wait while the page runs on; raises TimeoutError at the limit, PageCrashedError."""
        if seconds <= 0:
            return
        futures = [self.crashed, deadline.cancellation]
        wait(futures, min(seconds, deadline.remaining_s()), return_when=FIRST_COMPLETED)
        if self.crashed.done():
            raise PageCrashedError
        if deadline.has_passed:
            raise TimeoutError
