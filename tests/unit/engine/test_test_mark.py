"""Geometry of the test mark."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from chalicelib.engine.test_mark import mark_html, mark_image, word_strokes

SIDES = st.floats(min_value=10, max_value=20_000)


@given(width=SIDES, height=SIDES)
def test_test_mark_fits_and_fills_the_page(width: float, height: float) -> None:
    lines, thickness = word_strokes(width, height)

    xs = [x for line in lines for x, _ in line]
    ys = [y for line in lines for _, y in line]
    assert min(xs) > thickness / 2
    assert min(ys) > thickness / 2
    assert max(xs) < width - thickness / 2
    assert max(ys) < height - thickness / 2
    assert max(xs) - min(xs) > 0.4 * width or max(ys) - min(ys) > 0.4 * height
    # It is centred.
    assert (min(xs) + max(xs)) / 2 == pytest.approx(width / 2, abs=max(width, height) * 0.05)


def test_test_mark_follows_the_diagonal() -> None:
    lines, _ = word_strokes(300, 400)

    (x1, y1), (x2, y2) = lines[0]
    assert math.atan2(y2 - y1, x2 - x1) == pytest.approx(math.atan2(400, 300))


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_a_picture_keeps_its_size_and_mode(mode: str) -> None:
    marked = mark_image(Image.new(mode, (300, 200), "white"))

    grey = sum(marked.convert("L").histogram()[:250]) / (300 * 200)
    assert (marked.mode, marked.size) == (mode, (300, 200))
    assert 0.03 < grey < 0.3


@pytest.mark.parametrize(
    "after",
    [
        "</body></html>",
        "</body><!--</body><!-- --></html>",
        "</body><!-- a <!-- </body> -->",
        "</html>\n<!-- </body></html> -->\n",
        "",
    ],
)
def test_html_document_has_the_test_mark_once_and_last(after: str) -> None:
    html = f"<html><body><p>x</p>{after}"

    marked = mark_html(html)

    assert marked.startswith(f"{html}<svg ")
    assert marked.endswith("</svg>")
    assert marked.count("M") == 7


def test_frameset_document_has_the_test_mark_first() -> None:
    html = "<html><frameset><frame></frameset></html>"

    marked = mark_html(html)

    assert marked.startswith("<svg ")
    assert marked.endswith(f"</svg>{html}")
