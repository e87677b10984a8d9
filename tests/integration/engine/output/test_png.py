"""Pictures: their size, density and background."""

import io

import pytest
from PIL import Image

from chalicelib.core.errors import RenderFailure
from tests.builders.pages.real_browser import Render

RED = "<body style='margin:0'><div style='background:#f00;width:100px;height:3000px'></div>"


def picture_of(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


def test_png_has_the_size_of_its_viewport(render: Render) -> None:
    (produced,) = render(RED, format="png", image={"width": 320, "height": 200}).files

    assert (produced.width, produced.height) == (320, 200)
    assert picture_of(produced.content).size == (320, 200)
    assert picture_of(produced.content).convert("RGB").getpixel((50, 50)) == (255, 0, 0)
    assert picture_of(produced.content).convert("RGB").getpixel((200, 50)) == (255, 255, 255)


def test_png_of_the_full_page_at_twice_the_density(render: Render) -> None:
    image = {"width": 320, "scale": 2, "full_page": True}

    (produced,) = render(RED, format="png", image=image).files

    assert (produced.width, produced.height) == (640, 6000)


def test_png_without_a_background(render: Render) -> None:
    (produced,) = render(RED, format="png", image={"transparent": True}).files

    picture = picture_of(produced.content)
    assert picture.getpixel((50, 50)) == (255, 0, 0, 255)
    assert picture.getpixel((500, 50)) == (0, 0, 0, 0)


def test_too_large_picture_fails_the_render(render: Render) -> None:
    with pytest.raises(RenderFailure) as failure:
        render("<div style='height:99999px'>", format="png", image={"full_page": True})

    assert failure.value.code == "render_failed"


def test_device_scale_factor_counts_for_the_full_page(render: Render) -> None:
    viewport = {"width": 200, "height": 100, "device_scale_factor": 3}
    html = "<body style='margin:0'><div style='height:{}px'></div>"
    image = {"full_page": True}

    (produced,) = render(html.format(5_461), format="png", image=image, viewport=viewport).files
    with pytest.raises(RenderFailure, match="600 x 16386 pixels"):
        render(html.format(5_462), format="png", image=image, viewport=viewport)

    assert (produced.width, produced.height) == (600, 16_383)


def test_viewport_of_the_maximum_width_is_allowed(render: Render) -> None:
    image = {"width": 8_192, "height": 10, "scale": 2}

    (produced,) = render("<p>x", format="png", image=image).files

    assert (produced.width, produced.height) == (16_384, 20)


def test_pdf_and_png_of_one_load_have_their_own_media_types(render: Render) -> None:
    html = "<style>body{background:#00f}@media print{body{background:#0f0}}</style>"

    pdf, png = render(html, formats=["pdf", "png"]).files

    assert (pdf.format, pdf.pages) == ("pdf", 1)
    assert picture_of(png.content).convert("RGB").getpixel((5, 5)) == (0, 0, 255)


@pytest.mark.parametrize(("media", "colour"), [("print", (0, 255, 0)), ("screen", (0, 0, 255))])
def test_media_type_can_be_chosen(render: Render, media: str, colour: tuple[int, int, int]) -> None:
    html = "<style>body{background:#00f}@media print{body{background:#0f0}}</style>"

    (png,) = render(html, format="png", media=media).files

    assert picture_of(png.content).convert("RGB").getpixel((5, 5)) == colour
