"""Animations of styles and scripts are drawn at their end, unless a wait chooses the moment."""

import io
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any, Final

import pypdf
import pypdfium2
import pytest
from PIL import Image

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.browser.tab import animations
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.engine_jobs import NoTemplates, egress_to, web_page_task
from tests.builders.pages.real_browser import Render, explain_of
from tests.builders.pages.web_site import Site, SitePage, running_site

# A red bar of 1 px that grows to 300 px.
BAR: Final = "<!doctype html><style>#bar { width: 1px; height: 20px; background: #f00 }</style>"
DIV: Final = "<div id=bar></div>"
SET: Final = "const set = (part) => { document.all.bar.style.width = `${300 * part}px` };"
MOVES: Final = {
    "css animation": "<style>@keyframes grow { to { width: 300px } }"
    " #bar { animation: grow 3s 1s both }</style>",
    "css transition": "<style>#bar { transition: width 3s }</style>"
    "<script>onload = () => { document.all.bar.offsetWidth; "
    "document.all.bar.style.width = '300px' }</script>",
    "animation that follows another": "<style>@keyframes a { to { height: 21px } }"
    " @keyframes b { to { width: 300px } } #bar { animation: a 1s both }"
    " #bar.b { animation: b 1s both }</style><script>onanimationend = () => "
    "{ document.all.bar.className = 'b' }</script>",
    "Element.animate": "<script>document.all.bar.animate({width: '300px'}, "
    "{duration: 2000, fill: 'forwards'})</script>",
    "in a shadow tree": "<script>const root = document.all.bar.attachShadow({mode: 'open'});"
    "root.innerHTML = '<p style=\"background:#f00;height:20px\">'; root.firstChild.animate("
    "[{width: '1px'}, {width: '300px'}], {duration: 2000, fill: 'both'})</script>",
    "frames by their time": f"<script>{SET} let begun; requestAnimationFrame(function step(now) "
    "{ begun ??= now; const part = Math.min((now - begun) / 3000, 1); set(part);"
    " if (part < 1) requestAnimationFrame(step) })</script>",
    "frames by the clock": f"<script>{SET} const begun = Date.now(); (function step() "
    "{ const part = Math.min((Date.now() - begun) / 1000, 1); set(part);"
    " if (part < 1) requestAnimationFrame(step) })()</script>",
    "frames by their number": f"<script>{SET} let n = 0; requestAnimationFrame(function step() "
    "{ set(++n / 60); if (n < 60) requestAnimationFrame(step) })</script>",
    "frames after a delay": f"<script>{SET} setTimeout(() => {{ const begun = performance.now();"
    " requestAnimationFrame(function step() { const part = Math.min((performance.now() - begun) "
    "/ 1500, 1); set(part); if (part < 1) requestAnimationFrame(step) }) }, 900)</script>",
    "a timer": f"<script>{SET} let n = 0; const timer = setInterval(() => "
    "{ set(++n / 50); if (n === 50) clearInterval(timer) }, 13)</script>",
}
# Once it is loaded. The clock stands still while a task runs in virtual time.
STUCK: Final = {
    "waits for the clock": "setTimeout(() => { const begun = Date.now();"
    " while (Date.now() - begun < 100); }, 200)",
    "never yields": "setTimeout(() => { for (;;); }, 200)",
    "never yields, again and again": "setInterval(() => { for (;;); }, 50)",
    "is slow": "setInterval(() => { const begun = new Date; for (let n = 0; n < 2e8; n++); }, 1)",
    "draws slowly": "(function step() { for (let n = 0; n < 1e8; n++);"
    " requestAnimationFrame(step) })()",
}
ENDLESS: Final = f"{BAR}{DIV}<script>(function step() {{ requestAnimationFrame(step) }})()</script>"


def stuck(name: str) -> str:
    return f"<p>printed<script>onload = () => {{ {STUCK[name]} }}</script>"


