"""Page boxes: whole pixels of layout between margins near those that were asked for."""

import random
import re
from math import ceil, floor
from typing import Any, Final

import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.engine.browser.output.page_fit import content_pixels, default_page_css
from chalicelib.engine.browser.output.page_style import PageStyle

SIDES: Final = ("top", "right", "bottom", "left")
BOX: Final = re.compile(
    r"@page \{ size: ([0-9]+)px ([0-9]+)px; "
    r"margin: ([0-9]+)px ([0-9.]+)px ([0-9.]+)px ([0-9]+)px \}"
)


def options_of(**pdf: Any) -> PdfOptions:
    return OutputOptions.from_json({"pdf": pdf}).pdf


def page_box(options: PdfOptions) -> list[float]:
    match = BOX.fullmatch(default_page_css(options))
    assert match is not None, default_page_css(options)
    return [float(each) for each in match.groups()]


def test_a4_with_its_default_margins() -> None:
    assert page_box(options_of()) == [794, 1123, 38, 38, 38, 38]
    assert content_pixels(options_of(), PageStyle()) == (718, 1047)


@pytest.mark.parametrize("seed", range(5))
def test_margins_leave_whole_pixels(seed: int) -> None:
    chosen = random.Random(seed)  # noqa: S311 -- the same in every run
    for _ in range(200):
        width, height = (chosen.uniform(60, 500) for _ in range(2))
        margin = [round(chosen.choice([0, chosen.uniform(0, 25)]), 2) for _ in SIDES]
        scale = chosen.choice([1, 1, 0.77, 1.3])
        options = options_of(
            width=f"{width:.2f}mm",
            height=f"{height:.2f}mm",
            scale=scale,
            margin=dict(zip(SIDES, (f"{each}mm" for each in margin), strict=True)),
        )

        across, down, *sides = page_box(options)

        asked = options.paper_size
        # The media box is that of the print call: whole points.
        assert floor(across * 0.75 + 0.5) == ceil(asked[0] * 72)
        assert floor(down * 0.75 + 0.5) == ceil(asked[1] * 72)
        content = (across - sides[1] - sides[3]) / scale
        assert content == pytest.approx(round(content), abs=0.03)
        assert ceil(content - 0.001) == content_pixels(options, PageStyle())[0]
        for side, wanted in zip(sides, margin, strict=True):
            assert side == pytest.approx(wanted * 96 / 25.4, abs=2.2)
            assert wanted or side < scale * 1.03


def test_size_that_the_request_decides_has_margins_alone() -> None:
    css = default_page_css(options_of(prefer_css_page_size=False))

    assert css == "@page { margin-left: 38px; margin-right: 38.6867px }"


def test_margins_without_room_are_left_to_the_document() -> None:
    assert default_page_css(options_of(width="30mm", height="30mm", margin={"left": "40mm"})) == ""
