"""Texts of a canvas in the real browser: fitted into their boxes, and never cut in silence."""

import io
from itertools import groupby

import pytest
from PIL import Image, ImageOps

from tests.builders.pages.scene_renderer import (
    LONG_TEXT,
    SceneRenderer,
    box,
    picture_of,
    reader_of,
    warnings_of,
)

DOT = 3
WHITE = (255, 255, 255)


def test_texts_are_fitted_into_their_boxes(draw: SceneRenderer) -> None:
    fits = ("clip", "ellipsis", "shrink")
    outcome = draw(
        *(
            box("text", 10, 10 + 70 * n, 150, 60, text=LONG_TEXT, overflow=o)
            for n, o in enumerate(fits)
        ),
        *(box("text", 200, 10 + 70 * n, 150, 60, text="x", overflow=o) for n, o in enumerate(fits)),
        box("text", 10, 220, 150, 30, text="W" * 30, overflow="shrink", font_size=30),
        box("text", 200, 220, 150, 30, text=LONG_TEXT * 3, overflow="shrink"),
        background="#fff",
    )

    assert warnings_of(outcome) == [("text_overflow", f"layers[{n}]") for n in (0, 1, 7)]
    picture = picture_of(outcome)
    for top in (10, 80, 150, 220):
        between = picture.crop((0, top + 62 if top < 220 else top + 32, 400, top + 69))
        assert between.getcolors() == [(between.width * between.height, WHITE)]


@pytest.mark.parametrize("words", ["quick brown foxes " * 9, "שלום עולם " * 9], ids=["ltr", "rtl"])
@pytest.mark.parametrize("align", ["left", "center", "right", "justify"])
def test_ellipsis_is_inside_the_box(draw: SceneRenderer, align: str, words: str) -> None:
    layer = box("text", 0, 0, 110, 30, text=words, overflow="ellipsis", align=align)

    outcome = draw(layer, size=(110, 30), output={"formats": ["pdf", "png"]}, background="#fff")

    assert warnings_of(outcome) == [("text_overflow", "layers[0]")]
    shown = reader_of(outcome).pages[0].extract_text().strip()
    assert "…" in shown
    assert len(shown.splitlines()) == 1
    ink = ImageOps.invert(Image.open(io.BytesIO(outcome.files[1].content)).convert("L"))
    left, _, right, _ = ink.getbbox() or (0, 0, 0, 0)
    dots = ink.crop((left, 0, left + 12, 30) if words[0] == "ש" else (right - 12, 0, right, 30))
    _, top, _, bottom = dots.getbbox() or (0, 0, 0, 0)
    assert bottom - top <= DOT
    inked = [dots.crop((x, 0, x + 1, 30)).getbbox() is not None for x in range(12)]
    assert [dark for dark, _ in groupby(inked)].count(True) == len("...")


@pytest.mark.parametrize("overflow", ["ellipsis", "shrink"])
def test_fitted_text_keeps_its_descenders(draw: SceneRenderer, overflow: str) -> None:
    words = "gjpqy gjpqy gjpqy gjpqy"
    layer = box("text", 0, 0, 110, 40, text=words, overflow=overflow, font_size=18)
    picture = picture_of(draw(layer, size=(110, 40), background="#fff"))

    assert picture.crop((0, 39, 110, 40)).getcolors() == [(110, WHITE)]


def test_shrunk_text_is_complete_in_the_pdf(draw: SceneRenderer) -> None:
    words = " ".join(f"word{n}" for n in range(60))
    outcome = draw(
        box("text", 10, 10, 150, 80, text=words, overflow="shrink", font_size=20),
        output={"format": "pdf"},
    )

    assert warnings_of(outcome) == []
    assert reader_of(outcome).pages[0].extract_text().split() == words.split()
