"""Assets whose URL has a user name: never loaded, always reported."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.engine_jobs import NoTemplates, RefusingEgress, Task, task, web_page_task
from tests.builders.pages.web_site import Site, SitePage, running_site

SVG = SitePage("<svg xmlns='http://www.w3.org/2000/svg' width='7' height='7'/>", "image/svg+xml")
PARTS = (
    "<img src='{}'>",
    "<link rel=stylesheet href='{}'>",
    "<p style='background: url({})'>x",
    "<iframe src='{}'></iframe>",
)
USER = "anna:secret@"

type Make = Callable[[Task], RenderOutcome]


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with running_site({"/part": SVG}) as web:
        yield web


@pytest.fixture
def make(connected: Browser, web: Site) -> Make:
    web.requests.clear()
    parts = PipelineServices(connected, NoTemplates(), RefusingEgress())
    return lambda each: run_page_job(*each, parts)


def tasks(web: Site, html: str, **output: Any) -> list[Task]:
    """Return tasks for the document as HTML and as a web page."""
    web.pages["/"] = SitePage(html)
    return [task(html, output), web_page_task(web.url(), output)]


def warnings_of(outcome: RenderOutcome) -> list[tuple[str, str | None]]:
    return [(warning.code, warning.detail) for warning in outcome.trace.warnings]


@pytest.mark.parametrize("part", PARTS)
def test_asset_url_with_credentials_is_reported_without_them(
    make: Make, web: Site, part: str
) -> None:
    url = f"http://parts.localhost:{web.port}/part"
    html = "<p>x" + part.format(url.replace("//", f"//{USER}"))

    for each in tasks(web, html):
        outcome = make(each)
        assert warnings_of(outcome) == [("asset_failed", url)]
        assert USER not in str(outcome.trace)
    for each in tasks(web, html, asset_policy="strict"):
        with pytest.raises(RenderFailure, match="asset_policy is strict") as failure:
            make(each)
        assert failure.value.code == "asset_fetch_failed"
        assert url in failure.value.detail
        assert USER not in failure.value.detail
    assert "/part" not in web.paths


def test_same_asset_without_credentials_does_not_hide_the_warning(make: Make, web: Site) -> None:
    parts = f"<img src='{web.url('/part')}'>" * 2

    for each in tasks(web, f"<p>x{parts.replace('//', f'//{USER}', 1)}"):
        assert warnings_of(make(each)) == [("asset_failed", web.url("/part"))]


def test_page_url_with_credentials_loads_its_assets(make: Make, web: Site) -> None:
    web.pages["/"] = SitePage("<p>x<img src=/part><iframe src=/part></iframe>")

    outcome = make(
        web_page_task(web.url().replace("//", f"//{USER}", 1), {"asset_policy": "strict"})
    )

    assert warnings_of(outcome) == []
    assert web.paths.count("/part") == 2
