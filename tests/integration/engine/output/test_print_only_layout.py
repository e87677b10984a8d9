"""Layout for print alone gives the same PDF as layout for a screen first."""

import io
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any, Final

import pypdf
import pypdfium2
import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.browser.page.print_only_layout import is_safe_for
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.browser.tab.origin import can_reveal_origin
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.job import RenderOutcome
from tests.builders.pages.random_pages import random_page, seeds
from tests.builders.pages.real_browser import Render, explain_of, render_with
from tests.builders.pages.web_site import Site, running_site
from tests.builders.waiting import PATIENCE_S
from tests.integration.engine.output.test_deterministic_pdf import data_uri, picture, web_font

PICTURE: Final = data_uri("image/png", picture())
FONT: Final = data_uri("font/ttf", web_font())
ROWS: Final = "".join(f"<tr><td>{n}<td>Words of item {n}<td>{n}.50" for n in range(150))
WORDS: Final = "<p>word and word</p>" * 100
# Pictures of styles stand below more text than the viewport before printing shows.
DOCUMENTS: Final = {
    "a table": f"<table>{ROWS}</table>",
    "pictures of styles": f"""<style>.x {{ background: url({PICTURE}) no-repeat; height: 50px }}
        .y::before {{ content: url({PICTURE}) }} li {{ list-style: url({PICTURE}) }}</style>
        <table>{ROWS}</table><div class=x>x</div><div class=y>y</div><ul><li>a</ul>{WORDS}""",
    "pictures": f"{WORDS}<img src='{PICTURE}'><img loading=lazy src='{PICTURE}' width=30>"
    f"<img sizes=auto loading=lazy srcset='{PICTURE} 9w'><img alt=none src='data:,'>",
    "vector pictures": """<svg width=200 height=200 fill=red><g stroke=blue><path d='M0 0h90v90z'/>
        <circle r=40 /></g><text x=9 y=99 textLength=80>word <tspan>and</tspan></text></svg>""",
    "from right to left": f"<html dir=rtl lang=ar><body style='background:#eee'>{'كلمة ' * 300}",
    "columns of boxes": f"<body style='display: flex; flex-wrap: wrap; gap: 2em'>{WORDS}",
    "a grid": f"<body style='display: grid; grid-template-columns: 1fr 2fr'>{WORDS}",
    "a body of no box": f"<body style='display: contents'>{WORDS}",
    "an unseen body": "<style>body { display: none }</style><p>x",
    "boxes of their own": """<div style='float: left; width: 30%'>l</div>
        <p style='position: absolute; right: 0; top: 90%; z-index: -1'>a
        <p style='position: relative; left: -9px; opacity: .5'>r
        <section style='clear: both; min-height: 90vh; border-radius: 9px; border: 1px solid'>s""",
    "a wide table": f"<table style='width: 2000px; table-layout: fixed'>{ROWS}</table>",
    "named pages": f"""<style>@page {{ size: A5; margin: 1cm; @top-left {{ content: counter(page) }}
        }} @page wide {{ size: A4 landscape }} .w {{ page: wide }}
        p:nth-child(9n) {{ break-after: page }} p::before {{ content: counter(p) ' ';
        counter-increment: p }}</style>{WORDS}<p class=w>wide""",
    "media": """<style>@media screen { p { color: red } } @media (min-width: 700px) { p {
        font-size: 30px } } @media (max-width: 500px) { p { font-size: 8px } }</style><p>x""",
    "web fonts": f"""<style>@font-face {{ font-family: own; src: url({FONT}) }}
        @font-face {{ font-family: own; font-weight: 700; src: url({FONT}) }}
        @font-face {{ font-family: late; src: local(none), url({FONT}) }}
        @font-face {{ font-family: broken; src: url(data:font/ttf;base64,AAAA), url({FONT}) }}
        @font-face {{ font-family: unused; src: url({FONT}) }}
        @font-face {{ font-family: none; src: url(data:font/ttf;base64,AAAA) }}
        text, li::marker {{ font-family: own }} h1 {{ font-family: broken; width: 20ch }}
        h2 {{ font-family: none }} @media print {{ i {{ font-family: late }} }}</style>
        <svg><text y=20>Größe</text></svg><h1>Größe</h1><h2>Größe</h2>{WORDS}<ul><li>a</ul>
        <i>Größe</i>""",
    "a web font of vector pictures": f"""<style>@font-face {{ font-family: own; src: url({FONT}) }}
        text {{ font-family: own }}</style><svg><text y=20>Größe</text></svg>""",
}
OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "tagged": {},
    "untagged": {"tagged": False},
    "with a header": {"outline": True, "scale": 0.8, "header": {"enabled": True, "left": "x"}},
}
SLOW_S: Final = 1.2
# `{0}` is the URL of a slow picture.
SLOW: Final = {
    "as it is": "<img src={0}>",
    "when it is near": "{words}<img loading=lazy src={0}>",
    "of a button": "<input type=image src={0}>",
    "behind a cell": "<table><tr><td background\n= {0} height=90>x</table>",
    "by a rule in disguise": "<p style='background: &#117;r\\6c({0}) no-repeat; height: 300px'>x",
}
IS_SEEN: Final = PageFunction[bool]("() => document.body.firstElementChild.checkVisibility()")


