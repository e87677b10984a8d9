"""Assets in headers and footers, which hold them as style elements and `data:` URLs."""

import re
import threading
import time
from collections.abc import Mapping
from typing import Any, override

import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.assets import AssetFile
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.inputs.embed_assets import embed_assets
from chalicelib.engine.inputs.web_files import WebFiles
from chalicelib.engine.ports import (
    FetchResponse,
    HostRefusedError,
    HostUnreachableError,
    NoEgress,
)
from tests.builders.waiting import PATIENCE_S

FILES = {
    "a.png": AssetFile(b"PNG", "image/png"),
    "img/b c.svg": AssetFile(b"<svg>", 'image/svg+xml; x="y"'),
    "css/a.css": AssetFile(
        b"@import 'more/b.css' print; .a{background:url( \"../a.png\" )} /* url(no.png) */"
        b" .b::after{content:'url(no.png) </style>'}",
        "text/css",
    ),
    "css/more/b.css": AssetFile(
        b"@font-face{src:url(../../f.woff2)}@import '../a.css';", "text/css"
    ),
    "f.woff2": AssetFile(b"font", "font/woff2"),
    "p.css": AssetFile(b"p{}", "text/css"),
}
PNG = "data:image/png;base64,UE5H"


class Web(NoEgress):
    """Egress to files by their addresses; an address without one is refused."""

    def __init__(self, files: Mapping[str, FetchResponse | Exception]) -> None:
        self.files = files
        self.fetched: list[str] = []

    @override
    def fetch(
        self, url: str, *, max_bytes: int, timeout_s: float, https_only: bool = False
    ) -> FetchResponse:
        self.fetched.append(url)
        found = self.files.get(url, HostRefusedError(f"{url} is refused"))
        if isinstance(found, Exception):
            raise found
        return found


def web_file(url: str, content: bytes, kind: str = "text/css") -> FetchResponse:
    return FetchResponse(url, 200, {"content-type": kind}, content)


def web_files(egress: NoEgress | None = None, timeout_ms: int = 60_000) -> WebFiles:
    deadline = Deadline.after(PATIENCE_S)
    return WebFiles(egress or NoEgress(), deadline, timeout_ms, 20_000_000)


def embedded(
    html: str, egress: NoEgress | None = None, **output: Any
) -> tuple[str, list[str | None]]:
    options: dict[str, Any] = {"pdf": {"header": {"enabled": True, "html": html}}, **output}
    result, warnings = embed_assets(OutputOptions.from_json(options), FILES, web_files(egress))
    return result.pdf.header.html or "", [warning.detail for warning in warnings]


@pytest.mark.parametrize(
    ("html", "result"),
    [
        ("<img src=a.png>", f'<img src="{PNG}">'),
        ("<img alt='x>y' src='./a.png?v=1#f' />", f"""<img alt='x>y' src="{PNG}" />"""),
        ("<IMG SRC=/a.png>", f'<IMG SRC="{PNG}">'),
        ("<td background=a.png>", f'<td background="{PNG}">'),
        ("<p style='background:url(a.png)'>", f'<p style="background:url({PNG})">'),
        ("<style>p{background:url(&quot;)}b{background:url('a.png')}", None),
        ("<style>p{background:url(a.png)}</style>x", f"<style>p{{background:url({PNG})}}</style>x"),
    ],
)
def test_relative_addresses_become_data_urls(html: str, result: str | None) -> None:
    found, _ = embedded(html)

    assert PNG in found
    assert result is None or found == result


@pytest.mark.parametrize(
    "html",
    [
        "<a href=a.png>link</a>",
        "<!-- <img src=a.png> -->",
        "<img data-src=a.png>",
        "a.png url(a.png)",
        "<img src=data:,a.png>",
        "<link rel=icon href=a.png>",
        "<svg><use href=#a></use></svg>",
        "<p title='<img src=a.png>'>",
    ],
)
def test_everything_else_stays_as_it_is(html: str) -> None:
    assert embedded(html) == (html, [])


