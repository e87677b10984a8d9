"""Memory and node budgets of a page; the next render is not affected."""

from collections.abc import Iterator

import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.browser.tab import nodes
from chalicelib.engine.deadline import Deadline
from tests.builders.pages.real_browser import new_browser, render_with
from tests.builders.waiting import PATIENCE_S, eventually

_AGAIN = "setInterval(() => {%s}, 1)"
# Each script takes memory without end, by the kind of memory.
_FILLING = {
    "array buffers, never yielding": "const k = []; for (;;) k.push(new Uint8Array(4e6).fill(7))",
    "objects of the script's heap": (
        "const k = []; for (;;) k.push(new Array(1e5).fill(Math.random()))"
    ),
    "canvases": _AGAIN
    % (
        "const c = document.createElement('canvas'); c.width = c.height = 3000;"
        "const x = c.getContext('2d'); x.fillRect(0, 0, 3000, 3000); document.body.append(c)"
    ),
    "blobs, which the browser's own process keeps": (
        "const k = [];" + _AGAIN % "k.push(new Blob([new Uint8Array(16e6).fill(7)]))"
    ),
    "decoded pictures": _AGAIN
    % (
        'const i = new Image(); i.src = \'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"'
        ' width="5000" height="5000"><rect width="5000" height="5000"/></svg>\';'
        "i.onload = () => createImageBitmap(i).then((b) => (window.k ??= []).push(b))"
    ),
    "WebAssembly": (
        "const k = [];"
        + _AGAIN
        % (
            "const m = new WebAssembly.Memory({initial: 256, maximum: 256, shared: true});"
            "new Uint8Array(m.buffer).fill(5); k.push(m)"
        )
    ),
    "many frames": _AGAIN
    % (
        "const f = document.createElement('iframe'); f.sandbox = 'allow-scripts'; f.srcdoc = "
        "'<script>window.k = new Uint8Array(2e7).fill(7)<' + '/script>'; document.body.append(f)"
    ),
}
NODES_SHARE = 10
_WAIT_FOREVER = {"expression": "false", "timeout_ms": 60_000}
# `datalist` is not laid out: layout alone would exceed the memory budget.
_MANY = (
    "document.body.append(...Array.from({length: 500}, () => document.createElement('datalist')))"
)
# 5 % more than the fixture `few_nodes` admits.
_BATCHES = 210
_NODES = f"for (let n = 0; n < {_BATCHES}; n++) {_MANY};"
_TOO_MANY = {
    "before it is loaded": _NODES,
    "late": f"setTimeout(() => {{ {_NODES} document.title = 'done' }}, 300)",
    "in a closed shadow tree": (
        "const root = document.body.appendChild(document.createElement('div'))"
        f".attachShadow({{mode: 'closed'}}); {_NODES.replace('document.body', 'root')}"
    ),
    "in frames": (
        "for (let f = 0; f < 4; f++) { const frame = document.createElement('iframe');"
        "document.body.append(frame); const inner = frame.contentDocument;"
        f"{_NODES.replace('210', '53').replace('document.', 'inner.')} }}"
    ),
    "while it is printed": f"addEventListener('beforeprint', () => {{ {_NODES} }})",
}


@pytest.fixture(scope="module")
def reasons() -> list[str]:
    return []


@pytest.fixture(scope="module")
def browser(reasons: list[str]) -> Iterator[Browser]:
    """Return a browser whose pages may take a share of the memory of production."""
    browser = new_browser(on_recycle=reasons.append, max_page_memory_bytes=600_000_000)
    yield browser
    browser.close()


@pytest.fixture
def few_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a share of the nodes of production the most that a page may have."""
    monkeypatch.setattr(nodes, "MAX_NODES", nodes.MAX_NODES // NODES_SHARE)


def page(script: str) -> str:
    return f"<!doctype html><title>x</title><body><p>Text<script>{script}</script>"


@pytest.mark.parametrize("script", _FILLING.values(), ids=_FILLING)
def test_page_over_the_memory_budget_fails_without_retry(
    browser: Browser, reasons: list[str], script: str
) -> None:
    browser.start()
    old, before = browser.processes[0], len(reasons)

    with pytest.raises(RenderFailure, match=r"0\.6 GB of the browser's memory: use") as failure:
        render_with(browser, page(script), seconds=90, wait=_WAIT_FOREVER)

    assert failure.value.code == "render_failed"
    # No retry: the document is to blame for the end of the browser.
    assert render_with(browser, "<p>next").files[0].pages == 1
    assert old not in browser.processes
    eventually(lambda: reasons[before:] == ["over_budget"])


def test_page_may_take_the_memory_that_the_service_says() -> None:
    script = "const k = []; for (;;) k.push(new Uint8Array(4e6).fill(7))"
    browser = new_browser()
    try:
        with pytest.raises(RenderFailure, match=r"1\.5 GB of the browser's memory: use"):
            render_with(browser, page(script), seconds=90, wait=_WAIT_FOREVER)
    finally:
        browser.close()


@pytest.mark.usefixtures("few_nodes")
@pytest.mark.parametrize("script", _TOO_MANY.values(), ids=_TOO_MANY)
def test_page_over_the_node_budget_fails(browser: Browser, script: str) -> None:
    wait: dict[str, object] = {"timeout_ms": 60_000}
    if "title = 'done'" in script:
        wait = {**wait, "expression": "document.title === 'done'"}

    with pytest.raises(RenderFailure, match="100000 DOM nodes: show less") as failure:
        render_with(browser, page(script), seconds=90, wait=wait)

    assert failure.value.code == "render_failed"
    assert render_with(browser, "<p>next").files[0].pages == 1


@pytest.mark.usefixtures("few_nodes")
@pytest.mark.parametrize("formats", [["png"], ["html"]])
def test_node_budget_applies_to_every_format(browser: Browser, formats: list[str]) -> None:
    with pytest.raises(RenderFailure, match="100000 DOM nodes"):
        render_with(browser, page(_NODES), seconds=90, formats=formats, wait={"timeout_ms": 60_000})


def test_page_may_have_the_nodes_that_the_service_says(browser: Browser) -> None:
    script = _TOO_MANY["before it is loaded"].replace(str(_BATCHES), str(_BATCHES * NODES_SHARE))

    with pytest.raises(RenderFailure, match="1000000 DOM nodes"):
        render_with(browser, page(script), seconds=90, formats=["html"])


@pytest.mark.usefixtures("few_nodes")
def test_garbage_nodes_do_not_count(browser: Browser) -> None:
    many = "Array.from({length: 110000}, () => document.createElement('i'))"
    script = f"let all = {many}; all = null"

    assert render_with(browser, page(script), seconds=60, wait={"timeout_ms": 50_000}).files


def test_memory_bytes_measures_the_page(browser: Browser) -> None:
    browser.start()
    process, *_ = browser.processes
    begun = process.memory_bytes()

    def look(shown: BrowserPage) -> int:
        shown.load(page("window.k = new Uint8Array(2e8).fill(7)"), OutputOptions.from_json({}))
        return process.memory_bytes()

    seen = browser.use(look, Deadline.after(PATIENCE_S))

    assert 200e6 < seen - begun < 300e6
