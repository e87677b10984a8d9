"""Requests of a page to its user: it continues at once, without an answer."""

import ssl
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.certificates import Certificates
from tests.builders.pages.engine_jobs import (
    NoTemplates,
    RefusingEgress,
    task,
    web_page_task,
)
from tests.builders.pages.switched_egress import SwitchedEgress
from tests.builders.pages.web_site import Site, SitePage, running_site

ON: Final = {"expression": "document.title === 'on'", "timeout_ms": 60_000}
WITHOUT: Final = {"delay_ms": 300, "timeout_ms": 60_000}
# Each requests something that a user would have to grant, and is answered without a user.
ASKING: Final = {
    "place": "navigator.geolocation.getCurrentPosition(on, on)",
    "notifications": "window.Notification ? Notification.requestPermission().then(on, on) : on()",
    "clipboard": "navigator.clipboard.readText().then(on, on)",
    "camera": "navigator.mediaDevices.getUserMedia({video: true, audio: true}).then(on, on)",
    "screen": "navigator.mediaDevices.getDisplayMedia().then(on, on)",
    "full screen": "document.documentElement.requestFullscreen().then(on, on)",
    "pointer": "document.onpointerlockerror = on; document.body.requestPointerLock()?.then(on, on)",
    "file picker": "showOpenFilePicker().then(on, on)",
    "persistence": "navigator.storage.persist().then(on, on)",
    "midi": "navigator.requestMIDIAccess({sysex: true}).then(on, on)",
    "usb": "navigator.usb.requestDevice({filters: []}).then(on, on)",
    "wake lock": "navigator.wakeLock.request('screen').then(on, on)",
    "storage access": "document.requestStorageAccess().then(on, on)",
    "fonts": "queryLocalFonts().then(on, on)",
    "service worker": "navigator.serviceWorker.register('s').then(on, on)",
    "popup": "open('about:blank') ? 0 : on()",
}
# Each does something that would block a page in a window, and must not block here.
DOING: Final = {
    "dialogs": "alert(1); confirm(2); prompt(3); print(); on()",
    "dialogs of a frame": "f = document.body.appendChild(document.createElement('iframe'));"
    "f.contentWindow.eval('alert(1); confirm(2); print()'); on()",
    "leaving": "onbeforeunload = (e) => { e.preventDefault(); return 1 }; location = '/x'; on()",
    "debugger": "debugger; on()",
    "closing": "close(); window.open('', '_self'); close(); on()",
    "protocols": "for (const scheme of ['mailto', 'tel', 'sms', 'ms-word', 'intent', 'web+a']) {"
    "  location = scheme + ':x'; const f = document.createElement('iframe');"
    "  f.src = scheme + ':x'; document.body.append(f) } on()",
    "protocol handler": "navigator.registerProtocolHandler('web+a', location + '?%s'); on()",
    "file chooser": "i = document.createElement('input'); i.type = 'file'; i.click(); on()",
    "download": "document.body.innerHTML = '<a id=a download=x href=data:,x>'; a.click(); on()",
    "many downloads": "for (let n = 0; n < 30; n++) { const a = document.createElement('a');"
    " a.download = 'x' + n; a.href = URL.createObjectURL(new Blob(['x'])); a.click() } on()",
    "popups": "for (let n = 0; n < 30; n++) open('data:text/html,<p>x'); on()",
    "history": "for (n = 0; n < 50; n++) history.pushState(0, '', '/' + n); history.go(-3); on()",
    "credentials": "navigator.credentials.get({password: true}); on()",
    "moving": "moveTo(0, 0); resizeTo(10, 10); blur(); focus(); on()",
}


@pytest.fixture(scope="module")
def sites(certified: Certificates) -> Iterator[tuple[Site, Site]]:
    """Give a site, and a second one that wants certificates of its clients."""
    asking = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    asking.load_cert_chain(certified.server_file)
    asking.verify_mode = ssl.CERT_OPTIONAL
    asking.load_verify_locations(certified.ca_file)
    with running_site({}) as plain, running_site({}, asking) as asked:
        yield plain, asked


