"""Assets of pages: loaded, counted, limited, and reported when they fail."""

import io
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pypdf
import pytest

import chalicelib
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.browser.requests import requests, transfers
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.engine_jobs import NoTemplates, RefusingEgress, task
from tests.builders.pages.real_browser import explain_of
from tests.builders.pages.web_site import Site, SitePage, running_site
from tests.builders.waiting import PATIENCE_S

SVG = SitePage("<svg xmlns='http://www.w3.org/2000/svg' width='7' height='7'/>", "image/svg+xml")
FONT = Path(chalicelib.__file__).parent / "engine/browser/tab/warm_up.woff2"
STRICT = {"asset_policy": "strict"}

type Render = Callable[..., RenderOutcome]


def late(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(2.3)
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\np{color:red}")


def broken(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Length: 99\r\n\r\np{}"
    )


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n")
    while True:
        handler.wfile.write(b" " * 65_536)


def text_of(outcome: RenderOutcome) -> str:
    reader = pypdf.PdfReader(io.BytesIO(outcome.files[0].content))
    return " ".join(page.extract_text().strip() for page in reader.pages)


def warnings_of(outcome: RenderOutcome) -> set[tuple[str, str | None]]:
    return {(warning.code, warning.detail) for warning in outcome.trace.warnings}


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with running_site({}) as web:
        yield web


@pytest.fixture(autouse=True)
def _fresh(web: Site) -> None:
    web.pages.clear()
    web.requests.clear()


@pytest.fixture
def render(connected: Browser) -> Render:
    def render(html: str, *, seconds: float = PATIENCE_S, **output: Any) -> RenderOutcome:
        parts = PipelineServices(connected, NoTemplates(), RefusingEgress())
        return run_page_job(*task(html, output, seconds=seconds), parts)

    return render


def failure_of(render: Render, html: str, **output: Any) -> RenderFailure:
    with pytest.raises(RenderFailure) as failure:
        render(html, **output)
    return failure.value


def test_assets_of_every_kind_are_loaded_from_plain_http(render: Render, web: Site) -> None:
    cdn = f"http://cdn.test:{web.port}"
    cors = {"Access-Control-Allow-Origin": "*"}
    frame = SitePage("<p>framed<img src=/i.svg>")
    web.pages |= {
        "/s.css": SitePage(
            f"@font-face{{font-family:f;src:url({cdn}/f)}}p{{font-family:f}}", "text/css"
        ),
        "/f": SitePage(FONT.read_bytes(), "font/woff2", headers=cors),
        "/s.js": SitePage("document.body.append('script ')", "text/javascript"),
        "/i.svg": SVG,
        "/d.json": SitePage('{"a": "data"}', "application/json", headers=cors),
        "/frame": frame,
    }
    html = (
        f"<!doctype html><link rel=stylesheet href={cdn}/s.css><p>x</p>"
        f"<script src={cdn}/s.js></script><img id=i src={cdn}/i.svg>"
        f"<iframe src=http://other.localhost:{web.port}/frame></iframe>"
        f"<script>fetch('{cdn}/d.json').then((r) => r.json())"
        ".then((d) => document.body.append(d.a + ' ' + i.width))</script>"
    )

    outcome = render(html, wait={"until": "networkidle"}, **STRICT)

    assert {"script", "data 7", "framed"} <= {*text_of(outcome).split(), "data 7"}
    assert "data 7" in text_of(outcome)
    assert warnings_of(outcome) == set()
    explain = explain_of(outcome)
    assert explain["requests"] == 7
    sizes = {"font": len(FONT.read_bytes()), "script": 31, "data": 13, "image": 2 * len(SVG.body)}
    assert sizes.items() <= explain["bytes"].items()
    assert explain["bytes"]["html"] == len(html) + len(frame.body)
    for request in web.requests:
        assert ".invalid" not in request.headers.get("referer", "")


def test_failed_assets_give_warnings_and_the_rest_is_printed(render: Render, web: Site) -> None:
    web.pages |= {"/broken.css": broken, "/i.svg": SVG}
    missing = [
        web.url("/missing.png"),
        "http://169.254.169.254/latest",
        "https://10.0.0.1/x.png",
        "http://nowhere.invalid/x.png",
    ]
    parts = "".join(f"<img src='{url}'>" for url in missing)
    html = f"<p>printed{parts}<link rel=stylesheet href={web.url('/broken.css')}>"

    outcome = render(html)

    assert text_of(outcome) == "printed"
    urls = {*missing, web.url("/broken.css")}
    assert warnings_of(outcome) == {("asset_failed", url) for url in urls}
    assert set(outcome.trace.logs) >= {
        f"failed: http://127.0.0.1:{web.port}",
        "refused: http://169.254.169.254",
        "refused: https://10.0.0.1",
    }


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("{site}/missing.png", "asset_fetch_failed"),
        ("{site}/broken.css", "asset_fetch_failed"),
        ("relative.png", "asset_fetch_failed"),
        ("http://169.254.169.254/x", "url_not_allowed"),
        ("https://127.0.0.2/x", "url_not_allowed"),
    ],
)
def test_strict_assets_fail_the_render(render: Render, web: Site, url: str, code: str) -> None:
    web.pages["/broken.css"] = broken
    asset_url = url.format(site=web.url("").rstrip("/"))
    tag = "<link rel=stylesheet href='{}'>" if "css" in url else "<iframe src='{}'></iframe>"

    failure = failure_of(render, f"<p>x{tag.format(asset_url)}", **STRICT)

    assert failure.code == code, failure.detail
    assert asset_url in failure.detail
    assert failure.members["trace"].explain is not None


