"""Assets that the browser never requests: each is told, and fails where assets are strict."""

from collections.abc import Iterator

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool.lifecycle import Browser
from tests.builders.pages.real_browser import Render, explain_of, render_with
from tests.builders.pages.web_site import Site, SitePage, running_site

FILE = "file:///srv/part"
BROKEN_PICTURE = "data:image/png;base64,AAAA"
BROKEN_FONT = "data:font/woff2;base64,AAAA"
UNREQUESTED = {
    "img": (f"<img src={FILE}>", FILE),
    "srcset": (f"<img srcset='{FILE} 1x'>", FILE),
    "picture": (f"<picture><source srcset={FILE}><img></picture>", FILE),
    "input": (f"<input type=image src={FILE}>", FILE),
    "svg image": (f"<svg><image href={FILE} /></svg>", FILE),
    "svg use": (f"<svg><use href={FILE}#a /></svg>", f"{FILE}#a"),
    "style sheet": (f"<link rel=stylesheet href={FILE}>", FILE),
    "import": (f"<style>@import '{FILE}'</style>", FILE),
    "background": (f"<p style='background: url({FILE})'>x", FILE),
    "font": (
        f"<style>@font-face{{font-family:f;src:url({FILE})}}p{{font:9pt f}}</style><p>x",
        FILE,
    ),
    "script": (f"<script src={FILE}></script>", FILE),
    "module": (f"<script type=module>import '{FILE}'</script>", FILE),
    "fetch": (f"<script>fetch('{FILE}').catch(() => 0)</script>", FILE),
    "video": (f"<video src={FILE}></video>", FILE),
    "poster": (f"<video poster={FILE}></video>", FILE),
    "iframe": (f"<iframe src={FILE}></iframe>", FILE),
    "object": (f"<object data={FILE}></object>", FILE),
    "in a frame": (f'<iframe srcdoc="<img src={FILE}>"></iframe>', FILE),
    "blob": ("<img src=blob:https://example.com/1>", "blob:https://example.com/1"),
    "scheme": ("<img src=cid:logo>", "cid:logo"),
    "drive": ("<img src='C:/logo.png'>", "c:/logo.png"),
    "script of a scheme": ("<script src=app:a.js></script>", "app:a.js"),
    "frame of a scheme": ("<iframe src=app:a></iframe>", "app:a"),
    "font of a scheme": (
        "<style>@font-face{font-family:f;src:url(app:f)}p{font:9pt f}</style><p>x",
        "app:f",
    ),
    "empty picture": ("<img src='' alt=x>", 'img[src=""]'),
    "blank picture": ("<img src=' '>", 'img[src=""]'),
    "empty script": ("<script src=''></script>", 'script[src=""]'),
    "empty style sheet": ("<link rel=stylesheet href=''>", 'link[href=""]'),
    "empty video": ("<video src=''></video>", 'video[src=""]'),
    "empty input": ("<input type=image src=''>", 'input[src=""]'),
    "empty object": ("<object data=''></object>", 'object[data=""]'),
    "no host": ("<img src=http://>", "http://"),
    "style sheet of no host": ("<link rel=stylesheet href=http://>", "http://"),
    "about": ("<img src=about:blank>", "about:blank"),
    "broken picture": (f"<img src={BROKEN_PICTURE}>", BROKEN_PICTURE),
    "broken picture of base64": (f"<img src={BROKEN_PICTURE}@>", f"{BROKEN_PICTURE}@"),
    "broken svg image": (f"<svg><image href={BROKEN_PICTURE} /></svg>", BROKEN_PICTURE),
    "broken input": (f"<input type=image src={BROKEN_PICTURE}>", BROKEN_PICTURE),
    "broken poster": (f"<video poster={BROKEN_PICTURE}></video>", BROKEN_PICTURE),
    "broken background": (
        f"<style>@media all{{p{{background:url({BROKEN_PICTURE})}}}}</style><p>x",
        BROKEN_PICTURE,
    ),
    "broken background of a style": (
        f"<p style='background:url({BROKEN_PICTURE})'>x",
        BROKEN_PICTURE,
    ),
    "attribute that setAttribute refuses": ("<img src='' alt=x =y>", 'img[src=""]'),
    "broken font": (
        f"<style>@font-face{{font-family:f;src:url({BROKEN_FONT})}}p{{font:9pt f}}</style><p>x",
        BROKEN_FONT,
    ),
    "broken script": (
        "<script src='data:text/javascript;base64,@'></script>",
        "data:text/javascript;base64,@",
    ),
}


