"""State of one page is not visible to the next, not even at the same origin."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from chalicelib.engine.sources import UrlSource
from tests.builders.pages.certificates import Certificates
from tests.builders.pages.engine_jobs import NoTemplates, RefusingEgress, egress_to, task
from tests.builders.pages.real_browser import new_browser
from tests.builders.pages.web_site import Site, SitePage, running_site

HOST: Final = "shop.test"
DONE: Final = {"expression": "window.done", "timeout_ms": 60_000}
LEAVE: Final = """<!doctype html><title>A</title><script>(async () => {
const soon = (what, promise) => Promise.race([promise,
  new Promise((done) => setTimeout(done, 1000, what))]).then((v) => v === what && console.log(v));
document.cookie = 'script=1; max-age=999'; localStorage.a = '1'; sessionStorage.a = '1';
window.name = 'left'; document.cookie = 'site=1; max-age=999; domain=shop.test';
await caches.open('a').then((cache) => cache.put('/x', new Response('x')));
await new Promise((done) => {
  const asked = indexedDB.open('a', 1);
  asked.onupgradeneeded = () => asked.result.createObjectStore('s').put('v', 'k');
  asked.onsuccess = done;
});
const folder = await navigator.storage.getDirectory();
await folder.getFileHandle('f', {create: true});
// Its script is never run: the browser's other targets are closed before they start.
await soon('worker', navigator.serviceWorker.register('/worker.js'));
try { new SharedWorker('/shared.js', 'left'); } catch (e) { console.log(e.message); }
await navigator.locks.request('l', {ifAvailable: true}, () => 1);
navigator.locks.request('held', () => new Promise(() => 0));
await soon('persist', navigator.storage.persist());
await fetch('/cached').then((r) => r.text());
FIND
})()</script><p>left"""
FIND: Final = """
const channel = new BroadcastChannel('c'); let heard = 0; channel.onmessage = () => heard++;
await new Promise((done) => setTimeout(done, 400));
const files = []; for await (const name of (await navigator.storage.getDirectory()).keys()) {
  files.push(name); }
