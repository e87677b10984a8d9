"""Files that headers and footers name: those of the web are put in, what is missing is told."""

import base64
import io
from collections.abc import Iterator
from typing import Any

import pikepdf
import pytest
from PIL import Image

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.engine_jobs import NoTemplates, egress_to, task
from tests.builders.pages.web_site import Site, SitePage, running_site

BROKEN = "data:image/png;base64,AAAA"
SVG = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><path d='M0 0h9v9z'/></svg>"
STRICT: dict[str, Any] = {"asset_policy": "strict"}


def png() -> bytes:
    result = io.BytesIO()
    Image.new("RGB", (9, 9), "red").save(result, "PNG")
    return result.getvalue()


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    pages = {
        "/a.png": SitePage(png(), "image/png"),
        "/none.png": SitePage("no picture", "image/png"),
        "/css/a.css": SitePage("b{background:url(../a.png)}", "text/css"),
        "/moved.css": SitePage("", status=302, headers={"Location": "/css/a.css"}),
    }
    with running_site(pages) as web:
        yield web


def render(
    browser: Browser, web: Site, html: str, *, pages: int = 1, **output: Any
) -> RenderOutcome:
    # A footer of its own on the last page lets all of them be printed apart.
    pdf: dict[str, Any] = {"header": {"enabled": True, "html": html}}
    if pages > 1:
        pdf["last_footer"] = {"enabled": True, "center": "end"}
    body = "<p style='break-after:page'>x" * (pages - 1) + "<p>x"
    parts = PipelineServices(browser, NoTemplates(), egress_to(web))
    return run_page_job(*task(body, {"pdf": pdf, **output}), parts)


def pictures_of(outcome: RenderOutcome) -> int:
    with pikepdf.open(io.BytesIO(outcome.files[0].content)) as document:
        return sum(
            each.get("/Subtype") == "/Image"
            for each in document.objects
            if isinstance(each, pikepdf.Stream)
        )


@pytest.mark.parametrize("pages", [1, 2])
@pytest.mark.parametrize(
    "html",
    [
        "<img src={0}>",
        "<img srcset='{0} 1x, {0} 2x'>",
        "<b style='background:url({0});width:9px;height:9px'></b>",
        "<link rel=stylesheet href={1}><b style='width:9px;height:9px'></b>",
    ],
)
def test_picture_of_the_web_is_printed(
    connected: Browser, web: Site, html: str, pages: int
) -> None:
    html = html.format(web.url("/a.png"), web.url("/moved.css"))

    outcome = render(connected, web, html, pages=pages, **STRICT)

    assert outcome.trace.warnings == ()
    assert pictures_of(outcome) >= 1


@pytest.mark.parametrize("pages", [1, 2])
@pytest.mark.parametrize(
    ("html", "detail"),
    [
        ("<img src=logo.png>", "logo.png"),
        ("<img src={0}no.png>", "{0}no.png"),
        ("<img src=http://10.0.0.1/a.png>", "http://10.0.0.1/a.png"),
        (f"<img src='{BROKEN}'>", BROKEN),
        (f"<svg width=9 height=9><image href='{BROKEN}'/></svg>", BROKEN),
        (f"<b style='background:url({BROKEN})'>x</b>", BROKEN),
        (
            "<img src={0}none.png>",
            f"data:image/png;base64,{base64.b64encode(b'no picture').decode()}",
        ),
    ],
)
def test_what_is_missing_is_told_and_fails_a_strict_render(
    connected: Browser, web: Site, html: str, detail: str, pages: int
) -> None:
    html, detail = html.replace("{0}", web.url()), detail.replace("{0}", web.url())

    outcome = render(connected, web, html, pages=pages)

    assert [(each.code, each.detail) for each in outcome.trace.warnings] == [
        ("asset_failed", detail)
    ]
    with pytest.raises(RenderFailure) as failure:
        render(connected, web, html, pages=pages, **STRICT)
    is_refused = "10.0.0.1" in html
    assert failure.value.code == ("url_not_allowed" if is_refused else "asset_fetch_failed")
    assert detail in failure.value.detail


def test_same_header_is_told_in_each_render(connected: Browser, web: Site) -> None:
    outcomes = [render(connected, web, f"<img src='{BROKEN}'>") for _ in range(2)]

    assert [len(outcome.trace.warnings) for outcome in outcomes] == [1, 1]


@pytest.mark.parametrize(
    "source",
    [
        f"data:image/svg+xml,{SVG}",
        f"data:image/svg+xml;base64,{base64.b64encode(SVG.encode()).decode()}",
    ],
)
def test_picture_that_can_be_shown_is_not_told(connected: Browser, web: Site, source: str) -> None:
    html = f'<img src="{source}"><b style="background:url(&quot;{source}&quot;)">x</b>'

    assert render(connected, web, html, **STRICT).trace.warnings == ()
