"""The trace of a failed render names the assets of its page."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.browser.requests import assets
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.engine_jobs import NoTemplates, RefusingEgress, task, web_page_task
from tests.builders.pages.web_site import Site, SitePage, running_site


def never(handler: BaseHTTPRequestHandler) -> None:
    """Answer nothing until the other side ends the connection."""
    handler.rfile.read(1)


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with running_site({"/never.json": never}) as web:
        yield web


@pytest.mark.breadth
def test_wait_timeout_names_the_missing_and_slow_assets(
    connected: Browser, web: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assets, "SLOW_S", 0.1)
    late, missing = web.url("/never.json"), web.url("/missing.png")
    html = f"<p>x<img src='{missing}'><script>fetch('{late}')</script>"
    web.pages["/"] = SitePage(html)
    wait: dict[str, Any] = {"selector": "#never", "until": "domcontentloaded", "timeout_ms": 6000}
    output: dict[str, Any] = {"wait": wait, "image": {"width": 9}}

    for each in (task(html, output), web_page_task(web.url(), output)):
        with pytest.raises(RenderFailure) as failure:
            run_page_job(*each, PipelineServices(connected, NoTemplates(), RefusingEgress()))

        assert failure.value.code == "wait_timeout"
        warnings = [
            (warning.code, warning.detail) for warning in failure.value.members["trace"].warnings
        ]
        # On a busy machine others may be slow too.
        assert set(warnings) >= {
            ("feature_unavailable", "output.image.width"),
            ("asset_failed", missing),
            ("slow_asset", late),
        }
