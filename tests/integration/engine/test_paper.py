"""A document that is laid out for paper alone gives the PDF that it would give after a screen."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from chalicelib.engine.browser.lifecycle import Browser
from chalicelib.engine.browser.page import Page
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.options.output import Output
from tests.integration.engine.conftest import Render
from tests.integration.engine.test_repeatable import data_uri, picture, web_font

PICTURE: Final = data_uri("image/png", picture())
FONT: Final = data_uri("font/ttf", web_font())
ROWS: Final = "".join(f"<tr><td>{n}<td>Words of item {n}<td>{n}.50" for n in range(400))
WORDS: Final = "<p>word and word</p>" * 200
# What is drawn by styles stands below more text than is looked at before printing.
DOCUMENTS: Final = {
    "a table": f"<table>{ROWS}</table>",
    "pictures of styles": f"""<style>.x {{ background: url({PICTURE}); height: 50px }}
        .y::before {{ content: url({PICTURE}) }} li {{ list-style-image: url({PICTURE}) }}
        .z {{ border: 9px solid; border-image: url({PICTURE}) 9 }}
        .s {{ shape-outside: url({PICTURE}); float: left; width: 90px; height: 90px }}</style>
        <table>{ROWS}</table><div class=x>x</div><div class=y>y</div><div class=z>z</div>
        <ul><li>a</ul><div class=s></div>{WORDS}""",
    "pictures": f"{WORDS}<img src='{PICTURE}'><img loading=lazy src='{PICTURE}' width=30>"
    f"<img sizes=auto loading=lazy srcset='{PICTURE} 9w'><img alt=none src='data:,'>",
    "vector pictures": """<svg width=200 height=200><filter id=f><feGaussianBlur stdDeviation=3 />
        </filter><clipPath id=c><circle r=90 /></clipPath><mask id=m><rect width=50 height=50
        fill=white /></mask><symbol id=s><path d='M0 0h9v9z'/></symbol><rect width=99 height=99
        filter='url(#f)' clip-path='url(#c)'/><use href='#s' mask='url(#m)'/>
        <text x=9 y=99 textLength=80>word</text><foreignObject width=90 height=90><p>html""",
    "from right to left": f"<html dir=rtl lang=ar><body style='background:#eee'>{'كلمة ' * 300}",
    "from top to bottom": f"<body style='writing-mode:vertical-rl'>{'縦書き ' * 300}",
    "no overflow": f"<style>html, body {{ height: 100%; overflow: hidden }}</style>{WORDS}",
    "columns": f"<body style='columns: 3'>{WORDS}",
    "a grid": f"<body style='display: grid; grid-template-columns: 1fr 2fr'>{WORDS}",
    "a body of no box": f"<body style='display: contents'>{WORDS}",
    "an unseen body": "<style>body { display: none }</style><p>x",
    "a body that insists": "<body style='content-visibility: visible !important'><p>x",
    "unseen parts": f"<style>p {{ content-visibility: auto }}</style>{WORDS}<p hidden>x",
    "named pages": f"""<style>@page {{ size: A5; margin: 1cm; @top-left {{ content: counter(page) }}
        }} @page wide {{ size: A4 landscape }} .w {{ page: wide }} h1 {{ position: sticky; top: 0 }}
        h2 {{ position: fixed; bottom: 0 }}</style><h1>a</h1><h2>b</h2>{WORDS}<p class=w>wide""",
    "media": """<style>@media screen { p { color: red } } @media (min-width: 700px) { p {
        font-size: 30px } } @media (max-width: 500px) { p { font-size: 8px } }</style><p>x""",
    "web fonts": f"""<style>@font-face {{ font-family: own; src: url({FONT}) }}
        @font-face {{ font-family: own; font-weight: 700; src: url({FONT}) }}
        @font-face {{ font-family: late; font-display: optional; src: local(none), url({FONT}) }}
        @font-face {{ font-family: broken; src: url(data:font/ttf;base64,AAAA), url({FONT}) }}
        @font-face {{ font-family: unused; src: url({FONT}) }}
        @font-face {{ font-family: none; src: url(data:font/ttf;base64,AAAA) }}
        text, li::marker {{ font-family: own }} h1 {{ font-family: broken; width: 20ch }}
        h2 {{ font-family: none }} @media print {{ i {{ font-family: late }} }}</style>
        <svg><text y=20>Größe</text></svg><h1>Größe</h1><h2>Größe</h2>{WORDS}<ul><li>a</ul>
        <i>Größe</i>""",
    "a web font of vector pictures": f"""<style>@font-face {{ font-family: own; src: url({FONT}) }}
        text {{ font-family: own }}</style><svg><text y=20>Größe</text></svg>""",
    "containers": f"""<style>div {{ container-type: inline-size }} @container (min-width: 9px) {{
        b {{ background: url({PICTURE}) }} }}</style>{WORDS}<div><b>x""",
    "controls": """<input value=a><input type=checkbox checked><input type=range><select><option>b
        </select><textarea>t</textarea><progress value=.3></progress><details open><summary>s
        </summary>d</details><details><summary>s</summary>d</details><dialog open>d</dialog>""",
    "a shadow": "<div><template shadowrootmode=open><style>p{color:red}</style><p>in<slot></slot>"
    "</template>light</div>",
}
OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "tagged": {},
    "untagged": {"tagged": False},
    "with a header": {"outline": True, "scale": 0.8, "header": {"enabled": True, "left": "x"}},
}
IS_SEEN: Final = "() => document.body.firstElementChild.checkVisibility()"


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_pdf_is_the_same(render: Render, name: str, options: str) -> None:
    alone = render(DOCUMENTS[name], pdf=OPTIONS[options])

    # The page's owner may look at it: so it is laid out first.
    after_a_screen = render(DOCUMENTS[name], pdf=OPTIONS[options], wait={"expression": "true"})

    assert alone.files == after_a_screen.files
    assert alone.trace.warnings == after_a_screen.trace.warnings
    assert explained(alone.trace.explain) == explained(after_a_screen.trace.explain)


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
def test_who_is_laid_out_for_a_screen(
    browser: Browser, html: str, output: dict[str, Any], *, measured: bool, seen: bool
) -> None:
    made = Output.from_json(output)

    def work(page: Page) -> bool:
        page.load(html, made, measured=measured)
        told = page._tab.outcome(page._tab.call_function(IS_SEEN))
        return bool(told["result"]["value"])

    assert used(browser, work) is seen


def used[Result](browser: Browser, work: Callable[[Page], Result]) -> Result:
    try:
        return browser.use(work, Deadline.after(30))
    finally:
        browser.prepare()


def explained(told: Any) -> dict[str, Any]:
    return {**told, "wait": None}
