"""Web workers and synchronous requests of pages."""

from collections.abc import Iterator

import pytest

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.engine_jobs import NoTemplates, RefusingEgress, task
from tests.builders.pages.switched_egress import SwitchedEgress
from tests.builders.pages.web_site import Site, SitePage, running_site

ANYBODY = {"Access-Control-Allow-Origin": "*"}


@pytest.fixture(scope="module")
def here() -> Iterator[Site]:
    with running_site({"/x": SitePage("hello", headers=ANYBODY)}) as running:
        yield running


@pytest.fixture
def browser(browser: Browser, egress: SwitchedEgress, here: Site) -> Iterator[Browser]:
    with egress.to(here):
        yield browser


def shown(browser: Browser, script: str) -> RenderOutcome:
    page = task(
        f"<p>x<script>{script}</script>",
        {"wait": {"expression": "document.title", "timeout_ms": 60_000}},
    )
    return run_page_job(*page, PipelineServices(browser, NoTemplates(), RefusingEgress()))


def test_worker_runs_and_fetches(browser: Browser, here: Site) -> None:
    work = f"fetch('{here.url('/x')}').then((r) => r.text()).then(postMessage)"
    script = (
        f'const w = new Worker(URL.createObjectURL(new Blob(["{work}"])));'
        "w.onmessage = (e) => console.log(document.title = e.data)"
    )

    outcome = shown(browser, script)

    assert outcome.trace.logs == ("log: hello",)


def test_refused_request_of_a_worker_gives_a_warning(browser: Browser) -> None:
    work = "fetch('http://10.0.0.1/x').catch(() => postMessage('refused'))"
    script = (
        f'const w = new Worker(URL.createObjectURL(new Blob(["{work}"])));'
        "w.onmessage = (e) => document.title = e.data"
    )

    outcome = shown(browser, script)

    assert [warning.detail for warning in outcome.trace.warnings] == ["http://10.0.0.1/x"]


def test_endless_worker_does_not_delay_the_next_render(browser: Browser) -> None:
    endless = "const w = new Worker(URL.createObjectURL(new Blob(['for (;;);'])));"

    shown(browser, f"{endless} document.title = 'on'")
    outcome = shown(browser, "console.log(document.title = 'next')")

    assert outcome.trace.logs == ("log: next",)


def test_page_may_use_synchronous_requests(browser: Browser, here: Site) -> None:
    script = (
        f"const x = new XMLHttpRequest(); x.open('GET', '{here.url('/x')}', false); x.send();"
        "console.log(document.title = x.responseText)"
    )

    outcome = shown(browser, script)

    assert outcome.trace.logs == ("log: hello",)
