"""The https origin of documents: the same for the same document."""

import io
from collections.abc import Iterator
from typing import Any, Final

import pypdf
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
from tests.builders.pages.real_browser import Render, explain_of, folder
from tests.builders.pages.switched_egress import SwitchedEgress
from tests.builders.pages.web_site import Site, SitePage, running_site

SHOWN: Final = """<!doctype html><title>x</title><p id=p><canvas id=c width=400 height=20></canvas>
<script>
const told = [location.href, document.baseURI, document.URL, origin, isSecureContext].join(' ');
document.title = 'Ort 日本 ' + told; p.textContent = told;
c.getContext('2d').fillText(told, 0, 15);
</script>"""
FILES: Final = ("pdf", "png", "html")
SVG: Final = "<svg xmlns='http://www.w3.org/2000/svg' width='7' height='7'/>"
PICTURE: Final = SitePage(SVG, "image/svg+xml")
FOR_ALL: Final = {"Access-Control-Allow-Origin": "*"}


@pytest.fixture(scope="module")
def here() -> Iterator[Site]:
    with running_site({}) as running:
        yield running


@pytest.fixture
def world(browser: Browser, egress: SwitchedEgress, here: Site) -> Iterator[Browser]:
    with egress.to(here):
        yield browser


def shown(browser: Browser, html: str, **output: Any) -> RenderOutcome:
    parts = PipelineServices(browser, NoTemplates(), RefusingEgress())
    return run_page_job(*task(html, output), parts)


def text_of(outcome: RenderOutcome) -> str:
    reader = pypdf.PdfReader(io.BytesIO(outcome.files[0].content))
    return " ".join(page.extract_text() for page in reader.pages)


def test_document_that_shows_its_origin_gives_the_same_bytes(render: Render) -> None:
    first, again = (render(SHOWN, formats=FILES) for _ in range(2))
    other = render(SHOWN.replace("<p id=p>", "<p id=p lang=de>"), formats=FILES)

    assert [file.content for file in first.files] == [file.content for file in again.files]
    origin, others = (text_of(outcome).split()[0] for outcome in (first, other))
    assert origin.startswith("https://")
    assert origin != others
    assert text_of(first).split() == [origin, origin, origin, origin.rstrip("/"), "true"]


@pytest.mark.parametrize(
    "html",
    [
        "<svg onload='document.body.append(location)'></svg>",
        "<IFRAME srcdoc='<script>parent.document.body.append(parent.location)</script>'></IFRAME>",
        "<img src=data: ONERROR\n=\n'document.body.append(location)'>",
    ],
)
def test_origin_shown_by_event_handlers_is_deterministic(render: Render, html: str) -> None:
    done = {"expression": "document.body.textContent"}

    first, again = (render(html, wait=done) for _ in range(2))

    assert text_of(first).startswith("https://")
    assert first.files == again.files


def test_assets_are_requested_from_the_same_origin(world: Browser, here: Site) -> None:
    font = next(path for path in folder("PLATEN_FONTS_DIR", "fonts").rglob("*Tinos*.ttf"))
    here.pages["/font"] = SitePage(font.read_bytes(), "font/ttf", headers=FOR_ALL)
    here.requests.clear()
    url = f"http://fonts.test:{here.port}/font"
    html = f"<style>@font-face{{font-family:f;src:url({url})}}p{{font-family:f}}</style><p>x"

    outcomes = [shown(world, html) for _ in range(2)]

    first, again = (asked.headers["origin"] for asked in here.requests)
    assert first == again
    assert first.startswith("https://")
    assert [outcome.trace.warnings for outcome in outcomes] == [(), ()]


def test_assets_at_http_urls_are_loaded_without_upgrade(world: Browser, here: Site) -> None:
    pages = {
        "/style": SitePage("@import url(/more);p{background:url(/paper)}", "text/css"),
        "/more": SitePage("b{mask-image:url(/mask)}", "text/css"),
        "/paper": PICTURE,
        "/mask": SitePage(SVG, "image/svg+xml", headers=FOR_ALL),
        "/picture": PICTURE,
        "/inner": PICTURE,
        "/script": SitePage("done.add('script')", "text/javascript"),
        "/module": SitePage("done.add('module')", "text/javascript", headers=FOR_ALL),
        "/fetch": SitePage("x", headers=FOR_ALL),
        "/film": SitePage("x", "video/mp4"),
    }
    here.pages.update(pages)
    here.requests.clear()
    parts = f"http://parts.test:{here.port}"
    html = (
        f"<!doctype html><script>done = new Set</script><link rel=stylesheet href={parts}/style>"
        f"<p>x<b>y</b><img src={parts}/picture><svg><image href={parts}/inner width=9 /></svg>"
        f"<script src={parts}/script></script><script type=module src={parts}/module></script>"
        f"<video src={parts}/film></video>"
        f"<script>fetch('{parts}/fetch').then(() => done.add('fetch'))</script>"
    )

    outcome = shown(world, html, wait={"expression": "done.size === 3", "timeout_ms": 60_000})

    assert {*pages} <= {*here.paths}
    assert [warning.detail for warning in outcome.trace.warnings] == []
    assert explain_of(outcome)["requests"] == len(pages)
    assert explain_of(outcome)["bytes"]["html"] == len(html)


@pytest.mark.parametrize("element", ["iframe src", "object data"])
def test_frames_at_http_urls_are_refused_with_a_warning(
    world: Browser, here: Site, element: str
) -> None:
    here.pages["/frame"] = SitePage("<p>framed")
    here.requests.clear()
    url = f"http://frames.test:{here.port}/frame"

    outcome = shown(world, f"<{element}={url}></{element.split(maxsplit=1)[0]}><p>x")

    assert here.paths == []
    (warning,) = outcome.trace.warnings
    assert (warning.code, warning.detail) == ("asset_failed", url)
    assert "https:" in warning.message
    with pytest.raises(RenderFailure, match="asset_policy") as failure:
        shown(world, f"<{element}={url}></iframe>", asset_policy="strict")
    assert failure.value.code == "url_not_allowed"


def test_web_page_at_https_runs_no_http_scripts(
    browser: Browser, egress: SwitchedEgress, certified: Certificates, here: Site
) -> None:
    here.pages |= {"/script": SitePage("document.title = 'bad'", "text/javascript"), "/i": PICTURE}
    here.requests.clear()
    cdn = f"http://parts.test:{here.port}"
    html = f"<title>good</title><img src={cdn}/i><script src={cdn}/script></script><p>x"
    with (
        running_site({"/": SitePage(html)}, certified.server) as secured,
        egress.to(here, secured),
    ):
        parts = PipelineServices(browser, NoTemplates(), RefusingEgress())
        outcome = run_page_job(*web_page_task(secured.url(), {"formats": ["html"]}), parts)

    assert here.paths == ["/i"]
    assert b"good" in outcome.files[0].content
    assert [warning.detail for warning in outcome.trace.warnings] == [f"{cdn}/script"]
