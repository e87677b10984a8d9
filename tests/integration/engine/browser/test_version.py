"""The current engine version names the installed browser."""

import pytest

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.versions import ENGINE_VERSIONS
from tests.builders.pages.real_browser import Render
from tests.builders.waiting import PATIENCE_S

pytestmark = pytest.mark.integration


def test_current_engine_version_names_the_installed_chromium(
    browser: Browser, render: Render
) -> None:
    render("<p>x</p>")

    def version(page: object) -> str:
        del page
        process, *_ = browser.processes
        answer = process.pipe.send("Browser.getVersion")
        return str(dict(answer.result(10))["product"]).rpartition("/")[2]

    assert browser.use(version, Deadline.after(PATIENCE_S)) == ENGINE_VERSIONS[-1].chromium_version
