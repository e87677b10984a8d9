"""Pictures of more than the window show frames and contents that lie below it."""

import io
from collections.abc import Iterator
from typing import Final

import pytest
from PIL import Image

from chalicelib.core.json import Json, JsonObject
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.engine_jobs import NoTemplates, egress_to, task
from tests.builders.pages.web_site import Site, SitePage, running_site

RED: Final = "<body style='margin: 0; background: #f00'>"
FRAME_PIXELS: Final = 200 * 60
WHOLE: Final[JsonObject] = {"full_page": True}


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    stuck = f"{RED}<script>onload = () => setTimeout(() => {{ for (;;); }}, 50)</script>"
    pages = {"/": SitePage(RED), "/stuck": SitePage(stuck)}
    pages["/nested"] = SitePage(
        "<body style='margin: 0'><iframe width=200 height=60 frameborder=0 src=/>"
    )
    with running_site(pages) as web:
        yield web


def frame(source: str) -> str:
    return f"<iframe width=200 height=60 frameborder=0 {source}></iframe>"


def draw(browser: Browser, web: Site, html: str, **image: Json) -> RenderOutcome:
    parts = PipelineServices(browser, NoTemplates(), egress_to(web))
    return run_page_job(*task(html, {"format": "png", "image": image}), parts)


def red_pixels(outcome: RenderOutcome) -> int:
    pixels = Image.open(io.BytesIO(outcome.files[0].content)).convert("RGB").tobytes()
    return sum(pixels[n : n + 3] == b"\xff\x00\x00" for n in range(0, len(pixels), 3))


def size(outcome: RenderOutcome) -> tuple[int, int]:
    return Image.open(io.BytesIO(outcome.files[0].content)).size


@pytest.mark.parametrize("image", [WHOLE, {"clip_selector": "iframe"}, {**WHOLE, "scale": 1.5}])
@pytest.mark.parametrize("source", ["src='{}'", f'srcdoc="{RED}"', f'sandbox srcdoc="{RED}"'])
def test_frame_below_the_window_is_drawn(
    connected: Browser, web: Site, source: str, image: JsonObject
) -> None:
    html = f"<!doctype html><div style='height: 1500px'></div>{frame(source.format(web.url()))}"

    first, second = (draw(connected, web, html, **image) for _ in range(2))

    scale = 1.5 if "scale" in image else 1
    assert red_pixels(first) == FRAME_PIXELS * scale**2
    assert first.files[0].content == second.files[0].content


def test_all_frames_are_drawn(connected: Browser, web: Site) -> None:
    part = f"<div style='height: 900px'></div>{frame(f'src={web.url("/nested")}')}"

    assert red_pixels(draw(connected, web, part * 8, **WHOLE)) == 8 * FRAME_PIXELS


def test_heights_of_the_window_stay(connected: Browser, web: Site) -> None:
    css = "body { margin: 0 } section { height: 100vh; background: #ccc } iframe { display: block }"
    html = f"<!doctype html><style>{css}</style>{'<section></section>' * 3}"

    outcome = draw(connected, web, html + frame(f"src={web.url()}"), **WHOLE)

    assert size(outcome) == (1280, 3 * 720 + 60)
    assert red_pixels(outcome) == FRAME_PIXELS


def test_frame_that_never_yields_does_not_hold_the_picture(connected: Browser, web: Site) -> None:
    html = f"<!doctype html><div style='height: 1500px'></div>{frame(f'src={web.url("/stuck")}')}"

    outcome = draw(connected, web, html, **WHOLE)

    assert size(outcome)[1] > 1500
    assert [each.code for each in outcome.trace.warnings] == ["content_clipped"]


@pytest.mark.parametrize("script", ["", "<script>document.title = 'x'</script>"])
@pytest.mark.parametrize("around", ["", "<div style='height: 99px; overflow: auto'>"])
def test_content_that_is_laid_out_late_is_drawn(
    connected: Browser, web: Site, script: str, around: str
) -> None:
    css = (
        "body { margin: 0 } section { content-visibility: auto; contain-intrinsic-size: 300px }"
        " p { margin: 0; height: 900px; background: #f00 }"
    )
    html = f"<!doctype html><style>{css}</style>{script}{around}" + "<section><p></p></section>" * 4

    first, second = (draw(connected, web, html, **WHOLE) for _ in range(2))

    assert red_pixels(first) == 4 * 900 * 1280
    assert first.files[0].content == second.files[0].content


def test_element_that_is_laid_out_late_is_found(connected: Browser, web: Site) -> None:
    css = "section { content-visibility: auto; contain-intrinsic-size: 1px 2000px }"
    body = "<section></section><section><p id=p style='width: 9px; height: 9px; background: #f00'>"

    outcome = draw(connected, web, f"<style>{css}</style>{body}", clip_selector="#p")

    assert red_pixels(outcome) == 81


def test_html_beside_the_picture_stays(connected: Browser, web: Site) -> None:
    css = "<style>section { content-visibility: auto; height: 100vh }</style>"
    html = f"{css}{'<section>x</section>' * 4}{frame(f'src={web.url()}')}"
    output: JsonObject = {"formats": ["png", "html"], "image": WHOLE}
    parts = PipelineServices(connected, NoTemplates(), egress_to(web))

    _, written = run_page_job(*task(html, output), parts).files

    assert b"important" not in written.content
