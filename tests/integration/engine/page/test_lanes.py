"""Documents of a workspace in one context and process find nothing of each other (decision 40)."""

import io
import json
from collections.abc import Iterator
from typing import Any, Final

import pypdf
import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.browser.pool import browser_pool
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from chalicelib.engine.sources import UrlSource
from tests.builders.pages.engine_jobs import NoTemplates, RefusingEgress, egress_to, task
from tests.builders.pages.real_browser import new_browser, render_with
from tests.builders.pages.web_site import Site, SitePage, running_site
from tests.builders.waiting import PATIENCE_S, eventually
from tests.integration.engine.browser.test_lifecycle import renderers

OURS: Final = "ws_ours"
PLAIN: Final = "<p>plain"
SVG: Final = "<svg xmlns='http://www.w3.org/2000/svg' width='7' height='7'/>"
DONE: Final = {"expression": "window.done", "timeout_ms": 60_000}
# Finds what another document may have left, and leaves as much itself. The same text has the same
# origin each time.
FIND_AND_LEAVE: Final = """<!doctype html><script>(async () => {
const database = await new Promise((done) => {
  const asked = indexedDB.open('a', 1);
  asked.onupgradeneeded = () => done('new');
  asked.onsuccess = () => done('old');
});
const channel = new BroadcastChannel('c'); let heard = 0; channel.onmessage = () => heard++;
const files = []; for await (const name of (await navigator.storage.getDirectory()).keys()) {
  files.push(name); }
const permissions = {};
for (const name of ['geolocation', 'notifications', 'midi', 'clipboard-write']) {
  permissions[name] = (await navigator.permissions.query({name})).state; }
await new Promise((done) => setTimeout(done, 200));
const found = Object.entries({
  cookie: document.cookie, local: localStorage.length, session: sessionStorage.length, database,
  caches: (await caches.keys()).length, files, permissions, name: window.name,
  history: history.length, opener: String(window.opener), heard, left: window.left,
  locks: (await navigator.locks.query()).held.length, frames: window.length,
  workers: (await navigator.serviceWorker.getRegistrations()).length,
  entries: performance.getEntriesByType('resource').length, fonts: document.fonts.size,
  customized: customElements.get('x-left') !== undefined, referrer: document.referrer,
});
found.forEach((each) => console.log(JSON.stringify(each)));
document.cookie = 'own=1; max-age=999'; document.cookie = 'site=1; domain=document.invalid';
localStorage.a = sessionStorage.a = window.name = window.left = '1';
await caches.open('a').then((cache) => cache.put('/x', new Response('x')));
await (await navigator.storage.getDirectory()).getFileHandle('f', {create: true});
navigator.locks.request('held', () => new Promise(() => 0));
history.pushState({}, '', '#left'); customElements.define('x-left', class extends HTMLElement {});
document.fonts.add(new FontFace('left', 'local(Arimo)'));
const code = "const c = new BroadcastChannel('c'); setInterval(() => c.postMessage(1), 20)";
new Worker(URL.createObjectURL(new Blob([code])));
setInterval(() => channel.postMessage(1), 20);
window.done = true;
})()</script>"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with running_site({"/": SitePage("<p>web"), "/i": SitePage(SVG, "image/svg+xml")}) as running:
        yield running


@pytest.fixture(scope="module")
def browser(site: Site) -> Iterator[Browser]:
    browser = new_browser(egress=egress_to(site))
    yield browser
    browser.close()


def render(browser: Browser, html: str, lane: str | None = OURS, **output: Any) -> RenderOutcome:
    return render_with(browser, html, lane=lane, **output)


def begin_lane(browser: Browser) -> None:
    for _ in range(2):
        render(browser, PLAIN)
    assert prepared_lane(browser) == OURS


def prepared_lane(browser: Browser) -> str | None:
    return browser.prepare().result().lane


def context_of_next(browser: Browser, lane: str | None) -> str:
    """Return the context of the next page of a lane, whose document leaves nothing."""

    def work(page: BrowserPage) -> str:
        page.load(PLAIN, task()[0].output)
        return page._tab.prepared_page.context

    return browser.use(work, Deadline.after(PATIENCE_S), lane)


def reported(outcome: RenderOutcome) -> dict[str, Any]:
    lines = outcome.trace.logs
    return dict(json.loads(line.removeprefix("log: ")) for line in lines)


def text_of(outcome: RenderOutcome) -> str:
    reader = pypdf.PdfReader(io.BytesIO(outcome.files[0].content))
    return " ".join(page.extract_text().strip() for page in reader.pages)


def test_documents_in_a_row_of_one_workspace_share_a_context(browser: Browser) -> None:
    render(browser, PLAIN, lane=None)

    contexts = [context_of_next(browser, OURS) for _ in range(4)]

    assert contexts[0] != contexts[1]
    assert contexts[1] == contexts[2] == contexts[3]


def test_documents_of_a_lane_share_a_process(browser: Browser) -> None:
    def page_processes() -> list[int]:
        return renderers(browser.processes[0].pids())

    begin_lane(browser)
    eventually(lambda: len(page_processes()) == 1)
    first = page_processes()
    for _ in range(3):
        render(browser, PLAIN)
        assert prepared_lane(browser) == OURS

    assert page_processes() == first


@pytest.mark.parametrize("other", ["ws_theirs", None])
def test_other_workspaces_never_get_its_context(browser: Browser, other: str | None) -> None:
    begin_lane(browser)

    ours = context_of_next(browser, OURS)
    browser.prepare().result()
    others = [context_of_next(browser, other) for _ in range(2)]
    ours_again = context_of_next(browser, OURS)

    assert ours not in others
    assert ours_again not in {ours, *others}


def test_other_workspaces_never_get_the_context_of_a_kept_page(browser: Browser) -> None:
    begin_lane(browser)

    def work(page: BrowserPage) -> str:
        # As for headers and footers: the next page is prepared while this one is used.
        browser.prepare().result()
        page.load(PLAIN, task()[0].output)
        return page._tab.prepared_page.context

    ours = [browser.use(work, Deadline.after(PATIENCE_S), OURS) for _ in range(2)]
    assert prepared_lane(browser) == OURS
    theirs = [context_of_next(browser, "ws_theirs") for _ in range(3)]

    assert {*ours}.isdisjoint(theirs)


def test_context_is_replaced_after_its_number_of_documents(browser: Browser) -> None:
    begin_lane(browser)

    contexts = [context_of_next(browser, OURS) for _ in range(browser_pool.MAX_LANE_DOCUMENTS + 1)]

    assert len(set(contexts)) == 2


def test_browser_with_much_memory_has_no_lane() -> None:
    browser = new_browser(recycle_memory_bytes=100_000_000)
    try:
        assert len({context_of_next(browser, OURS) for _ in range(4)}) == 4
    finally:
        browser.close()


@pytest.mark.parametrize(
    ("html", "output"),
    [
        ("<script>1</script>", {}),
        ("<p onclick=1>x", {}),
        ("<iframe srcdoc='<p>x'></iframe>", {}),
        ("<img src='SITE/i'>", {}),
        ("<p style='background: u\\72l(SITE/i)'>x", {}),
        ("<img src='http://10.0.0.1/refused'>", {}),
        (PLAIN, {"wait": {"expression": "document.cookie = 'a=1'"}}),
        (PLAIN, {"pdf": {"header": {"enabled": True, "html": "<img src=x onerror=1>"}}}),
        (PLAIN, {"pdf": {"last_footer": {"enabled": True, "html": "<img src=x onerror=1>"}}}),
    ],
)
def test_document_that_could_leave_something_ends_the_lane(
    browser: Browser, site: Site, html: str, output: dict[str, Any]
) -> None:
    begin_lane(browser)

    render(browser, html.replace("SITE", f"http://parts.test:{site.port}"), **output)

    assert prepared_lane(browser) is None


def test_header_of_the_first_page_does_not_end_the_lane(browser: Browser) -> None:
    header = {"enabled": True, "html": "<b>First</b>"}
    fresh = render(browser, PLAIN, lane=None, pdf={"first_header": header})
    begin_lane(browser)

    again = render(browser, PLAIN, pdf={"first_header": header})

    assert prepared_lane(browser) == OURS
    assert again.files == fresh.files


@pytest.mark.parametrize(
    ("html", "output"),
    [
        (PLAIN, {"pdf": {"page_ranges": "7"}}),
        ("<script>for (;;);</script>", {"wait": {"timeout_ms": 300}}),
    ],
)
def test_document_that_fails_ends_the_lane(
    browser: Browser, html: str, output: dict[str, Any]
) -> None:
    begin_lane(browser)

    with pytest.raises(RenderFailure):
        render(browser, html, **output)

    assert prepared_lane(browser) is None
    assert render(browser, PLAIN).files[0].pages == 1


def test_web_page_ends_the_lane(browser: Browser, site: Site) -> None:
    begin_lane(browser)
    visit = task(source=UrlSource(site.url()), lane=OURS)
    run_page_job(*visit, PipelineServices(browser, NoTemplates(), RefusingEgress()))

    assert prepared_lane(browser) is None


def test_document_finds_nothing_of_the_one_before(browser: Browser) -> None:
    fresh = reported(render(browser, FIND_AND_LEAVE, lane=None, wait=DONE))
    begin_lane(browser)

    found = [reported(render(browser, FIND_AND_LEAVE, wait=DONE)) for _ in range(3)]

    assert fresh["cookie"] == ""
    assert found == [fresh] * 3


def test_document_cannot_go_back_to_the_one_before(browser: Browser) -> None:
    begin_lane(browser)
    render(browser, "<p>Confidential")
    back = "<p>Own<script>history.back(); setTimeout(() => { window.done = true }, 500)</script>"

    outcome = render(browser, back, wait=DONE)

    assert text_of(outcome) == "Own"


def test_document_that_would_refresh_itself_later_is_gone(browser: Browser) -> None:
    begin_lane(browser)
    render(browser, "<meta http-equiv=refresh content='1;url=https://parts.test/'><p>First")
    assert prepared_lane(browser) == OURS

    outcome = render(browser, "<p>Second", wait={"delay_ms": 1500})

    assert text_of(outcome) == "Second"


def test_picture_is_fetched_again_for_the_next_document(browser: Browser, site: Site) -> None:
    kept = {"Cache-Control": "public, max-age=9999", "ETag": '"1"', "Set-Cookie": "a=1; Path=/"}
    site.pages["/kept"] = SitePage(SVG, "image/svg+xml", headers=kept)
    begin_lane(browser)
    site.requests.clear()

    for _ in range(3):
        render(browser, f"<img src='http://parts.test:{site.port}/kept'>")

    assert site.paths == ["/kept"] * 3
    sent = [asked.headers for asked in site.requests]
    assert [(each.get("cookie"), each.get("if-none-match")) for each in sent] == [(None, None)] * 3
