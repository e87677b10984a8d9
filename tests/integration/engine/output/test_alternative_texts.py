"""Broken pictures: their alternative texts are printed, and no icon of the browser."""

import io

import pypdf
import pytest
from PIL import Image

from tests.builders.pages.real_browser import Render

BROKEN = "data:image/png;base64,AAAA"
PICTURE = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"


def text_of(render: Render, html: str) -> str:
    content = render(html, formats=["pdf"]).files[0].content
    return " ".join(pypdf.PdfReader(io.BytesIO(content)).pages[0].extract_text().split())


def picture_of(render: Render, html: str) -> Image.Image:
    outcome = render(html, format="png", viewport={"width": 200, "height": 100})
    return Image.open(io.BytesIO(outcome.files[0].content)).convert("RGB")


def is_blank(picture: Image.Image) -> bool:
    return picture.getextrema() == ((255, 255),) * 3


@pytest.mark.parametrize(
    "element",
    [
        f"<img src='{BROKEN}' alt='Our logo'>",
        "<img src='file:///logo.png' alt='Our logo'>",
        f"<img src='{BROKEN}' alt='Our logo' width=90 height=40>",
        "<img src='' alt='Our logo'>",
        "<img src='' alt='Our logo' =x>",
        "<img alt='Our logo'>",
        f"<picture><source srcset='{BROKEN}'><img alt='Our logo'></picture>",
        f"<input type=image src='{BROKEN}' alt='Our logo'>",
    ],
)
@pytest.mark.parametrize("doctype", ["<!doctype html>", ""])
def test_alternative_text_stands_where_the_picture_is_missing(
    render: Render, element: str, doctype: str
) -> None:
    document = doctype + "<body style='font: 12px sans-serif'><p>{}</p>"

    assert text_of(render, document.format(element)) == "Our logo"
    # As text it looks the same: no icon, and no frame.
    told = picture_of(render, document.format(element))
    assert told.tobytes() == picture_of(render, document.format("Our logo")).tobytes()


@pytest.mark.parametrize(
    "element",
    [
        f"<img src='{BROKEN}'>",
        f"<img src='{BROKEN}' alt=''>",
        f"<img src='{BROKEN}' width=90 height=40>",
        f"<input type=image src='{BROKEN}'>",
        f"<svg><image href='{BROKEN}' width=90 height=40 /></svg>",
        "<svg><image href='file:///a.png' width=90 height=40 /></svg>",
        f"<img src='{BROKEN}' alt='Hidden' style='display: none'>",
    ],
)
def test_broken_picture_without_text_leaves_nothing(render: Render, element: str) -> None:
    assert is_blank(picture_of(render, element))


def test_room_of_a_broken_picture_without_text_stays(render: Render) -> None:
    page = "<body style='margin: 0'>{}<div style='background: red'>&nbsp;</div>"
    image = f"<img src='{BROKEN}' width=90 height=40 style='display: block'>"

    picture = picture_of(render, page.format(image))

    assert picture.getpixel((5, 39)) == (255, 255, 255)
    assert picture.getpixel((5, 41)) == (255, 0, 0)


def test_text_stands_where_the_picture_stood(render: Render) -> None:
    """Rules for `img` give the place, those for its class win over them, also on paper."""
    html = (
        "<style>img{display:block;margin-left:40px} @media print{.screen{display:none}}</style>"
        f"<img src='{BROKEN}' alt='Shown' id=logo class=logo>"
        f"<img src='{BROKEN}' alt='Screen' class=screen>"
    )

    assert text_of(render, html) == "Shown"
    assert is_blank(picture_of(render, html).crop((0, 0, 40, 100)))


def test_html_keeps_its_pictures(render: Render) -> None:
    parts = (
        f'<img src="{BROKEN}" alt="Our logo">',
        f'<img src="{BROKEN}" style="color: red">',
        f'<img src="{BROKEN}">',
    )
    html = f"<!doctype html><p>{''.join(parts)}</p>"

    outcome = render(html, formats=["html", "pdf"])

    texts = {file.format: file.content for file in outcome.files}
    assert all(part.encode() in texts["html"] for part in parts)
    assert b"platen" not in texts["html"]
    pages = pypdf.PdfReader(io.BytesIO(texts["pdf"])).pages
    assert pages[0].extract_text().strip() == "Our logo"


def test_pictures_that_load_are_left_alone(render: Render) -> None:
    html = f'<p><img src="{PICTURE}" alt="Our logo">x</p>'

    assert text_of(render, html) == "x"
