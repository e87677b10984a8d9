"""The geometry of the mark on test documents."""

import io
import math

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from chalicelib.engine.finishing.watermark import mark_pdf, mark_png, strokes

SIDES = st.floats(min_value=10, max_value=20_000)


def pdf_of(*boxes: tuple[float, float, float, float]) -> bytes:
    with pikepdf.new() as document:
        for box in boxes:
            document.add_blank_page()
            document.pages[-1].mediabox = pikepdf.Array([*box])
            # As the browser does: a matrix that nobody takes back.
            document.pages[-1].Contents = document.make_stream(b".24 0 0 -.24 0 792 cm\n")
        result = io.BytesIO()
        document.save(result)
    return result.getvalue()


@given(width=SIDES, height=SIDES)
def test_the_word_lies_on_the_sheet_and_fills_it(width: float, height: float) -> None:
    lines, thickness = strokes(width, height)

    xs = [x for line in lines for x, _ in line]
    ys = [y for line in lines for _, y in line]
    assert min(xs) > thickness / 2
    assert min(ys) > thickness / 2
    assert max(xs) < width - thickness / 2
    assert max(ys) < height - thickness / 2
    assert max(xs) - min(xs) > 0.4 * width or max(ys) - min(ys) > 0.4 * height
    # It is centred.
    assert (min(xs) + max(xs)) / 2 == pytest.approx(width / 2, abs=max(width, height) * 0.05)


def test_the_word_runs_along_the_diagonal() -> None:
    lines, _ = strokes(300, 400)

    (x1, y1), (x2, y2) = lines[0]
    assert math.atan2(y2 - y1, x2 - x1) == pytest.approx(math.atan2(400, 300))


def test_every_page_is_marked_within_its_own_matrix() -> None:
    marked = mark_pdf(pdf_of((0, 0, 595, 842), (10, 20, 210, 120)))

    with pikepdf.open(io.BytesIO(marked)) as document:
        for page in document.pages:
            operators = [str(i.operator) for i in pikepdf.parse_content_stream(page)]
            assert operators[:4] == ["q", "cm", "Q", "BDC"]
            assert operators[-3:] == ["S", "Q", "EMC"]
            assert operators.count("q") == operators.count("Q")
        second = document.pages[1]
        moves = [i for i in pikepdf.parse_content_stream(second) if str(i.operator) == "cm"]
        assert [float(number) for number in moves[1].operands[4:]] == [10, 20]


def test_marking_is_deterministic() -> None:
    content = pdf_of((0, 0, 595, 842))

    assert mark_pdf(content) == mark_pdf(content)


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_a_picture_keeps_its_size_and_mode(mode: str) -> None:
    plain = io.BytesIO()
    Image.new(mode, (300, 200), "white").save(plain, "PNG")

    with Image.open(io.BytesIO(mark_png(plain.getvalue()))) as marked:
        grey = sum(marked.convert("L").histogram()[:250]) / (300 * 200)
        assert (marked.mode, marked.size) == (mode, (300, 200))
    assert 0.03 < grey < 0.3
