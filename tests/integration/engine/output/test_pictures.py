"""Pictures in every format: compressed, fitted, clipped, transparent or not, marked."""

import io
from typing import Any

import pytest
from PIL import Image

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import RenderOutcome
from tests.builders.pages.real_browser import Render

RED, WHITE, GREEN, NOTHING = (255, 0, 0), (255, 255, 255), (0, 255, 0), (0, 0, 0, 0)
# Red in the viewport, with a green box below it.
PAGE = """<!doctype html><body style='margin:0;background:#f00'>
<div id=low style='position:absolute;top:900px;left:10.4px;width:60px;height:40px;background:#0f0'>
</div><div style='position:absolute;top:2000px;height:1px;width:1px'></div>"""
TEXT = "<body style='background:linear-gradient(45deg,#fff,#08f)'>" + "<p>Text of a page. " * 12


def picture_of(outcome: RenderOutcome, number: int = 0) -> Image.Image:
    produced = outcome.files[number]
    picture = Image.open(io.BytesIO(produced.content))

    assert (picture.format or "").lower() == produced.format
    assert produced.content_type == f"image/{produced.format}"
    assert picture.size == (produced.width, produced.height)
    return picture


def near(found: Any, wanted: tuple[int, ...]) -> bool:
    return all(abs(a - b) < 12 for a, b in zip(found, wanted, strict=True))


def size_of(render: Render, format_: str, **options: Any) -> int:
    (file,) = render(TEXT, format=format_, image={"format_options": options}).files
    return len(file.content)


@pytest.mark.parametrize("format_", ["jpeg", "webp"])
def test_lower_quality_gives_a_smaller_file(render: Render, format_: str) -> None:
    worst, usual, best = (size_of(render, format_, quality=quality) for quality in (1, 90, 100))

    assert worst < usual / 2
    assert usual < best
    assert usual == size_of(render, format_)


def test_a_lossless_webp_has_the_pixels_of_the_png(render: Render) -> None:
    image = {"format_options": {"lossless": True}}

    outcome = render(TEXT, formats=["png", "webp"], image=image)

    assert picture_of(outcome, 0).tobytes() == picture_of(outcome, 1).convert("RGB").tobytes()


def test_jpeg_is_progressive_on_request(render: Render) -> None:
    plain = render(TEXT, format="jpeg")
    other = render(TEXT, format="jpeg", image={"format_options": {"progressive": True}})

    assert "progressive" not in picture_of(plain).info
    assert picture_of(other).info["progressive"]


@pytest.mark.parametrize(
    ("fit", "corner", "middle"),
    [("contain", WHITE, RED), ("cover", RED, RED), ("fill", RED, RED)],
)
def test_a_picture_is_fitted(
    render: Render, fit: str, corner: tuple[int, ...], middle: tuple[int, ...]
) -> None:
    image = {"width": 200, "height": 100, "fit": fit, "viewport": {"width": 300, "height": 300}}

    for format_ in ("png", "jpeg", "webp"):
        picture = picture_of(render(PAGE, format=format_, image={**image, "scale": 2}))
        assert picture.size == (400, 200)
        assert near(picture.convert("RGB").getpixel((2, 2)), corner)
        assert near(picture.convert("RGB").getpixel((200, 100)), middle)


def test_fill_shows_the_whole_viewport_and_cover_its_middle(
    render: Render,
) -> None:
    html = "<body style='margin:0;background:linear-gradient(90deg,#f00 50px,#0f0 50px)'>"
    image = {"width": 100, "height": 100, "viewport": {"width": 400, "height": 100}}

    filled = picture_of(render(html, format="png", image={**image, "fit": "fill"}))
    cut = picture_of(render(html, format="png", image={**image, "fit": "cover"}))

    assert near(filled.getpixel((6, 50)), RED)
    assert near(filled.getpixel((20, 50)), GREEN)
    assert near(cut.getpixel((0, 50)), GREEN)


def test_contain_bars_are_transparent_on_request(render: Render) -> None:
    image = {"width": 200, "height": 100, "fit": "contain", "transparent": True}
    image["viewport"] = {"width": 300, "height": 300}

    outcome = render(PAGE, formats=["png", "webp", "jpeg"], image=image)

    assert picture_of(outcome, 0).getpixel((2, 50)) == NOTHING
    assert picture_of(outcome, 1).convert("RGBA").getpixel((2, 50)) == NOTHING
    assert near(picture_of(outcome, 2).getpixel((2, 50)), WHITE)
    (warning,) = outcome.trace.warnings
    assert (warning.code, warning.detail) == ("feature_unavailable", "output.image.transparent")


def test_clip_selector_pictures_only_the_element(render: Render) -> None:
    image = {"clip_selector": "#low", "scale": 2}

    picture = picture_of(render(PAGE, format="png", image=image))

    # From 10.4 to 70.4: all pixels of the page that the element touches.
    assert picture.size == (122, 80)
    assert [picture.getpixel(at) for at in ((2, 1), (118, 1), (2, 78), (118, 78))] == [GREEN] * 4


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ("#nowhere", "no element"),
        ("p[", "not a valid CSS selector"),
        ("head", "takes no room"),
    ],
)
def test_element_that_cannot_be_clipped_fails_the_render(
    render: Render, selector: str, message: str
) -> None:
    with pytest.raises(RenderFailure, match=message) as failure:
        render(PAGE, format="webp", image={"clip_selector": selector})

    assert failure.value.code == "render_failed"
    assert "output.image.clip_selector" in failure.value.detail


def test_all_formats_of_the_full_page_come_from_one_load(render: Render) -> None:
    html = f"{PAGE}<script>console.log('run')</script>"

    outcome = render(html, formats=["webp", "jpeg", "png"], image={"full_page": True, "width": 90})

    assert outcome.trace.logs == ("log: run",)
    for number in range(3):
        picture = picture_of(outcome, number).convert("RGB")
        assert picture.size == (90, 2001)
        assert near(picture.getpixel((40, 920)), GREEN)


@pytest.mark.parametrize("format_", ["png", "jpeg", "webp"])
def test_test_picture_shows_the_test_mark(render: Render, format_: str) -> None:
    picture = picture_of(render("<p>", format=format_, test=True)).convert("L")

    counts = picture.histogram()
    assert 0.03 < sum(counts[120:240]) / sum(counts) < 0.3


def test_webp_has_a_lower_size_limit_than_png(render: Render) -> None:
    html, image = "<body style='margin:0;height:16384px'>", {"full_page": True, "width": 10}

    picture = picture_of(render(html, format="png", image=image))
    with pytest.raises(RenderFailure, match="A webp may have at most 16383 pixels a side"):
        render(html, formats=["png", "webp"], image=image)

    assert picture.size == (10, 16_384)
