"""One real browser for all tests of a module, and a short way to render."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.pages.engine_jobs import NoTemplates, RefusingEgress, egress_to, task
from tests.builders.pages.scene_renderer import SceneRenderer
from tests.builders.pages.web_site import Site

REPOSITORY = Path(__file__).parents[3]


class Render(Protocol):
    def __call__(
        self, html: str, *, seconds: float = 60, test: bool = False, **output: Any
    ) -> RenderOutcome: ...


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/integration/engine/" in item.path.as_posix():
            item.add_marker(pytest.mark.integration)


def folder(variable: str, name: str) -> Path:
    """Return an installed layer; a missing one is an error, never a skip."""
    found = Path(os.environ.get(variable) or REPOSITORY / ".platen" / name)
    assert found.is_dir(), f"{found} is missing; run: make setup"
    return found


def new_browser(**settings: Any) -> Browser:
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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    browser = new_browser()
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def connected(web: Site) -> Iterator[Browser]:
    """Browser whose egress allows the `web` site of the module."""
    browser = new_browser(egress=egress_to(web))
    yield browser
    browser.close()


@pytest.fixture
def render(browser: Browser) -> Render:
    def render(
        html: str, *, seconds: float = 60, test: bool = False, **output: Any
    ) -> RenderOutcome:
        return render_with(browser, html, seconds=seconds, test=test, **output)

    return render


@pytest.fixture(scope="module")
def draw(browser: Browser) -> Iterator[SceneRenderer]:
    templates = TemplateWorker()
    yield SceneRenderer(browser, templates)
    templates.close()
