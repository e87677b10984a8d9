"""Files whose servers never answer: cut off at the end of the wait, told, or a failure."""

import io
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pypdf
import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.page import load_deadline
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.engine_jobs import NoTemplates, RefusingEgress, web_page_task
from tests.builders.pages.real_browser import render_with
from tests.builders.pages.web_site import Site, SitePage, running_site
from tests.builders.waiting import PATIENCE_S

SVG = SitePage("<svg xmlns='http://www.w3.org/2000/svg' width='7' height='7'/>", "image/svg+xml")
WAIT = {"timeout_ms": 2_500}
HANGING = {
    "picture": "<p>after<img src={0}>",
    "lazy picture": "<div style='height:9000px'>after</div><img loading=lazy src={0}>",
    "background": "<p style='background:url({0})'>after",
    "style sheet": "<link rel=stylesheet href={0}><p>after",
    "import": "<style>@import url({0});</style><p>after",
    "font": "<style>@font-face{{font-family:f;src:url({0})}}p{{font:9pt f}}</style><p>after",
    "script": "<p>before<script src={0}></script><p>after",
    "module": "<script type=module>import '{0}'</script><p>after",
    "frame": "<p>after<iframe src={0}></iframe>",
    "object": "<p>after<object data={0}></object>",
    "body that never ends": "<link rel=stylesheet href={1}><p>after",
    "script that waits": "<script>x = new XMLHttpRequest; x.open('GET', '{0}', false);"
    "try {{ x.send() }} catch {{}}</script><p>after",
}


def never(handler: BaseHTTPRequestHandler) -> None:
    """Answer nothing until the other side ends the connection."""
    handler.rfile.read(1)


def half(handler: BaseHTTPRequestHandler) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Length: 99\r\n\r\n"
    handler.wfile.write(head + b"p{}")
    handler.rfile.read(1)


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    pages = {f"/never{n}": never for n in range(40)}
    with running_site({**pages, "/half": half, "/dot.svg": SVG}) as web:
        yield web


def html_of(name: str, web: Site) -> tuple[str, str]:
    """Return a document, and the address that never answers."""
    host = "http://other.localhost" if name in {"frame", "object"} else "http://127.0.0.1"
    urls = [f"{host}:{web.port}/never0", web.url("/half")]
    html = f"<!doctype html>{HANGING[name].format(*urls)}"
    return html, next(url for url in urls if url in html)


def text_of(outcome: RenderOutcome) -> str:
    pages = pypdf.PdfReader(io.BytesIO(outcome.files[0].content)).pages
    return " ".join(page.extract_text() for page in pages)


@pytest.mark.parametrize("name", HANGING)
def test_document_comes_without_the_file_and_says_so(
    connected: Browser, web: Site, name: str
) -> None:
    html, url = html_of(name, web)

    outcome = render_with(connected, html, wait=WAIT)

    assert "after" in text_of(outcome)
    (warning,) = outcome.trace.warnings
    assert (warning.code, warning.detail) == ("asset_failed", url)
    assert "it did not come within wait.timeout_ms (2500)" in warning.message


@pytest.mark.parametrize("name", ["picture", "script", "font", "script that waits"])
def test_strict_assets_fail_and_name_the_file(connected: Browser, web: Site, name: str) -> None:
    html, url = html_of(name, web)

    with pytest.raises(RenderFailure) as failure:
        render_with(connected, html, wait=WAIT, asset_policy="strict")

    assert failure.value.code == "asset_fetch_failed"
    assert url in failure.value.detail
    assert "after" in text_of(render_with(connected, "<p>after"))


@pytest.mark.parametrize("until", ["domcontentloaded", "networkidle"])
def test_every_until_comes_to_an_end(connected: Browser, web: Site, until: str) -> None:
    html = f"<p>after<img src={web.url('/never0')}><script>fetch('{web.url('/never1')}')</script>"

    outcome = render_with(connected, html, wait={**WAIT, "until": until})

    assert "after" in text_of(outcome)
    assert web.url("/never0") in {warning.detail for warning in outcome.trace.warnings}


def test_what_waited_for_a_script_is_loaded_after_it(
    connected: Browser, web: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As long as a busy machine needs to load a picture.
    monkeypatch.setattr(load_deadline, "_GRACES_S", (PATIENCE_S,))
    dot, hanging = web.url("/dot.svg"), web.url("/never0")
    html = (
        f"<script src={hanging}></script><p>after<img loading=lazy src={dot}>"
        "<script>onload = () => document.body.append(document.images[0].naturalWidth)</script>"
    )

    outcome = render_with(connected, html, wait=WAIT)

    assert "7" in text_of(outcome)
    assert [warning.detail for warning in outcome.trace.warnings] == [hanging]


def test_files_named_after_the_cut_are_cut_off_too(connected: Browser, web: Site) -> None:
    first, second = web.url("/never0"), web.url("/never1")
    html = f"<p>after<img src={first} onerror=\"this.onerror = null; this.src = '{second}'\">"

    outcome = render_with(connected, html, wait=WAIT)

    assert "after" in text_of(outcome)
    assert {warning.detail for warning in outcome.trace.warnings} == {first, second}


def test_many_files_of_one_server_are_cut_off(connected: Browser, web: Site) -> None:
    urls = {web.url(f"/never{n}") for n in range(40)}
    html = "<p>after" + "".join(f"<img src={url}>" for url in sorted(urls))

    outcome = render_with(connected, html, wait=WAIT)

    assert "after" in text_of(outcome)
    assert {warning.detail for warning in outcome.trace.warnings} == urls


def test_page_that_names_new_files_for_ever_is_drawn(connected: Browser, web: Site) -> None:
    html = (
        "<p>after<script>let n = 0; const add = () => { const image = new Image;"
        f"image.onerror = add; image.src = '{web.url('/never0')}?' + n++;"
        "document.body.append(image) }; add()</script>"
    )
    web.pages["/never0?0"] = never

    outcome = render_with(connected, html, wait=WAIT)

    assert "after" in text_of(outcome)
    assert {warning.code for warning in outcome.trace.warnings} == {"asset_failed"}


def test_page_that_never_rests_says_so(connected: Browser, web: Site) -> None:
    script = (
        f"setInterval(() => {{ new Image().src = '{web.url('/dot.svg')}?' + Math.random() }}, 50)"
    )
    web.pages["/dot.svg"] = SVG

    with pytest.raises(RenderFailure) as failure:
        render_with(
            connected, f"<p>x<script>{script}</script>", wait={**WAIT, "until": "networkidle"}
        )

    assert failure.value.code == "wait_timeout"
    assert "networkidle" in failure.value.detail


def test_visited_page_comes_without_the_file(connected: Browser, web: Site) -> None:
    web.pages["/"] = SitePage("<p>after<script src=/never0></script>")
    parts = PipelineServices(connected, NoTemplates(), RefusingEgress())

    outcome = run_page_job(*web_page_task(web.url(), {"wait": WAIT}), parts)

    assert "after" in text_of(outcome)
    assert [warning.detail for warning in outcome.trace.warnings] == [web.url("/never0")]


def test_file_that_only_the_window_of_the_picture_needs_is_cut_off(
    connected: Browser, web: Site
) -> None:
    url = web.url("/never0")
    html = (
        f"<p>after<img id=i><script>onresize = () => {{ if (innerWidth > 1000) i.src = '{url}' }}"
        "</script>"
    )

    outcome = render_with(connected, html, wait=WAIT, formats=["pdf", "png"], asset_policy="strict")

    assert len(outcome.files) == 2
    assert [(each.code, each.detail) for each in outcome.trace.warnings] == [("asset_failed", url)]