@pytest.fixture
def world(
    browser: Browser, egress: SwitchedEgress, sites: tuple[Site, Site]
) -> Iterator[tuple[Site, Site, Browser]]:
    with egress.to(*sites):
        yield *sites, browser


@pytest.fixture
def shown(world: tuple[Site, Site, Browser]) -> Callable[..., RenderOutcome]:
    def shown(html: str, **output: Any) -> RenderOutcome:
        parts = PipelineServices(world[2], NoTemplates(), RefusingEgress())
        return run_page_job(*task(html, output), parts)

    return shown


def scripted(script: str) -> str:
    return (
        "<!doctype html><title>x</title><body><p>shown"
        f"<script>const on = () => document.title = 'on'; {script}</script>"
    )


@pytest.mark.parametrize("action", [*ASKING, *DOING])
def test_page_continues_without_user_interaction(
    shown: Callable[..., RenderOutcome], action: str
) -> None:
    outcome = shown(scripted(ASKING.get(action) or DOING[action]), wait=ON)

    assert outcome.files[0].pages == 1


@pytest.mark.parametrize(
    "html",
    [
        "<meta http-equiv=refresh content=0><p>x",
        "<meta http-equiv=refresh content='0;url=/elsewhere'><p>x",
        "<p>x<script>setInterval(() => location.reload(), 10)</script>",
        "<p>x<script>setInterval(() => location = '/' + Math.random(), 10)</script>",
        "<p>x<form id=f method=post></form><script>f.submit()</script>",
        "<p>x<script>stop()</script>",
        "<p>x<a id=a href='javascript:alert(1)' autofocus>y</a><script>a.click()</script>",
    ],
)
def test_document_cannot_navigate_away(shown: Callable[..., RenderOutcome], html: str) -> None:
    outcome = shown(html, wait=WITHOUT)

    assert outcome.files[0].pages == 1


@pytest.mark.parametrize(
    "script",
    [
        "for (;;) document.write('<b>')",
        "for (;;) alert(1)",
        "for (;;) open('about:blank')",
        "for (;;) history.pushState(0, '', '/x')",
        "for (;;) try { x = new XMLHttpRequest; x.open('GET', '', false); x.send() } catch {}",
        "onload = () => setTimeout(() => { document.open(); document.write('never closed') }, 50)",
    ],
)
def test_endless_script_is_ended_and_the_next_render_succeeds(
    world: tuple[Site, Site, Browser], script: str
) -> None:
    parts = PipelineServices(world[2], NoTemplates(), RefusingEgress())

    with pytest.raises(RenderFailure) as failure:
        run_page_job(
            *task(scripted(script), {"wait": {"timeout_ms": 1500, "delay_ms": 300}}), parts
        )

    assert failure.value.code in {"wait_timeout", "render_failed"}, failure.value.detail
    assert run_page_job(*task("<p>next"), parts).files[0].pages == 1


def test_requests_for_passwords_or_client_certificates_are_not_answered(
    world: tuple[Site, Site, Browser], shown: Callable[..., RenderOutcome]
) -> None:
    plain, certified, browser = world
    plain.pages["/closed"] = SitePage(status=401, headers={"WWW-Authenticate": 'Basic realm="r"'})
    certified.pages["/asked"] = SitePage("<p>served without one")
    closed = plain.url("/closed")

    outcome = shown(f"<p>x<img src={closed}><iframe src={closed}></iframe>")
    warnings = {(warning.code, warning.detail) for warning in outcome.trace.warnings}
    parts = PipelineServices(browser, NoTemplates(), RefusingEgress())
    with pytest.raises(RenderFailure, match="401") as failure:
        run_page_job(*web_page_task(closed), parts)

    assert warnings == {("asset_failed", closed)}
    assert failure.value.code == "navigation_failed"
    assert run_page_job(*web_page_task(certified.url("/asked")), parts).files[0].pages == 1
