"""Pictures of one element, wherever it is in its document."""

import io

import pytest
from PIL import Image

from chalicelib.core.errors import RenderFailure
from tests.builders.pages.real_browser import Render

RED, GREEN, WHITE = (255, 0, 0), (0, 255, 0), (255, 255, 255)
# Red, with a green lower right quarter.
ELEMENT = (
    "<div id=it style='width:100px;height:60px;background:linear-gradient(#0f0,#0f0) 100% 100% /"
    " 50% 50% no-repeat #f00;{}'></div>"
)


def clipped(render: Render, style: str, page: str = "{}") -> Image.Image:
    html = "<!doctype html><body style='margin:0;background:#ccc'>" + ELEMENT.format(style)
    (file,) = render(page.format(html), format="png", image={"clip_selector": "#it"}).files
    return Image.open(io.BytesIO(file.content)).convert("RGB")


@pytest.mark.parametrize(
    ("style", "size"),
    [
        ("margin-left:-20px;margin-top:300px", (80, 60)),
        ("position:absolute;top:-10px", (100, 50)),
        ("position:absolute;top:-10px;left:-20px", (80, 50)),
        ("position:absolute;top:4000px;left:3000px", (100, 60)),
        ("position:fixed;right:-10px;bottom:-10px", (100, 60)),
    ],
)
def test_clip_is_limited_to_the_document(render: Render, style: str, size: tuple[int, int]) -> None:
    picture = clipped(render, style)

    assert picture.size == size
    right, lower = size[0] - 2, size[1] - 2
    assert [picture.getpixel(at) for at in ((0, 0), (right, 2), (2, lower))] == [RED] * 3
    assert picture.getpixel((right, lower)) == GREEN


@pytest.mark.parametrize("scroll", ["", "<script>onload = () => scrollTo(-700, 50)</script>"])
def test_clip_works_in_right_to_left_documents(render: Render, scroll: str) -> None:
    page = "<html dir=rtl>{}<div style='width:2000px;height:3000px'></div>" + scroll

    picture = clipped(render, "position:absolute;right:1500px;top:200px", page)

    assert picture.size == (100, 60)
    assert (picture.getpixel((2, 2)), picture.getpixel((97, 57))) == (RED, GREEN)


def test_element_outside_the_document_fails_the_render(render: Render) -> None:
    with pytest.raises(RenderFailure, match="lies outside of the document"):
        clipped(render, "position:absolute;left:-100px")
