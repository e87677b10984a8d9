"""How one render goes: stages timed, warnings and explanations gathered until its end."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import RenderTrace, RenderWarning

if TYPE_CHECKING:
    from chalicelib.engine.browser.output.accessibility import AccessibilityGap


class TraceRecorder:
    """What is known of a render so far."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.warnings: list[RenderWarning] = []
        self.logs: tuple[str, ...] = ()
        self.explain: Mapping[str, Any] | None = None
        # Addresses and texts of the page's links, where the file's readers are told them.
        self.links: Sequence[tuple[str, str]] = ()
        # Where a page of the web stands.
        self.page_url = ""
        # What they are not told of it.
        self.accessibility_gaps: Sequence[AccessibilityGap] = ()
        self._timings: dict[str, int] = {}

    def warn(self, code: str, message: str, detail: str | None = None) -> None:
        """Add a warning, once."""
        warning = RenderWarning(code, message, detail)
        if warning not in self.warnings:
            self.warnings.append(warning)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage; one that is entered again, or fails, is timed as well."""
        begun = time.monotonic()
        try:
            yield
        finally:
            spent = round((time.monotonic() - begun) * 1000)
            self._timings[name] = self._timings.get(name, 0) + spent

    @contextmanager
    def attach_trace_to_failure(self) -> Iterator[None]:
        """Give a RenderFailure the trace of how it came about."""
        try:
            yield
        except RenderFailure as failure:
            failure.members["trace"] = self.trace()
            raise

    def trace(self) -> RenderTrace:
        """Return what is known now."""
        return RenderTrace(tuple(self.warnings), self.logs, dict(self._timings), self.explain)