@pytest.mark.parametrize("name", UNREQUESTED)
def test_asset_that_is_never_requested_is_told(render: Render, name: str) -> None:
    html, source = UNREQUESTED[name]

    outcome = render(html)

    trace, (missing,) = outcome.trace, explain_of(outcome)["missing"]
    assert (missing["source"], bool(missing["reason"])) == (source, True)
    assert [(each.code, each.detail) for each in trace.warnings] == [("asset_failed", source)]
    assert [line for line in trace.logs if line.startswith("failed: ")] != []
    with pytest.raises(RenderFailure) as failure:
        render(html, asset_policy="strict")
    assert failure.value.code == "asset_fetch_failed"
    assert source in failure.value.detail


@pytest.mark.parametrize(
    ("source", "codes"),
    [("data:image/svg+xml,<svg/>", []), (BROKEN_PICTURE, ["asset_failed"])],
)
@pytest.mark.parametrize(
    "element", ['<p style="background:url({})">x', '<svg><image href="{}" /></svg>']
)
def test_pictures_beside_scripts_are_looked_at_without_a_wait(
    render: Render, element: str, source: str, codes: list[str]
) -> None:
    source = source.replace("<svg/>", "<svg xmlns='http://www.w3.org/2000/svg'/>")

    outcome = render(f"<script>1</script>{element.format(source)}", seconds=8)

    assert [each.code for each in outcome.trace.warnings] == codes


def test_what_leaves_no_gap_is_not_told(render: Render) -> None:
    pixel = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='0' height='0'/>"
    html = (
        f"<link rel=icon href={FILE}><a href={FILE}>x</a><img><img alt=x><iframe src=''></iframe>"
        f'<img src="{pixel}"><style>.unused{{background:url({BROKEN_PICTURE})}}</style>'
    )

    assert render(html, asset_policy="strict").trace.warnings == ()


def test_one_warning_tells_of_a_source_that_is_named_often(render: Render) -> None:
    html = f"<style>p{{background:url({FILE})}}</style><p>x" + f"<img src={FILE}>" * 9

    assert len(render(html).trace.warnings) == 1


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with running_site({"/font": SitePage("x", "font/woff2")}) as web:
        yield web


def test_font_that_its_server_keeps_for_itself_is_told(connected: Browser, web: Site) -> None:
    url = web.url("/font")
    html = f"<style>@font-face{{font-family:f;src:url({url})}}p{{font:9pt f}}</style><p>x"

    (warning,) = render_with(connected, html).trace.warnings

    assert (warning.code, warning.detail) == ("asset_failed", url)
    assert "Access-Control-Allow-Origin" in warning.message


def test_answer_that_is_no_picture_is_told_once(connected: Browser, web: Site) -> None:
    web.pages |= {
        "/none.png": SitePage("no picture", "image/png"),
        "/moved.png": SitePage("", status=302, headers={"Location": "/gone.png"}),
    }
    html = f"<img src='{web.url('/none.png')}#x'><img src={web.url('/moved.png')}>"

    warnings = render_with(connected, html).trace.warnings

    found = {(each.code, each.detail) for each in warnings}
    assert found == {("asset_failed", web.url(path)) for path in ("/none.png", "/gone.png")}


def test_explain_has_at_most_twenty_missing_assets(render: Render) -> None:
    outcome = render("".join(f"<img src={FILE}{n}>" for n in range(30)))

    assert len(explain_of(outcome)["missing"]) == 20
    assert len(outcome.trace.warnings) == 30


def test_long_data_url_is_told_by_its_beginning(render: Render) -> None:
    (warning,) = render(f"<img src={BROKEN_PICTURE}{'A' * 4000}>").trace.warnings

    assert warning.detail == f"{BROKEN_PICTURE}{'A' * 74}…"
