"""Assets of a request, answered at the origin of its document."""

import base64
import io
import time
from collections.abc import Callable
from typing import Any, Final

import pikepdf
import pypdf
import pytest
from PIL import Image

from chalicelib.contract.options.assets import PageAsset
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.certificates import Certificates
from tests.builders.pages.engine_jobs import NoTemplates, RefusingEgress, task
from tests.builders.pages.real_browser import explain_of, folder
from tests.builders.pages.switched_egress import SwitchedEgress
from tests.builders.pages.web_site import SitePage, running_site

STRICT: Final = {"asset_policy": "strict"}
PIXEL: Final = {"format": "png", "image": {"width": 1, "height": 1}}
FRAME: Final = "<body style='margin:0'><img src=a.png width=9 height=9>"
SVG: Final = b"""<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><script>
document.querySelector('rect').setAttribute('fill', 'red')</script>
<image href='a.png' width='9' height='9'/><rect width='9' height='9' fill='lime'/></svg>"""

type RenderFiles = Callable[..., RenderOutcome]


def png(color: str) -> bytes:
    result = io.BytesIO()
    Image.new("RGB", (9, 9), color).save(result, "PNG")
    return result.getvalue()


def font(name: str) -> bytes:
    return (folder("PLATEN_FONTS_DIR", "fonts") / "ttf" / name).read_bytes()


@pytest.fixture
def render(browser: Browser) -> RenderFiles:
    def render(
        html: str, files: dict[str, bytes], *, lane: str | None = None, **output: Any
    ) -> RenderOutcome:
        assets = tuple(
            PageAsset(path=path, content=base64.b64encode(content).decode())
            for path, content in files.items()
        )
        parts = PipelineServices(browser, NoTemplates(), RefusingEgress())
        return run_page_job(*task(html, output, assets=assets, lane=lane), parts)

    return render


def color_of(outcome: RenderOutcome) -> tuple[int, ...]:
    pixel = Image.open(io.BytesIO(outcome.files[0].content)).convert("RGB").getpixel((0, 0))
    assert isinstance(pixel, tuple)
    return pixel


def names_of(outcome: RenderOutcome, key: str) -> set[str]:
    """Return the values of a key in all dictionaries of a PDF."""
    with pikepdf.open(io.BytesIO(outcome.files[0].content)) as document:
        found = [
            each[key]
            for each in document.objects
            if isinstance(each, pikepdf.Dictionary | pikepdf.Stream) and key in each
        ]
        return {str(value).rpartition("+")[2] for value in found}


def test_files_of_every_kind_are_loaded_and_counted(render: RenderFiles) -> None:
    regular = font("Cousine_400Regular.ttf")
    files = {
        "css/a.css": b"@import 'b/c.css?x'; @font-face{font-family:own;src:url(../f/f.ttf)}",
        "css/b/c.css": b"p{font-family:own}",
        "f/f.ttf": regular,
        "bü c.png": png("red"),
        "s.js": b"document.querySelector('p').textContent='by script'",
        "frame.html": b"<p>framed",
    }
    html = (
        "<!doctype html><link rel=stylesheet href='css/a.css?v=3'><p>x</p>"
        "<img src='./b%C3%BC%20c.png#y'><script src=/s.js></script><iframe src=frame.html></iframe>"
    )

    outcome = render(html, files, **STRICT)

    text = pypdf.PdfReader(io.BytesIO(outcome.files[0].content)).pages[0].extract_text()
    assert ("by script" in text, "framed" in text) == (True, True)
    assert "Cousine-Regular" in names_of(outcome, "/FontName")
    assert outcome.trace.warnings == ()
    explain = explain_of(outcome)
    assert explain["requests"] == len(files)
    assert explain["bytes"] == {
        "html": len(html.encode()) + len(files["frame.html"]),
        "css": len(files["css/a.css"]) + len(files["css/b/c.css"]),
        "font": len(regular),
        "image": len(files["bü c.png"]),
        "script": len(files["s.js"]),
    }


