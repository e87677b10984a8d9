"""Drawings that print sharp: canvases of scripts, and repeated backgrounds."""

import io
from typing import Any, Final
from urllib.parse import quote

import pikepdf
import pypdfium2
import pytest

from tests.builders.pages.real_browser import Render

CANVAS: Final = """<!doctype html><canvas id=c></canvas><p id=p></p><script>
const ratio = devicePixelRatio;
[c.width, c.height, c.style.width, c.style.height] = [300 * ratio, 100 * ratio, '300px', '100px'];
const context = c.getContext('2d');
context.fillStyle = 'red';
context.fillRect(0, 0, c.width / 2, c.height);
p.textContent = `${innerWidth} ${matchMedia('(resolution: 1dppx)').matches}`;
</script>"""
WEBGL: Final = "<canvas id=map></canvas><script>map.getContext('webgl')</script>"
DOT: Final = quote(
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">'
    '<circle cx="10" cy="10" r="8" fill="#f00"/></svg>'
)


def picture_sizes(content: bytes) -> set[tuple[int, int]]:
    with pikepdf.open(io.BytesIO(content)) as document:
        return {
            (int(each.Width), int(each.Height))
            for each in document.objects
            if isinstance(each, pikepdf.Stream) and each.get("/Subtype") == "/Image"
            # One line is the mask of an opaque picture.
            if each.Height > 1
        }


def text_of(content: bytes) -> str:
    return str(pypdfium2.PdfDocument(content)[0].get_textpage().get_text_range()).strip()


@pytest.mark.parametrize(
    ("output", "ratio", "text"),
    [
        ({}, 2, "718 true"),
        ({"formats": ["pdf", "png"]}, 2, "718 true"),
        ({"viewport": {"device_scale_factor": 3}}, 3, "718 false"),
        ({"viewport": {"device_scale_factor": 1.5, "width": 500}}, 1.5, "500 false"),
        ({"wait": {"delay_ms": 1}}, 2, "718 true"),
    ],
)
def test_canvas_has_the_pixels_of_paper_in_the_same_layout(
    render: Render, output: dict[str, Any], ratio: float, text: str
) -> None:
    files = render(CANVAS, **output).files

    (printed,) = (file.content for file in files if file.format == "pdf")
    assert picture_sizes(printed) == {(round(300 * ratio), round(100 * ratio))}
    assert text_of(printed) == text


def test_picture_alone_has_the_pixels_of_its_window(render: Render) -> None:
    html = CANVAS.replace("ratio;", "ratio; document.title = ratio; if (ratio > 1) throw 1;", 1)

    assert not any("Uncaught" in line for line in render(html, format="png").trace.logs)


@pytest.mark.parametrize("wait", [{}, {"delay_ms": 1}])
@pytest.mark.parametrize("format_", ["pdf", "png"])
def test_canvas_without_webgl_is_told(render: Render, format_: str, wait: dict[str, Any]) -> None:
    warnings = render(WEBGL, format=format_, wait=wait).trace.warnings

    assert [(each.code, each.detail) for each in warnings] == [
        ("feature_unavailable", "canvas#map")
    ]


@pytest.mark.parametrize(
    "script",
    [
        "document.createElement('canvas').getContext('webgl')",
        "map.getContext('2d')",
        "map.getContext('webgl'); map.remove()",
        "map.getContext('webgl'); map.hidden = true",
    ],
)
def test_question_for_webgl_without_a_canvas_on_the_page_is_not_told(
    render: Render, script: str
) -> None:
    outcome = render(f"<canvas id=map></canvas><script>{script}</script>")

    assert outcome.trace.warnings == ()


def test_at_most_twenty_canvases_are_told(render: Render) -> None:
    script = "for (const each of document.querySelectorAll('canvas')) each.getContext('webgl2')"
    canvases = "".join(f"<canvas id=c{number}></canvas>" for number in range(300))

    warnings = render(f"{canvases}<script>{script}</script>").trace.warnings

    assert len(warnings) == 20


@pytest.mark.parametrize("head", ["", "<script>let idle</script>"])
@pytest.mark.parametrize(
    ("background", "sizes"),
    [
        (f"url(&quot;data:image/svg+xml,{DOT}&quot;)", {(80, 80)}),
        (f"url(&quot;data:image/svg+xml,{DOT}&quot;) 0 0/10px", {(40, 40)}),
        ("linear-gradient(90deg, #f00 50%, #fff 50%) 0 0/20px 20px", {(80, 80)}),
        ("linear-gradient(90deg, #f00 50%, #fff 50%) repeat-x 0 0/20px", {(80, 400)}),
        ("linear-gradient(90deg, #f00 50%, #fff 50%) 0 0/10% 20%", {(80, 80)}),
        # These are drawn by the browser as they are.
        ("linear-gradient(#f00, #fff)", set()),
        (f"url(&quot;data:image/svg+xml,{DOT}&quot;) no-repeat", set()),
    ],
)
def test_repeated_background_is_a_sharp_pattern(
    render: Render, background: str, sizes: set[tuple[int, int]], head: str
) -> None:
    html = f'{head}<div style="width: 200px; height: 100px; background: {background}"></div>'

    (file,) = render(html, pdf={"margin": {"top": "0", "left": "0"}}).files

    assert picture_sizes(file.content) == sizes
    picture = pypdfium2.PdfDocument(file.content)[0].render(scale=4).to_pil().convert("RGB")
    shown = picture.crop((20, 20, 600, 300))
    assert shown.getextrema() != ((255, 255),) * 3
    colours = shown.getcolors(1 << 20)
    assert colours is not None
    assert all(colour[0] > 250 for _, colour in colours), "red and white alone"


def test_document_is_as_it_was_after_the_print(render: Render) -> None:
    html = (
        "<div id=a style='height: 50px; background: linear-gradient(#f00, #fff) 0 0/9px 9px'></div>"
        "<style>#b { height: 50px; background: linear-gradient(#f00, #fff) 0 0/9px 9px }</style>"
        "<div id=b></div>"
    )

    files = {file.format: file.content for file in render(html, formats=["pdf", "html"]).files}

    assert picture_sizes(files["pdf"]) == {(36, 36)}
    assert b"data:image/png" not in files["html"]
    assert b'<div id="b"></div>' in files["html"]


def test_thousands_of_backgrounds_are_bounded(render: Render) -> None:
    boxes = "".join(
        f"<i style='background: linear-gradient(#f00, #0{number % 10}f) 0 0/{number}px 9px'></i>"
        for number in range(1, 3_000)
    )
    style = "<style>i { display: block; height: 9px; width: 99px }</style>"

    (file,) = render(f"{style}{boxes}").files

    assert file.pages is not None
    pixels = sum(width * height for width, height in picture_sizes(file.content))
    assert pixels < 40_000_000