def test_style_sheets_are_put_in_with_what_they_import_and_name() -> None:
    found, missing = embedded('<link rel="stylesheet" href="css/a.css" media=screen>')

    assert missing == []
    assert found.startswith("<style>@media screen{@media print{@font-face{src:url(data:font/woff2")
    assert f"url({PNG})" in found
    # The sheet that imports the one which imported it is left out.
    assert found.count("@font-face") == 1
    assert "/* url(no.png) */" in found
    assert len(re.findall("</style", found)) == 1


@pytest.mark.parametrize(
    ("rule", "result"),
    [
        ('@import"p.css";', "p{}"),
        ("@IMPORT/* a */'p.css'/* b */", "p{}"),
        ("@import url(p.css)layer;", "@layer{p{}}"),
        ("@import 'p.css' layer( x.y );", "@layer x.y{p{}}"),
        ("@import 'p.css' supports(color: red);", "@supports (color: red){p{}}"),
        (
            "@import 'p.css' supports(not (a(b))) print;",
            "@media print{@supports (not (a(b))){p{}}}",
        ),
        (
            "@import url('p.css') layer(x) supports(b: ';\\'\"') print and (min-width: 1px), all",
            "@media print and (min-width: 1px), all{@supports (b: ';\\'\"'){@layer x{p{}}}}",
        ),
        ("@import 'p.css' layers;", "@media layers{p{}}"),
        ("@import 'p.css' layer-x;", "@media layer-x{p{}}"),
        ("@import 'p.css' supports(a;b{}", None),
        ("@import 'p.css' layer(a;b{}", None),
        ("@import 'p.css' (a;b{}", None),
        ("@import 'p.css' [a];b{}", None),
        ("@importp.css;", None),
        ("@import p.css;", None),
    ],
)
def test_imports_keep_their_layer_and_conditions(rule: str, result: str | None) -> None:
    expected = f"<style>{rule if result is None else result}</style>"

    assert embedded(f"<style>{rule}</style>") == (expected, [])


def test_import_without_asset_is_told_however_it_is_written() -> None:
    css = "@import\"a1.css\";@import'a2.css'layer(x);@import/**/url( a3.css )supports(b:'c');"

    assert embedded(f"<style>{css}")[1] == ["a1.css", "a2.css", "a3.css"]


def test_type_in_a_data_url_has_no_parameters() -> None:
    found, _ = embedded("<img src='img/b%20c.svg'>")

    assert found == '<img src="data:image/svg+xml;base64,PHN2Zz4=">'


def test_address_without_asset_is_a_warning_or_with_strict_assets_a_failure() -> None:
    html = "<img src=no.png><p style='background:url(no2.png)'><img src=no.png>"

    assert embedded(html)[1] == ["no.png", "no2.png"]
    with pytest.raises(RenderFailure) as caught:
        embedded(html, asset_policy="strict")
    assert caught.value.code == "asset_fetch_failed"


def test_each_mention_counts_and_all_together_have_a_limit() -> None:
    FILES["large.png"] = AssetFile(bytes(5_000_000), "image/png")
    try:
        assert len(embedded("<img src=large.png>" * 4)[0]) > 4 * 5_000_000
        with pytest.raises(RenderFailure) as caught:
            embedded("<img src=large.png>" * 5)
    finally:
        del FILES["large.png"]
    assert caught.value.code == "render_failed"


@pytest.mark.parametrize("text", ["<img src=s.png>", "<p style='background:url(no.png)'>"])
def test_number_of_mentions_has_a_limit(text: str) -> None:
    embedded(text * 5_000)
    with pytest.raises(RenderFailure) as caught:
        embedded(text * 20_001)

    assert caught.value.code == "render_failed"