def test_pictures_have_assets_too_and_no_scripts_where_they_are_off(render: RenderFiles) -> None:
    files = {"a.png": png("red"), "s.js": b"document.body.innerHTML='<img src=none.png>'"}
    html = f"{FRAME}<script src=s.js></script>"

    outcome = render(html, files, javascript=False, **PIXEL, **STRICT)

    assert color_of(outcome) == (255, 0, 0)


def test_scripts_of_an_svg_picture_do_not_run_and_load_nothing(render: RenderFiles) -> None:
    files = {"a.png": png("blue"), "a.svg": SVG}

    outcome = render("<body style='margin:0'><img src=a.svg>", files, **PIXEL)

    assert color_of(outcome) == (0, 255, 0)
    assert explain_of(outcome)["requests"] == 1


@pytest.mark.parametrize("address", ["none.png", "A.png", "css/a.png", "a.png/b", "?name=a.png"])
def test_address_without_asset_is_told_and_fails_a_strict_render(
    render: RenderFiles, address: str
) -> None:
    html, files = f"<img src='{address}'>", {"a.png": png("red")}

    (warning,) = render(html, files).trace.warnings
    with pytest.raises(RenderFailure) as failure:
        render(html, files, **STRICT)

    assert (warning.code, warning.detail) == (
        "asset_failed",
        f"/{address.replace('=a.png', '=***')}",
    )
    assert "input.assets" in warning.message
    assert failure.value.code == "asset_fetch_failed"


@pytest.mark.parametrize("head", ["<!doctype html>", "<!-- x --> <!DOCTYPE html>", ""])
@pytest.mark.parametrize("sheet", ["a.txt", "c.css"])
def test_style_sheet_of_another_type_is_told_where_it_is_not_taken(
    render: RenderFiles, head: str, sheet: str
) -> None:
    html = f"{head}<link rel=stylesheet href={sheet}><p>x"
    files = {"a.txt": b"p{color:red}", "c.css": b"@import 'a.txt'"}

    found = [(each.code, each.detail) for each in render(html, files).trace.warnings]
    assert found == ([("asset_failed", "/a.txt")] if head else [])
    if head:
        with pytest.raises(
            RenderFailure,
            match="came as text/plain, a style sheet needs text/css: set content_type",
        ):
            render(html, files, **STRICT)


PAGE: Final = b"@page { size: 80mm auto; margin: 0 } a::after"
NUMBER: Final = PAGE + b" { content: ' on ' target-counter(attr(href), page) '.' }"


@pytest.mark.parametrize(
    ("head", "files", "width", "text"),
    [
        ("<link rel=stylesheet href='css/a.css?v=1'>", {"css/a.css": NUMBER}, 227, "to a on 1."),
        (
            "<link rel=stylesheet href=css/b.css>",
            {"css/b.css": b"@import 'a.css';", "css/a.css": NUMBER},
            227,
            "to a on 1.",
        ),
        ("<style>@import 'a.css';</style>", {"a.css": NUMBER}, 227, "to a on 1."),
        (
            "<link rel=stylesheet href=a.css><style>@page { size: A5 }</style>",
            {"a.css": NUMBER},
            420,
            "to a on 1.",
        ),
        ("<link rel=stylesheet href=a.css media=screen>", {"a.css": NUMBER}, 595, "to a"),
        (
            "<link rel=stylesheet href=a.css media='not screen'>",
            {"a.css": NUMBER},
            227,
            "to a on 1.",
        ),
        (
            "<link rel=stylesheet href=a.css media='(max-width: 10px)'>",
            {"a.css": NUMBER},
            595,
            "to a",
        ),
        (
            "<link rel=stylesheet href=b.css>",
            {"b.css": b"@import 'a.css'; @page { size: A5 }", "a.css": NUMBER},
            420,
            "to a on 1.",
        ),
        ("", {"a.css": NUMBER}, 595, "to a"),
    ],
)
def test_rules_that_the_browser_does_not_know_count_in_linked_sheets(
    render: RenderFiles, head: str, files: dict[str, bytes], width: int, text: str
) -> None:
    outcome = render(f"<!doctype html>{head}<p><a href=#a>to a</a><p id=a>there", files)

    (page,) = pypdf.PdfReader(io.BytesIO(outcome.files[0].content)).pages
    assert page.mediabox.width == pytest.approx(width, abs=1)
    assert page.extract_text().splitlines()[0].strip() == text