def slow(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(SLOW_S)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: {len(picture())}\r\n\r\n"
    handler.wfile.write(head.encode() + picture())


def never(handler: BaseHTTPRequestHandler) -> None:
    """Answer nothing until the other side ends the connection."""
    handler.rfile.read(1)


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with running_site({"/slow.png": slow, "/never.png": never}) as web:
        yield web


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_print_only_layout_gives_the_same_pdf(render: Render, name: str, options: str) -> None:
    assert is_on_paper(DOCUMENTS[name], pdf=OPTIONS[options])
    alone = render(DOCUMENTS[name], pdf=OPTIONS[options])

    # A wait expression may inspect the page, so it is laid out for a screen first.
    after_a_screen = render(DOCUMENTS[name], pdf=OPTIONS[options], wait={"expression": "true"})

    assert alone.files == after_a_screen.files
    assert alone.trace.warnings == after_a_screen.trace.warnings
    assert explained(alone.trace.explain) == explained(after_a_screen.trace.explain)


@pytest.mark.parametrize("seed", seeds(12, of=40))
def test_random_pages_are_deterministic_and_look_the_same(render: Render, seed: int) -> None:
    html = random_page(seed, PICTURE)
    assert is_on_paper(html)

    alone, again = render(html), render(html)
    after_a_screen = render(html, wait={"expression": "true"})

    assert alone.files == again.files
    assert alone.files == after_a_screen.files or looks(alone) == looks(after_a_screen)


@pytest.mark.parametrize("how", SLOW)
def test_slow_picture_is_printed_and_reported(connected: Browser, web: Site, how: str) -> None:
    html = SLOW[how].format(web.url("/slow.png"), words=WORDS)

    alone = render_with(connected, html)
    after_a_screen = render_with(connected, html, wait={"expression": "true"})

    assert len(pictures_of(alone)) == 1
    assert pictures_of(alone) == pictures_of(after_a_screen)
    assert explain_of(alone)["bytes"]["image"] == len(picture())
    assert explained(alone.trace.explain) == explained(after_a_screen.trace.explain)


@pytest.mark.parametrize("html", ["<img src={0}>", "<td background = {0}>"])
def test_missing_picture_is_awaited_until_the_timeout(
    connected: Browser, web: Site, html: str
) -> None:
    url = web.url("/never.png")

    outcome = render_with(connected, f"<table>{html.format(url)}", wait={"timeout_ms": 1500})

    assert [(each.code, each.detail) for each in outcome.trace.warnings] == [("asset_failed", url)]


def test_select_scrolled_after_layout_is_deterministic(render: Render) -> None:
    options = "".join(f"<option{' selected' * (n == 40)}>o{n}" for n in range(60))

    made = [render(f"<p>x<select size=3>{options}</select>").files for _ in range(8)]

    assert all(files == made[0] for files in made)


def test_endless_layout_ends_at_the_render_timeout(browser: Browser) -> None:
    html = "<div style='height: 90000000px'>x"
    assert is_on_paper(html)

    with pytest.raises(RenderFailure) as failure:
        render_with(browser, html, seconds=4)

    assert failure.value.code == "render_timeout"


@pytest.mark.parametrize(
    ("html", "output", "measured", "seen"),
    [
        ("<p>x", {}, False, False),
        ("<p>x", {}, True, True),
        ("<p>x", {"formats": ["pdf", "png"]}, False, True),
        ("<p style='transition: color 1s'>x", {}, False, True),
        ("<p>x<script>1</script>", {}, False, True),
        ("<p>x<iframe srcdoc=y></iframe>", {}, False, True),
    ],
)
def test_screen_layout_is_done_only_when_needed(
    browser: Browser, html: str, output: dict[str, Any], *, measured: bool, seen: bool
) -> None:
    made = OutputOptions.from_json(output)

    def work(page: BrowserPage) -> bool:
        page.load(html, made, needs_screen_layout=measured)
        answer = page._tab.outcome(page._tab.call_function(IS_SEEN))
        return answer["result"]["value"]

    assert used(browser, work) is seen


def used[Result](browser: Browser, work: Callable[[BrowserPage], Result]) -> Result:
    try:
        return browser.use(work, Deadline.after(PATIENCE_S))
    finally:
        browser.prepare()


def is_on_paper(html: str, **output: Any) -> bool:
    return is_safe_for(html, OutputOptions.from_json(output)) and not can_reveal_origin(html)


def pictures_of(outcome: RenderOutcome) -> list[bytes]:
    reader = pypdf.PdfReader(io.BytesIO(outcome.files[0].content))
    return [image.data for page in reader.pages for image in page.images]


def looks(outcome: RenderOutcome) -> list[bytes]:
    document = pypdfium2.PdfDocument(outcome.files[0].content)
    return [page.render(scale=0.5).to_pil().tobytes() for page in document]


def explained(explain: Any) -> dict[str, Any]:
    return {**explain, "wait": None}
