"""Content that appears when it is scrolled to is printed and pictured."""

import io
from collections.abc import Iterator
from typing import Final

import pypdf
import pytest
from PIL import Image

from chalicelib.core.json import JsonObject
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.engine_jobs import NoTemplates, egress_to, task, web_page_task
from tests.builders.pages.real_browser import Render
from tests.builders.pages.web_site import Site, SitePage, running_site

SECTIONS: Final = "".join(f"<section>section {number}.</section>" for number in range(5))
PAGE: Final = (
    "<!doctype html><style>section { height: 900px; display: block }"
    f" section:not(.on) {{ visibility: hidden }}</style><h1>top</h1>{SECTIONS}"
)
SHOW: Final = "each.target.classList.add('on')"
OBSERVE: Final = "document.querySelectorAll('section').forEach((each) => watch.observe(each))"


def watching(options: str = "{}", show: str = SHOW, observe: str = OBSERVE) -> str:
    return (
        "<script>const watch = new IntersectionObserver((entries) => { for (const each of entries)"
        f" {{ if (each.isIntersecting) {{ {show} }} }} }}, {options}); {observe}</script>"
    )


WAYS: Final = {
    "plain": PAGE + watching(),
    "threshold": PAGE + watching("{threshold: 1}"),
    "margin": PAGE + watching("{rootMargin: '-30%'}"),
    "once": PAGE + watching(show=f"{SHOW}; watch.unobserve(each.target)"),
    "late": PAGE + watching(observe=f"setTimeout(() => {OBSERVE}, 700)"),
    "shown later": PAGE + watching(show=f"setTimeout(() => {SHOW}, 400)"),
    "transition": PAGE + "<style>section { opacity: 0; transition: opacity 1s } .on { opacity: 1 }"
    "</style>" + watching(),
    "hidden when left": PAGE + "<script>const watch = new IntersectionObserver((entries) => entries"
    f".forEach((each) => each.target.classList.toggle('on', each.isIntersecting))); {OBSERVE}"
    "</script>",
    "subclass": PAGE
    + watching().replace(
        "const watch = new IntersectionObserver(",
        "class Own extends IntersectionObserver {} const watch = new Own(",
    ),
    "others throw": PAGE + "<script>new IntersectionObserver(([{target}]) => { if (target.offsetTop"
    " > 900) throw 1 }).observe(document.querySelectorAll('section')[4])</script>" + watching(),
    "in a box that scrolls": PAGE.replace(
        "<h1>", "<main style='height: 400px; overflow: auto'><h1>"
    )
    + "</main>"
    + watching("{root: document.querySelector('main')}"),
}


def sections(content: bytes) -> list[int]:
    pages = pypdf.PdfReader(io.BytesIO(content)).pages
    text = " ".join(page.extract_text() for page in pages)
    return [number for number in range(5) if f"section {number}." in text]


@pytest.mark.parametrize("name", WAYS)
def test_sections_are_printed(render: Render, name: str) -> None:
    assert sections(render(WAYS[name]).files[0].content) == [*range(5)]


@pytest.mark.parametrize("wait", [{"delay_ms": 50}, {"selector": "h1"}, {"expression": "true"}])
@pytest.mark.parametrize("name", ["plain", "transition"])
def test_sections_are_printed_where_a_wait_chooses_the_moment(
    render: Render, name: str, wait: JsonObject
) -> None:
    assert sections(render(WAYS[name], wait=wait).files[0].content) == [*range(5)]


def test_picture_of_the_whole_page_has_what_appears(render: Render) -> None:
    html = "<!doctype html><style>section { height: 900px } .on { background: #f00 }</style>"

    (drawn,) = render(html + SECTIONS + watching(), format="png", image={"full_page": True}).files

    image = Image.open(io.BytesIO(drawn.content)).convert("RGB")
    assert image.getpixel((600, image.height - 20)) == (255, 0, 0)


def test_page_that_grows_while_it_is_shown_ends(render: Render) -> None:
    grow = "const next = document.createElement('section'); next.textContent = 'section 0.';"
    html = PAGE + watching(show=f"{SHOW}; {grow} document.body.append(next); watch.observe(next)")

    outcome = render(html)

    assert outcome.files[0].pages is not None
    assert outcome.files[0].pages < 40


def test_element_without_a_box_is_not_shown(render: Render) -> None:
    html = (
        f"<style>section {{ display: none }} .on {{ display: block }}</style>{SECTIONS}{watching()}"
    )

    assert sections(render(html).files[0].content) == []


def test_observer_is_that_of_browsers(render: Render) -> None:
    probe = (
        "const watch = new IntersectionObserver((entries, own) => { if (own !== watch) throw 1;"
        " const [entry] = entries; console.log(entries.length, entry instanceof"
        " IntersectionObserverEntry, entry.intersectionRatio, entry.boundingClientRect.height,"
        " entry.target.id); watch.disconnect() });"
        " watch.observe(document.querySelector('p'));"
        " try { new IntersectionObserver() } catch (error) { console.log(error.name) }"
        " console.log(watch instanceof IntersectionObserver, IntersectionObserver.name, watch.root)"
    )
    html = f"<!doctype html><p id=p style='height: 10px'>x</p><script>{probe}</script>"

    assert render(html).trace.logs == (
        "log: TypeError",
        "log: true IntersectionObserver null",
        "log: 1 true 1 10 p",
    )


DOT: Final = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    lazy = "<section data-src='/{0}.svg'>x</section>"
    show = "const image = new Image; image.src = each.target.dataset.src; each.target.append(image)"
    pages = {
        "/": SitePage(
            "<!doctype html><style>section { height: 900px }</style>"
            + "".join(lazy.format(number) for number in range(5))
            + watching(show=show)
        ),
        "/frame": SitePage("<p>in the frame"),
        **{f"/{number}.svg": SitePage(DOT, "image/svg+xml") for number in range(5)},
    }
    with running_site(pages) as web:
        yield web


def test_pictures_that_appear_are_loaded_once(connected: Browser, web: Site) -> None:
    parts = PipelineServices(connected, NoTemplates(), egress_to(web))
    web.requests.clear()

    outcome = run_page_job(*web_page_task(web.url("/")), parts)

    assert outcome.trace.warnings == ()
    assert sorted(web.paths) == ["/", *(f"/{number}.svg" for number in range(5))]


def test_frame_that_loads_lazily_is_printed(connected: Browser, web: Site) -> None:
    frame = f"<iframe loading=lazy src='{web.url('/frame')}'></iframe>"
    html = f"<div style='height: 9000px'></div>{frame}"
    parts = PipelineServices(connected, NoTemplates(), egress_to(web))

    (printed,) = run_page_job(*task(html), parts).files

    assert "in the frame" in pypdf.PdfReader(io.BytesIO(printed.content)).pages[-1].extract_text()
