"""The installed browser, and short ways to render with it."""

import os
from pathlib import Path
from typing import Any, Final, Protocol

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from infra.template import ROOT
from tests.builders.pages.engine_jobs import NoTemplates, RefusingEgress, task

# Of the documents of most tests: those that leave nothing share a context (decision 40).
WORKSPACE: Final = "ws_tests"


class Render(Protocol):
    """Renders a document with the browser of the session."""

    def __call__(
        self, html: str, *, seconds: float = 60, test: bool = False, **output: Any
    ) -> RenderOutcome: ...


def folder(variable: str, name: str) -> Path:
    """Return an installed layer; a missing one is an error, never a skip."""
    found = Path(os.environ.get(variable) or ROOT / ".platen" / name)
    assert found.is_dir(), f"{found} is missing; run: make setup"
    return found


def new_browser(**settings: Any) -> Browser:
    """Return a browser of the test's own, which it ends, looks into, or sets up otherwise."""
    return Browser(
        folder("PLATEN_CHROMIUM_DIR", "chromium"),
        folder("PLATEN_FONTS_DIR", "fonts"),
        **settings,
    )


def render_with(
    browser: Browser,
    html: str,
    *,
    seconds: float = 60,
    test: bool = False,
    lane: str | None = None,
    **output: Any,
) -> RenderOutcome:
    parts = PipelineServices(browser, NoTemplates(), RefusingEgress())
    return run_page_job(*task(html, output, seconds=seconds, test=test, lane=lane), parts)


def explain_of(outcome: RenderOutcome) -> dict[str, Any]:
    """Return the explain report of a render that has one."""
    assert outcome.trace.explain is not None
    return {**outcome.trace.explain}