def test_sheet_for_the_screen_counts_where_the_print_is_for_it(render: RenderFiles) -> None:
    head = "<!doctype html><link rel=stylesheet href=a.css media=screen>"
    outcome = render(f"{head}<p>x", {"a.css": PAGE}, media="screen")

    (page,) = pypdf.PdfReader(io.BytesIO(outcome.files[0].content)).pages
    assert page.mediabox.width == pytest.approx(227, abs=1)


def test_sheet_that_is_linked_often_is_read_once(render: RenderFiles) -> None:
    head = "<link rel=stylesheet href=a.css>" * 300
    css = PAGE + b"/*" + b" " * 3_000_000 + b"*/"

    began_s = time.process_time()
    outcome = render(f"<!doctype html>{head}<p>x", {"a.css": css})

    (page,) = pypdf.PdfReader(io.BytesIO(outcome.files[0].content)).pages
    assert page.mediabox.width == pytest.approx(227, abs=1)
    assert time.process_time() - began_s < 6


def test_document_cannot_be_led_to_an_asset(render: RenderFiles) -> None:
    html = "<p>first<script>location.href='b.html'</script>"

    outcome = render(html, {"b.html": b"<p>second"}, wait={"delay_ms": 200})

    text = pypdf.PdfReader(io.BytesIO(outcome.files[0].content)).pages[0].extract_text()
    assert "first" in text


def test_documents_never_see_each_others_files(render: RenderFiles) -> None:
    red = render(FRAME, {"a.png": png("red")}, lane="ours", **PIXEL)
    blue = render(FRAME, {"a.png": png("blue")}, lane="ours", **PIXEL)
    none = render(FRAME, {}, lane="ours", **PIXEL)
    other = render(FRAME, {"b.png": png("red")}, lane="ours", **PIXEL)

    assert [color_of(each) for each in (red, blue)] == [(255, 0, 0), (0, 0, 255)]
    for outcome in (none, other):
        assert color_of(outcome) not in {(255, 0, 0), (0, 0, 255)}
        assert [warning.code for warning in outcome.trace.warnings] == ["asset_failed"]


def test_servers_do_not_learn_the_origin_from_style_sheets(
    browser: Browser, egress: SwitchedEgress, certified: Certificates
) -> None:
    picture = SitePage("<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml")
    with running_site({"/i.svg": picture}, certified.server) as secured, egress.to(secured):
        css = base64.b64encode(f"body{{background:url({secured.url('/i.svg')})}}".encode()).decode()
        asset = PageAsset(path="a.css", content=css)
        html = "<link rel=stylesheet href=a.css><p>x"
        parts = PipelineServices(browser, NoTemplates(), RefusingEgress())
        run_page_job(*task(html, STRICT, assets=(asset,)), parts)
        (asked,) = secured.requests

    assert "referer" not in asked.headers


def test_same_request_gives_the_same_bytes(render: RenderFiles) -> None:
    html = "<link rel=stylesheet href=a.css><img src=a.png><p>x<script src=s.js></script>"
    files = {
        "a.css": b"p{color:red}",
        "a.png": png("red"),
        "s.js": b"document.querySelector('p').textContent = location.href",
    }

    first, second = render(html, files), render(html, files)

    assert first.files[0].content == second.files[0].content


@pytest.mark.parametrize("varying", [{}, {"page_number_start": 3}])
def test_header_and_footer_have_assets(render: RenderFiles, varying: dict[str, int]) -> None:
    files = {
        "a.css": b"@font-face{font-family:own;src:url(f.ttf)} b{font-family:own}",
        "f.ttf": font("Cousine_400Regular.ttf"),
        "a.png": png("red"),
    }
    header = {"enabled": True, "html": "<link rel=stylesheet href=a.css><b>Head</b>"}
    footer = {"enabled": True, "html": "<img src=a.png>"}
    outcome = render("<p>x", files, pdf={"header": header, "footer": footer, **varying}, **STRICT)

    assert any(name.startswith("Cousine") for name in names_of(outcome, "/FontName"))
    assert "/Image" in names_of(outcome, "/Subtype")
