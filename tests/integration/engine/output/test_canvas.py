"""Canvas templates in the real browser: pictures by their pixels, PDF by its text and its tags."""

import io
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pikepdf
import pytest
from PIL import Image

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.barcodes import barcode_modules
from tests.builders.pages.scene_renderer import (
    LONG_TEXT,
    SceneRenderer,
    box,
    picture_of,
    reader_of,
    warnings_of,
)

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
HOSTILE_SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10" onload="alert(1)">
<script>fetch('https://a.test/x')</script><image href="https://a.test/y.png" width="1" height="1"/>
<foreignObject width="1" height="1"><iframe xmlns="http://www.w3.org/1999/xhtml"
src="https://a.test/z"/></foreignObject>
<rect x="2" y="2" width="8" height="8" fill="#00f"/></svg>"""


def elements(node: Any) -> Iterator[tuple[str, str]]:
    """Yield the tags of a PDF and their alternative texts, in reading order."""
    if isinstance(node, pikepdf.Array):
        for inner in node:
            yield from elements(inner)
    elif isinstance(node, pikepdf.Dictionary) and "/S" in node:
        if node.S in {"/P", "/Figure"}:
            yield str(node.S), str(node.get("/Alt", ""))
        yield from elements(node.get("/K"))


def test_shapes_are_drawn_at_their_positions(draw: SceneRenderer) -> None:
    outcome = draw(
        box("rect", 10, 10, 100, 50, fill="#f00", stroke="#00f", stroke_width=4),
        box("ellipse", 150, 10, 100, 50, fill="#0f0"),
        box("line", 300, 60, 60, -50, stroke="#00f", stroke_width=6),
        box("rect", 20, 200, 100, 10, fill="#f00", rotation=90),
        {
            "type": "group",
            "x": 200,
            "y": 100,
            "width": 100,
            "height": 100,
            "rotation": 180,
            "layers": [box("rect", 0, 0, 20, 20, fill="#0f0")],
        },
        box("rect", 390, 290, 500, 500, fill="#f00"),
        background="#fff",
    )

    picture = picture_of(outcome)
    assert picture.size == (400, 300)
    expected = {
        (60, 35): RED,
        (12, 35): BLUE,
        (9, 35): WHITE,
        (200, 35): GREEN,
        (153, 13): WHITE,
        (330, 35): BLUE,
        (303, 13): WHITE,
        (70, 165): RED,
        (30, 205): WHITE,
        (290, 190): GREEN,
        (210, 110): WHITE,
        (399, 299): RED,
    }
    assert {at: picture.getpixel(at) for at in expected} == expected


@pytest.mark.parametrize("format_", ["png", "jpeg", "webp"])
def test_every_picture_has_the_size_of_the_scene(draw: SceneRenderer, format_: str) -> None:
    outcome = draw(output={"format": format_, "image": {"scale": 2}}, background="#00f")

    assert (outcome.files[0].width, outcome.files[0].height) == (800, 600)
    assert Image.open(io.BytesIO(outcome.files[0].content)).size == (800, 600)


def test_pdf_is_one_tagged_page_of_the_size_of_the_scene(draw: SceneRenderer) -> None:
    outcome = draw(
        box("text", 10, 10, 200, 40, bind="Dear {{ name }},"),
        box("rect", 10, 60, 20, 20, fill="red"),
        box("rect", 40, 60, 20, 20, fill="red", alt="A red square"),
        box("qrcode", 100, 60, 80, 80, bind="url"),
        box("barcode", 200, 60, 150, 60, value="4006381333931", symbology="ean13"),
        box("svg", 10, 150, 50, 50, svg=HOSTILE_SVG, alt="A blue square"),
        box("svg", 70, 150, 50, 50, svg=HOSTILE_SVG, decorative=True, alt="unsaid"),
        box("text", 10, 250, 300, 30, text="aside", decorative=True),
        box("text", 10, 290, 300, 300, text="the end"),
        data={"name": "Ada Łovelace", "url": "https://example.com/1"},
        output={"format": "pdf"},
    )

    (page,) = reader_of(outcome).pages
    assert [float(side) for side in page.mediabox[2:]] == pytest.approx([300, 225], abs=0.5)
    text = page.extract_text()
    assert "Dear Ada Łovelace," in text
    assert "4006381333931" in text
    with pikepdf.open(io.BytesIO(outcome.files[0].content)) as document:
        assert list(elements(document.Root.StructTreeRoot.K)) == [
            ("/P", ""),
            ("/Figure", "A red square"),
            ("/Figure", "https://example.com/1"),
            ("/P", ""),
            ("/Figure", "A blue square"),
            ("/P", ""),
        ]


@pytest.mark.parametrize("symbology", ["code128", "gs1_128"])
def test_barcode_has_the_modules_of_its_value(draw: SceneRenderer, symbology: str) -> None:
    value = "(01)09501101530003(10)AB" if symbology == "gs1_128" else "PKG-0099"
    bars = barcode_modules(value, symbology)
    width = 2 * (len(bars) + 20)
    layer = box("barcode", 0, 0, width, 60, value=value, symbology=symbology, show_text=False)

    picture = picture_of(draw(layer, size=(width, 60), background="#fff"))

    row = [picture.getpixel((20 + 2 * n, 30)) for n in range(len(bars))]
    assert "".join("1" if pixel == (0, 0, 0) else "0" for pixel in row) == bars


def test_svg_is_drawn_and_runs_nothing(draw: SceneRenderer) -> None:
    uri = f"data:image/svg+xml;base64,{b64encode(HOSTILE_SVG.encode()).decode()}"
    outcome = draw(
        box("svg", 0, 0, 100, 100, svg=HOSTILE_SVG),
        box("image", 100, 0, 100, 100, src=uri),
        background="#fff",
    )

    picture = picture_of(outcome)
    assert (picture.getpixel((60, 60)), picture.getpixel((160, 60))) == (BLUE, BLUE)
    assert (warnings_of(outcome), outcome.trace.logs) == ([], ())
    assert outcome.trace.explain is not None
    assert outcome.trace.explain["requests"] == 0


def test_remote_picture_is_loaded_through_egress(draw: SceneRenderer) -> None:
    image = box("image", 0, 0, 10, 10, src="https://example.com/a.png?x=1&y=2")

    assert warnings_of(draw(image)) == [("asset_failed", "https://example.com/a.png?x=***&y=***")]
    with pytest.raises(RenderFailure) as refused:
        draw(image, output={"asset_policy": "strict"})
    assert refused.value.code == "url_not_allowed"


def test_broken_picture_gives_a_warning_and_draws_nothing(draw: SceneRenderer) -> None:
    layers = (
        box("image", 0, 0, 50, 50, src="data:image/png;base64,AAAA", alt="A logo"),
        box("svg", 60, 0, 50, 50, svg="<p>none</p>"),
        box("image", 120, 0, 50, 50, src="https://example.com/a.png", alt="A logo"),
    )

    outcome = draw(*layers, background="#fff")

    failed = {detail for code, detail in warnings_of(outcome) if code == "asset_failed"}
    assert failed == {"layers[0]", "layers[1]", "https://example.com/a.png"}
    assert picture_of(outcome).getcolors() == [(400 * 300, WHITE)]
    with pytest.raises(RenderFailure) as refused:
        draw(layers[0], output={"asset_policy": "strict"})
    assert refused.value.code == "asset_fetch_failed"


def test_pdf_may_be_larger_than_a_picture(draw: SceneRenderer) -> None:
    mark = box("text", 16_000, 16_000, 300, 40, text="the corner", font_size=30)
    outcome = draw(mark, size=(16_384, 16_384), output={"format": "pdf"})

    (page,) = reader_of(outcome).pages
    assert "the corner" in page.extract_text()
    with pytest.raises(RenderFailure) as refused:
        draw(mark, size=(16_384, 16_384))
    assert refused.value.code == "scene_invalid"
    assert "64000000 pixels in all" in (refused.value.detail or "")


def test_same_scene_gives_the_same_bytes(draw: SceneRenderer) -> None:
    layers = [
        box("text", 10, 10, 150, 60, text=LONG_TEXT, overflow="shrink"),
        box("qrcode", 10, 100, 99, 99, value="x"),
    ]
    options = {"formats": ["pdf", "png"]}

    first, again = (draw(*layers, output=options).files for _ in range(2))

    assert [file.content for file in first] == [file.content for file in again]


def test_large_scene_is_drawn(draw: SceneRenderer) -> None:
    texts = [
        box("text", n % 40 * 20, n // 40 * 20, 18, 18, text=LONG_TEXT, overflow="shrink")
        for n in range(200)
    ]
    outcome = draw(*texts, size=(16_384, 100), output={"formats": ["png", "pdf"]})

    assert (outcome.files[0].width, outcome.files[1].pages) == (16_384, 1)
    assert len(warnings_of(outcome)) == 50