const held = (await navigator.locks.query()).held.map((lock) => lock.name);
console.log(JSON.stringify({
  cookie: document.cookie.split('; ').filter(Boolean).sort(), local: localStorage.length,
  session: sessionStorage.length, name: window.name,
  databases: (await indexedDB.databases()).length,
  caches: (await caches.keys()).length, files,
  workers: (await navigator.serviceWorker.getRegistrations()).length, heard: heard > 0, held,
  history: history.length, persisted: await navigator.storage.persisted(),
}));
await fetch('/cached').then((r) => r.text());
window.done = true;
"""
SHARED: Final = "const c = new BroadcastChannel('c'); setInterval(() => c.postMessage(1), 30)"
LOOK: Final = f"<!doctype html><title>B</title><script>(async () => {{{FIND}}})()</script><p>found"
NOTHING: Final = {
    "cookie": [],
    "local": 0,
    "session": 0,
    "name": "",
    "databases": 0,
    "caches": 0,
    "files": [],
    "workers": 0,
    "heard": False,
    "held": [],
    "history": 2,
    "persisted": False,
}

type Visit = Callable[..., RenderOutcome]


@pytest.fixture(scope="module")
def both(certified: Certificates) -> Iterator[tuple[Site, Site, Browser]]:
    """Give two sites, and a browser that no other test makes due for its replacement."""
    with running_site({}) as plain, running_site({}, certified.server) as secured:
        browser = new_browser(egress=egress_to(plain, secured), ca_bundle=certified.ca_file)
        yield plain, secured, browser
        browser.close()


@pytest.fixture(params=[None, "ws_ours"], ids=["alone", "in a lane"])
def sites(
    request: pytest.FixtureRequest, both: tuple[Site, Site, Browser]
) -> tuple[Site, Site, Visit]:
    plain, secured, browser = both
    return plain, secured, partial(visited, browser, request.param)


def visited(
    browser: Browser, lane: str | None, site_: Site, path: str, **output: Any
) -> RenderOutcome:
    """Return a visit; in a lane it comes after two documents of the same workspace."""
    services = PipelineServices(browser, NoTemplates(), RefusingEgress())
    if lane is not None:
        for _ in range(2):
            run_page_job(*task("<p>before", lane=lane), services)
        assert browser.prepare().result().lane == lane
    url = f"{site_.scheme}://{HOST}:{site_.port}{path}"
    visit = task(output=output, seconds=60, source=UrlSource(url), lane=lane)
    return run_page_job(*visit, services)


def found(outcome: RenderOutcome) -> dict[str, Any]:
    lines = [line for line in outcome.trace.logs if line.startswith("log: {")]
    result: dict[str, Any] = json.loads(lines[-1].removeprefix("log: "))
    return result


def test_next_page_of_the_same_origin_finds_no_stored_state(
    sites: tuple[Site, Site, Visit],
) -> None:
    _, secured, visit = sites
    script = "text/javascript"
    secured.pages |= {
        "/leave": SitePage(
            LEAVE.replace("FIND", FIND),
            headers={"Set-Cookie": "answer=1; Max-Age=999; HttpOnly; Secure; Path=/"},
        ),
        "/look": SitePage(LOOK),
        "/worker.js": SitePage("onfetch = (e) => e.respondWith(new Response('by worker'))", script),
        "/shared.js": SitePage(SHARED, script),
        "/cached": SitePage("x", headers={"Cache-Control": "public, max-age=9999"}),
    }

    first = visit(secured, "/leave", wait=DONE)
    secured.requests.clear()
    second = visit(secured, "/look", wait=DONE)

    left = found(first)
    # These never take effect even within one page.
    never = {"heard", "history", "persisted"}
    assert {name for name in left if left[name] == NOTHING[name]} == never, first.trace.logs
    assert found(second) == NOTHING
    assert secured.paths == ["/look", "/cached"]
    assert [asked.headers.get("cookie") for asked in secured.requests] == [None, None]
    assert secured.requests[1].headers.get("if-none-match") is None


def test_basic_auth_password_is_not_remembered(sites: tuple[Site, Site, Visit]) -> None:
    plain, _, visit = sites

    def closed(handler: Any) -> None:
        password = handler.headers.get("Authorization")
        status = b"200 OK" if password else b"401 Unauthorized"
        handler.wfile.write(
            b"HTTP/1.1 " + status + b'\r\nWWW-Authenticate: Basic realm="r"\r\n'
            b"Content-Type: text/html\r\nContent-Length: 8\r\n\r\n<p>open "
        )

    plain.pages["/closed"] = closed
    auth = {"basic_auth": {"username": "anna", "password": "p"}}

    assert visit(plain, "/closed", http=auth).files
    with pytest.raises(RenderFailure) as failure:
        visit(plain, "/closed")

    assert failure.value.code == "navigation_failed"
    assert "401" in failure.value.detail
    assert [asked.headers.get("authorization") for asked in plain.requests][-1] is None


def test_strict_transport_security_lasts_one_render(
    sites: tuple[Site, Site, Visit],
) -> None:
    plain, secured, visit = sites
    insists = {"Strict-Transport-Security": "max-age=9999; includeSubDomains"}
    secured.pages["/insists"] = SitePage("<p>x", headers=insists)
    plain.pages["/plain"] = SitePage("<p>plain")

    visit(secured, "/insists")

    assert visit(plain, "/plain").files


def test_visited_links_of_other_renders_are_not_shown(sites: tuple[Site, Site, Visit]) -> None:
    plain, _, visit = sites
    style = "<style>a{color:#00f;background:#eee}a:visited{color:#f00}</style>"
    links = "<p><a href=/seen>seen</a>"
    plain.pages |= {"/links": SitePage(f"{style}{links}"), "/seen": SitePage(f"{style}<p>{links}")}
    pictures = {"formats": ["png"]}

    before = visit(plain, "/links", **pictures).files[0].content
    visit(plain, "/seen", **pictures)
    after = visit(plain, "/links", **pictures).files[0].content

    assert before == after