def test_sheets_that_double_each_other_fail_soon() -> None:
    started = time.process_time()
    sheets = {
        f"s{n}.css": AssetFile(f"@import 's{n + 1}.css';@import 's{n + 1}.css';".encode(), "a/b")
        for n in range(49)
    }
    header: dict[str, Any] = {"enabled": True, "html": "<link rel=stylesheet href=s0.css>"}

    with pytest.raises(RenderFailure):
        embed_assets(OutputOptions.from_json({"pdf": {"header": header}}), sheets, web_files())

    assert time.process_time() - started < 5


HOSTILE = [
    "@import/*",
    "@import 'a'",
    "@import url(a)'",
    "@import 'a' supports(",
    "/**/",
    "<a ",
    "<img src=",
    "url(",
    "@import ",
    "@import x",
    "/*",
    "'",
    '"\\',
    "<img src='",
]


@pytest.mark.parametrize("part", [*HOSTILE, "url('", "url( ", "<!--", "<style>", "\\"])
@pytest.mark.parametrize("end", ["", "{", "'", ")"])
def test_hostile_texts_take_no_time(part: str, end: str) -> None:
    started = time.process_time()

    embedded(part * (100_000 // len(part)) + end)
    embedded("<style>" + part * (100_000 // len(part)) + end)

    assert time.process_time() - started < 2


def test_strings_that_removed_comments_leave_open_take_no_time() -> None:
    escaped = '\\"' * 50_000
    css = f"""@import 'x.css' supports("/*"*/ "{escaped}/*"*/ x);"""
    started = time.process_time()

    embedded(f"<style>{css}</style>")

    assert time.process_time() - started < 2


def test_missing_asset_of_a_header_says_what_to_send() -> None:
    html = "<img src='./img/no.png'><img src=/A.png>"
    options: dict[str, Any] = {"pdf": {"header": {"enabled": True, "html": html}}}

    _, warnings = embed_assets(OutputOptions.from_json(options), FILES, web_files())

    assert [(each.detail, each.message.partition("send it in ")[2]) for each in warnings] == [
        ("./img/no.png", "input.assets with the path img/no.png."),
        ("/A.png", "input.assets with the path A.png; the request has one with the path a.png."),
    ]


CDN = "https://cdn.example"
WEB_PICTURE = web_file(f"{CDN}/a.png", b"PNG", "image/png; q=1")


@pytest.mark.parametrize(
    "html",
    [
        "<img src=https://cdn.example/a.png>",
        "<img src='  HTTPS://cdn.example/a.png#part '>",
        "<base href=https://cdn.example/x/><img src=../a.png>",
        "<img src=data:, srcset='https://cdn.example/a.png 2x'>",
        "<picture><source srcset='data:,a 1x,https://cdn.example/a.png 2x'><img></picture>",
        "<p style='background:url(https://cdn.example/a.png)'>",
        "<link rel=stylesheet href=https://cdn.example/css/a.css>",
        "<style>@import 'https://cdn.example/moved.css' print;</style>",
    ],
)
def test_files_of_the_web_are_put_in(html: str) -> None:
    sheet = b".a{background:url(../a.png)}"
    files = {
        f"{CDN}/a.png": WEB_PICTURE,
        f"{CDN}/css/a.css": web_file(f"{CDN}/css/a.css", sheet),
        f"{CDN}/moved.css": web_file(f"{CDN}/css/a.css", sheet, "text/css; charset=utf-8"),
    }

    found, missing = embedded(html, Web(files), asset_policy="strict")

    assert PNG in found
    assert missing == []


def test_file_of_the_web_is_fetched_once_however_often_it_is_named() -> None:
    web = Web({f"{CDN}/a.png": WEB_PICTURE})

    found, _ = embedded(f"<img src={CDN}/a.png><img src={CDN}/a.png#x>", web)

    assert found.count(PNG) == 2
    assert web.fetched == [f"{CDN}/a.png"]


@pytest.mark.parametrize(
    ("html", "detail", "reason"),
    [
        (f"<img src={CDN}/no.png>", f"{CDN}/no.png", "is refused"),
        (f"<img src='{CDN}/no.png?key=secret'>", f"{CDN}/no.png?key=***", "is refused"),
        (f"<img src={CDN}/late.png>", f"{CDN}/late.png", "took too long"),
        (f"<link rel=stylesheet href={CDN}/a.png>", f"{CDN}/a.png", "it came as image/png"),
        ("<img src=https://me:secret@cdn.example/a>", "https://cdn.example/a", "user name"),
        ("<img src=file:///srv/a.png>", "file:///srv/a.png", "only http:"),
        ("<img src=cid:logo>", "cid:logo", "only http:"),
        ("<img src=//[>", "//[", "no address that can be read"),
        ("<img src=http://>", "http://", "no address that can be read"),
        ("<img src='' alt=x>", 'img[src=""]', "its address is empty"),
        ("<script src=a.js></script>", "a.js", "no scripts"),
        ("<iframe src=a.html></iframe>", "a.html", "frames"),
        ("<svg><use href='a.svg#b'></use></svg>", "a.svg#b", "`use`"),
    ],
)
def test_what_is_not_put_in_is_told(html: str, detail: str, reason: str) -> None:
    late = HostUnreachableError("cdn.example took too long to answer")
    web = Web({f"{CDN}/a.png": WEB_PICTURE, f"{CDN}/late.png": late})
    options: dict[str, Any] = {"pdf": {"header": {"enabled": True, "html": html}}}

    result, (warning,) = embed_assets(OutputOptions.from_json(options), FILES, web_files(web))

    assert result.pdf.header.html == html
    assert (warning.code, warning.detail) == ("asset_failed", detail)
    assert reason in warning.message
    with pytest.raises(RenderFailure) as caught:
        embedded(html, web, asset_policy="strict")
    is_refused = reason == "is refused"
    assert caught.value.code == ("url_not_allowed" if is_refused else "asset_fetch_failed")
    assert detail in caught.value.detail


def test_file_that_does_not_come_in_time_is_told() -> None:
    class Hanging(NoEgress):
        @override
        def fetch(self, url: str, **_: Any) -> FetchResponse:
            ended.wait(PATIENCE_S)
            raise HostUnreachableError(url)

    ended = threading.Event()
    options: dict[str, Any] = {
        "pdf": {"footer": {"enabled": True, "html": f"<img src={CDN}/a><img src={CDN}/b>"}}
    }

    _, warnings = embed_assets(OutputOptions.from_json(options), {}, web_files(Hanging(), 100))

    ended.set()
    assert [warning.detail for warning in warnings] == [f"{CDN}/a", f"{CDN}/b"]
    assert {warning.message for warning in warnings} == {
        "A part of a header or footer is absent: it did not come within wait.timeout_ms (100)."
    }


def test_files_of_the_web_have_limits() -> None:
    many = Web({f"{CDN}/{n}": web_file(f"{CDN}/{n}", b"") for n in range(1_100)})
    large = Web({f"{CDN}/{n}": web_file(f"{CDN}/{n}", bytes(15_000_000)) for n in range(8)})
    deep = Web(
        {
            f"{CDN}/{n}.css": web_file(f"{CDN}/{n}.css", f"@import '{n + 1}.css';".encode())
            for n in range(20)
        }
    )

    _, uncounted = embedded("".join(f"<img src={CDN}/{n}>" for n in range(1_100)), many)
    _, unheld = embedded("".join(f"<img src={CDN}/{n}>" for n in range(8)), large)
    _, unread = embedded(f"<link rel=stylesheet href={CDN}/0.css>", deep)

    assert (len(many.fetched), len(uncounted)) == (1_000, 50)
    assert unheld == [f"{CDN}/{n}" for n in range(1, 8)]
    assert len(unread) == 1
    assert len(deep.fetched) < 10


def test_relative_address_is_told_without_any_asset() -> None:
    options: dict[str, Any] = {"pdf": {"header": {"enabled": True, "html": "<img src=logo.png>"}}}

    _, (warning,) = embed_assets(OutputOptions.from_json(options), {}, web_files())

    assert warning.detail == "logo.png"
    assert "send it in input.assets with the path logo.png" in warning.message
