"""Boxes that scroll are opened for print and for pictures of the whole page, or told."""

import io
import re
from typing import Final

import pypdf
import pytest
from PIL import Image

from chalicelib.core.json import JsonObject
from chalicelib.engine.browser.page import scrolling_boxes
from chalicelib.engine.job import RenderOutcome
from tests.builders.pages.real_browser import Render

ROWS: Final = "".join(f"<p>row {number}." for number in range(100))
SCRIPT: Final = "<script>document.title = 'x'</script>"
FULL: Final = "<!doctype html><style>html, body { margin: 0; height: 100% }</style>"
MAIN: Final = f"<header>x</header><main>{ROWS}</main><footer>end</footer>"
INSET: Final = "inset: 50px 0 0 80px; overflow: auto"
SHADOW: Final = "document.querySelector('section').attachShadow({mode: 'open'}).innerHTML"


def shell(css: str, body: str, *, full: bool = True) -> str:
    return f"{FULL if full else ''}<style>{css}</style>{body}"


# Each has the rows in a box that scrolls, and the word `end` behind them.
SHELLS: Final = {
    "row": shell(
        "#root { height: 100%; display: flex } main { flex: 1; overflow-y: auto }",
        f"<div id=root><nav>nav</nav><main>{ROWS}end</main></div>",
    ),
    "column": shell(
        "#root { height: 100vh; display: flex; flex-direction: column }"
        " main { flex: 1 1 0px; min-height: 0; overflow: auto }",
        f"<div id=root>{MAIN}</div>",
    ),
    "grid": shell(
        "#root { height: 100vh; display: grid; grid-template-rows: 50px minmax(0, 1fr) 40px;"
        " overflow: hidden } main { overflow: auto }",
        f"<div id=root>{MAIN}</div>",
    ),
    "tracks": shell(
        "#root { display: grid; grid-template-rows: 50px 400px 40px } main { overflow: auto }",
        f"<div id=root>{MAIN}</div>",
    ),
    "hidden around": shell(
        "html, body { overflow: hidden } #root { height: 100%; overflow: hidden }"
        " main { height: 100%; overflow: auto }",
        f"<div id=root><main>{ROWS}end</main></div>",
    ),
    "fixed": shell(f"main {{ position: fixed; {INSET} }}", f"<nav>x</nav><main>{ROWS}end</main>"),
    "absolute": shell(
        "#root { position: relative; height: 100%; overflow: hidden }"
        f" main {{ position: absolute; {INSET} }}",
        f"<div id=root><main>{ROWS}end</main></div>",
    ),
    "body": shell("html, body { overflow: auto }", f"{ROWS}end"),
    "one in another": shell(
        "#root, main { height: 90%; overflow: auto }",
        f"<div id=root><main>{ROWS}</main><p>end</div>",
    ),
    "list": shell("div { max-height: 200px; overflow: auto }", f"<div>{ROWS}</div>end", full=False),
    "scrolled": shell(
        "div { height: 200px; overflow: auto }",
        f"<div>{ROWS}</div>end<script>document.querySelector('div').scrollTop = 1e6</script>",
        full=False,
    ),
    "print only": shell(
        "@media print { div { height: 200px; overflow: auto } }",
        f"<div>{ROWS}</div>end",
        full=False,
    ),
    "shadow tree": f"<section></section>end<script>{SHADOW} ="
    f" `<style>div {{ height: 200px; overflow: auto }}</style><div>{ROWS}</div>`</script>",
}
CELLS: Final = "".join(f"<td>column {number}." for number in range(16))
TEXTS: Final = "".join(f"<text x={n * 90} y=16>column {n}.</text>" for n in range(16))
WIDE: Final = {
    "table": shell(
        "td { white-space: nowrap } div { overflow-x: auto }",
        f"<div><table><tr>{CELLS}</table></div>",
    ),
    "slides": shell(
        "div { overflow-x: scroll; display: flex; width: 300px } p { flex: 0 0 100% }",
        f"<div>{CELLS.replace('td', 'p')}</div>",
    ),
    "code": shell("pre { overflow: auto }", f"<pre>{CELLS.replace('<td>', 'long ' * 20)}</pre>"),
    "picture": shell(
        "div { overflow: auto } svg { display: block }",
        f"<div><svg width=1500 height=20>{TEXTS}</svg></div>",
    ),
}
ADD_FRAME: Final = (
    "<p><script>document.body.append(Object.assign(document.createElement('iframe'),"
    " {{id: 'f', srcdoc: `{}`}}))</script>"
)


def text_of(outcome: RenderOutcome) -> str:
    pages = pypdf.PdfReader(io.BytesIO(outcome.files[0].content)).pages
    return " ".join(page.extract_text() for page in pages)


def clipped(outcome: RenderOutcome) -> list[str | None]:
    codes = {warning.code for warning in outcome.trace.warnings}
    assert codes <= {"content_clipped"}
    return [warning.detail for warning in outcome.trace.warnings]


def height(outcome: RenderOutcome) -> int:
    return Image.open(io.BytesIO(outcome.files[0].content)).height


@pytest.mark.parametrize("script", ["", SCRIPT])
@pytest.mark.parametrize("name", SHELLS)
def test_all_rows_are_printed(render: Render, name: str, script: str) -> None:
    outcome = render(SHELLS[name] + script)

    text = text_of(outcome)
    assert [int(row) for row in re.findall(r"row (\d+)\.", text)] == [*range(100)]
    assert text.endswith("end")
    assert clipped(outcome) == []