def test_slow_asset_is_awaited_and_gives_a_warning(render: Render, web: Site) -> None:
    web.pages["/late.css"] = late

    outcome = render(f"<link rel=stylesheet href={web.url('/late.css')}><p>x")

    assert warnings_of(outcome) == {("slow_asset", web.url("/late.css"))}


def test_fetched_style_sheet_of_another_type_is_told(render: Render, web: Site) -> None:
    web.pages |= {"/a": SitePage("p{color:red}", "text/plain"), "/b": SitePage("p{}", "text/css")}
    links = "".join(f"<link rel=stylesheet href={web.url(path)}>" for path in ("/a", "/b"))

    assert warnings_of(render(f"{links}<p>x")) == {("asset_failed", web.url("/a"))}


@pytest.mark.parametrize("script", ["", "<script>let idle</script>"])
def test_page_size_of_a_sheet_of_another_origin_is_kept(
    render: Render, web: Site, script: str
) -> None:
    web.pages |= {"/p.css": SitePage("@page { size: A5; margin: 30mm }", "text/css")}

    outcome = render(f"<link rel=stylesheet href={web.url('/p.css')}>{script}<p>x")

    (page,) = pypdf.PdfReader(io.BytesIO(outcome.files[0].content)).pages
    assert (round(page.mediabox.width), round(page.mediabox.height)) == (420, 595)


def test_requests_over_the_limit_fail(
    render: Render, web: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfers, "MAX_REQUESTS", 5)
    web.pages |= {f"/{n}": SVG for n in range(7)}

    within = render("".join(f"<img src={web.url(f'/{n}')}>" for n in range(5)))
    beyond = render("".join(f"<img src={web.url(f'/{n}')}>" for n in range(7)))

    assert warnings_of(within) == set()
    assert [warning.code for warning in beyond.trace.warnings] == ["asset_failed"] * 2
    assert len(web.requests) == 10


@pytest.mark.parametrize("announced", [True, False])
def test_response_over_the_size_limit_fails(
    render: Render, web: Site, monkeypatch: pytest.MonkeyPatch, *, announced: bool
) -> None:
    monkeypatch.setattr(transfers, "MAX_RESPONSE_BYTES", 200_000)
    monkeypatch.setattr(requests, "MAX_RESPONSE_BYTES", 200_000)
    web.pages |= {
        "/fits.css": SitePage(" " * 200_000, "text/css"),
        "/large.css": SitePage(" " * 200_001, "text/css") if announced else endless,
    }

    fits = render(f"<p>x<link rel=stylesheet href={web.url('/fits.css')}>", **STRICT)
    failure = failure_of(
        render, f"<p>x<link rel=stylesheet href={web.url('/large.css')}>", **STRICT
    )

    assert explain_of(fits)["bytes"]["css"] == 200_000
    assert failure.code == "asset_fetch_failed"
    assert web.url("/large.css") in failure.detail


def test_assets_over_the_total_size_limit_fail(
    render: Render, web: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfers, "MAX_TOTAL_BYTES", 300_000)
    web.pages |= {f"/{n}.css": SitePage(" " * 100_000, "text/css") for n in range(4)}

    def linked(count: int) -> str:
        return "".join(f"<link rel=stylesheet href={web.url(f'/{n}.css')}>" for n in range(count))

    assert warnings_of(render(f"<p>x{linked(3)}")) == set()
    beyond = render(f"<p>x{linked(4)}<p>printed")

    assert {warning.code for warning in beyond.trace.warnings} == {"asset_failed"}
    assert "printed" in text_of(beyond)


def test_scripts_may_fetch(render: Render, web: Site) -> None:
    web.pages["/i.svg"] = SVG
    script = f"fetch('{web.url('/i.svg')}', {{mode: 'no-cors'}}).then(() => document.title = 'on')"

    outcome = render(f"<p>x<script>{script}</script>", wait={"expression": "document.title"})

    assert warnings_of(outcome) == set()


def test_networkidle_waits_for_pending_requests(render: Render, web: Site) -> None:
    def answer_slowly(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(1)
        head = (
            b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Type: text/plain\r\n\r\n"
        )
        handler.wfile.write(head + b"arrived")

    web.pages["/data"] = answer_slowly
    script = (
        f"fetch('{web.url('/data')}').then((r) => r.text()).then((t) => document.body.append(t))"
    )

    outcome = render(f"<p>x<script>{script}</script>", wait={"until": "networkidle"})

    assert "arrived" in text_of(outcome)


def test_javascript_false_also_disables_scripts_in_frames(render: Render, web: Site) -> None:
    web.pages["/frame"] = SitePage("<p>static<script>document.write('dynamic')</script>")
    frame = f"http://other.localhost:{web.port}/frame"

    outcome = render(f"<p>x<iframe src={frame}></iframe>", javascript=False)

    assert "static" in text_of(outcome)
    assert "dynamic" not in text_of(outcome)


def test_failed_requests_of_frames_give_warnings(render: Render, web: Site) -> None:
    inner = f"http://inner.localhost:{web.port}"
    web.pages |= {
        "/frame": SitePage(f"<p>x<iframe src={inner}/deeper></iframe><img src=http://10.0.0.1/a>"),
        "/deeper": SitePage("<p>y<img src=/missing>"),
    }

    outcome = render(
        f"<iframe src=http://outer.localhost:{web.port}/frame></iframe>",
        wait={"until": "networkidle"},
    )

    # The frames are lower than their documents, too.
    failed = {each for each in warnings_of(outcome) if each[0] != "content_clipped"}
    assert failed == {("asset_failed", "http://10.0.0.1/a"), ("asset_failed", f"{inner}/missing")}
