"""Scenes drawn by the browser of the session."""

import pytest

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.pages.scene_renderer import SceneRenderer


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/integration/engine/" in item.path.as_posix():
            item.add_marker(pytest.mark.integration)


@pytest.fixture
def draw(browser: Browser, templates: TemplateWorker) -> SceneRenderer:
    return SceneRenderer(browser, templates)