@pytest.mark.parametrize("name", sorted(SHELLS.keys() - {"print only"}))
def test_picture_of_the_whole_page_has_all_rows(render: Render, name: str) -> None:
    plain = render(f"{FULL}{ROWS}", format="png", image={"full_page": True})

    outcome = render(SHELLS[name], format="png", image={"full_page": True})

    assert height(outcome) >= height(plain) - 60
    assert clipped(outcome) == []


def test_picture_of_the_window_stays(render: Render) -> None:
    assert height(render(SHELLS["row"], format="png", image={"height": 300})) == 300


@pytest.mark.parametrize("name", ["row", "hidden around", "list"])
def test_continuous_page_has_all_rows(render: Render, name: str) -> None:
    outcome = render(SHELLS[name], pdf={"width": "210mm", "height": "auto"})

    assert outcome.files[0].pages == 1
    assert text_of(outcome).count("row ") == 100


@pytest.mark.parametrize("formats", [["pdf"], ["pdf", "png"]])
@pytest.mark.parametrize("viewport", [None, {"width": 2500}])
@pytest.mark.parametrize("name", WIDE)
def test_all_columns_are_printed(
    render: Render, name: str, viewport: JsonObject | None, formats: list[str]
) -> None:
    outcome = render(WIDE[name], formats=formats, viewport=viewport)

    text = text_of(outcome)
    assert [int(found) for found in re.findall(r"column\s+(\d+)\.", text)] == [*range(16)]
    assert clipped(outcome) == []


def test_what_is_too_wide_is_told(render: Render) -> None:
    outcome = render(
        f"<div id=t style='overflow: auto'><div style='width: 9000px'>x{CELLS}y</div>"
        "<svg width=9000 height=9><rect width=9000 height=9 /></svg></div>"
    )

    assert clipped(outcome) == ["div#t"]


@pytest.mark.parametrize("overflow", ["hidden", "clip"])
@pytest.mark.parametrize("inner", ["", "<div style='height: 300px; overflow: auto'>"])
def test_what_is_hidden_stays(render: Render, overflow: str, inner: str) -> None:
    html = f"<div style='height: 40px; overflow: {overflow}'>{inner}{ROWS}</div>"

    outcome = render(html)

    assert outcome.files[0].pages == 1
    assert clipped(outcome) == []


def test_print_rules_of_the_document_win(render: Render) -> None:
    rules = "<style>div { overflow: auto; height: 300px } @media print { div { overflow: visible;"
    html = f"{rules} height: auto }} }}</style><div>{ROWS}</div>"

    assert (
        render(html).files[0].content
        == render(html.replace("overflow: auto;", "")).files[0].content
    )


def test_rows_that_a_script_makes_when_they_come_into_sight_are_told(render: Render) -> None:
    html = (
        f"<div id=v style='height: 300px; overflow: auto'><div style='height: 90000px'>{ROWS[:99]}"
    )

    outcome = render(html)

    assert outcome.files[0].pages == 1
    assert clipped(outcome) == ["div#v"]


def test_text_of_a_text_area_is_whole_unless_it_is_a_field(render: Render) -> None:
    html = f"<textarea rows=2>{'word ' * 300}last</textarea>"

    assert "last" in text_of(render(html))
    assert render(html, pdf={"forms": True}).files[0].pages == 1


def test_picture_beside_the_pdf_is_as_alone(render: Render) -> None:
    alone = render(SHELLS["row"], format="png").files

    _, drawn = render(SHELLS["row"], formats=["pdf", "png"]).files

    assert drawn.content == alone[0].content


def test_html_beside_the_pdf_keeps_its_boxes(render: Render) -> None:
    _, written = render(SHELLS["list"], formats=["pdf", "html"]).files

    assert b"important" not in written.content


def test_picture_that_would_be_too_high_stays_and_is_told(render: Render) -> None:
    html = f"<div id=t style='height: 90px; overflow: auto'>{ROWS * 9}</div>"

    outcome = render(html, format="png", image={"full_page": True})

    assert clipped(outcome) == ["div#t"]


@pytest.mark.parametrize(
    "frame",
    [
        "<iframe id=f srcdoc='{}' height=90></iframe>",
        ADD_FRAME,
    ],
)
def test_frame_that_is_lower_than_its_document_is_told(render: Render, frame: str) -> None:
    assert clipped(render(frame.format(ROWS))) == ["iframe#f"]


def test_frame_of_another_origin_is_told_by_its_address(render: Render) -> None:
    assert clipped(render(f"<iframe sandbox srcdoc='{ROWS}'></iframe>")) == ["iframe[srcdoc]"]


@pytest.mark.parametrize("content", ["x", f"<style>html {{ overflow: hidden }}</style>{ROWS}"])
def test_frame_that_cuts_nothing_or_hides_it_is_not_told(render: Render, content: str) -> None:
    assert clipped(render(f"<iframe srcdoc='{content}' height=90></iframe>")) == []


def test_thousands_of_boxes_end(render: Render) -> None:
    box = "<div style='height: 20px; overflow: auto'><p>a<p>b</div>"

    outcome = render(box * (scrolling_boxes.MAX_OPENED + 500), seconds=300)

    places = clipped(outcome)
    assert len(places) == scrolling_boxes.MAX_TOLD == 20
    assert places[0] == f"div:nth-of-type({scrolling_boxes.MAX_OPENED + 1})"