def red_width(content: bytes) -> int:
    """Return the widest red row of the first page, in CSS pixels."""
    page: Image.Image = pypdfium2.PdfDocument(content)[0].render(scale=4 / 3).to_pil()
    image = page.convert("RGB")
    return max(
        image.crop((0, y, image.width, y + 1)).tobytes().count(b"\xff\x00\x00")
        for y in range(0, image.height // 4, 4)
    )


def text_of(content: bytes) -> str:
    return str(pypdf.PdfReader(io.BytesIO(content)).pages[0].extract_text())


@pytest.mark.parametrize("name", MOVES)
def test_animation_is_printed_at_its_end(render: Render, name: str) -> None:
    (printed,) = render(BAR + DIV + MOVES[name]).files

    assert red_width(printed.content) == pytest.approx(300, abs=2)


@pytest.mark.parametrize("name", ["css animation", "frames by their time"])
def test_picture_shows_an_animation_at_its_end(render: Render, name: str) -> None:
    (drawn,) = render(BAR + DIV + MOVES[name], format="png").files

    image = Image.open(io.BytesIO(drawn.content)).convert("RGB")
    assert image.getpixel((300, 20)) == (255, 0, 0)


def test_endless_animation_is_left_out(render: Render) -> None:
    html = (
        f"{BAR}<style>@keyframes pulse {{ to {{ width: 300px }} }} #bar {{ width: 100px;"
        f" animation: pulse 1s infinite }}</style>{DIV}"
    )

    first, second = (render(html).files[0].content for _ in range(2))

    assert red_width(first) == pytest.approx(100, abs=2)
    assert first == second


@pytest.mark.parametrize("wait", [{"delay_ms": 50}, {"expression": "true"}, {"selector": "#bar"}])
def test_wait_chooses_the_moment(render: Render, wait: dict[str, Any]) -> None:
    (printed,) = render(BAR + DIV + MOVES["frames by their time"], wait=wait).files

    assert red_width(printed.content) < 200


def test_endless_drawing_ends(render: Render) -> None:
    outcome = render(ENDLESS)

    assert outcome.files[0].pages == 1
    assert explain_of(outcome)["wait"] == "load"


@pytest.mark.parametrize("name", STUCK)
def test_script_that_holds_its_time_is_stopped(render: Render, name: str) -> None:
    assert "printed" in text_of(render(stuck(name)).files[0].content)


def test_animations_leave_time_for_the_print_within_a_short_wait(
    render: Render, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Ten seconds are short where animations may take as long.
    monkeypatch.setattr(animations, "MAX_ROUNDS_S", 10.0)

    outcome = render(stuck("never yields"), wait={"timeout_ms": 10_000})

    assert "printed" in text_of(outcome.files[0].content)


def test_late_timer_does_not_run(render: Render) -> None:
    (printed,) = render(
        "<p>x<script>setTimeout(() => document.write('late'), 30000)</script>"
    ).files

    assert "late" not in text_of(printed.content)


def test_page_without_scripts_allowed_keeps_its_time(render: Render) -> None:
    (printed,) = render(BAR + DIV + MOVES["css animation"], javascript=False).files

    assert red_width(printed.content) == pytest.approx(300, abs=2)


def test_frame_functions_refuse_what_the_browser_refuses(render: Render) -> None:
    html = """<p id=p>x<script>
        try { requestAnimationFrame(1) } catch (e) { p.textContent = e.name }
        cancelAnimationFrame(requestAnimationFrame(() => { p.textContent = 'cancelled frame' }));
        </script>"""

    assert "TypeError" in text_of(render(html).files[0].content)


def slow_data(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(0.3)
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n1800")


def slow_picture(handler: BaseHTTPRequestHandler) -> None:
    file = io.BytesIO()
    Image.new("RGB", (9, 9), "#f00").save(file, "PNG")
    time.sleep(0.7)
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(file.getvalue())}\r\n\r\n"
    handler.wfile.write(head.encode() + file.getvalue())


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    drawing = (
        f"{BAR}{DIV}<script>{SET} fetch('/data').then((answer) => answer.text()).then((ms) => "
        "{ let begun; requestAnimationFrame(function step(now) { begun ??= now; "
        "const part = Math.min((now - begun) / ms, 1); set(part); "
        "if (part < 1) requestAnimationFrame(step) }) })</script>"
    )
    moving = "<script>setTimeout(() => { location = '/drawing' }, 700)</script>"
    pages: dict[str, SitePage | Callable[[BaseHTTPRequestHandler], None]] = {
        "/drawing": SitePage(drawing),
        "/moving": SitePage(moving),
        "/data": slow_data,
        "/picture": slow_picture,
        "/adding": SitePage(
            "<body><script>setTimeout(() => { document.body.innerHTML = "
            "'<img src=/picture width=300 height=20>' }, 400)</script>"
        ),
        "/reloading": SitePage("<p>here<script>setTimeout(() => location.reload(), 100)</script>"),
        "/signing-in": SitePage(
            "<script>setTimeout(() => { location = '/expiring' }, 300)</script>"
        ),
        "/expiring": SitePage(
            "<p id=p>here<script>setTimeout(() => { p.textContent = 'expired' }, 15000)</script>"
        ),
    }
    with running_site(pages) as web:
        yield web


@pytest.mark.parametrize("path", ["/drawing", "/moving"])
def test_drawing_of_fetched_data_is_printed_at_its_end(
    web: Site, connected: Browser, path: str
) -> None:
    services = PipelineServices(connected, NoTemplates(), egress_to(web))

    (printed,) = run_page_job(*web_page_task(web.url(path)), services).files

    assert red_width(printed.content) == pytest.approx(300, abs=2)


def test_slow_picture_that_a_timer_adds_is_printed(web: Site, connected: Browser) -> None:
    services = PipelineServices(connected, NoTemplates(), egress_to(web))

    (printed,) = run_page_job(*web_page_task(web.url("/adding")), services).files

    assert red_width(printed.content) == pytest.approx(300, abs=2)


@pytest.mark.parametrize("path", ["/reloading", "/signing-in"])
def test_page_that_moves_on_is_printed_with_its_time(
    web: Site, connected: Browser, path: str
) -> None:
    services = PipelineServices(connected, NoTemplates(), egress_to(web))

    (printed,) = run_page_job(*web_page_task(web.url(path)), services).files

    assert "here" in text_of(printed.content)


def test_lazy_picture_below_the_window_is_printed_at_once(render: Render) -> None:
    svg = "data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22 width=%2250%22/>"
    html = f"<div style='height:9000px'></div><img loading=lazy src='{svg}'><script>1</script>"

    outcome = render(html)

    # The browser waits 2 s for a picture that it has kept back.
    assert outcome.trace.timings["print_ms"] < 1500
