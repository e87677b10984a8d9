"""Position of a watermark on its page."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.contract.options.pdf import Watermark
from chalicelib.engine.pdf.drawings.mark_drawings import placement_matrix
from chalicelib.engine.pdf.page_boxes import PdfRectangle

PAGE = PdfRectangle(10, 20, 595, 842)
MARK = PdfRectangle(0, 0, 300, 60)


def corners(
    watermark: Watermark, mark: PdfRectangle = MARK, page: PdfRectangle = PAGE
) -> list[tuple[float, float]]:
    """Return the watermark's corners, counter-clockwise from its lower left."""
    a, b, c, d, e, f = placement_matrix(watermark, mark, page)
    ends = (mark.left, mark.left + mark.width), (mark.bottom, mark.bottom + mark.height)
    points = [(ends[0][i], ends[1][j]) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
    return [(a * x + c * y + e, b * x + d * y + f) for x, y in points]


def text(**fields: Any) -> Watermark:
    return Watermark.from_json({"text": "x", **fields})


@given(
    position=st.sampled_from(["center", "top-left", "right", "bottom", "bottom-right"]),
    angle=st.floats(-180, 180),
    width=st.floats(1, 15_000),
    height=st.floats(1, 15_000),
)
def test_largest_watermark_stays_on_the_page(
    position: str, angle: float, width: float, height: float
) -> None:
    share = 0.8 if position == "center" else 0.35

    xs, ys = zip(
        *corners(text(position=position, angle=angle), PdfRectangle(5, -3, width, height)),
        strict=True,
    )

    assert min(xs) >= PAGE.left
    assert min(ys) >= PAGE.bottom
    assert max(xs) <= PAGE.left + PAGE.width
    assert max(ys) <= PAGE.bottom + PAGE.height
    taken = max((max(xs) - min(xs)) / PAGE.width, (max(ys) - min(ys)) / PAGE.height)
    assert taken == pytest.approx(share)


@pytest.mark.parametrize(
    ("position", "across", "up"),
    [("center", 0, 0), ("top", 0, 1), ("bottom-left", -1, -1), ("right", 1, 0)],
)
def test_a_position_is_an_edge_or_the_middle(position: str, across: int, up: int) -> None:
    points = corners(text(position=position, angle=0))

    middle = [sum(values) / 4 for values in zip(*points, strict=True)]
    offset = middle[0] - (PAGE.left + PAGE.width / 2), middle[1] - (PAGE.bottom + PAGE.height / 2)
    assert [round(value / (abs(value) or 1)) if abs(value) > 1 else 0 for value in offset] == [
        across,
        up,
    ]


@pytest.mark.parametrize("angle", [0, 30, 90, -45, 180])
def test_an_angle_turns_counter_clockwise(angle: float) -> None:
    left, right, *_ = corners(text(angle=angle))

    turned = math.degrees(math.atan2(right[1] - left[1], right[0] - left[0]))
    assert (turned - angle) % 360 == pytest.approx(0, abs=1e-6) or (turned - angle) % 360 > 359.99


def test_a_font_size_is_kept_on_every_page() -> None:
    # On the watermark page a letter has 36 points.
    (x1, _), (x2, _), *_ = corners(text(font_size="18pt", angle=0))
    (x3, _), (x4, _), *_ = corners(
        text(font_size="18pt", angle=0), page=PdfRectangle(0, 0, 100, 100)
    )

    assert x2 - x1 == pytest.approx(150)
    assert x4 - x3 == pytest.approx(150)


def test_a_picture_is_made_smaller_but_never_larger() -> None:
    picture = Watermark.from_json({"image": {"content": "QQ=="}, "angle": 0})

    (x1, _), (x2, _), *_ = corners(picture, PdfRectangle(0, 0, 30, 6))
    (x3, _), (x4, _), *_ = corners(picture, PdfRectangle(0, 0, 5950, 60))

    assert x2 - x1 == pytest.approx(30)
    assert x4 - x3 == pytest.approx(0.8 * 595)
