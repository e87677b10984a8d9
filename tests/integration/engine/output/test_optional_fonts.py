"""Web fonts with `font-display: optional`: awaited as others, and told where they come too late."""

import io
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pikepdf
import pytest

from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.page import loading
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.browser.tab.tab import RequestedFonts
from chalicelib.engine.job import RenderOutcome
from tests.builders.pages.real_browser import explain_of, folder, render_with
from tests.builders.pages.web_site import Site, running_site

HTML = (
    "<style>@font-face{{font-family:Own;src:url({0});font-display:{1}}}p{{font-family:Own,serif}}"
    "</style><p>x"
)


def late(handler: BaseHTTPRequestHandler) -> None:
    # More than the browser waits for an optional font, 0.1 s.
    time.sleep(0.4)
    content = (folder("PLATEN_FONTS_DIR", "fonts") / "ttf" / "Cousine_400Regular.ttf").read_bytes()
    head = (
        "HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Type: font/ttf\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    handler.wfile.write(head.encode() + content)


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with running_site({"/font": late}) as web:
        yield web


def printed_fonts(outcome: RenderOutcome) -> set[str]:
    with pikepdf.open(io.BytesIO(outcome.files[0].content)) as document:
        fonts = document.pages[0].Resources.Font
        names = [str(fonts[name].BaseFont) for name in fonts.keys()]  # noqa: SIM118 -- no mapping
    return {name.partition("+")[2].partition("-")[0] for name in names}


@pytest.mark.parametrize("display", ["auto", "block", "swap", "fallback", "optional"])
def test_late_font_is_shown(connected: Browser, web: Site, display: str) -> None:
    outcome = render_with(connected, HTML.format(web.url("/font"), display))

    assert printed_fonts(outcome) == {"Cousine"}
    assert outcome.trace.warnings == ()


def test_font_that_came_too_late_is_told(
    connected: Browser, web: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As where the font is there before the page is looked at.
    script = loading._settle_script()
    unchanged = PageFunction[RequestedFonts | None](script.replace("face.display = 'block'", ""))
    monkeypatch.setattr(loading, "_settle_script", lambda: unchanged)

    outcome = render_with(connected, HTML.format(web.url("/font"), "optional"))
    shown = render_with(connected, HTML.format(web.url("/font"), "swap"))

    assert printed_fonts(outcome) == {"Tinos"}
    (warning,) = outcome.trace.warnings
    assert (warning.code, warning.detail) == ("feature_unavailable", "Own")
    assert explain_of(outcome)["fonts"] == [{"requested": "Own", "used": "Tinos"}]
    assert shown.trace.warnings == ()
