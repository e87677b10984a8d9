"""Recorder of one render's trace: stage timings, warnings, logs and explanations."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.output.page_texts import PageTexts
from chalicelib.engine.context import RenderTrace, RenderWarning
from chalicelib.engine.on_stage import ON_STAGE

if TYPE_CHECKING:
    from chalicelib.core.json import JsonObject
    from chalicelib.engine.browser.output.accessibility import AccessibilityGap
    from chalicelib.engine.browser.output.paged.running_elements import PageOverlay


class TraceRecorder:
    """Trace of a render in progress."""

    def __init__(self) -> None:
        """Start an empty trace."""
        self.warnings: list[RenderWarning] = []
        self.logs: tuple[str, ...] = ()
        self.explain: JsonObject | None = None
        # URL and text of each link on the page, for the link descriptions of PDF/UA.
        self.links: Sequence[tuple[str, str]] = ()
        # Texts of the page that its PDF repeats.
        self.page_texts = PageTexts()
        # URL of a page of the web, for headers and footers that vary; else empty.
        self.page_url = ""
        # Content of the page that the browser prints without a tag.
        self.accessibility_gaps: Sequence[AccessibilityGap] = ()
        # Running elements, printed apart.
        self.page_overlay: PageOverlay | None = None
        self._timings: dict[str, int] = {}

    def warn(self, code: str, message: str, detail: str | None = None) -> None:
        """Add a warning; a repeated one is added once."""
        warning = RenderWarning(code, message, detail)
        if warning not in self.warnings:
            self.warnings.append(warning)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage; a repeated stage adds up, a failed one is timed too."""
        on_stage = ON_STAGE.get()
        started_ns = 0 if on_stage is None else time.time_ns()
        started_at = time.monotonic()
        try:
            yield
        finally:
            if on_stage is not None:
                on_stage(name.removesuffix("_ms"), started_ns, time.time_ns())
            spent_ms = round((time.monotonic() - started_at) * 1000)
            self._timings[name] = self._timings.get(name, 0) + spent_ms

    @contextmanager
    def attach_trace_to_failure(self) -> Iterator[None]:
        """Add the trace to a RenderFailure as its member `trace`."""
        try:
            yield
        except RenderFailure as failure:
            failure.members["trace"] = self.trace()
            raise

    def trace(self) -> RenderTrace:
        """Return the trace so far."""
        return RenderTrace(tuple(self.warnings), self.logs, dict(self._timings), self.explain)
